#!/bin/bash
# run.sh BUILD [ROW...]: our tools and their peers in turn, as medians, against the table of
# bench/README.md.
#
#   BENCH_DIR     inputs: src.tar rootfs.tar big.tar many-10k.tar many-1m.tar, and src/ (src.tar unpacked);
#                 unset: small ones are made in BUILD/bench
#   BENCH_PIPE    the program that does the same work with nothing around it; unset: its rows are skipped
#   BENCH_OUT     where images go (BUILD/bench/out); a tmpfs leaves the disk out of it
#   BENCH_ROUNDS  5
#   BENCH_INPUTS  which of the large inputs: "src rootfs big"
# A row names what was measured, the ratio, what must hold, what we aim for; what cannot run is
# skipped, with the reason.
set -u
build=${1:?build}
shift
wanted=" $* "
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$build" && pwd)
O=${BENCH_OUT:-$build/bench/out} P=${BENCH_PIPE-} n=${BENCH_ROUNDS:-5} inputs=${BENCH_INPUTS:-src rootfs big}
B=${BENCH_DIR-}
mkdir -p "$O" "$build/bench"
PATH=$build:$build/bench:$PATH:/usr/sbin:/sbin
export O P B PATH SOURCE_DATE_EPOCH=1700000000 LC_ALL=C

if [ -z "$B" ]; then
	B=$build/bench/in
	mkdir -p "$B"
	[ -e "$B/src.tar" ] || "$here/gen.sh" "$B/src.tar" 4000 14000 1 || exit 1
	[ -e "$B/many-10k.tar" ] || "$here/gen.sh" "$B/many-10k.tar" 10000 800 2 || exit 1
	echo "# BENCH_DIR is not set: small inputs made here, so ratios show start-up costs too"
fi
echo "# $(uname -m), $(nproc) CPUs, load $(cut -d' ' -f1-3 /proc/loadavg); $n rounds; images in $O"
printf '#%-3s %-42s %9s %9s %7s %6s %6s\n' row what ours theirs ratio must aim

have() { command -v "$1" >/dev/null; }
skip() { printf '%-4s %-42s skipped: %s\n' "$1" "$2" "$3"; }
wants() { [ "$wanted" = '  ' ] || [[ $wanted == *" $1 "* ]]; }

# say ROW WHAT MUST AIM OURS THEIRS: one line; the ratio decides "MISSED"
say() {
	awk -v row="$1" -v what="$2" -v must="$3" -v aim="$4" -v a="$5" -v b="$6" 'BEGIN {
		r = b > 0 ? a / b : 0
		printf "%-4s %-42s %9.3f %9.3f %7.2f %6s %6s%s\n", row, what, a, b, r, must, aim, (r > must ? "  MISSED" : "") }'
}

# versus ROW WHAT MUST AIM FIELD OURS THEIRS: two commands in turn; FIELD 2 wall, 3 CPU, 4 peak
versus() {
	local out
	out=$(turns "$n" ours "$6" theirs "$7") || exit 1
	if awk -F'\t' '$5 != 0 { bad = 1 } END { exit !bad }' <<<"$out"; then
		skip "$1" "$2" "exit status $(awk -F'\t' '$5 != 0 { printf "%s of %s; ", $5, $1 }' <<<"$out")"
		return
	fi
	say "$1" "$2" "$3" "$4" "$(awk -F'\t' -v f="$5" 'NR == 1 { print $f }' <<<"$out")" \
		"$(awk -F'\t' -v f="$5" 'NR == 2 { print $f }' <<<"$out")"
}

# build INPUT OPTIONS: the command that makes $O/m.img from an input
image() { echo "rm -f \$O/m.img; exec mkpool -q ${2-} -d \$B/$1.tar bench \$O/m.img"; }
# For the reading rows, made once: a pool, and a squashfs (tar2sqfs's cannot be listed by unsquashfs
# 4.5).
pool() { [ "$O/$1.img" -nt "$build/mkpool" ] || { rm -f "$O/$1.img"; mkpool -q -d "$B/$1.tar" bench "$O/$1.img"; }; }

squash() { [ -e "$O/src.sqfs" ] || mksquashfs - "$O/src.sqfs" -tar -comp lz4 -no-progress -quiet <"$B/src.tar" >/dev/null; }

row_B1() {
	for i in $inputs; do
		if [ -z "$P" ]; then skip B1 "$i lz4, CPU : pipe" "BENCH_PIPE is not set"
		elif [ ! -e "$B/$i.tar" ]; then skip B1 "$i lz4, CPU : pipe" "no $i.tar in BENCH_DIR"
		else versus B1 "$i lz4, CPU : pipe" 1.5 1.25 3 "$(image "$i" '-j2 -O compression=lz4')" \
			"exec \$P build -j2 -z lz4 \$B/$i.tar \$O/pipe.img"
		fi
	done
}
row_B2() {
	for i in $inputs; do
		if ! have tar2sqfs; then skip B2 "$i lz4, wall : tar2sqfs" "no tar2sqfs"
		elif [ ! -e "$B/$i.tar" ]; then skip B2 "$i lz4, wall : tar2sqfs" "no $i.tar in BENCH_DIR"
		else versus B2 "$i lz4, wall : tar2sqfs" 1.3 1.0 2 "$(image "$i" '-j2 -O compression=lz4')" \
			"exec tar2sqfs -q -f -j 2 -c lz4 \$O/sq.img <\$B/$i.tar"
		fi
	done
}
# mke2fs reads tarballs from 1.47.1 on.
row_B3() {
	local v
	v=$(mke2fs -V 2>&1 | sed -n 's/^mke2fs \([0-9.]*\).*/\1/p')
	if [ "$(printf '%s\n' 1.47.1 "${v:-0}" | sort -V | head -1)" != 1.47.1 ]; then
		skip B3 'src off, CPU : mke2fs -d TAR' "mke2fs is ${v:-missing}, tarballs need 1.47.1"
	else versus B3 'src off, CPU : mke2fs -d TAR' 0.5 0.25 3 "$(image src '-j2 -O compression=off')" \
		"rm -f \$O/e2.img; exec mke2fs -q -F -t ext4 -d \$B/src.tar \$O/e2.img 2500M"
	fi
}
row_B4() {
	if ! mkfs.btrfs --help 2>&1 | grep -q -e --compress; then
		skip B4 'src lz4, CPU : mkfs.btrfs lzo' "mkfs.btrfs is missing or has no --compress (6.12)"
	elif [ ! -d "$B/src" ]; then skip B4 'src lz4, CPU : mkfs.btrfs lzo' "no src/ in BENCH_DIR"
	else versus B4 'src lz4, CPU : mkfs.btrfs lzo' 0.4 0.25 3 "$(image src '-j2 -O compression=lz4')" \
		"rm -f \$O/b.img; truncate -s 2500M \$O/b.img; exec mkfs.btrfs -q -f --rootdir \$B/src --compress lzo \$O/b.img"
	fi
}
row_B5() {
	if ! have tar2sqfs; then skip B5 'src zstd-3, wall : tar2sqfs' "no tar2sqfs"
	else versus B5 'src zstd-3, wall : tar2sqfs' 1.3 1.0 2 "$(image src '-j2 -O compression=zstd-3')" \
		"exec tar2sqfs -q -f -j 2 -c zstd -X level=3 \$O/sq.img <\$B/src.tar"
	fi
}
row_B6() { skip B6 'src gzip-6, CPU : deflate alone' "no program here that does deflate alone"; }
row_B7() { skip B7 'src raidz2, CPU : one disk' "mkpool builds pools of one disk"; }
row_B9() {
	versus B9 'src lz4, wall, -j2 : -j1' 0.65 0.55 2 "$(image src '-j2 -O compression=lz4')" \
		"$(image src '-j1 -O compression=lz4')"
	awk '$1 > 0.5 { print "#    the machine was not idle: load " $1 }' /proc/loadavg
}
# Space in use, as the file system under the images counts it, less what pipe leaves empty in front.
row_B10() {
	if [ -z "$P" ]; then skip B10 'src lz4, MiB : pipe' "BENCH_PIPE is not set"; return; fi
	sh -c "$(image src '-j2 -O compression=lz4')" >/dev/null && "$P" build -j2 -z lz4 "$B/src.tar" "$O/pipe.img" >/dev/null &&
		say B10 'src lz4, MiB : pipe' 1.10 1.05 "$(du -sm "$O/m.img" | cut -f1)" "$(du -sm "$O/pipe.img" | cut -f1)"
}
row_M1() {
	local out
	for i in $inputs many-1m; do
		[ -e "$B/$i.tar" ] || { skip M1 "$i, peak MiB" "no $i.tar in BENCH_DIR"; continue; }
		out=$(turns 1 ours "$(image "$i" -j2)") || exit 1
		say M1 "$i, peak MiB (ratio to 256)" 1 0.5 "$(awk -F'\t' '{ print $4 / 1024 }' <<<"$out")" 256
	done
}
row_L1() {
	local out
	if [ ! -e "$B/many-1m.tar" ]; then skip L1 'us a file, 1 M : 10 k files' "no many-1m.tar in BENCH_DIR"; return; fi
	out=$(turns "$n" many "$(image many-1m -j2)" few "$(image many-10k -j2)") || exit 1
	say L1 'CPU us a file, 1 M : 10 k files' 1.3 1.1 "$(awk -F'\t' 'NR == 1 { print $3 }' <<<"$out")" \
		"$(awk -F'\t' 'NR == 2 { print $3 * 100 }' <<<"$out")"
}
row_L2() { skip L2 'one directory of 1 M entries' "no such input yet"; }
row_R1() {
	if ! have sqfs2tar || ! have mksquashfs; then skip R1 'src to tar, wall : sqfs2tar' "no sqfs2tar or mksquashfs"; return; fi
	pool src
	squash
	versus R1 'src to tar, wall : sqfs2tar' 1.2 0.8 2 "poolcp -q \$O/src.img:bench - | cat >/dev/null" \
		"sqfs2tar \$O/src.sqfs | cat >/dev/null"
}
row_R2() {
	if ! have bsdtar; then skip R2 'src to directory, CPU : bsdtar -x' "no bsdtar"; return; fi
	pool src
	versus R2 'src to directory, CPU : bsdtar -x' 1.4 1.2 3 "rm -rf \$O/d; mkdir \$O/d; exec poolcp -q \$O/src.img:bench \$O/d" \
		"rm -rf \$O/d; mkdir \$O/d; exec bsdtar -xpf \$B/src.tar -C \$O/d"
	rm -rf "$O/d"
}
row_R3() {
	if ! have mksquashfs; then skip R3 'list src, CPU : unsquashfs -lls' "no mksquashfs"; return; fi
	pool src
	squash
	versus R3 'list src, CPU : unsquashfs -lls' 2 1 3 "exec poolcp --list \$O/src.img:bench" "exec unsquashfs -lls \$O/src.sqfs"
}
row_S1() { skip S1 'poolcheck cold : cat' "needs a machine whose caches may be dropped"; }
row_S2() {
	for i in $inputs; do
		if [ -z "$P" ]; then skip S2 "$i checked, CPU : pipe scan" "BENCH_PIPE is not set"
		elif [ ! -e "$B/$i.tar" ]; then skip S2 "$i checked, CPU : pipe scan" "no $i.tar in BENCH_DIR"
		else
			pool "$i"
			# pipe is to read what is allocated, not the holes of the image
			"$P" build -j2 -z lz4 "$B/$i.tar" "$O/pipe.img" >/dev/null
			local must=2.5 aim=1.7
			[ "$i" = big ] && must=1.3 aim=1.15
			versus S2 "$i checked, CPU : pipe scan" $must $aim 3 "exec poolcheck -q -j2 \$O/$i.img" "exec \$P scan -j2 \$O/pipe.img"
		fi
	done
}
row_S3() {
	if ! have zdb; then skip S3 'src checked, CPU : zdb -bcc' "no zdb"; return; fi
	mkdir -p "$O/alone"
	rm -f "$O/alone/m.img"
	mkpool -q -d "$B/src.tar" bench "$O/alone/m.img"
	local n=1
	versus S3 'src checked, CPU : zdb -bcc (one round)' 0.1 0.04 3 "exec poolcheck -q -j2 \$O/alone/m.img" \
		"exec zdb -bcc -e -p \$O/alone bench"
	rm -rf "$O/alone"
}
row_S5() {
	local out
	if [ ! -e "$B/many-1m.tar" ]; then skip S5 'many-1m checked, peak MiB' "no many-1m.tar in BENCH_DIR"; return; fi
	pool many-1m
	out=$(turns 1 ours "exec poolcheck -q -j2 \$O/many-1m.img") || exit 1
	say S5 'many-1m checked, peak MiB (ratio to 256)' 1 0.5 "$(awk -F'\t' '{ print $4 / 1024 }' <<<"$out")" 256
	rm -f "$O/many-1m.img"
}
row_P1() {
	local out name wall rest
	rm -f "$O/p.img"
	out=$(turns "$n" built "rm -f \$O/p.img; exec mkpool -q bench \$O/p.img" checked "exec poolcheck -q \$O/p.img" \
		listed "exec pooldump datasets \$O/p.img") || exit 1
	while IFS=$'\t' read -r name wall rest; do
		say P1 "empty pool $name, ms (ratio to 50)" 1 0.3 "$(awk -v w="$wall" 'BEGIN { print w * 1000 }')" 50
	done <<<"$out"
}

for row in B1 B2 B3 B4 B5 B6 B7 B9 B10 M1 L1 L2 R1 R2 R3 S1 S2 S3 S5 P1; do
	wants $row && row_$row
done
rm -f "$O"/{m,p,pipe,sq,e2,b}.img
