# Every format that archives are written in: what it keeps comes back, what it cannot hold is said.
mkdir -p tree/d
echo hello >tree/d/f && ln tree/d/f tree/hard && ln -s d/f tree/sym && chmod 755 tree/d/f
head -c 300000 /dev/zero | tr '\0' x >tree/long && truncate -s 1M tree/holes
find tree -exec touch -h -d @1600000000 {} +
mkpool --owner 7:8 -d tree tank a.img
pooldump ls -H a.img:tank >list
pooldump ls -H a.img:tank@/d >>list
for f in pax rpax gnutar ustar v7tar newc odc bin zip 7z iso xar tar.gz tar.bz2 tar.xz tar.zst tar.lz4 tar.lz \
	tar.lzma tar.Z tar.uu tar.b64 cpio.gz; do
	echo "== $f"
	poolcp --format $f a.img:tank x; echo $?
	mkpool -f -d x tank b.img && {
		pooldump ls -H b.img:tank
		pooldump ls -H b.img:tank@/d
	} | diff list -
	poolcp b.img:tank@/hard - | cmp - tree/hard
	poolcp b.img:tank@/long - | cmp - tree/long
	rm -f x b.img
done
for f in shar warc mtree ar argnu pwb; do
	echo "== $f"
	poolcp --format $f a.img:tank x; echo $?
	grep -ac hello x
	rm -f x
done
poolcp a.img:tank@/d a.ar; echo $?
poolcp --format raw a.img:tank x; echo $?
PATH=$(dirname "$(command -v poolcp)") poolcp a.img:tank x.tar.lrz; echo $?
ls
