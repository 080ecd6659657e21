#!/bin/sh
# gen.sh OUT.tar FILES MEAN [SEED]: a tarball of seeded, bit-exact contents: FILES text files, MEAN
# bytes each on average, 100 a directory. For machines that do not have larger inputs.
set -eu
out=${1:?out} files=${2:?files} mean=${3:?mean} seed=${4:-1}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
LC_ALL=C
export LC_ALL
mkdir "$tmp/tree"
i=0
while [ $i -lt "$files" ]; do
	mkdir "$tmp/tree/d$((i / 100))"
	i=$((i + 100))
done
# Words drawn from a small stock with numbers between them compress about as source text does. All
# numbers stay below 2^53, so that every awk counts alike.
awk -v files="$files" -v mean="$mean" -v seed="$seed" -v to="$tmp/tree" '
function draw(n) { state = (state * 16807) % 2147483647; return state % n }
BEGIN {
	state = seed + 12345
	for (i = 0; i < 2000; i++) {
		word[i] = ""
		for (k = 3 + draw(8); k > 0; k--)
			word[i] = word[i] sprintf("%c", 97 + draw(26))
	}
	for (f = 0; f < files; f++) {
		name = to "/d" int(f / 100) "/f" f
		left = 1 + draw(draw(4) ? mean : 5 * mean)
		while (left > 0) {
			line = ""
			for (k = 2 + draw(9); k > 0; k--)
				line = line word[draw(4) ? draw(150) : draw(2000)] (draw(7) ? " " : draw(10000))
			print line > name
			left -= length(line) + 1
		}
		close(name)
	}
}'
tar -C "$tmp" --format=ustar --sort=name --mtime=@1700000000 --owner=0 --group=0 --numeric-owner \
	--mode=u=rwX,go=rX -cf "$out" tree
