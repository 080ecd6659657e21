/*
 * Named values and the numbers that are stored for them. Where two names share a number, the first
 * is the one that is printed.
 * Source: OpenZFS 2.4, zfs_prop.c (zfs_prop_init), zpool_prop.c, sys/fs/zfs.h, zfs_acl.h,
 * u8_textprep.h, zio_compress.h (enum zio_zstd_levels), zio.h (ZIO_COMPLEVEL_ZSTD).
 */
#include "formats/property_values.h"

#include "formats/codec/checksum.h"
#include "formats/codec/compress.h"

#define END { NULL, 0 }

enum { VERIFY = 1 << 8 }; /* zio.h, ZIO_CHECKSUM_VERIFY */

/* A zstd level stands above the algorithm; negative ones follow after 101 unused. */
#define ZSTD(index) (COMPRESS_ZSTD | (uint64_t)(index) << 7)
#define FAST(i)	    ZSTD(102 + (i))

/* clang-format off */
const struct property_value switch_values[] = { { "off", 0 }, { "on", 1 }, END };
const struct property_value yesno_values[] = { { "no", 0 }, { "yes", 1 }, END };

const struct property_value checksum_values[] = {
	{ "on", CHECKSUM_ON }, { "off", CHECKSUM_OFF },
	{ "fletcher2", CHECKSUM_FLETCHER_2 }, { "fletcher4", CHECKSUM_FLETCHER_4 },
	{ "sha256", CHECKSUM_SHA256 }, { "noparity", CHECKSUM_NOPARITY },
	{ "sha512", CHECKSUM_SHA512 }, { "skein", CHECKSUM_SKEIN }, { "edonr", CHECKSUM_EDONR },
	{ "blake3", CHECKSUM_BLAKE3 }, END,
};

const struct property_value dedup_values[] = {
	{ "on", CHECKSUM_ON }, { "off", CHECKSUM_OFF }, { "verify", CHECKSUM_ON | VERIFY },
	{ "sha256", CHECKSUM_SHA256 }, { "sha256,verify", CHECKSUM_SHA256 | VERIFY },
	{ "sha512", CHECKSUM_SHA512 }, { "sha512,verify", CHECKSUM_SHA512 | VERIFY },
	{ "skein", CHECKSUM_SKEIN }, { "skein,verify", CHECKSUM_SKEIN | VERIFY },
	{ "edonr,verify", CHECKSUM_EDONR | VERIFY },
	{ "blake3", CHECKSUM_BLAKE3 }, { "blake3,verify", CHECKSUM_BLAKE3 | VERIFY }, END,
};

const struct property_value compression_values[] = {
	{ "on", COMPRESS_ON }, { "off", COMPRESS_OFF }, { "lzjb", COMPRESS_LZJB },
	{ "gzip", COMPRESS_GZIP_1 + 5 },
	{ "gzip-1", COMPRESS_GZIP_1 }, { "gzip-2", COMPRESS_GZIP_1 + 1 },
	{ "gzip-3", COMPRESS_GZIP_1 + 2 }, { "gzip-4", COMPRESS_GZIP_1 + 3 },
	{ "gzip-5", COMPRESS_GZIP_1 + 4 }, { "gzip-6", COMPRESS_GZIP_1 + 5 },
	{ "gzip-7", COMPRESS_GZIP_1 + 6 }, { "gzip-8", COMPRESS_GZIP_1 + 7 },
	{ "gzip-9", COMPRESS_GZIP_9 },
	{ "zle", COMPRESS_ZLE }, { "lz4", COMPRESS_LZ4 },
	{ "zstd", COMPRESS_ZSTD }, { "zstd-fast", FAST(1) },
	{ "zstd-1", ZSTD(1) }, { "zstd-2", ZSTD(2) }, { "zstd-3", ZSTD(3) }, { "zstd-4", ZSTD(4) },
	{ "zstd-5", ZSTD(5) }, { "zstd-6", ZSTD(6) }, { "zstd-7", ZSTD(7) }, { "zstd-8", ZSTD(8) },
	{ "zstd-9", ZSTD(9) }, { "zstd-10", ZSTD(10) }, { "zstd-11", ZSTD(11) },
	{ "zstd-12", ZSTD(12) }, { "zstd-13", ZSTD(13) }, { "zstd-14", ZSTD(14) },
	{ "zstd-15", ZSTD(15) }, { "zstd-16", ZSTD(16) }, { "zstd-17", ZSTD(17) },
	{ "zstd-18", ZSTD(18) }, { "zstd-19", ZSTD(19) },
	{ "zstd-fast-1", FAST(1) }, { "zstd-fast-2", FAST(2) }, { "zstd-fast-3", FAST(3) },
	{ "zstd-fast-4", FAST(4) }, { "zstd-fast-5", FAST(5) }, { "zstd-fast-6", FAST(6) },
	{ "zstd-fast-7", FAST(7) }, { "zstd-fast-8", FAST(8) }, { "zstd-fast-9", FAST(9) },
	{ "zstd-fast-10", FAST(10) }, { "zstd-fast-20", FAST(11) }, { "zstd-fast-30", FAST(12) },
	{ "zstd-fast-40", FAST(13) }, { "zstd-fast-50", FAST(14) }, { "zstd-fast-60", FAST(15) },
	{ "zstd-fast-70", FAST(16) }, { "zstd-fast-80", FAST(17) }, { "zstd-fast-90", FAST(18) },
	{ "zstd-fast-100", FAST(19) }, { "zstd-fast-500", FAST(20) },
	{ "zstd-fast-1000", FAST(21) }, END,
};

const struct property_value snapdir_values[] = {
	{ "hidden", 0 }, { "visible", 1 }, { "disabled", 2 }, END,
};
const struct property_value snapdev_values[] = { { "hidden", 0 }, { "visible", 1 }, END };

const struct property_value aclmode_values[] = {
	{ "discard", 0 }, { "groupmask", 2 }, { "passthrough", 3 }, { "restricted", 4 }, END,
};
const struct property_value acltype_values[] = {
	{ "off", 0 }, { "posix", 1 }, { "nfsv4", 2 },
	{ "disabled", 0 }, { "noacl", 0 }, { "posixacl", 1 }, END,
};
const struct property_value aclinherit_values[] = {
	{ "discard", 0 }, { "noallow", 1 }, { "restricted", 4 }, { "passthrough", 3 },
	{ "secure", 4 }, { "passthrough-x", 5 }, END,
};

const struct property_value casesensitivity_values[] = {
	{ "sensitive", 0 }, { "insensitive", 1 }, { "mixed", 2 }, END,
};
const struct property_value normalization_values[] = {
	{ "none", 0 }, { "formD", 0x10 }, { "formKC", 0x60 }, { "formC", 0x50 },
	{ "formKD", 0x20 }, END,
};
const struct property_value copies_values[] = { { "1", 1 }, { "2", 2 }, { "3", 3 }, END };
const struct property_value version_values[] = {
	{ "1", 1 }, { "2", 2 }, { "3", 3 }, { "4", 4 }, { "5", 5 }, { "current", 5 }, END,
};

const struct property_value canmount_values[] = {
	{ "off", 0 }, { "on", 1 }, { "noauto", 2 }, END,
};
const struct property_value xattr_values[] = {
	{ "off", 0 }, { "sa", 2 }, { "on", 2 }, { "dir", 1 }, END,
};
const struct property_value dnodesize_values[] = {
	{ "legacy", 0 }, { "auto", 1 }, { "1k", 1024 }, { "2k", 2048 }, { "4k", 4096 },
	{ "8k", 8192 }, { "16k", 16384 }, END,
};
const struct property_value redundant_values[] = {
	{ "all", 0 }, { "most", 1 }, { "some", 2 }, { "none", 3 }, END,
};
const struct property_value volmode_values[] = {
	{ "default", 0 }, { "full", 1 }, { "geom", 1 }, { "dev", 2 }, { "none", 3 }, END,
};
const struct property_value direct_values[] = {
	{ "disabled", 0 }, { "standard", 1 }, { "always", 2 }, END,
};
const struct property_value cache_values[] = {
	{ "none", 0 }, { "metadata", 1 }, { "all", 2 }, END,
};
const struct property_value sync_values[] = {
	{ "standard", 0 }, { "always", 1 }, { "disabled", 2 }, END,
};
const struct property_value logbias_values[] = { { "latency", 0 }, { "throughput", 1 }, END };

const struct property_value encryption_values[] = {
	{ "on", 1 }, { "off", 2 }, { "aes-128-ccm", 3 }, { "aes-192-ccm", 4 },
	{ "aes-256-ccm", 5 }, { "aes-128-gcm", 6 }, { "aes-192-gcm", 7 }, { "aes-256-gcm", 8 }, END,
};
const struct property_value keyformat_values[] = {
	{ "none", 0 }, { "raw", 1 }, { "hex", 2 }, { "passphrase", 3 }, END,
};
const struct property_value keystatus_values[] = {
	{ "none", 0 }, { "unavailable", 1 }, { "available", 2 }, END,
};
const struct property_value failmode_values[] = {
	{ "wait", 0 }, { "continue", 1 }, { "panic", 2 }, END,
};
/* clang-format on */
