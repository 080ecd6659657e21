. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/single
pooldump object disk.img:
for n in 1 32 45 47 60 61 62 68 69; do pooldump object disk.img: $n; done
