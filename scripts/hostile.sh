#!/bin/bash
# hostile.sh BUILD [FIRST [LAST]]: a small pool of many kinds of entries, damaged by seeds FIRST to
# LAST (1 to 1000), through all that the tools do, under whatever BUILD was compiled with
# (build/asan). Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 2
build=${1:-build/asan} first=${2:-1} last=${3:-1000}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/src/many" "$work/src/d/e/f"
for i in $(seq 2500); do : >"$work/src/many/file-$i"; done
seq 1 20000 >"$work/src/text"
head -c 300000 "$build/hostile" >"$work/src/binary"
truncate -s 2M "$work/src/sparse" && echo end >>"$work/src/sparse"
ln -s text "$work/src/link"
ln "$work/src/text" "$work/src/hard"
echo deep >"$work/src/d/e/f/g"
ln -s "$(printf 'x%.0s' $(seq 300))" "$work/src/long"
"$build/mkpool" -d "$work/src" hostile "$work/h.img" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

passed=0 failed=0
for ((from = first; from <= last; from += 100)); do
	to=$((from + 99 < last ? from + 99 : last))
	if "$build/hostile" "$work/h.img" $from $to >"$work/log" 2>&1; then
		tail -n 1 "$work/log"
		passed=$((passed + to - from + 1))
	else
		echo "seeds $from to $to:"
		tail -n 60 "$work/log"
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
