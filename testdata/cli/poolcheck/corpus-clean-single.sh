. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/single
poolcheck -v disk.img
