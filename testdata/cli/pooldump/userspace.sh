# Who owns what, and their quotas: as zfs userspace, groupspace and projectspace tell it.
mkdir -p t/d && echo x >t/a && head -c 300000 /dev/zero | tr '\0' x >t/b && echo y >t/d/c
find t -exec touch -h -d @1600000000 {} +
tar -C t --sort=name --owner=5 --group=7 -cf one.tar a d && tar -C t --owner=70000 --group=100 -cf two.tar b
mkpool --time 1700000000 -O userquota@5=10M -O userquota@4000000000=1K -O groupobjquota@100=12 -O projectquota@9=3G \
	-O compression=off -d one.tar -d two.tar -S tank@s \
	-c tank/old,version=3 -d tank/old=two.tar tank a.img
for what in userspace groupspace projectspace; do
	pooldump $what a.img:tank
	pooldump $what -H -p a.img:tank@s | cut -f 1,2,4-
done
pooldump userspace -H a.img:tank/old | cut -f 1,2,5
pooldump userspace a.img:tank@/d; echo $?
mkpool --time 1700000000 -o compatibility=legacy tank b.img
pooldump userspace b.img:tank
pooldump projectspace b.img:tank; echo $?
