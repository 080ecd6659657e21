#!/bin/bash
# layers.sh [DIR]: do the sources keep to the layers?
#   - includes point down only: cmd -> core -> formats -> formats/codec -> formats/base, and inside
#     core in the order of core/README.md; a tool never includes another tool
#   - each outside library is included in its home only
#   - functions that overrun, and printing below cmd/, are nowhere
# Prints one line a fault, "FILE:LINE: what", and fails when there is one. Tests and fuzz targets
# may print, and those of core/ include any of core/: a whole pool is often the handiest thing to
# test on.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 2
sources() { git ls-files --cached --others --exclude-standard 'formats/*.[ch]' 'core/*.[ch]' 'cmd/*.[ch]'; }
faults=$(mktemp) || exit 2
trap 'rm -f "$faults"' EXIT

sources | xargs grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' /dev/null | awk '
	# A number for each layer. An include may go to its own folder or to a lower number;
	# folders of equal number must not know each other.
	function layer(f) {
		if (f ~ /^formats\/base\//) return 1
		if (f ~ /^formats\/codec\//) return 2
		if (f ~ /^formats\//) return 3
		if (f ~ /^core\/base\//) return 10
		if (f ~ /^core\/vdev\//) return 11
		if (f ~ /^core\/block\//) return 12
		if (f ~ /^core\/dmu\//) return 13
		if (f ~ /^core\/pool\//) return 14
		if (f ~ /^core\/dsl\//) return 15
		if (f ~ /^core\/(zpl|zvol)\//) return 16
		if (f ~ /^core\//) return 17
		if (f ~ /^cmd\/[^\/]*$/) return 20
		if (f ~ /^cmd\//) return 21
		return 99
	}
	# Where an outside header may be included, as a pattern; empty for the C library.
	function home(h) {
		if (h ~ /^(zlib|libdeflate|lz4.*|zstd.*|isa-l.*)\.h$|^(openssl|isa-l)\//) return "^formats/codec/"
		if (h ~ /^archive(_entry)?\.h$/) return "^core/entries/"
		if (h == "pthread.h") return "^core/base/"
		if (h == "magic.h") return "^core/base/filetype"
		if (h ~ /^json-c\//) return "^core/dump/json"
		if (h ~ /^criterion\//) return "_test\\.[ch]$"
		return ""
	}
	function folder(f) { sub(/\/[^\/]*$/, "", f); return f }
	{
		split($0, part, ":"); file = part[1]; where = file ":" part[2] ": "
		header = $0; own = header ~ /include[ \t]*"/
		sub(/^[^<"]*[<"]/, "", header); sub(/[>"].*/, "", header)
		if (!own) {
			at = home(header)
			if (at != "" && file !~ at) print where "<" header "> belongs in " at " alone"
		} else if (header !~ /^(formats|core|cmd)\//)
			print where "\"" header "\": paths start at the root"
		else if (file ~ /^core\/.*_(test|fuzz)\.[ch]$/ && header !~ /^cmd\//)
			next
		else if (folder(file) != folder(header) && layer(header) >= layer(file))
			print where folder(file) " must not include " header
	}' >>"$faults"

# Code without its comments and strings would need a parser; a name before a parenthesis at a word's
# start is near enough, and a false alarm is easily reworded.
banned='(strcpy|strcat|sprintf|vsprintf|gets|alloca|strtok|atoi|atol|rand|mktemp|tmpnam)'
sources | xargs grep -nE "(^|[^[:alnum:]_])${banned}[[:space:]]*\(" /dev/null |
	sed 's/^\([^:]*:[0-9]*:\)[[:space:]]*/\1 banned function: /' >>"$faults"

sources | grep -vE '^cmd/|_(test|fuzz)\.[ch]$' |
	xargs grep -nE '(^|[^[:alnum:]_])((v?f?printf|puts|putchar|perror|fputs)[[:space:]]*\(|stderr|stdout)' /dev/null |
	grep -vE ':[0-9]+:[[:space:]]*(/?\*|//)' |
	sed 's/^\([^:]*:[0-9]*:\)[[:space:]]*/\1 prints below cmd\/: /' >>"$faults"

cut -c1-160 "$faults"
if [ -s "$faults" ]; then
	echo "layers: $(wc -l <"$faults") faults"
	exit 1
fi
echo "layers: ok"
