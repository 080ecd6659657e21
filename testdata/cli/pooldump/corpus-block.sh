. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/single
pooldump block disk.img: 0:52600:40
pooldump block disk.img: 7:0:200
pooldump block disk.img: 0:ffffffffff00:200
