. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/single
pooldump uberblocks disk.img && pooldump uberblocks -Hp disk.img
