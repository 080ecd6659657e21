. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/single
pooldump labels disk.img
