. "$TESTDATA/cli/corpus.inc"
unpack openzfs-2.3/damaged-single-band
# The first 256 KiB behind the labels are gone: much, but whatever has a second copy is there.
poolcheck -H -j 1 disk.img >one
status=$?
poolcheck -H -j 3 disk.img | cmp - one
cut -f 1,2 one | grep -v ONLINE | sort | uniq -c
exit $status
