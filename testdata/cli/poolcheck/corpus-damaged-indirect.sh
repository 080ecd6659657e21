. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/damaged-single-file-indirect
poolcheck disk.img
