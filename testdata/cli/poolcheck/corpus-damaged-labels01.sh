. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/damaged-single-labels01
poolcheck disk.img
