# Several datasets, a volume, snapshots among the contents: made in the order of the command line.
mkdir -p one/d two && echo 1 >one/a && echo 2 >one/d/b && echo changed >two/a && echo new >two/c
ln one/a one/hard
seq 1 20000 >raw && truncate -s 200000 raw && echo end >>raw
find one two raw -exec touch -h -d @1600000000 {} +
mkpool -v --all-root --layers --verify -c tank/home,compression=zstd,user:x='a\,b' -d tank/home=one -S tank/home@first \
	-c tank/home/deep,mountpoint=none,readonly=on,canmount=off -d tank/home/deep@/x/y=one -d tank=two \
	-d tank/home=two -S tank@s -S tank/home@second -V tank/vol=raw,volblocksize=8K,compression=off \
	-V tank/empty,volsize=1M -o bootfs=tank/home tank a.img | grep -vE 'guid|^ |features'; echo $?
pooldump datasets -r -t all -o name,type -H a.img
for place in tank tank@s tank/home@first tank/home@second tank/home tank/home/deep; do
	echo "== $place"; poolcp -q --list a.img:$place
done
poolcp a.img:tank/home@first@/a - 2>/dev/null || poolcp a.img:tank/home@first/a -
poolcp a.img:tank/home@/a -
poolcp a.img:tank/vol out && head -c 200004 out | cmp - raw && stat -c %s out
poolcheck a.img | tail -1
# The same again is the same, whatever the threads.
mkpool -j1 --all-root --layers -c tank/home,compression=zstd,user:x='a\,b' -d tank/home=one -S tank/home@first \
	-c tank/home/deep,mountpoint=none,readonly=on,canmount=off -d tank/home/deep@/x/y=one -d tank=two \
	-d tank/home=two -S tank@s -S tank/home@second -V tank/vol=raw,volblocksize=8K,compression=off \
	-V tank/empty,volsize=1M -o bootfs=tank/home tank b.img && cmp a.img b.img
