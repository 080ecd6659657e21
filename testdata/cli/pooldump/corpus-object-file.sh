. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/single
pooldump object disk.img:p_single/fs
pooldump object -v disk.img:p_single/fs@/text
pooldump object disk.img:p_single/fs 34
pooldump object disk.img:p_single/fs@snap1/link
pooldump object disk.img:p_single/fs meta
pooldump object disk.img:p_single/fs userused
