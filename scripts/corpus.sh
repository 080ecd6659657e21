#!/bin/sh
# corpus.sh [CASE...]: unpacks genuine pools from POOLKIT_CORPUS into build/pools/CASE, with their
# manifests. A case is a folder below POOLKIT_CORPUS ("zfs-fuse/single") or the name of files in one
# ("openzfs-suite/zfs-pool-v1" is zfs-pool-v1.dat.bz2); what is there already is left alone.
# Without arguments: the single-disk pools that the reader must read exactly. Prints those it has.
set -eu
cd "$(dirname "$0")/.."

: "${POOLKIT_CORPUS:?is not set: it names the folder of genuine pools}"

default_cases() {
	for c in single ashift12 gzip compress oldver snapclone; do
		echo "zfs-fuse/$c"
	done
	for c in single ashift9 ashift12 compress copies2 files grub2 nofeat recordsize snapshots \
		unclean unclean-async version1 version5 version23 attrs checksum blockclone dedup \
		checkpoint sendsrc zvol stripe-copies2 encryption damaged-single-labels01 \
		damaged-single-labels23 damaged-single-truncated damaged-single-uber1-l01 \
		damaged-single-file-indirect-1copy; do
		echo "openzfs-2.3/$c"
	done
	for c in v1 v1stripe v2 v2stripe v3 v4 v6 v7 v9 v10 v12 v13 v15; do
		echo "openzfs-suite/zfs-pool-$c"
	done
	for c in openzfs-suite/testpool_zstd openzfs-suite/i386.migratedpool openzfs-suite/cryptv0 \
		openzfs-images/bptree_obj-zol-0.6.2 openzfs-images/zol-0.7.0-rc1-be-ziltest \
		openzfs-images/zol-znode-removed-xattr; do
		echo "$c"
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

unpack_files() { # FOLDER/NAME TO
	for f in "$1".dat.bz2 "$1"[0-9].dat.bz2; do
		# zfs-pool-v10 is no member of zfs-pool-v1.
		if [ -e "$f" ] && { [ "$f" = "$1.dat.bz2" ] || [ ! -e "$1.dat.bz2" ]; }; then
			bzip2 -dc "$f" >"$2/$(basename "$f" .bz2)"
		fi
	done
	for f in "$1".DAT.Z "$1".dat.Z; do
		if [ -e "$f" ] && [ ! -e "$1.dat.bz2" ]; then
			gzip -dc "$f" >"$2/$(basename "$f" .Z)"
		fi
	done
	for f in "$1".tar.gz "$1".tar.bz2; do
		if [ -e "$f" ]; then
			# Members lie in folders of the archive's own.
			mkdir "$2/tar"
			tar -x -S -f "$f" -C "$2/tar"
			find "$2/tar" -type f -size +1M -exec mv {} "$2" \;
		fi
	done
	for f in "$1".manifest.tsv "$1"1.manifest.tsv; do
		if [ -e "$f" ]; then
			cp "$f" "$2/manifest.tsv"
		fi
	done
}

if [ $# -eq 0 ]; then
	# shellcheck disable=SC2046 # names of cases have no blanks
	set -- $(default_cases)
fi
for case in "$@"; do
	from=$POOLKIT_CORPUS/$case to=build/pools/$case
	if [ ! -d "$from" ] && [ ! -e "$from.manifest.tsv" ] && [ ! -e "${from}1.manifest.tsv" ]; then
		echo "corpus.sh: $case: not in $POOLKIT_CORPUS" >&2
		continue
	fi
	if [ ! -e "$to/.done" ]; then
		rm -rf "$to"
		mkdir -p "$to"
		if [ -d "$from" ]; then
			unpack "$from" "$to"
		else
			unpack_files "$from" "$to"
		fi
		: >"$to/.done"
	fi
	echo "$case"
done
