# What a member holds is not overwritten without -f, and named.
mkpool tank pool.img
mkpool other pool.img; echo $?
truncate -s 64M data.img
printf x | dd of=data.img bs=1 seek=67000000 conv=notrunc status=none
cp --sparse=always data.img before
mkpool tank data.img; echo $?
cmp data.img before
truncate -s 1M small.img
mkpool tank small.img; echo $?
mkpool -s 128M tank data.img; echo $?
mkpool -f other pool.img; echo $?
pooldump pools pool.img | grep -c other
: >empty.img
mkpool tank empty.img; echo $?
truncate -s 70M zeros.img
mkpool tank zeros.img; echo $?
# By name of what it is.
truncate -s 64M tar.img && tar -cf - small.img | dd of=tar.img conv=notrunc status=none
mkpool tank tar.img; echo $?
truncate -s 64M gz.img && echo x | gzip -n | dd of=gz.img conv=notrunc status=none
mkpool tank gz.img; echo $?
truncate -s 64M odd.img && printf '\001\002\003' | dd of=odd.img conv=notrunc status=none
mkpool tank odd.img; echo $?
MAGIC=/nonexistent mkpool tank gz.img; echo $?
stat -c '%n %s' *.img
