#!/bin/sh
# deps.sh [--dev]: installs what building and testing need, with apt; nothing when all is there.
#   --dev adds what only developers use: clang for fuzzing, the linters.
# The one place that names packages. Needs root, or sudo, only when something is missing.
set -u
packages='gcc make libc6-dev liblz4-dev libzstd-dev zlib1g-dev libdeflate-dev libssl-dev libarchive-dev
	libmagic-dev libcriterion-dev tar cpio gzip bzip2 zstd openssl attr acl diffutils findutils'
dev='clang libclang-rt-dev clang-format clang-tidy cppcheck shellcheck mandoc'
case ${1-} in
'') ;;
--dev) packages="$packages $dev" ;;
*) sed -n '2,4p' "$0" >&2; exit 2 ;;
esac

# Elsewhere than on Debian we can only look whether the compiler finds what it needs.
if ! command -v dpkg-query >/dev/null; then
	headers='lz4.h zstd.h zlib.h libdeflate.h openssl/evp.h archive.h magic.h criterion/criterion.h'
	for h in $headers; do
		echo "#include <$h>" | "${CC:-cc}" -E - >/dev/null 2>&1 || missing="${missing-} $h"
	done
	[ -z "${missing-}" ] && exit 0
	echo "deps: not a Debian system, and these headers are missing:$missing" >&2
	exit 1
fi

missing=
for p in $packages; do
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
	as_root=sudo
	command -v sudo >/dev/null || {
		echo "deps: missing, and neither root nor sudo to install with:$missing" >&2
		exit 1
	}
fi
echo "deps: installing$missing"
# shellcheck disable=SC2086 # the words are meant to be split
if ! $as_root apt-get -q update ||
	! $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install $missing; then
	echo "deps: apt could not install:$missing" >&2
	exit 1
fi
