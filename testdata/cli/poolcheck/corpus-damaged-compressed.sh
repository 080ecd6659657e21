. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/damaged-compress-blocks
poolcheck disk.img
