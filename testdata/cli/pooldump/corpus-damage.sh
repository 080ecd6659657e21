. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/damaged-files-dir-block
# All copies of the directory's block are gone; the rest is there.
pooldump ls disk.img:p_files/f128k@/mid
echo "exit status $?"
pooldump -q object disk.img:p_files/f128k@/mid
