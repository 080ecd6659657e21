#!/bin/bash
# hostile.sh BUILD [FIRST [LAST]]: two small pools, one of many kinds of entries and one of many kinds
# of datasets, properties and attributes, damaged by seeds FIRST to LAST (1 to 1000), through all that
# the tools do, under whatever BUILD was compiled with (build/asan). Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 2
build=${1:-build/asan} first=${2:-1} last=${3:-1000}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/src/many" "$work/src/d/e/f"
for i in $(seq 2500); do : >"$work/src/many/file-$i"; done
seq 1 20000 >"$work/src/text"
head -c 300000 "$build/hostile" >"$work/src/binary"
truncate -s 2M "$work/src/sparse" && echo end >>"$work/src/sparse"
ln -s text "$work/src/link"
ln "$work/src/text" "$work/src/hard"
echo deep >"$work/src/d/e/f/g"
ln -s "$(printf 'x%.0s' $(seq 300))" "$work/src/long"
"$build/mkpool" -d "$work/src" hostile "$work/entries.img" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

# Lists and attributes, which a source directory cannot be relied on to keep.
perl -e '
	sub member {
		my ($name, $type, $data) = @_;
		my $h = pack("a100a8a8a8a12a12a8a1a100a6a2x80a155x12", $name, "0000755", "0000000", "0000000",
			sprintf("%011o", length $data), "13727410000", " " x 8, $type, "", "ustar", "00", "");
		substr($h, 148, 8) = sprintf("%06o\0 ", unpack("%32C*", $h));
		print $h, $data, "\0" x (-length($data) % 512);
	}
	sub entry {
		my ($name, $type, %pax) = @_;
		my $all = "";
		for (sort keys %pax) {
			my $r = " $_=$pax{$_}\n";
			my $n = length($r) + 1;
			$n++ while length("$n$r") > $n;
			$all .= "$n$r";
		}
		member("pax", "x", $all);
		member($name, $type, $type eq "0" ? "x" : "");
	}
	my $posix = "user::rwx,user:1:r--:1,group::r-x,mask::rwx,other::r--";
	my $many = join ",", map { "user:$_:rwxp----------:fd-----:allow:$_" } 1 .. 200;
	entry("p", 5, "SCHILY.acl.access" => $posix, "SCHILY.acl.default" => $posix);
	entry("p/f", 0, "SCHILY.acl.access" => $posix);
	entry("n", 5, "SCHILY.acl.ace" => "owner\@:rwxp--aARWcCos:-------:allow");
	entry("n/many", 0, "SCHILY.acl.ace" => $many);
	entry("x", 0, map { ("SCHILY.xattr.user.$_" => "v" x ($_ * 40)) } 1 .. 30);
	entry("big", 0, "SCHILY.xattr.user.big" => "v" x 65536, "SCHILY.xattr.trusted.s" => "s");
	print "\0" x 1024;' >"$work/attrs.tar"
mkdir "$work/late" && echo new >"$work/late/text" && head -c 200000 "$build/mkpool" >"$work/late/binary"
head -c 3000000 "$build/mkpool" >"$work/raw"
"$build/mkpool" -o compatibility=off -o comment=hostile -o bootfs=hostile/a -o failmode=continue \
	-O checksum=skein -O dnodesize=auto -O a:b=c -O quota=40G -O userquota@7=1G -O mountpoint=/h \
	-O snapdir=visible -O compression=zstd \
	-c hostile/a,xattr=dir,checksum=blake3,copies=2,recordsize=1M,reservation=1M,sharenfs=ro,a:b=d \
	-c hostile/a/b,casesensitivity=insensitive,normalization=formD,longname=on,checksum=edonr,compression=gzip \
	-c hostile/d,dnodesize=16k,compression=lzjb,checksum=sha512,xattr=sa,canmount=noauto,refquota=1G \
	-V "hostile/v=$work/raw,volblocksize=8K,checksum=sha256,snapdev=visible" -V hostile/w,volsize=1G,volblocksize=512 \
	-d "$work/src" -d "hostile/a=$work/attrs.tar" -d "hostile/a/b=$work/late" -d "hostile/d=$work/attrs.tar" \
	-S hostile@1 -S hostile/a@1 -S hostile/v@1 -d "$work/late" -d "hostile/a=$work/attrs.tar" -d "hostile/a=$work/late" \
	-S hostile/a@2 -d "hostile/a=$work/late" -d "hostile/d=$work/late" -S hostile@2 hostile "$work/datasets.img" \
	>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

passed=0 failed=0
try() { # IMAGE
	local from to
	for ((from = first; from <= last; from += 100)); do
		to=$((from + 99 < last ? from + 99 : last))
		if "$build/hostile" "$1" $from $to >"$work/log" 2>&1; then
			tail -n 1 "$work/log"
			passed=$((passed + to - from + 1))
		else
			echo "${1##*/}, seeds $from to $to:"
			tail -n 60 "$work/log"
			failed=$((failed + 1))
		fi
	done
}
try "$work/entries.img"
try "$work/datasets.img"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
