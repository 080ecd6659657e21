. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/damaged-single-file-block
poolcheck disk.img
