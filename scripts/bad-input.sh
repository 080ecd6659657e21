#!/bin/bash
# bad-input.sh BUILD [SEEDS]: what goes wrong around the tools (cut and damaged archives, full disks, closed
# pipes, interrupts, hostile places), under whatever BUILD was compiled with (build/asan). Every run ends in
# time, with a promised status, no sanitizer's report, one line that says why, and no half-made file.
# Ends with "N passed, N failed".
set -u
build=$(cd "${1:-build/asan}" && pwd) || exit 2
seeds=${2:-20}
work=$(mktemp -d) || exit 2
trap 'chmod -R u+rwX "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 2
export PATH="$build:$PATH" LC_ALL=C TZ=UTC
export ASAN_OPTIONS=exitcode=99:abort_on_error=0 UBSAN_OPTIONS=exitcode=98
passed=0 failed=0

fail() { failed=$((failed + 1)); echo "FAIL $*"; [ ! -s err ] || head -n 20 err; }
pass() { passed=$((passed + 1)); }

# Judges the run that just ended: its status, what it said in `err`, and which file must not be there.
judge() { # STATUS WANTED FILE NAME
	if [[ " $2 " != *" $1 "* ]]; then fail "$4: exit $1, not $2"
	# poolcheck's findings are on standard output; an interrupt may come before main.
	elif [[ $1 != @(0|4|130) ]] && [ "$(tail -n 1 err | grep -cE '^(mkpool|pool[a-z]+): ')" = 0 ]; then fail "$4: says nothing"
	elif grep -qE 'Sanitizer|runtime error' err; then fail "$4: sanitizer"
	elif [ "$1" != 0 ] && [ -n "$3" ] && [ -e "$3" ]; then fail "$4: left $3"
	else pass; fi
	[ -z "$3" ] || rm -rf "$3"
}

run() { # WANTED FILE COMMAND...
	local wanted=$1 file=$2
	shift 2
	timeout 20 "$@" >said 2>err </dev/null
	judge $? "$wanted" "$file" "$*"
}

# One line on standard error that holds WORDS.
says() { # WORDS
	if [ "$(wc -l <err)" = 1 ] && grep -qF -- "$1" err; then pass; else fail "not said in one line: $1"; fi
}

mkdir -p tree/d
seq 1 30000 >tree/d/text
head -c 3000000 "$build/mkpool" >tree/big
echo small >tree/a && ln tree/a tree/h && ln -s a tree/l
tar -C tree -cf whole.tar . && gzip -1k whole.tar && (cd tree && find . | cpio -o -H newc 2>/dev/null) >whole.cpio
if command -v zstd >err; then zstd -q whole.tar; fi

# -- archives: cut anywhere they are refused; with bits turned they are read or refused ---------
for archive in whole.tar whole.tar.gz whole.tar.zst whole.cpio; do
	[ -s "$archive" ] || continue
	size=$(stat -c %s "$archive")
	for bytes in 0 511 $((size / 2 + 1)); do
		head -c "$bytes" "$archive" >short
		run 1 x.img mkpool -d short tank x.img
	done
done
perl -e 'local $/; my $whole = <STDIN>;
	for my $seed (1 .. $ARGV[0]) {
		srand($seed);
		my $s = $whole;
		for (0 .. int(rand(4))) {
			my $at = int(rand(rand() < .5 ? 1000 : length $s));
			substr($s, $at, 1) ^= chr(1 << int(rand(8)));
		}
		open my $f, ">", "flip.$seed" or die; print $f $s; close $f;
	}' "$seeds" <whole.tar.gz
for i in $(seq "$seeds"); do
	run '0 1' x.img mkpool -j1 -d "flip.$i" tank x.img
	rm -f "flip.$i"
done

# -- the file that is made ----------------------------------------------------------------------
ln -s real link.img
head -c 2000000 whole.tar >short
run 1 real mkpool -d short tank link.img
rm link.img
ln -s loop loop
run 1 '' mkpool tank loop
run 2 '' mkpool tank tree
run 2 '' mkpool -f tank /dev/full
run 1 x.img mkpool -d tree -d missing tank x.img
says 'missing: No such file'
(ulimit -f 70000; truncate -s 64M old.img; run 1 '' mkpool -s 64M -d whole.tar -d missing tank old.img)
rm -f old.img
truncate -s 64M old.img
run 1 '' mkpool -d short tank old.img
run 1 '' pooldump pools old.img
says 'no pool'

# -- a full disk --------------------------------------------------------------------------------
mkdir small
if mount -t tmpfs -o size=2m none small 2>err; then
	run 1 small/x.img mkpool -d tree tank small/x.img
	says 'No space left'
	run 1 small/x.img mkpool -j1 -d whole.tar tank small/x.img
	run 1 x.img env TMPDIR=small mkpool -n -d tree tank x.img
	umount small
fi
mkpool -d tree tank good.img 2>err || fail 'mkpool'

# -- standard streams ---------------------------------------------------------------------------
for words in 'poolcp good.img:tank -' 'poolcp good.img:tank@/big -' 'poolcp --list good.img:tank' \
	'pooldump labels good.img' 'pooldump objects good.img:tank' 'mkpool -n tank x.img'; do
	run 1 '' sh -c "$words >/dev/full"
	says 'standard output'
done
run 8 '' sh -c 'poolcheck good.img >/dev/full'
# shellcheck disable=SC2016 # that bash expands it
run 1 '' bash -c 'poolcp good.img:tank - | head -c 1000 >/dev/null; exit ${PIPESTATUS[0]}'
# A stream that was closed is not where the image goes.
run 1 x.img sh -c 'mkpool -d - tank x.img <&-'
says 'standard input'
timeout 20 sh -c 'mkpool -v -d tree tank y.img >&- 2>&-'
run 0 y.img poolcheck y.img

# -- interrupts ---------------------------------------------------------------------------------
mkfifo fifo
for wait in 0.1 0.4; do
	timeout --preserve-status -s INT -k 10 "$wait" mkpool -d fifo tank x.img 2>err
	judge $? "0 1 130" x.img "interrupt after $wait s, before anything comes"
	(cat whole.tar; sleep 1) | head -c 2000000 | timeout --preserve-status -s INT -k 10 "$wait" mkpool -d - tank x.img 2>err
	judge $? "0 1 130" x.img "interrupt after $wait s in a pipe"
	timeout --preserve-status -s INT -k 10 "$wait" mkpool -d tree -d "$build" tank x.img 2>err
	judge $? "0 1 130" x.img "interrupt after $wait s"
done

# -- directories --------------------------------------------------------------------------------
mkdir odd && mkfifo odd/pipe
run 0 x.img mkpool -d odd tank x.img
rm odd/pipe
if [ "$(id -u)" != 0 ]; then
	echo x >odd/closed && chmod 000 odd/closed
	run 1 x.img mkpool -d odd tank x.img
	says 'odd: closed'
	rm -f odd/closed
fi
tar -C tree -cf lost.tar ./h ./a && tar --delete -f lost.tar ./h && run 1 x.img mkpool -d lost.tar tank x.img

perl -e 'symlink "y" x 4000, "odd/l" or die' && tar --format=pax -C odd -cf long.tar l
run 0 x.img mkpool -d long.tar tank x.img

# -- lists, layers, files of options ------------------------------------------------------------
mkdir lists && echo x >lists/f && ln -s "$work/tree" lists/up && mkfifo lists/fifo
list() { # SAYS LINE
	printf '%b' "$2" >lists/list
	run 1 x.img mkpool -d mtree:lists/list tank x.img
	says "$1"
}
list "'..' in a name" './x type=file contents=../tree/a\n'
list 'outside of the list' './x type=file contents=/etc/passwd\n'
list "'..' in a name" 'a/../../x type=dir\n'
list 'not a directory' './up/a type=file\n'
list 'a symbolic link' './up type=file\n'
list 'no regular file' './fifo type=file\n'
list 'zero byte' './x\0000 type=dir\n'
list 'longer than' "./x type=dir $(printf 'k%.0s' $(seq 70000))\n"
run 1 x.img mkpool -d mtree:lists tank x.img
head -c 200000 "$build/mkpool" >lists/list
run 1 x.img mkpool -d mtree:lists/list tank x.img

white() { # WANTED NAME
	rm -rf layer && mkdir -p "layer/$(dirname "$2")" && touch "layer/$2"
	run "$1" x.img mkpool --layers -d tree -d layer tank x.img
}
for name in .wh. .wh.. .wh... d/.wh... .wh.x/f .wh..wh..opq/f; do white 1 "$name"; done
for name in .wh.nothing .wh.d .wh..wh..opq d/.wh..wh..opq .wh..wh.aufs .wh..wh.plnk/1 no/where/.wh.x; do white 0 "$name"; done
rm -rf layer && mkdir layer && touch layer/.wh.a
for to in l/.wh.x l/.wh..wh..opq a/.wh.x a/.wh..wh..opq; do
	tar -C layer --transform "s,^.wh.a,$to," -cf through.tar .wh.a
	run 1 x.img mkpool --layers -d tree -d through.tar tank x.img
	says 'no directory'
done
run 0 x.img mkpool --layers -d layer tank x.img

options() { # WANTED TEXT
	printf '%b' "$2" >options
	run "$1" x.img mkpool -F options tank x.img
}
options 2 '-F options\n'
options 2 '-n\n-O compression\0000=on\n'
options 2 'tank y.img\n'
options 2 '--\n'
options 2 '-'
options 2 '-d\n'
options 2 '-q 1\n'
options 0 '# nothing\n\n \t\n'
run 1 x.img mkpool -F tree tank x.img
head -c 1100000 /dev/zero | tr '\0' '\n' >options
run 2 x.img mkpool -F options tank x.img
run 2 x.img mkpool -F "$build/mkpool" tank x.img

# -- datasets and volumes -----------------------------------------------------------------------
run 1 x.img mkpool -c tank/a,quota=1M -d tank/a=tree -d missing -S tank/a@s tank x.img
run 2 x.img mkpool -V tank/v=fifo tank x.img
run 2 x.img mkpool -V tank/v=tree tank x.img
run 0 x.img mkpool --verify -c tank/a -d tank/a=tree -S tank/a@s -d tank/a=tree -V tank/v=tree/big tank x.img
run 1 x.img mkpool --split -c tank/a,mountpoint=/d -d tree tank x.img
truncate -s 64M old.img
run 1 '' mkpool -f --verify -c tank/a -d tank/a=tree -S tank/a@s -d missing tank old.img
run 1 '' pooldump pools old.img

# -- copying out never leaves the directory -----------------------------------------------------
mkdir out away && ln -s "$work/away" out/d && ln -s "$work/away/big" out/big
run 0 '' poolcp good.img:tank out
if [ -z "$(ls away)" ] && cmp -s out/big tree/big && cmp -s out/d/text tree/d/text; then pass; else fail 'followed a link'; fi
run 1 '' poolcp good.img:tank whole.tar/x
run 1 '' poolcp good.img:tank@/a tree/d/text/x

# -- images cut short ---------------------------------------------------------------------------
for size in 0 511 262144 4194304 8000000 67108863; do
	cp --sparse=always good.img cut.img && truncate -s $size cut.img
	run '0 1' '' pooldump labels cut.img
	run '0 1' '' poolcp --list cut.img:tank
	run '0 4 8 12' '' poolcheck cut.img
done
for offset in 512 256K 64M 1P 8E; do
	run '1 2' '' pooldump labels --offset $offset good.img
	run '8 16' '' poolcheck --offset $offset good.img
done
run 8 '' poolcheck --txg 1 good.img
run 16 '' poolcheck --txg -1 good.img

echo "$passed passed, $failed failed"
[ $failed = 0 ]
