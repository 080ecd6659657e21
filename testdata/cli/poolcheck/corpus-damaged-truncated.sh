. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/damaged-single-truncated
poolcheck disk.img
