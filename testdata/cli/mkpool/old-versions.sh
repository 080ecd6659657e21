# Pools of versions before feature flags: what they are, what they cannot have.
mkdir -p tree/dir
echo hello >tree/dir/file
ln -s dir/file tree/link
ln -s "$(printf '%0200d' 0)" tree/long
for version in 23 28 5000; do
	mkpool -o version=$version --time 1000000000 -d tree -S tank@first -c tank/child \
		-d tank/child=tree tank v$version.img
	pooldump config v$version.img | grep -E '(^|[^a-z_])(version|features_for_read):?'
	poolcheck v$version.img >/dev/null && echo clean
	poolcp --list v$version.img:tank/child | wc -l
	poolcp v$version.img:tank@first out$version
	diff -r --no-dereference tree out$version && echo same
	pooldump properties v$version.img:tank 2>/dev/null | grep -E ' version '
done
mkpool -o version=23 --seed a -d tree tank a.img && mkpool -o version=23 --seed a -d tree tank b.img
cmp a.img b.img && echo the same bytes
for version in 1 22 24 27 29 4999 5001; do
	mkpool -o version=$version tank no.img
	echo "version=$version: $?"
done
for words in '-o feature@lz4_compress=enabled' '-o compatibility=grub2' \
	'-O compression=lz4' '-O compression=zstd' '-O checksum=sha512' '-O recordsize=1M' \
	'-O dnodesize=auto' '-O version=5' '-O encryption=on'; do
	# shellcheck disable=SC2086
	mkpool -o version=23 $words tank no.img
	echo "$words: $?"
done
mkpool -o version=28 -O compression=zle -O version=5 -O xattr=sa -n tank no.img | grep -E 'version|features'
mkpool -o version=28 -O compression=lz4 tank no.img
ls no.img
# An old file system in a pool with features, and one that is too old.
mkpool -O version=4 -d tree tank zpl4.img && pooldump properties zpl4.img:tank | grep -E ' (version|xattr) '
poolcheck zpl4.img >/dev/null && poolcp zpl4.img:tank zpl4 && diff -r --no-dereference tree zpl4 && echo same
mkpool -O version=2 tank no.img
echo "ZPL 2: $?"
