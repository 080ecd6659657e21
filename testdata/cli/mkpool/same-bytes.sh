# The same contents and options give the same bytes: threads, folder, umask, time zone, locale, order.
mkdir one two elsewhere
for n in 9 3 7 1 5; do seq 1 ${n}0000 >one/$n; done
for n in 1 3 5 7 9; do cp one/$n two/$n; done
find one two -exec touch -d @1600000000 {} +
cat one/* >/dev/null
same() { cmp a.img "$1" && rm "$1"; }
mkpool -j 1 -d one tank a.img
mkpool -j 8 -d two tank b.img && same b.img
(cd elsewhere && umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 mkpool -d ../one tank ../b.img) && same b.img
mkpool -s 64M -d one tank ./elsewhere/b.img && same elsewhere/b.img
mkpool --seed x -d one tank b.img
cmp -s a.img b.img; echo $?
mkpool --time 5 -d one tank c.img
cmp -s a.img c.img; echo $?
SOURCE_DATE_EPOCH=5 mkpool -d one tank d.img
cmp c.img d.img
rm -f c.img d.img
mkpool --seed random tank c.img
mkpool --seed random tank d.img
cmp -s c.img d.img; echo $?
pooldump uberblocks -H a.img | cut -f 1-3
