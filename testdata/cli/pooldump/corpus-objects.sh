. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/single
pooldump objects disk.img: && pooldump objects -Hp disk.img:p_single/fs
