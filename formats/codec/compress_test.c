#include <criterion/criterion.h>
#include <stdlib.h>
#include <zlib.h>

#include "formats/base/limits.h"
#include "formats/codec/compress.h"
#include "formats/codec/compress_own.h"

/* One of each algorithm, and the ends of those with levels. */
static const struct compress_choice every[] = {
	{ COMPRESS_LZJB, 0 },
	{ COMPRESS_ZLE, 0 },
	{ COMPRESS_LZ4, 0 },
	{ COMPRESS_GZIP_1, 0 },
	{ 10, 0 },
	{ COMPRESS_GZIP_9, 0 },
	{ COMPRESS_ZSTD, 0 },
	{ COMPRESS_ZSTD, 1 },
	{ COMPRESS_ZSTD, 19 },
	{ COMPRESS_ZSTD, -1 },
	{ COMPRESS_ZSTD, -1000 },
};

enum { EVERY = sizeof every / sizeof every[0] };

static const size_t sizes[] = { 1,   2,	   3,	 65,	66,    67,    511,    512,
				513, 1024, 4096, 12345, 16384, 65536, 131071, 131072 };

enum { SIZES = sizeof sizes / sizeof sizes[0], KINDS = 6, TOP = 131072 };

static uint32_t rng(uint32_t *s)
{
	*s = *s * 1664525 + 1013904223;
	return *s >> 8;
}

static void fill_text(uint8_t *p, size_t n)
{
	static const char *const words[] = {
		"pool ", "vdev ", "label ", "txg ", "the ", "block\n"
	};
	uint32_t s = 3;

	for (size_t i = 0; i < n;) {
		const char *w = words[rng(&s) % 6];

		while (*w != '\0' && i < n)
			p[i++] = (uint8_t)*w++;
	}
}

/* Zeros, noise, text, noise with holes, one repeated byte, single zeros between bytes. */
static void fill(uint8_t *p, size_t n, int kind)
{
	uint32_t s = 7;

	memset(p, 0, n);
	if (kind == 2)
		fill_text(p, n);
	for (size_t i = 0; i < n; i++) {
		if (kind == 1 || (kind == 3 && i / 200 % 3 == 0))
			p[i] = (uint8_t)rng(&s);
		if (kind == 4)
			p[i] = 0x55;
		if (kind == 5)
			p[i] = (uint8_t)(i % 5 == 0 ? 0 : rng(&s));
	}
}

static struct bytes view(const uint8_t *p, size_t n)
{
	return bytes_of(p, n, ORDER_LITTLE);
}

Test(compress, names_and_property_values)
{
	struct compress_choice c;

	cr_assert_str_eq(compress_name(COMPRESS_LZ4), "lz4");
	cr_assert_str_eq(compress_name(COMPRESS_GZIP_9), "gzip-9");
	cr_assert_null(compress_name(COMPRESS_COUNT));
	cr_assert(compress_by_name("gzip", &c) && c.id == 10 && c.level == 0);
	cr_assert(compress_by_name("on", &c) && c.id == COMPRESS_ON);
	cr_assert(compress_by_name("zstd", &c) && c.id == COMPRESS_ZSTD && c.level == 3);
	cr_assert(compress_by_name("zstd-19", &c) && c.level == 19);
	cr_assert(compress_by_name("zstd-fast", &c) && c.level == -1);
	cr_assert(compress_by_name("zstd-fast-1000", &c) && c.level == -1000);

	static const char *const bad[] = {
		"",	   "inherit", "empty",	 "gzip-0", "gzip-10",	  "zstd-0",	  "zstd-20",
		"zstd-03", "zstd-3x", "zstd--1", "zstd-",  "zstd-fast-0", "zstd-fast-11", "LZ4"
	};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_assert_not(compress_by_name(bad[i], &c), "%s", bad[i]);
}

/* The compressed bytes sit at the very end of an allocation, so that a sanitizer sees an overread.
 */
static void round_trip(struct codec *c, struct compress_choice how, const uint8_t *data, size_t n)
{
	size_t	 cap = n + n / 8 + 128;
	uint8_t *out = malloc(cap), *back = malloc(n);
	size_t	 got = compress_block(c, how, view(data, n), out, cap);

	cr_assert_gt(got, 0, "%s %d, %zu bytes", compress_name(how.id), how.level, n);
	cr_assert_leq(got, cap);

	uint8_t *tight = malloc(got);

	memcpy(tight, out, got);
	cr_assert_eq(decompress_block(c, how.id, view(tight, got), back, n, NULL), 0,
		     "%s %d, %zu bytes", compress_name(how.id), how.level, n);
	cr_assert(memcmp(back, data, n) == 0);
	memset(out + got, 0, cap - got);
	cr_assert_eq(decompress_block(c, how.id, view(out, cap), back, n, NULL), 0, "padded");
	free(tight);
	free(back);
	free(out);
}

Test(compress, whatever_is_compressed_expands_to_the_same)
{
	struct codec *c = codec_new(NULL);
	uint8_t	     *data = malloc(TOP);

	for (int kind = 0; kind < KINDS; kind++) {
		for (size_t s = 0; s < SIZES; s++) {
			fill(data, sizes[s], kind);
			for (size_t i = 0; i < EVERY; i++)
				round_trip(c, every[i], data, sizes[s]);
		}
	}
	free(data);
	codec_free(c);
}
