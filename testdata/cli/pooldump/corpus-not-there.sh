. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/single
pooldump ls disk.img:p_single/fs@/dir/nope
pooldump ls disk.img:p_single/nope
pooldump ls disk.img:p_single/fs@nope
pooldump object disk.img:p_single/fs 4711
