#!/bin/bash
# coverage.sh BUILD DIR MIN: line coverage of DIR's .c files from the counts in BUILD, by gcov.
# Prints one line a file and the total; fails when the total is below MIN percent.
set -u
cd "$(dirname "$0")/.." || exit 2
[ $# = 3 ] || { sed -n '2,3p' "$0" >&2; exit 2; }
build=$1 dir=$2 min=$3
find "$dir" -name '*.c' ! -name '*_test.c' ! -name '*_fuzz.c' | sort | while read -r source; do
	# gcov speaks of every file an object was made from; only the source itself counts here.
	gcov -n "$build/${source%.c}.o" 2>/dev/null | awk -v source="$source" '
		/^File / { mine = ($0 == "File \047" source "\047") }
		mine && /^Lines executed:/ {
			sub(/^Lines executed:/, ""); split($0, part, /% of /)
			printf "%6.2f%% of %5d  %s\n", part[1], part[2], source
			found = 1; exit
		}
		END { if (!found) printf "%6.2f%% of %5d  %s\n", 0, 0, source }'
done | awk -v min="$min" -v dir="$dir" '
	{ print; lines += $3; hit += $1 * $3 / 100 }
	END {
		percent = lines > 0 ? 100 * hit / lines : 100
		printf "%6.2f%% of %5d  %s (at least %s%% wanted)\n", percent, lines, dir, min
		exit percent < min
	}'
