#!/bin/bash
# layers.sh [DIR]: do the sources keep to the layers?
#   - includes point down only: cmd -> core -> formats -> formats/codec -> formats/base, and inside
#     core in the order of core/README.md; a tool never includes another tool
#   - each outside library is included in its home only
#   - functions that overrun, and printing below cmd/, are nowhere
# Prints one line a fault, "FILE:LINE: what", and fails when there is one. Tests and fuzz targets may
# include whatever lies at or below their own layer, and print.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 2
faults=0
fault() { echo "$1"; faults=$((faults + 1)); }

# A number for each layer: an include may go to the same number only within the same directory, else
# to a lower one. Those with equal numbers must not know each other.
layer() {
	case $1 in
	formats/base/*) echo 1 ;;
	formats/codec/*) echo 2 ;;
	formats/*) echo 3 ;;
	core/base/*) echo 10 ;;
	core/vdev/*) echo 11 ;;
	core/block/*) echo 12 ;;
	core/dmu/*) echo 13 ;;
	core/pool/*) echo 14 ;;
	core/dsl/*) echo 15 ;;
	core/zpl/* | core/zvol/*) echo 16 ;;
	core/*) echo 17 ;;
	cmd/*/*) echo 21 ;;
	cmd/*) echo 20 ;;
	*) echo 99 ;;
	esac
}

# The home of an outside header, as a pattern; nothing for the C library's own.
home() {
	case $1 in
	zlib.h | libdeflate.h | lz4*.h | zstd*.h | openssl/* | isa-l*) echo 'formats/codec/*' ;;
	archive.h | archive_entry.h) echo 'core/entries/*' ;;
	pthread.h) echo 'core/base/threads*' ;;
	magic.h) echo 'core/base/filetype*' ;;
	json-c/*) echo 'core/dump/json*' ;;
	criterion/*) echo '*_test.c' ;;
	esac
}

check_own() { # FILE LINE HEADER
	local from to
	[ -f "$3" ] || { fault "$1:$2: includes $3, which is not there (paths start at the root)"; return; }
	[ "$(dirname "$1")" != "$(dirname "$3")" ] || return
	from=$(layer "$1") to=$(layer "$3")
	[ "$to" -lt "$from" ] || fault "$1:$2: $(dirname "$1") must not include $3"
}

check_outside() { # FILE LINE HEADER
	local at
	at=$(home "$3")
	[ -z "$at" ] && return
	# shellcheck disable=SC2254 # the pattern is meant as one
	case $1 in $at) return ;; esac
	# What a home hides, its tests may use to check it.
	# shellcheck disable=SC2254
	case "$1:$3" in *_test.c:*) case $(dirname "$1")/ in ${at%\*}*) return ;; esac ;; esac
	fault "$1:$2: <$3> belongs in $at alone"
}

sources() { git ls-files --cached --others --exclude-standard 'formats/*.[ch]' 'core/*.[ch]' 'cmd/*.[ch]'; }

while IFS=: read -r file line text; do
	header=${text#*[<\"]}
	header=${header%%[>\"]*}
	case $text in
	*\"*) check_own "$file" "$line" "$header" ;;
	*) check_outside "$file" "$line" "$header" ;;
	esac
done < <(sources | xargs grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' /dev/null)

# Code without its comments and strings would need a parser; a name before a parenthesis at a word's
# start is near enough, and a false alarm is easily reworded.
banned='(strcpy|strcat|sprintf|vsprintf|gets|alloca|strtok|atoi|atol|rand|mktemp|tmpnam)'
while IFS=: read -r file line text; do
	fault "$file:$line: banned function: $(echo "$text" | sed 's/^[[:space:]]*//' | cut -c1-80)"
done < <(sources | xargs grep -nE "(^|[^[:alnum:]_])${banned}[[:space:]]*\(" /dev/null)

while IFS=: read -r file line text; do
	fault "$file:$line: prints below cmd/: $(echo "$text" | sed 's/^[[:space:]]*//' | cut -c1-80)"
done < <(sources | grep -vE '^cmd/|_test\.c$|_fuzz\.c$' |
	xargs grep -nE '(^|[^[:alnum:]_])((v?f?printf|puts|putchar|perror|fputs)[[:space:]]*\(|stderr|stdout)' /dev/null |
	grep -vE ':[0-9]+:[[:space:]]*(/?\*|//)')

if [ $faults = 0 ]; then
	echo "layers: ok"
else
	echo "layers: $faults faults"
	exit 1
fi
