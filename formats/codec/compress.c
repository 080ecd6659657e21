/*
 * The compression table, property values, and the way from a number to the code that does it:
 * compress_own.c for what ZFS alone has, compress_libs.c for what libraries know.
 */
#include "formats/codec/compress.h"

#include <stdlib.h>

#include "formats/base/limits.h"
#include "formats/codec/compress_libs.h"
#include "formats/codec/compress_own.h"

static const char *const names[COMPRESS_COUNT] = {
	"inherit", "on",     "off",    "lzjb",	 "empty",  "gzip-1", "gzip-2", "gzip-3", "gzip-4",
	"gzip-5",  "gzip-6", "gzip-7", "gzip-8", "gzip-9", "zle",    "lz4",    "zstd",
};

const char *compress_name(unsigned id)
{
	return id < COMPRESS_COUNT ? names[id] : NULL;
}

enum { VALUE_LEVEL_SHIFT = 7, VALUE_ID_MASK = (1 << VALUE_LEVEL_SHIFT) - 1 };

bool compress_by_property_value(uint64_t value, struct compress_choice *out)
{
	unsigned id = (unsigned)value & VALUE_ID_MASK;
	uint64_t number = value >> VALUE_LEVEL_SHIFT;
	int	 level = 0;

	if (id == COMPRESS_INHERIT || id == COMPRESS_EMPTY || id >= COMPRESS_COUNT)
		return false;
	if (number != 0) {
		level = number > UINT8_MAX ? 0 : zstd_number_level((unsigned)number);
		if (id != COMPRESS_ZSTD || level == 0)
			return false;
	}
	*out = (struct compress_choice){ .id = id, .level = level };
	return true;
}

bool compress_supported(unsigned id)
{
	return id < COMPRESS_COUNT && id != COMPRESS_INHERIT && id != COMPRESS_ON &&
	       id != COMPRESS_EMPTY;
}

struct codec *codec_new(struct err *e)
{
	struct codec *c = calloc(1, sizeof *c);

	if (c == NULL)
		err_nomem(e);
	return c;
}

void codec_free(struct codec *c)
{
	if (c == NULL)
		return;
	libs_fini(c);
	free(c);
}

size_t compress_block(struct codec *c, struct compress_choice how, struct bytes in, uint8_t *out,
		      size_t cap)
{
	if (in.n == 0 || in.n > BLOCK_MAX)
		return 0;
	cap = min64(cap, BLOCK_MAX);
	switch (how.id) {
	case COMPRESS_LZJB:
		return lzjb_compress(in, out, cap);
	case COMPRESS_ZLE:
		return zle_compress(in, out, cap);
	case COMPRESS_LZ4:
		return lz4_compress(c, in, out, cap);
	case COMPRESS_ZSTD:
		return zstd_compress(c, how.level == 0 ? ZSTD_LEVEL_DEFAULT : how.level, in, out,
				     cap);
	default:
		if (how.id < COMPRESS_GZIP_1 || how.id > COMPRESS_GZIP_9)
			return 0;
		return gzip_compress(c, (int)(how.id - COMPRESS_GZIP_1) + 1, in, out, cap);
	}
}

static int own_result(unsigned id, bool ok, size_t n, struct err *e)
{
	if (ok)
		return 0;
	return err_set(e, ERR_CORRUPT, "%s: the compressed bytes do not expand to %zu", names[id],
		       n);
}

static int copy(struct bytes in, uint8_t *out, size_t n, struct err *e)
{
	if (in.n < n)
		return err_set(e, ERR_CORRUPT, "uncompressed block needs %zu bytes, has %zu", n,
			       in.n);
	memcpy(out, in.p, n);
	return 0;
}

int decompress_block(struct codec *c, unsigned id, struct bytes in, uint8_t *out, size_t n,
		     struct err *e)
{
	if (!compress_supported(id))
		return err_set(e, ERR_UNSUPPORTED, "compression number %u (%s) cannot be expanded",
			       id, id < COMPRESS_COUNT ? names[id] : "unknown");
	if (n == 0 || n > BLOCK_MAX)
		return err_set(e, ERR_CORRUPT, "%zu bytes are no block", n);
	/* What lies behind a longest block is padding; the libraries count in ints. */
	in.n = min64(in.n, 2 * (size_t)BLOCK_MAX);
	switch (id) {
	case COMPRESS_OFF:
		return copy(in, out, n, e);
	case COMPRESS_LZJB:
		return own_result(id, lzjb_decompress(in, out, n), n, e);
	case COMPRESS_ZLE:
		return own_result(id, zle_decompress(in, out, n), n, e);
	case COMPRESS_LZ4:
		return lz4_decompress(in, out, n, e);
	case COMPRESS_ZSTD:
		return zstd_decompress(c, in, out, n, e);
	default:
		return gzip_decompress(c, in, out, n, e);
	}
}
