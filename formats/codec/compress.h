/*
 * Block compression: the format's table, and both directions into buffers of exact size.
 * Framing that is ZFS's own (the length before lz4, zstd's header) is kept here, padding is not:
 * the caller pads what compress_block returns to the sector size, and decompress_block ignores it.
 * Source: OpenZFS zio_compress.c (zio_compress_table), lzjb.c, zle.c,
 * lz4_zfs.c, zfs_zstd.c, gzip.c.
 */
#ifndef FORMATS_CODEC_COMPRESS_H
#define FORMATS_CODEC_COMPRESS_H

#include "formats/base/bytes.h"
#include "formats/base/err.h"

enum compress {
	COMPRESS_INHERIT = 0,
	COMPRESS_ON = 1,
	COMPRESS_OFF = 2,
	COMPRESS_LZJB = 3,
	COMPRESS_EMPTY = 4,
	COMPRESS_GZIP_1 = 5, /* ... COMPRESS_GZIP_9 = 13 */
	COMPRESS_GZIP_9 = 13,
	COMPRESS_ZLE = 14,
	COMPRESS_LZ4 = 15,
	COMPRESS_ZSTD = 16, /* the level lives in the block's own header */
	COMPRESS_COUNT = 17,
};

/* What "lz4", "gzip-6" or "zstd-fast-10" mean. Level 0 is the algorithm's default. */
struct compress_choice {
	unsigned id;
	int	 level; /* zstd: 1..19, or -N for zstd-fast-N; gzip carries it in id; else 0 */
};

/* "lz4"; NULL for numbers the format does not know. */
const char *compress_name(unsigned id);

/*
 * What a number means that the property `compression` is stored as: the algorithm in its lower 7
 * bits, the number of a zstd level above them ("zstd" alone has none). False when no value is
 * stored so. The words for them are formats/property_values.c's.
 * Source: OpenZFS zio.h (ZIO_COMPLEVEL_ZSTD), spa.h (SPA_COMPRESSBITS), zfs_prop.c.
 */
bool compress_by_property_value(uint64_t value, struct compress_choice *out);

bool compress_supported(unsigned id);

/* One thread's codec states, allocated on first use of each; not to be shared between threads. */
struct codec;
struct codec *codec_new(struct err *e);
void	      codec_free(struct codec *c);

/*
 * Compresses in.p[0..n) into out[0..cap). Returns the bytes written (framing included), or 0 when
 * they do not fit, when memory is short, or for COMPRESS_OFF: the block is then stored as it is.
 * The caller says with `cap` how much must be saved (OpenZFS: n - n/8).
 * Deterministic: the same input, choice and cap give the same bytes, whatever the codec did before
 * and whatever the processor can do. Other versions of the libraries, and for lz4 and gzip machines
 * of other word size or byte order, may find other matches.
 */
size_t compress_block(struct codec *c, struct compress_choice how, struct bytes in, uint8_t *out,
		      size_t cap);

/*
 * Expands `in` (padding allowed after the compressed bytes) into exactly n bytes at out. The input
 * is hostile: nothing outside in and out is touched, ERR_CORRUPT when it does not expand to n.
 * COMPRESS_OFF copies (in.n must be >= n). ERR_UNSUPPORTED names an unknown algorithm.
 */
int decompress_block(struct codec *c, unsigned id, struct bytes in, uint8_t *out, size_t n,
		     struct err *e) MUST_CHECK;

#endif
