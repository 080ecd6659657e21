. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/damaged-single-uber1-l01
poolcheck disk.img
