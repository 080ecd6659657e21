# What zfs get said of genuine pools: every property of every dataset and snapshot. Left out are what
# an alternate root changes (mountpoint), and xattr, whose value "on" is now called "sa".
. "$TESTDATA/cli/corpus.inc"
for case in attrs zvol checksum dedup blockclone version1 version5; do
	unpack "openzfs-2.3/$case"
	awk 'NR == 1 { p = index($0, "PROPERTY"); v = index($0, "VALUE"); s = index($0, "SOURCE"); next }
	{ n = substr($0, 1, p - 1) "\t" substr($0, p, v - p) "\t" substr($0, v, s - v) "\t" substr($0, s)
	  gsub(/ +\t/, "\t", n); sub(/ +$/, "", n); print n }' \
		"$POOLKIT_CORPUS/openzfs-2.3/$case/zfs-get.txt" |
		grep -v -e '	mountpoint	' -e '	xattr	' | sort >theirs
	pooldump properties -Hpr "disk.img:p_$case" | sort >ours
	echo "$case: $(comm -12 theirs ours | wc -l) alike"
	comm -23 theirs ours
done
