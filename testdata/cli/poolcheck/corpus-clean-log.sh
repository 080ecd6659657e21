. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/unclean-async
poolcheck -v disk.img
