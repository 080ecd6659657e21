#!/bin/bash
# cli-test.sh [--accept] BUILD [TOOL[/CASE]]: runs the command line cases of testdata/cli.
#
# A case is testdata/cli/TOOL/CASE.sh, run by sh in an empty directory with the tools of BUILD in
# PATH. Standard output, standard error and exit status must be what CASE.out, CASE.err and
# CASE.exit say; a file that is not there means nothing resp. 0. A case that exits with 77 is
# skipped, its last line on standard error says why. --accept writes what came out as what is
# expected. In the environment: TESTDATA (this tree's testdata), LC_ALL=C, TZ=UTC.
# Ends with "N passed, N failed, N skipped".
set -u
accept=
if [ "${1-}" = --accept ]; then accept=1; shift; fi
[ $# = 1 ] || [ $# = 2 ] || { sed -n '2,9p' "$0" >&2; exit 2; }
build=$(cd "$1" && pwd) || exit 2
top=$(cd "$(dirname "$0")/.." && pwd)
export PATH="$build:$PATH" TESTDATA="$top/testdata" LC_ALL=C TZ=UTC
export ASAN_OPTIONS=abort_on_error=0:exitcode=99 UBSAN_OPTIONS=exitcode=99
only=${2-}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

# Writes the file when there is something to expect, removes it when not.
keep() { # FILE FRESH DEFAULT
	if [ "$(cat "$2")" = "$3" ]; then rm -f "$1"; else cp "$2" "$1"; fi
}

# Prints how FRESH differs from FILE (or from DEFAULT when there is no FILE).
differs() { # FILE FRESH DEFAULT
	if [ -f "$1" ]; then
		! diff -u --label expected --label "$(basename "$1")" "$1" "$2"
	else
		! printf '%s' "$3" | diff -u --label expected --label "$(basename "$1")" - "$2"
	fi
}

run_case() { # SCRIPT
	local base=${1%.sh} name dir=$work/case
	name=${base#"$top"/testdata/cli/}
	mkdir "$dir"
	(cd "$dir" && timeout 60 sh "$1" >"$work/out" 2>"$work/err" </dev/null)
	local status=$?
	chmod -R u+rwX "$dir" && rm -rf "$dir"
	if [ $status = 77 ]; then
		echo "skip $name: $(tail -n 1 "$work/err")"
		skipped=$((skipped + 1))
		return
	fi
	echo $status >"$work/exit"
	if [ -n "$accept" ]; then
		keep "$base.out" "$work/out" ''
		keep "$base.err" "$work/err" ''
		keep "$base.exit" "$work/exit" 0
	fi
	local bad=
	differs "$base.out" "$work/out" '' && bad=1
	differs "$base.err" "$work/err" '' && bad=1
	differs "$base.exit" "$work/exit" "0
" && bad=1
	if [ -n "$bad" ]; then
		echo "FAIL $name"
		failed=$((failed + 1))
	else
		passed=$((passed + 1))
	fi
}

while read -r script; do
	case ${script#"$top"/testdata/cli/} in
	"$only"*) run_case "$script" ;;
	esac
done < <(find "$top/testdata/cli" -name '*.sh' 2>/dev/null | sort)
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
