#!/bin/sh
# check-corpus.sh [BUILD]: genuine pools that must be called clean, and damaged ones of which
# poolcheck must find every place that was damaged: for each row of damage.tsv a finding that names
# its offset.
# Ends with "N passed, N failed"; skipped, saying so, when POOLKIT_CORPUS is not set.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/rel}

if [ -z "${POOLKIT_CORPUS-}" ]; then
	echo "skip check-corpus: POOLKIT_CORPUS is not set"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi

clean="zfs-fuse/single zfs-fuse/ashift12 zfs-fuse/gzip zfs-fuse/compress zfs-fuse/oldver zfs-fuse/snapclone"
for c in single ashift9 ashift12 compress copies2 files grub2 nofeat recordsize snapshots version1 version5 version23 \
	attrs blockclone dedup checkpoint zvol unclean-async; do
	clean="$clean openzfs-2.3/$c"
done
for c in v1 v2 v3 v4 v6 v7 v9 v10 v12 v13 v15; do
	clean="$clean openzfs-suite/zfs-pool-$c"
done
clean="$clean openzfs-suite/testpool_zstd openzfs-suite/i386.migratedpool openzfs-images/bptree_obj-zol-0.6.2
	openzfs-images/zol-znode-removed-xattr"
damaged="single-file-block single-file-indirect single-file-indirect-1copy compress-blocks files-dir-block
	files-dir-block-1copy"

passed=0 failed=0
result() { # NAME WHY-NOT
	if [ -z "$2" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $1: $2"
	fi
}

# shellcheck disable=SC2086 # lists of names without blanks
for case in $(scripts/corpus.sh $clean); do
	for img in $(find "build/pools/$case" -type f -size +1M ! -name '*.tsv' | sort); do
		status=0
		out=$("$build/poolcheck" "$img" 2>&1) || status=$?
		result "$img" "$([ $status = 0 ] || echo "exit status $status: $out")"
	done
done

for name in $damaged; do
	case=$(scripts/corpus.sh "openzfs-2.3/damaged-$name")
	from=$POOLKIT_CORPUS/$case
	status=0
	out=$("$build/poolcheck" "build/pools/$case") || status=$?
	why=$([ $status = 4 ] || echo "exit status $status")
	# Findings give offsets behind the front labels and the boot area, 4 MiB.
	awk -F '\t' '!/^#/ { print $2 }' "$from/damage.tsv" >build/damage
	while read -r at; do
		hex=$(printf 'offset %x ' $((at - 4194304)))
		case $out in
		*"$hex"*) ;;
		*) why="$why no finding at $hex" ;;
		esac
	done <build/damage
	result "$case" "$why"
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
