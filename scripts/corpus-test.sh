#!/bin/sh
# corpus-test.sh [-v] BUILD [CASE...]: reads genuine pools with BUILD/manifest and compares all that
# their manifests say. A column that a manifest leaves at "-" was not recorded and is not compared,
# but for extended attributes. Some things cannot be compared: zfs-fuse shows whole seconds, and
# answers for a large attribute with 8 bytes that hold ERANGE; Linux makes up the inode of a
# snapshot's root. Datasets that use what is not supported are named and left out, those that a
# manifest does not have at all are left out.
# Exit status 1 when any case differs; 0, saying so, when POOLKIT_CORPUS is not set.
set -eu
cd "$(dirname "$0")/.."

verbose=
if [ "${1-}" = -v ]; then
	verbose=1
	shift
fi
build=${1:-build/rel}
[ $# -gt 0 ] && shift

if [ -z "${POOLKIT_CORPUS-}" ]; then
	echo "skip corpus: POOLKIT_CORPUS is not set"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each image of a zfs-fuse case is a pool of its own; elsewhere a case is one pool.
read_case() { # CASE
	dir=build/pools/$1
	: >"$work/got"
	: >"$work/err"
	case $1 in
	zfs-fuse/*)
		for img in "$dir"/*.img; do
			"$build/manifest" -p "$img" >>"$work/got" 2>>"$work/err" || true
		done
		;;
	*)
		"$build/manifest" "$dir" >>"$work/got" 2>>"$work/err" || true
		;;
	esac
}

compare() { # EXPECTED GOT SECONDS-ONLY UNSUPPORTED-DATASETS
	awk -F '\t' -v seconds="$3" -v without="$4" '
	BEGIN { n = split(without, d, " "); for (i = 1; i <= n; i++) skip[d[i]] = 1 }
	function same(column, want, got) {
		if (want == got || (want == "-" && column != 14))
			return 1
		if (column == 8 && seconds)
			return substr(want, 1, length(want) - 9) == substr(got, 1, length(got) - 9)
		if (column == 14 && seconds && want ~ /=2200000000000000/)
			return 1
		return column == 10 && $2 == "/" && $1 ~ /@/
	}
	FNR == 1 { file++ }
	/^#/ || $13 == "NODEV" || $1 in skip { next }
	file == 1 { want[$1 FS $2] = $0; recorded[$1] = 1; next }
	!($1 in recorded) { next }
	{
		key = $1 FS $2
		if (!(key in want)) { print "not in the manifest: " $0; next }
		split(want[key], w, FS)
		for (i = 3; i <= 14; i++)
			if (!same(i, w[i], $i))
				print key ": column " i ": manifest " w[i] ", read " $i
		delete want[key]
	}
	END { for (key in want) print "not read: " want[key] }' "$1" "$2"
}

passed=0 failed=0
for case in $(scripts/corpus.sh "$@"); do
	read_case "$case"
	case $case in
	zfs-fuse/*) seconds=1 ;;
	*) seconds=0 ;;
	esac
	without=$(sed -n 's/^manifest: \([^:]*\): .*: the dataset uses feature .*/\1/p' "$work/err" | tr '\n' ' ')
	sed -i '/: the dataset uses feature /d' "$work/err"
	compare "build/pools/$case/manifest.tsv" "$work/got" $seconds "$without" >"$work/diff"
	rows=$(grep -vc '^#' "build/pools/$case/manifest.tsv" || true)
	messages=$(wc -l <"$work/err")
	if [ ! -s "$work/diff" ]; then
		echo "ok    $case ($rows rows, $messages messages)${without:+, without $without}"
		passed=$((passed + 1))
		continue
	fi
	failed=$((failed + 1))
	echo "DIFF  $case: $(wc -l <"$work/diff") differences in $rows rows, $messages messages"
	if [ -n "$verbose" ]; then
		cut -c1-300 "$work/diff" | head -n 20
		cut -c1-300 "$work/err" | head -n 20
	fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
