. "$TESTDATA/cli/corpus.inc"
unpack zfs-fuse/single
pooldump objects disk.img: | head -n 40
pooldump ls -v disk.img:$(pooldump datasets -H -o name disk.img | head -n 1)
