# matrix.sh: what the scripts share that have images judged; to be sourced with $build, $scripts and
# $work set. Judges are zdb (scripts/zdb-verify, with each zdb of POOLKIT_ZDB; default: zdb, and
# zdb-new where it is found) and poolcheck. Results are counted in passed, failed, skipped.
# shellcheck shell=bash disable=SC2154
export LC_ALL=C TZ=UTC SOURCE_DATE_EPOCH=1700000000
PATH=$PATH:/usr/sbin:/sbin
if [ -z "${POOLKIT_ZDB-}" ]; then
	POOLKIT_ZDB=zdb
	command -v zdb-new >/dev/null && POOLKIT_ZDB="zdb zdb-new"
fi

result() { # STATUS NAME LOG
	case $1 in
	0) passed=$((passed + 1)) ;;
	77) echo "skip $2: $(tail -n 1 "$3")"; skipped=$((skipped + 1)) ;;
	*) echo "FAIL $2 (status $1)"; tail -n 20 "$3"; failed=$((failed + 1)) ;;
	esac
}

# One line a file: path, type, mode, owner, group, size, mtime in ns, links, target, digest. Of a
# directory neither size nor links, which each file system counts in its own way.
host_manifest() { # DIR
	(cd "$1" && find . -printf '/%P\t%y\t%#m\t%U\t%G\t%s\t%T@\t%n\t%l\n') |
		awk -F '\t' -v OFS='\t' '{
			split($7, t, ".")
			$7 = t[1] substr(t[2] "000000000", 1, 9)
			if ($2 == "d") $6 = $8 = "-"
			if ($9 == "") $9 = "-"
			print }' | sort >"$work/host.files"
	(cd "$1" && find . -type f -print0 | xargs -0r sha256sum -z) | tr '\0' '\n' | sed -E 's/^([0-9a-f]+) .\./\1\t/' |
		awk -F '\t' -v OFS='\t' '{ print $2, $1 }' | sort >"$work/host.sums"
	awk -F '\t' -v OFS='\t' 'FILENAME == ARGV[1] { sum[$1] = $2; next }
		{ print $0, $2 == "f" ? sum[$1] : "-" }' "$work/host.sums" "$work/host.files"
}

pool_manifest() { # IMAGE
	"$build/manifest" -p "$1" | awk -F '\t' -v OFS='\t' '{
		if ($3 == "d") $7 = $9 = "-"
		print $2, $3, $4, $5, $6, $7, $8, $9, $12, $13 }' |
		perl -pe 's/\\x(..)/chr hex $1/ge' | sort
}

compare() { # NAME IMAGE DIR
	{ pool_manifest "$2" >"$work/pool.list" && host_manifest "$3" >"$work/host.list" &&
		diff "$work/host.list" "$work/pool.list"; } >"$work/log" 2>&1
	result $? "$1: contents" "$work/log"
}

judge() { # NAME IMAGE
	local zdb
	for zdb in $POOLKIT_ZDB; do
		"$scripts/zdb-verify" -z "$zdb" "$2" >"$work/log" 2>&1
		result $? "$1: $zdb" "$work/log"
	done
	if [ -x "$build/poolcheck" ]; then
		"$build/poolcheck" -q "$2" >"$work/log" 2>&1
		result $? "$1: poolcheck" "$work/log"
	fi
}

# Content is made once, and only when a case that begins with this name is wanted.
content() { # NAME: makes and enters $work/NAME, in a subshell
	mkdir -p "$work/$1" && cd "$work/$1" || exit
}
noise() { # BYTES
	head -c "$1" /dev/zero | openssl enc -aes-128-ctr -K 00 -iv 00 2>/dev/null
}
settle() { find "$work/$1" -exec touch -h -d '2023-11-14 22:13:20.123456789' {} +; }

make_basic() {
	(
		content basic
		mkdir -p dir/sub empty
		echo hello >small
		seq 1 200000 >numbers
		noise 300001 >noise.bin
		head -c 700000 /dev/zero | tr '\0' x >compressible
		ln -s small link
		ln numbers dir/hard
		chmod 4755 small
		chmod 1777 empty
	)
	settle basic
}

# The edges of sectors, of embedded blocks, of records, of indirect blocks.
make_edges() {
	local n
	(
		content edges
		for n in 0 1 99 100 111 112 113 511 512 513 1023 4095 4096 4097 65536 130560 131071 131072 131073 \
			262143 262144 262145 393217 5242880; do
			noise $n >"noise-$n"
			head -c $n /dev/zero | tr '\0' y >"same-$n"
			head -c $n /dev/zero >"zero-$n"
		done
		noise 140000000 >three-levels
	)
	settle edges
}

make_sparse() {
	(
		content sparse
		truncate -s 0 empty
		truncate -s 1 one
		truncate -s 131073 holes-only
		truncate -s 50M middle && printf middle | dd of=middle bs=1 seek=20000000 conv=notrunc status=none
		truncate -s 1T huge && printf end | dd of=huge bs=1 seek=700000000000 conv=notrunc status=none
		noise 131072 >tail.bin && truncate -s 10M tail.bin
		truncate -s 10M head && noise 4096 | dd of=head bs=4096 seek=2559 conv=notrunc status=none
		for i in 0 2 4 6 8; do
			noise 131072 | dd of=comb bs=131072 seek=$i conv=notrunc status=none
		done
	)
	rm "$work/sparse/huge" # reading a terabyte of zeros back takes its time
	settle sparse
}

make_entries() {
	(content entries && mkdir d && cd d && seq -f 'an-entry-of-a-large-directory-%06g' 1 100000 | xargs touch)
	settle entries
}

make_names() {
	(
		content names
		: >"$(printf 'n%.0s' $(seq 1 255))"
		: >"$(printf 'ä%.0s' $(seq 1 120))"
		: >"$(printf '\001\377 tab\134')"
		mkdir fifty micro over
		(cd micro && seq 1 2047 | xargs touch)
		(cd over && seq 1 2048 | xargs touch)
		# 49 bytes and less fit into a micro ZAP's entry
		: >"fifty/$(printf 'a%.0s' $(seq 1 49))"
		mkdir fiftyone && : >"fiftyone/$(printf 'a%.0s' $(seq 1 50))"
	) 2>/dev/null
	settle names
}

make_links() {
	local n
	(
		content links
		echo once >first
		mkdir d
		perl -e 'link("first", "d/$_") or die for 1 .. 3000'
		for n in 1 59 60 100 150 200 255 400 1000 4000; do
			ln -s "$(printf 't%.0s' $(seq 1 $n))" "to-$n"
		done
	)
	settle links
}

repeat() { # CHARACTER COUNT
	head -c "$2" /dev/zero | tr '\0' "$1"
}

make_xattrs() {
	(
		content xattrs
		for n in 0 1 10 80 150 200 400 1000 3000; do
			repeat x $n >f$n && ln -s "$(repeat t $((n + 1)))" l$n &&
				setfattr -n user.note -v "$(repeat v $n)" f$n || exit
		done
		for n in $(seq 0 29); do setfattr -n user.a"$n" -v "$n" f0 || exit; done
		mkdir d && setfattr -n user.dir -v yes d
	) 2>"$work/log" && settle xattrs && return
	rm -rf "$work/xattrs"
	result 77 xattrs "$work/log"
}

make_deep() {
	(
		content deep
		for n in $(seq 1 400); do mkdir d && cd d || exit; done
		echo bottom >file
	)
	settle deep
}

make_dirs() {
	(content dirs && seq -f '%05g/sub' 1 5000 | xargs mkdir -p)
	settle dirs
}

make_noise() {
	(content noise && for n in $(seq 1 40); do noise $((n * 131072 + n)) >"$n"; done)
	settle noise
}

make_small() {
	(
		content small
		mkdir $(seq 1 20)
		for n in $(seq 1 20); do seq -f "$n/%g" 1 1000; done | xargs -n 500 touch
		for n in $(seq 1 2000); do echo "file $n $n $n" >"1/file-$n"; done
	)
	settle small
}
