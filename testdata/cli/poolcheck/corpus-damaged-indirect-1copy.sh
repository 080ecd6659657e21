. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/damaged-single-file-indirect-1copy
poolcheck disk.img
