# -n prints what would be built and writes nothing; the same run without it makes just that.
mkdir tree
echo hello >tree/file
ln -s file tree/link
ln tree/file tree/hard
chmod 755 tree
find tree -exec touch -h -d @1600000000 {} +
mkpool -n --all-root -o comment='a comment' -O compression=gzip-9 -d tree tank a.img >dry
ls
mkpool -v --all-root -o comment='a comment' -O compression=gzip-9 -d tree tank a.img >wet
cmp dry wet && grep -v guid wet
mkpool -n -o compatibility=legacy tank a.img
mkpool -n -f -o compatibility=legacy tank a.img | grep -v guid
pooldump datasets a.img
