#!/bin/bash
# commit-corpus.sh [-v] BUILD [CASE DATASET]...: changes genuine pools with BUILD/commit2, three
# commits each: a large file in new folders, one replaced, one removed. What is read afterwards must
# differ in those names and in their directories only; BUILD/poolcheck, and zdb (POOLKIT_ZDB,
# several are fine) where installed, must find nothing. Pools that may not be written to must be
# refused, and stay as they are.
# Exit status 1 when anything is wrong; 0, saying so, when POOLKIT_CORPUS is not set.
set -u
cd "$(dirname "$0")/.." || exit 2

verbose=
if [ "${1-}" = -v ]; then
	verbose=1
	shift
fi
build=${1:-build/rel}
[ $# -gt 0 ] && shift
if [ -z "${POOLKIT_CORPUS-}" ]; then
	echo "skip commit corpus: POOLKIT_CORPUS is not set"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

{ seq 1 200000; head -c 1000000 /dev/urandom; head -c 1000000 /dev/zero; seq 1 50000; } >"$work/big"
seq 1 60000 >"$work/other"

trouble() { # CASE WHAT
	echo "FAIL  $1: $2"
	bad=1
}

# What changed between two readings, as paths of one dataset: files that are new, gone or different,
# and directories, of which only time, size and links may change.
changes() { # BEFORE AFTER
	diff "$1" "$2" | sed -nE 's/^[<>] //p' | cut -f 1-3 | sort -u
}

judge() { # CASE IMAGE
	local z
	if [ -x "$build/poolcheck" ]; then
		"$build/poolcheck" "$2" >"$work/check" 2>&1 || trouble "$1" "poolcheck: $(tail -n 1 "$work/check")"
	fi
	for z in ${POOLKIT_ZDB:-}; do
		scripts/zdb-verify -z "$z" "$2" >"$work/zdb" 2>&1
		case $? in 0 | 77) ;; *) trouble "$1" "$(head -n 1 "$work/zdb")" ;; esac
	done
}

# A file of the dataset with one name, and nothing in its path that a word would have to quote.
pick() { # DATASET TAIL-OR-HEAD
	awk -F '\t' -v d="$1" '$1 == d && $3 == "f" && $9 == 1 && $2 ~ /^[A-Za-z0-9._\/-]*$/ { print substr($2, 2) }' \
		"$work/before" | "$2" -n 1
}

commit_case() { # CASE IMAGE DATASET
	local name="$1 $3" dataset=$3 image=$work/image replaced removed allowed n
	bad=
	cp --sparse=always "$2" "$image"
	"$build/manifest" "$image" >"$work/before" 2>/dev/null
	replaced=$(pick "$dataset" head) removed=$(pick "$dataset" tail)
	[ "$replaced" != "$removed" ] || removed=
	for n in 1 2 3; do
		set -- --dataset "$dataset" --history "commit $n" --add "new-$n/deeper/file=$work/big" "$image"
		case $n in
		1) [ -z "$replaced" ] || set -- --replace "$replaced=$work/other" "$@"
			[ -z "$removed" ] || set -- --remove "$removed" "$@" ;;
		2) set -- --replace "new-1/deeper/file=$work/other" "$@" ;;
		3) set -- --remove new-2/deeper/file "$@" ;;
		esac
		if ! "$build/commit2" "$@" >"$work/said" 2>&1; then
			trouble "$name" "commit $n: $(tail -n 1 "$work/said")"
			break
		fi
	done
	"$build/manifest" "$image" >"$work/after" 2>/dev/null
	allowed="/new-|	d\$"
	[ -z "$replaced" ] || allowed="$allowed|	/$replaced	"
	[ -z "$removed" ] || allowed="$allowed|	/$removed	"
	changes "$work/before" "$work/after" | grep -vE "$allowed" >"$work/other-changes"
	[ ! -s "$work/other-changes" ] || trouble "$name" "changed as well: $(head -n 1 "$work/other-changes")"
	grep -q "	/new-3/deeper/file	f	" "$work/after" || trouble "$name" "the new file is not there"
	[ -n "$bad" ] || judge "$name" "$image"
	if [ -n "$bad" ]; then
		failed=$((failed + 1))
		return
	fi
	[ -z "$verbose" ] || echo "ok    $name"
	passed=$((passed + 1))
}

# The sentence must say why, and not a byte may change.
refused_case() { # CASE IMAGE WHY
	local image=$work/image
	bad=
	cp --sparse=always "$2" "$image"
	if "$build/commit2" --add "new=$work/other" "$image" >"$work/said" 2>&1; then
		trouble "$1" "was written to: $3"
	elif ! grep -qE "$3" "$work/said"; then
		trouble "$1" "refused otherwise: $(tail -n 1 "$work/said")"
	fi
	cmp -s "$2" "$image" || trouble "$1" "changed, though refused"
	if [ -n "$bad" ]; then
		failed=$((failed + 1))
		return
	fi
	[ -z "$verbose" ] || echo "ok    $1: $(tail -n 1 "$work/said")"
	passed=$((passed + 1))
}

# Calls a function for an image of a case, when the corpus has it.
with() { # FUNCTION CASE FILE MORE
	if [ -n "$(scripts/corpus.sh "$2" 2>/dev/null)" ] && [ -e "build/pools/$2/$3" ]; then
		"$1" "$2" "build/pools/$2/$3" "$4"
	else
		echo "skip $2: not in the corpus"
		skipped=$((skipped + 1))
	fi
}

with commit_case openzfs-2.3/single d0.img p_single
with commit_case openzfs-2.3/single d0.img p_single/fs
with commit_case openzfs-2.3/recordsize d0.img p_recordsize/r128K
with commit_case openzfs-2.3/recordsize d0.img p_recordsize/r16M
with commit_case openzfs-2.3/version23 d0.img p_version23
with commit_case openzfs-2.3/nofeat d0.img p_nofeat/zpl4
with commit_case zfs-fuse/single disk.img ztank
with commit_case zfs-fuse/ashift12 disk.img z4k
with commit_case zfs-fuse/gzip disk.img zgz
with commit_case zfs-fuse/oldver v15.img zver15
with commit_case zfs-fuse/oldver v21.img zver21

with refused_case zfs-fuse/zil-unclean crash.img 'not exported'
with refused_case openzfs-2.3/unclean d0.img 'not exported'
with refused_case openzfs-2.3/blockclone d0.img 'block_cloning is active'
with refused_case openzfs-2.3/encryption d0.img 'encryption is active'
with refused_case openzfs-2.3/checkpoint d0.img 'checkpoint'
with refused_case openzfs-2.3/dedup d0.img 'dedup|is active'
with refused_case zfs-fuse/oldver v8.img 'can only be read'

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
