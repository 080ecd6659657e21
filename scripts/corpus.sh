#!/bin/sh
# corpus.sh [CASE...]: unpacks genuine pools from POOLKIT_CORPUS into build/pools/CASE, with their manifests.
# A case is a folder below POOLKIT_CORPUS ("zfs-fuse/single"); what is there already is left alone.
# Without arguments: the single-disk pools that the reader must read exactly. Prints the cases it has.
set -eu
cd "$(dirname "$0")/.."

: "${POOLKIT_CORPUS:?is not set: it names the folder of genuine pools}"

default_cases() {
	for c in single ashift12 gzip compress oldver snapclone; do
		echo "zfs-fuse/$c"
	done
	for c in single ashift9 ashift12 compress copies2 files grub2 nofeat recordsize snapshots \
		unclean unclean-async version1 version5 version23 attrs checksum blockclone dedup \
		checkpoint sendsrc zvol; do
		echo "openzfs-2.3/$c"
	done
}

unpack() { # FROM TO
	for f in "$1"/*.img.zst; do
		if [ -e "$f" ]; then
			zstd -q -d --sparse -f "$f" -o "$2/$(basename "$f" .zst)"
		fi
	done
	if [ -e "$1/disks.tar.zst" ]; then
		zstd -q -dc --long=27 "$1/disks.tar.zst" | tar --sparse -x -C "$2" -f -
	fi
	for m in manifest.tsv manifest-replayed.tsv; do
		if [ -e "$1/$m.zst" ]; then
			zstd -q -dc "$1/$m.zst" >"$2/$m"
		elif [ -e "$1/$m" ]; then
			cp "$1/$m" "$2/$m"
		fi
	done
}

if [ $# -eq 0 ]; then
	# shellcheck disable=SC2046 # names of cases have no blanks
	set -- $(default_cases)
fi
for case in "$@"; do
	from=$POOLKIT_CORPUS/$case to=build/pools/$case
	if [ ! -d "$from" ]; then
		echo "corpus.sh: $case: not in $POOLKIT_CORPUS" >&2
		continue
	fi
	if [ ! -e "$to/.done" ]; then
		rm -rf "$to"
		mkdir -p "$to"
		unpack "$from" "$to"
		: >"$to/.done"
	fi
	echo "$case"
done
