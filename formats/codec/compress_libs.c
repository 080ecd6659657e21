/*
 * The compressors that come from libraries. Block sizes are at most BLOCK_MAX here (compress.c sees
 * to it), so the casts to int and uInt lose nothing.
 */
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_f_zstd1_magicless */
#include "formats/codec/compress_libs.h"

#include <libdeflate.h>
#include <lz4.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "formats/base/limits.h"

void libs_fini(struct codec *c)
{
	free(c->lz4);
	for (int i = 0; i <= GZIP_LEVEL_MAX; i++)
		libdeflate_free_compressor(c->deflate[i]);
	libdeflate_free_decompressor(c->inflate);
	if (c->zlib != NULL)
		inflateEnd(c->zlib);
	free(c->zlib);
	ZSTD_freeCCtx(c->zstd_out);
	ZSTD_freeDCtx(c->zstd_in);
}

/* ---- gzip: a zlib stream (RFC 1950) and nothing around it ---- */

size_t gzip_compress(struct codec *c, int level, struct bytes in, uint8_t *out, size_t cap)
{
	if (c->deflate[level] == NULL)
		c->deflate[level] = libdeflate_alloc_compressor(level);
	if (c->deflate[level] == NULL)
		return 0;
	return libdeflate_zlib_compress(c->deflate[level], in.p, in.n, out, cap);
}

static int zlib_ready(struct codec *c, struct err *e)
{
	if (c->zlib != NULL) {
		inflateReset(c->zlib);
		return 0;
	}

	z_stream *z = calloc(1, sizeof *z);

	if (z == NULL || inflateInit(z) != Z_OK) {
		free(z);
		return err_nomem(e);
	}
	c->zlib = z;
	return 0;
}

/* zlib has the last word: OpenZFS expands with it, so what it takes is a valid block. */
static int zlib_decompress(struct codec *c, struct bytes in, uint8_t *out, size_t n, struct err *e)
{
	if (zlib_ready(c, e) < 0)
		return -1;

	z_stream *z = c->zlib;

	z->next_in = (z_const Bytef *)in.p;
	z->avail_in = (uInt)in.n;
	z->next_out = out;
	z->avail_out = (uInt)n;

	int rc = inflate(z, Z_FINISH);

	if (rc == Z_MEM_ERROR)
		return err_nomem(e);
	if (rc != Z_STREAM_END)
		return err_set(e, ERR_CORRUPT, "gzip: %s",
			       z->msg != NULL ? z->msg
					      : "the stream does not end within the block");
	if (z->avail_out != 0)
		return err_set(e, ERR_CORRUPT, "gzip: expands to %zu bytes, not %zu",
			       n - z->avail_out, n);
	return 0;
}

int gzip_decompress(struct codec *c, struct bytes in, uint8_t *out, size_t n, struct err *e)
{
	size_t used;

	if (c->inflate == NULL)
		c->inflate = libdeflate_alloc_decompressor();
	if (c->inflate == NULL)
		return err_nomem(e);
	if (libdeflate_zlib_decompress_ex(c->inflate, in.p, in.n, out, n, &used, NULL) ==
	    LIBDEFLATE_SUCCESS)
		return 0;
	return zlib_decompress(c, in, out, n, e);
}

/* ---- lz4: the length of the block, 4 bytes big-endian, then an LZ4 block without frame ---- */

enum { LZ4_HEADER = 4 };

size_t lz4_compress(struct codec *c, struct bytes in, uint8_t *out, size_t cap)
{
	if (c->lz4 == NULL)
		c->lz4 = malloc((size_t)LZ4_sizeofState());
	if (c->lz4 == NULL || cap <= LZ4_HEADER)
		return 0;

	/* A state that starts afresh with each block keeps the output independent of the last one.
	 */
	int n = LZ4_compress_fast_extState(c->lz4, (const char *)in.p, (char *)out + LZ4_HEADER,
					   (int)in.n, (int)(cap - LZ4_HEADER), 1);

	if (n <= 0)
		return 0;
	put32(wbytes_of(out, LZ4_HEADER, ORDER_BIG), 0, (uint32_t)n);
	return (size_t)n + LZ4_HEADER;
}

int lz4_decompress(struct bytes in, uint8_t *out, size_t n, struct err *e)
{
	if (in.n < LZ4_HEADER)
		return err_set(e, ERR_CORRUPT, "lz4: %zu bytes do not hold the length", in.n);

	in.order = ORDER_BIG;

	uint32_t length = get32(in, 0);

	if (length > in.n - LZ4_HEADER)
		return err_set(e, ERR_CORRUPT, "lz4: length is %u, the block has %zu", length,
			       in.n - LZ4_HEADER);

	int got = LZ4_decompress_safe((const char *)in.p + LZ4_HEADER, (char *)out, (int)length,
				      (int)n);

	if (got < 0)
		return err_set(e, ERR_CORRUPT, "lz4: the compressed bytes are malformed");
	if ((size_t)got != n)
		return err_set(e, ERR_CORRUPT, "lz4: expands to %d bytes, not %zu", got, n);
	return 0;
}

/*
 * ---- zstd: length of the frame, 4 bytes big-endian; level number and 3 bytes of library version;
 * then a frame without magic, checksum and content size ----
 */

enum {
	ZSTD_HEADER = 8,
	ZSTD_WORD = 4, /* level and version */
	ZSTD_NUMBER_FAST = 103,
};

/* The levels of zstd-fast, in the order of their numbers from ZSTD_NUMBER_FAST up. */
static const int fast_levels[] = { 1,  2,  3,  4,  5,  6,  7,  8,   9,	 10,  20,
				   30, 40, 50, 60, 70, 80, 90, 100, 500, 1000 };

enum { FAST_COUNT = sizeof fast_levels / sizeof fast_levels[0] };

/* What headers say of a level; 0 when the format has no number for it. */
static unsigned zstd_level_number(int level)
{
	if (level >= 1 && level <= ZSTD_LEVEL_MAX)
		return (unsigned)level;
	for (unsigned i = 0; i < FAST_COUNT; i++) {
		if (level == -fast_levels[i])
			return ZSTD_NUMBER_FAST + i;
	}
	return 0;
}

int zstd_number_level(unsigned number)
{
	if (number >= 1 && number <= ZSTD_LEVEL_MAX)
		return (int)number;
	if (number >= ZSTD_NUMBER_FAST && number < ZSTD_NUMBER_FAST + FAST_COUNT)
		return -fast_levels[number - ZSTD_NUMBER_FAST];
	return 0;
}

static ZSTD_CCtx *zstd_out_get(struct codec *c)
{
	if (c->zstd_out != NULL)
		return c->zstd_out;

	ZSTD_CCtx *z = ZSTD_createCCtx();

	if (z == NULL)
		return NULL;
	if (ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_format, ZSTD_f_zstd1_magicless)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 0)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_contentSizeFlag, 0))) {
		ZSTD_freeCCtx(z);
		return NULL;
	}
	c->zstd_out = z;
	return z;
}

/*
 * Left to itself, the library decides by the processor whether it searches by rows from blocks of
 * 16 KiB or of 128 KiB up, and the output differs; this is what it does on x86 and ARM.
 */
static ZSTD_paramSwitch_e search_by_rows(size_t n)
{
	return n > 16 * KIB ? ZSTD_ps_enable : ZSTD_ps_disable;
}

/* For the next frame; a block that did not fit leaves the last one open, and its settings fixed. */
static bool zstd_out_set(ZSTD_CCtx *z, int level, size_t n)
{
	ZSTD_CCtx_reset(z, ZSTD_reset_session_only);
	return !ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, level)) &&
	       !ZSTD_isError(
		       ZSTD_CCtx_setParameter(z, ZSTD_c_useRowMatchFinder, search_by_rows(n)));
}

size_t zstd_compress(struct codec *c, int level, struct bytes in, uint8_t *out, size_t cap)
{
	unsigned   number = zstd_level_number(level);
	ZSTD_CCtx *z = zstd_out_get(c);

	if (number == 0 || z == NULL || cap <= ZSTD_HEADER || !zstd_out_set(z, level, in.n))
		return 0;

	size_t n = ZSTD_compress2(z, out + ZSTD_HEADER, cap - ZSTD_HEADER, in.p, in.n);

	if (ZSTD_isError(n))
		return 0;

	struct wbytes header = wbytes_of(out, ZSTD_HEADER, ORDER_BIG);

	put32(header, 0, (uint32_t)n);
	put32(header, ZSTD_WORD, number << 24 | (ZSTD_VERSION_NUMBER & 0xffffff));
	return n + ZSTD_HEADER;
}

/*
 * The level of a header. Early big-endian writers left the word in another byte order; the byte of
 * the version that is always zero tells where the level stands. 0 when no byte is zero.
 * Source: OpenZFS sys/zstd/zstd.h, zfs_get_hdrmeta.
 */
static unsigned header_level(struct bytes in)
{
	const uint8_t *w = in.p + ZSTD_WORD;

	if (w[3] == 0 || (w[2] != 0 && w[1] == 0))
		return w[0];
	return w[2] == 0 || w[0] == 0 ? w[3] : 0;
}

static ZSTD_DCtx *zstd_in_get(struct codec *c)
{
	if (c->zstd_in != NULL)
		return c->zstd_in;

	ZSTD_DCtx *z = ZSTD_createDCtx();

	if (z == NULL)
		return NULL;
	if (ZSTD_isError(ZSTD_DCtx_setParameter(z, ZSTD_d_format, ZSTD_f_zstd1_magicless))) {
		ZSTD_freeDCtx(z);
		return NULL;
	}
	c->zstd_in = z;
	return z;
}

static int zstd_header_check(struct bytes in, uint32_t *length, struct err *e)
{
	if (in.n < ZSTD_HEADER)
		return err_set(e, ERR_CORRUPT, "zstd: %zu bytes do not hold the header", in.n);

	in.order = ORDER_BIG;
	*length = get32(in, 0);
	if (*length > in.n - ZSTD_HEADER)
		return err_set(e, ERR_CORRUPT, "zstd: length is %u, the block has %zu", *length,
			       in.n - ZSTD_HEADER);
	/* OpenZFS does not read such a block either. */
	if (zstd_number_level(header_level(in)) == 0)
		return err_set(e, ERR_CORRUPT, "zstd: no level has number %u", header_level(in));
	return 0;
}

int zstd_decompress(struct codec *c, struct bytes in, uint8_t *out, size_t n, struct err *e)
{
	uint32_t   length = 0;
	ZSTD_DCtx *z = zstd_in_get(c);

	if (zstd_header_check(in, &length, e) < 0)
		return -1;
	if (z == NULL)
		return err_nomem(e);

	size_t got = ZSTD_decompressDCtx(z, out, n, in.p + ZSTD_HEADER, length);

	if (ZSTD_isError(got))
		return err_set(e, ERR_CORRUPT, "zstd: %s", ZSTD_getErrorName(got));
	if (got != n)
		return err_set(e, ERR_CORRUPT, "zstd: expands to %zu bytes, not %zu", got, n);
	return 0;
}
