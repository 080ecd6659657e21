#!/bin/bash
# lint.sh: every static check there is a program for; says which were left out.
set -u
cd "$(dirname "$0")/.." || exit 2
failed=0
check() { # NAME PROGRAM COMMAND...
	local name=$1 program=$2
	shift 2
	if ! command -v "$program" >/dev/null; then
		echo "skip $name: $program is not installed"
	elif "$@"; then
		echo "ok   $name"
	else
		echo "FAIL $name"
		failed=1
	fi
}
mapfile -t sources < <(git ls-files 'formats/*.c' 'core/*.c' 'cmd/*.c' | grep -vE '_(test|fuzz)\.c$')
mapfile -t shells < <(git ls-files scripts .ci | xargs grep -lE '^#!.*/(ba)?sh')
mapfile -t pages < <(git ls-files 'cmd/*/*.1')
standard=(-std=c17 -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -I.)

check layers bash scripts/layers.sh
check shellcheck shellcheck shellcheck "${shells[@]}"
[ ${#pages[@]} = 0 ] || check mandoc mandoc mandoc -Tlint -Wwarning "${pages[@]}"
check cppcheck cppcheck cppcheck --quiet --std=c11 --enable=warning,portability,performance \
	--inline-suppr --error-exitcode=1 --suppress=missingIncludeSystem -D__BYTE_ORDER__=1234 \
	-D__ORDER_BIG_ENDIAN__=4321 -I. "${sources[@]}"
# The checks are in .clang-tidy.
check clang-tidy clang-tidy clang-tidy --quiet --warnings-as-errors='*' "${sources[@]}" -- "${standard[@]}"
exit $failed
