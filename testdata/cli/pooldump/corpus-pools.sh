. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/single
pooldump pools disk.img
