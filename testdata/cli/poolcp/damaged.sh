# A bad block: the file is named with the bytes that are missing, everything else comes out.
[ -n "${POOLKIT_CORPUS-}" ] || { echo "POOLKIT_CORPUS is not set" >&2; exit 77; }
zstd -q -dc --long=27 "$POOLKIT_CORPUS/openzfs-2.3/damaged-single-file-block/disks.tar.zst" | tar --sparse -xf -
poolcp -q d0.img:p_single/fs@snap1 a.tar 2>said
echo $?
sed 's/: object set.*//' said
tar -xf a.tar
poolcp -q d0.img:p_single/fs@snap1/dir/big-text big 2>said
echo $?
sed 's/: object set.*//' said
cmp big dir/big-text
