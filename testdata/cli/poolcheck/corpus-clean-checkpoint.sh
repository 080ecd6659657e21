. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/checkpoint
poolcheck -v disk.img
