# Properties of datasets and the pool, as zfs get and zpool get show them.
mkpool --time 1700000000 -s 64M -o comment='a comment' -o failmode=continue -o bootfs=tank \
	-O compression=zstd-fast-10 -O mountpoint=/a/b -O user:x='a b' -O copies=2 -O quota=30M \
	-O snapdir=disabled tank a.img
pooldump properties a.img:tank | grep -v guid
pooldump properties -Hp a.img:tank creation,used,avail,quota,compression,user:x,user:none,origin
pooldump properties a.img | grep -v guid
pooldump properties -H a.img: size,failmode,bootfs,feature@lz4_compress
for words in 'a.img:tank nosuch' 'a.img used' 'a.img:tank/none' '-o name a.img' 'a.img:tank a b'; do
	pooldump properties $words
	echo "$?"
done
pooldump datasets -o name,avail,mountpoint,user:x,compress a.img
pooldump datasets -Hp -o name,quota,user:none,recordsize a.img
pooldump datasets -o name,nosuch a.img
echo "$?"
