#!/bin/bash
# replay.sh DIR: runs every fuzz target in DIR over its kept corpus, testdata/fuzz/TARGET.
# One target, one result; ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 2
[ $# = 1 ] || { sed -n '2,3p' "$0" >&2; exit 2; }
# An input that makes us ask for gigabytes is a failure, not a slow machine.
export ASAN_OPTIONS=hard_rss_limit_mb=1024:detect_leaks=1:abort_on_error=0
export UBSAN_OPTIONS=print_stacktrace=1
passed=0 failed=0
for target in "$1"/*; do
	[ -x "$target" ] || continue
	name=$(basename "$target")
	corpus=()
	[ ! -d "testdata/fuzz/$name" ] || corpus=("testdata/fuzz/$name")
	if said=$("$target" "${corpus[@]}" 2>"$target.log"); then
		echo "ok   $name: $said"
		passed=$((passed + 1))
		rm -f "$target.log"
	else
		echo "FAIL $name:"
		tail -n 40 "$target.log" | tr '\r' '\n'
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
