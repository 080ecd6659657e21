# A genuine pool comes out as files, archives and directories that agree with each other.
[ -n "${POOLKIT_CORPUS-}" ] || { echo "POOLKIT_CORPUS is not set" >&2; exit 77; }
zstd -q -dc --long=27 "$POOLKIT_CORPUS/openzfs-2.3/single/disks.tar.zst" | tar --sparse -xf -
disk=$(ls *.img)
cp -p "$disk" before
poolcp --numeric-owner --list "$disk:p_single"
poolcp -q --list "$disk:p_single/fs@snap1/dir/sub"
poolcp -Hp --numeric-owner --list "$disk:p_single@/link" "$disk:p_single@/text"
poolcp "$disk:p_single/fs" tree
poolcp "$disk:p_single/fs" t.tar.zst
poolcp "$disk:p_single/fs" - >t.tar
zstd -qdc t.tar.zst | cmp - t.tar
mkdir fromtar
tar --xattrs -xpf t.tar -C fromtar
chmod -R u+rwX tree fromtar # one file may not be read
diff -r --no-dereference tree fromtar
poolcp "$disk:p_single/fs@/text" text.tar
cmp text.tar tree/text
poolcp "$disk:p_single/fs@/text" - | cmp - tree/text
poolcp "$disk:p_single/fs@/text" tree/dir/
cmp tree/text tree/dir/text
poolcp "$disk:p_single/fs@/dir" "$disk:p_single/fs@/text" two.cpio
poolcp -q --list "$disk:p_single/fs@/nosuch"
poolcp "$disk:p_single/fs" "$disk"
poolcp "$disk:p_single/fs@/text" "./$disk"
poolcp -v "$disk:p_single@/dir/sub/deeper/f1" f1
poolcp "$disk:p_single/fs" /dev/full --format tar
poolcp "$disk:p_single/fs" - | head -c 1 >/dev/null
cmp "$disk" before
