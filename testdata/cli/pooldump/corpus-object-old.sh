. "$TESTDATA/cli/corpus.inc"
unpack zfs-fuse/single
pooldump objects disk.img: >objects
head -n 40 objects
pooldump ls -v disk.img:$(pooldump datasets -H -o name disk.img | head -n 1)
