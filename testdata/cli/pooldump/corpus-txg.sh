. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/single
pooldump datasets --txg 8 -t all disk.img
