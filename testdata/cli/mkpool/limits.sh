# Quotas and reservations are held against the contents; limits begin to count.
mkdir t && head -c 3000000 /dev/zero | tr '\0' x >t/f && touch -d @1600000000 t t/f
t() { mkpool --time 1700000000 "$@" a.img 2>&1 | grep -E '^mkpool|USED|AVAIL'; ls *.img 2>/dev/null; rm -f *.img; }
for word in quota=1M refquota=2M reservation=1G refreservation=1G; do
	t -O compression=off -O $word -d t -s 128M tank
	t -c tank/a,compression=off,$word -d tank/a=t -s 128M tank
done
t -c tank/a,quota=1M,reservation=2M tank
t -c tank/a,quota=10M -c tank/a/b,reservation=20M tank
# All that is reserved is used; the root's own is for the root to fill.
t -v -s 256M tank
t -v -s 256M -O refreservation=32M tank
t -v -s 256M -c tank/a,reservation=32M tank
t -v -s 256M -O quota=20M tank
t -v -s 256M -O refquota=20M tank
t -v -s 256M -O quota=64M -O refreservation=32M tank
t -v -s min -c tank/a,refreservation=1G tank
t -v -O reservation=200M tank
mkpool -O filesystem_limit=10 -c tank/a,snapshot_limit=7 -c tank/a/b -S tank/a/b@s -O userquota@7=3M \
	-c tank/v4,version=4,casesensitivity=insensitive -d tank/v4=t tank a.img
pooldump properties -r -H a.img:tank filesystem_limit,filesystem_count,snapshot_limit,snapshot_count,version,casesensitivity
poolcheck -q a.img; echo $?
mkpool -c tank/a,filesystem_limit=3 -o feature@filesystem_limits=disabled tank b.img
mkpool -c tank/a,version=2 tank b.img
