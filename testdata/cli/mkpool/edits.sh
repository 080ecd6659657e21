# Owners, exclusion, shorter paths, the root directory.
mkdir -p tree/top/keep tree/top/cache/deep tree/other
touch tree/top/keep/a.o tree/top/keep/a.c tree/top/cache/deep/x tree/other/y tree/file
ln tree/top/keep/a.c tree/top/link.c
find tree -exec touch -h -d @1600000000 {} +
tar -C tree --owner 7 --group 8 -cf t.tar top other file
mkpool --exclude '*.o' --exclude cache --strip-components 1 --owner 1000:1001 --root-owner 5:6 --root-mode 1777 \
	-d t.tar tank a.img
for d in '' keep; do pooldump ls a.img:tank@/$d; done
mkpool -f --exclude /other --exclude ./top/keep/a.o --owner :99 -d t.tar tank a.img
for d in '' top top/keep; do pooldump ls a.img:tank@/$d; done
mkpool -f --all-root -d t.tar tank a.img
pooldump ls a.img:tank
# Modes and times.
mkpool -f --mode u+rwX,go=rX --mtime 1500000000.25 -d t.tar tank a.img
pooldump ls -p a.img:tank; pooldump ls -p a.img:tank@/top/keep
mkpool -f --mode 600 --mtime -1 -d t.tar tank a.img
pooldump ls -p a.img:tank
# What is excluded is not even looked at, and may be what another name is a hard link to.
mkpool -f --owner 1:1 --exclude top/keep/a.c --exclude other -d tree tank a.img
for d in '' top; do pooldump ls a.img:tank@/$d; done
