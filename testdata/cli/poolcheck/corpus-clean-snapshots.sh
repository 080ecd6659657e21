. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/snapshots
poolcheck -v disk.img
