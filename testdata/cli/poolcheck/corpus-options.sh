. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/damaged-single-file-block
poolcheck -q disk.img
poolcheck -q --metadata disk.img
echo "exit status $?"
poolcheck -q --fast disk.img
poolcheck -qp --txg 13 disk.img
poolcheck -H disk.img
