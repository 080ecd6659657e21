# --split: each entry goes where its dataset is mounted.
mkdir -p tree/home/joe tree/homes tree/usr/local/bin tree/var/log tree/boot
for f in home/joe/x homes/h usr/u usr/local/bin/l var/log/v boot/k; do echo $f >tree/$f; done
ln tree/home/joe/x tree/home/link && chmod 711 tree/home
find tree -exec touch -h -d @1600000000 {} +
run() { mkpool -f --all-root --split "$@" tank a.img; echo $?; }
run -O mountpoint=none -c tank/root,mountpoint=/,canmount=noauto -c tank/home,mountpoint=/home \
	-c tank/usr,mountpoint=/usr,canmount=off -c tank/usr/local -c tank/legacy,mountpoint=legacy -c tank/boot,mountpoint=/boot,readonly=on \
	-d tree
for d in tank tank/root tank/home tank/usr tank/usr/local tank/legacy tank/boot; do
	echo "== $d"; poolcp -q --list a.img:$d
done
poolcp --numeric-owner --list a.img:tank/home | head -1 | cut -c1-20
# The root's default mountpoint is its name: what leads there is no part of it.
mkdir in && cp -a tree in/tank && touch -d @1600000000 in
run -d in -c tank/home && poolcp -q --list a.img:tank
run -d tree
run -O mountpoint=/ -c tank/other,mountpoint=/ -d tree
run -O mountpoint=/ -c tank/k,mountpoint=/boot/k -d tree
ln tree/home/joe/x tree/usr/x
run -O mountpoint=/ -c tank/home,mountpoint=/home -d tree
rm tree/usr/x
touch tree/.wh.home tree/home/.wh..wh..opq
run --layers -O mountpoint=/ -c tank/home,mountpoint=/home -d tree
rm tree/.wh.home
run --layers -O mountpoint=/ -c tank/home,mountpoint=/home -d in/tank -d tree && poolcp -q --list a.img:tank/home
# A named dataset is not split.
run -O mountpoint=/ -c tank/home,mountpoint=/home -d tank=tree/home && poolcp -q --list a.img:tank
