# Properties of pool and root dataset are stored as OpenZFS stores them.
mkpool -o autotrim=on -o failmode=continue -o bootfs=tank -o ashift=9 -o delegation=off \
	-o autoexpand=on -o autoreplace=on -o listsnapshots=on -o multihost=off \
	-o dedup_table_quota=10M -o comment='a comment' \
	-O compression=zstd-fast-10 -O checksum=sha256 -O copies=2 -O mountpoint=/a/b \
	-O canmount=noauto -O sharenfs=rw=@10.0.0.0/8 -O quota=100M -O refreservation=1M \
	-O snapdir=disabled -O dnodesize=legacy -O user:x='a b' -O user:empty= \
	-O recordsize=16K -O xattr=dir -O redundant_metadata=most tank a.img
for type in 'Pool properties' 'DSL props'; do
	n=$(pooldump objects -H a.img: | grep "$type" | head -n 1 | cut -f 1)
	echo "$type"
	pooldump object a.img: "$n" | sed '1,/^contents/d' | sort
done
