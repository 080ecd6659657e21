. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/single
pooldump ls disk.img:p_single/fs
pooldump ls -vHp disk.img:p_single/fs@snap1/dir
pooldump ls disk.img:p_single/fs@/link
