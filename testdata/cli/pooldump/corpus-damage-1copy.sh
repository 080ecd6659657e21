. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/damaged-files-dir-block-1copy
pooldump ls disk.img:p_files/f128k@/mid >list
echo "exit status $?"
head -n 3 list
