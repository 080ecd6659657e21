# Each filter behind a format.
. "$TESTDATA/cli/poolcp/formats.inc"
rm -f list
for f in tar.gz tar.bz2 tar.xz tar.zst tar.lz4 tar.lz tar.lzma tar.Z tar.uu tar.b64 cpio.gz; do
	poolcp a.img:tank@/d x.$f && mkpool -j1 -d x.$f tank b.img && poolcp b.img:tank@/f - || echo "$f failed"
	rm -f b.img
done
poolcp a.img:tank a.tgz && gzip -dc a.tgz | tar -tf -
