# What a format cannot hold is said; the rest comes back.
. "$TESTDATA/cli/poolcp/formats.inc"
for f in zip 7z; do back $f; done
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
