. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/version1
poolcheck -v disk.img
