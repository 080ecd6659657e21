. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/damaged-single-uber1
poolcheck disk.img
