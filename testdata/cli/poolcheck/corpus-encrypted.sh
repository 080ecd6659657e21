. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/sendsrc
poolcheck disk.img
