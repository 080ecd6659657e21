. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/damaged-files-dir-block
poolcheck disk.img
