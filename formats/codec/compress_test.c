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

Test(compress, names)
{
	cr_assert_str_eq(compress_name(COMPRESS_LZ4), "lz4");
	cr_assert_str_eq(compress_name(COMPRESS_GZIP_9), "gzip-9");
	cr_assert_null(compress_name(COMPRESS_COUNT));
}

Test(compress, property_values_are_stored_with_the_level)
{
	static const struct {
		uint64_t value;
		unsigned id;
		int	 level;
	} all[] = {
		{ 1, COMPRESS_ON, 0 },	       { 2, COMPRESS_OFF, 0 },
		{ 3, COMPRESS_LZJB, 0 },       { 10, COMPRESS_GZIP_1 + 5, 0 },
		{ 13, COMPRESS_GZIP_9, 0 },    { 14, COMPRESS_ZLE, 0 },
		{ 15, COMPRESS_LZ4, 0 },       { 16, COMPRESS_ZSTD, 0 },
		{ 144, COMPRESS_ZSTD, 1 },     { 400, COMPRESS_ZSTD, 3 },
		{ 2448, COMPRESS_ZSTD, 19 },   { 13200, COMPRESS_ZSTD, -1 },
		{ 14352, COMPRESS_ZSTD, -10 }, { 14480, COMPRESS_ZSTD, -20 },
		{ 15504, COMPRESS_ZSTD, -100 }, { 15632, COMPRESS_ZSTD, -500 },
		{ 15760, COMPRESS_ZSTD, -1000 },
	};
	static const uint64_t bad[] = { 0, 4, 17, 15 | 1 << 7, 16 | 20 << 7, 16 | 102 << 7,
					16 | 124 << 7, 16 | UINT64_C(259) << 7 };
	struct compress_choice c;

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		cr_assert(compress_by_property_value(all[i].value, &c));
		cr_assert_eq(c.id, all[i].id);
		cr_assert_eq(c.level, all[i].level);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_assert_not(compress_by_property_value(bad[i], &c));
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

/* What fits exactly must not need more; what does not fit must leave the next byte alone. */
static void exact_cap(struct codec *c, struct compress_choice how, const uint8_t *data, size_t n)
{
	size_t	 room = n + n / 8 + 128;
	uint8_t *whole = malloc(room), *back = malloc(n);
	size_t	 full = compress_block(c, how, view(data, n), whole, room);
	bool	 own = how.id == COMPRESS_LZJB || how.id == COMPRESS_ZLE;

	for (size_t less = 0; less < 20 && less < full; less++) {
		size_t	 cap = full - less;
		uint8_t *out = malloc(cap);
		size_t	 got = compress_block(c, how, view(data, n), out, cap);

		cr_assert_leq(got, cap);
		if (own)
			cr_assert_eq(got, less == 0 ? full : 0);
		if (got != 0)
			cr_assert_eq(decompress_block(c, how.id, view(out, got), back, n, NULL), 0);
		free(out);
	}
	cr_assert_eq(compress_block(c, how, view(data, n), NULL, 0), 0);
	free(back);
	free(whole);
}

/* Every value of the property, at sizes around those where compressors change their ways. */
Test(compress, every_level_round_trips_at_odd_sizes)
{
	static const size_t sizes[] = { 1, 17, 511, 513, 16385, 131073 };
	struct codec	   *c = codec_new(NULL);
	uint8_t		   *data = malloc(131073);
	unsigned	    values = 0;

	for (size_t i = 0; i < 131073; i++)
		data[i] = (uint8_t)(i % 97 == 0 ? i >> 3 : i % 23);
	for (uint64_t value = 0; value < 1 << 15; value++) {
		struct compress_choice how;

		if (!compress_by_property_value(value, &how) || !compress_supported(how.id) ||
		    how.id == COMPRESS_OFF)
			continue;
		values++;
		for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
			round_trip(c, how, data, sizes[i]);
	}
	/* lzjb, zle, lz4; gzip-1 to 9; zstd, zstd-1 to 19 and 21 fast ones */
	cr_assert_eq(values, 3 + 9 + 1 + 19 + 21);
	free(data);
	codec_free(c);
}

Test(compress, the_limit_is_kept_to_the_byte)
{
	static const size_t few[] = { 1, 67, 513, 4096, 16384 };
	struct codec	   *c = codec_new(NULL);
	uint8_t		   *data = malloc(TOP);

	for (int kind = 0; kind < KINDS; kind++) {
		for (size_t s = 0; s < sizeof few / sizeof few[0]; s++) {
			fill(data, few[s], kind);
			for (size_t i = 0; i < EVERY; i++)
				exact_cap(c, every[i], data, few[s]);
		}
	}
	free(data);
	codec_free(c);
}

Test(compress, a_codec_forgets_what_it_did_before)
{
	struct codec *used = codec_new(NULL);
	uint8_t	     *data = malloc(TOP), *a = malloc(TOP), *b = malloc(TOP);

	for (int kind = 0; kind < KINDS; kind++) {
		for (size_t i = 0; i < EVERY; i++) {
			struct codec *fresh = codec_new(NULL);
			size_t	      n = sizes[(i * 7 + (size_t)kind) % SIZES];

			fill(data, n, kind);
			memset(a, 0xaa, TOP);
			memset(b, 0x55, TOP);

			size_t na = compress_block(used, every[i], view(data, n), a, n);
			size_t nb = compress_block(fresh, every[i], view(data, n), b, n);

			cr_assert_eq(na, nb, "%s %d kind %d, %zu bytes: %zu %zu",
				     compress_name(every[i].id), every[i].level, kind, n, na, nb);
			cr_assert(memcmp(a, b, na) == 0);
			codec_free(fresh);
		}
	}
	free(data);
	free(a);
	free(b);
	codec_free(used);
}

Test(compress, what_cannot_be_done_is_stored_or_refused)
{
	struct codec	      *c = codec_new(NULL);
	uint8_t		       in[512] = { 1 }, out[1024];
	struct err	       e;
	struct compress_choice none[] = { { COMPRESS_OFF, 0 },	  { COMPRESS_ON, 0 },
					  { COMPRESS_EMPTY, 0 },  { COMPRESS_ZSTD, 20 },
					  { COMPRESS_ZSTD, -11 }, { 99, 0 } };

	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		cr_assert_eq(compress_block(c, none[i], view(in, 512), out, 1024), 0);
	cr_assert_eq(decompress_block(c, COMPRESS_OFF, view(in, 512), out, 512, NULL), 0);
	cr_assert(memcmp(in, out, 512) == 0);
	cr_assert_eq(decompress_block(c, COMPRESS_OFF, view(in, 512), out, 513, &e), -1);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	cr_assert_eq(decompress_block(c, 99, view(in, 512), out, 512, &e), -1);
	cr_assert_eq(e.kind, ERR_UNSUPPORTED);
	cr_assert_eq(decompress_block(c, COMPRESS_LZ4, view(in, 512), out, BLOCK_MAX + 1, &e), -1);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	codec_free(NULL);
	codec_free(c);
}

Test(compress, lzjb_known_bytes)
{
	const uint8_t want[] = { 0x02, 'a', 0xfc, 0x01, 'a', 'a', 'a' };
	uint8_t	      in[70], out[80], back[70];

	memset(in, 'a', sizeof in);
	cr_assert_eq(lzjb_compress(view(in, 70), out, sizeof out), sizeof want);
	cr_assert(memcmp(out, want, sizeof want) == 0);
	cr_assert(lzjb_decompress(view(want, sizeof want), back, 70));
	cr_assert(memcmp(back, in, 70) == 0);
}

Test(compress, lzjb_refuses_a_match_from_before_the_block)
{
	const uint8_t far[] = { 0x02, 'a', 0x00, 0x02 }, self[] = { 0x02, 'a', 0x00, 0x00 };
	uint8_t	      out[4];

	cr_assert_not(lzjb_decompress(view(far, 4), out, 4));
	cr_assert_not(lzjb_decompress(view(self, 4), out, 4));
}

Test(compress, zle_known_bytes)
{
	/* Two literals with a zero between, three zeros, a literal, 193 zeros. */
	const uint8_t want[] = { 2, 7, 0, 8, 66, 0, 9, 255, 64 };
	uint8_t	      in[200] = { 7, 0, 8, 0, 0, 0, 9 }, out[200], back[200];

	cr_assert_eq(zle_compress(view(in, 200), out, sizeof out), sizeof want);
	cr_assert(memcmp(out, want, sizeof want) == 0);
	cr_assert(zle_decompress(view(want, sizeof want), back, 200));
	cr_assert(memcmp(back, in, 200) == 0);
	cr_assert_not(zle_decompress(view(want, sizeof want), back, 198));
}

Test(compress, gzip_is_what_zlib_reads_and_writes)
{
	struct codec *c = codec_new(NULL);
	uint8_t	     *data = malloc(TOP), *z = malloc(2 * TOP), *back = malloc(TOP);

	fill(data, TOP, 2);
	for (unsigned id = COMPRESS_GZIP_1; id <= COMPRESS_GZIP_9; id++) {
		size_t got = compress_block(c, (struct compress_choice){ .id = id },
					    view(data, TOP), z, TOP);
		uLongf n = TOP;

		cr_assert_gt(got, 0);
		cr_assert_eq(uncompress(back, &n, z, got), Z_OK);
		cr_assert(n == TOP && memcmp(back, data, TOP) == 0);
		n = 2 * TOP;
		cr_assert_eq(compress2(z, &n, data, TOP, (int)(id - COMPRESS_GZIP_1) + 1), Z_OK);
		cr_assert_eq(decompress_block(c, id, view(z, n), back, TOP, NULL), 0);
		cr_assert(memcmp(back, data, TOP) == 0);
	}
	free(data);
	free(z);
	free(back);
	codec_free(c);
}

Test(compress, shorter_input_and_other_lengths_are_corrupt)
{
	struct codec *c = codec_new(NULL);
	uint8_t	      data[600], z[1024], out[700];

	fill(data, sizeof data, 2);
	for (size_t i = 0; i < EVERY; i++) {
		size_t got = compress_block(c, every[i], view(data, 600), z, sizeof z);

		for (size_t n = 0; n < got; n++) {
			uint8_t	  *cut = malloc(n + 1);
			struct err e;

			memcpy(cut, z, n);
			cr_assert_eq(decompress_block(c, every[i].id, view(cut, n), out, 600, &e),
				     -1, "%s: %zu of %zu bytes", compress_name(every[i].id), n,
				     got);
			cr_assert_eq(e.kind, ERR_CORRUPT);
			free(cut);
		}
		cr_assert_eq(decompress_block(c, every[i].id, view(z, got), out, 601, NULL), -1);
		if (every[i].id != COMPRESS_LZJB && every[i].id != COMPRESS_ZLE)
			cr_assert_eq(decompress_block(c, every[i].id, view(z, got), out, 599, NULL),
				     -1);
	}
	codec_free(c);
}

Test(compress, changed_bytes_never_reach_past_the_buffers)
{
	struct codec *c = codec_new(NULL);
	uint8_t	      data[2000], z[4096];
	uint32_t      s = 11;

	fill(data, sizeof data, 5);
	fill_text(data, 1000);
	for (size_t i = 0; i < EVERY; i++) {
		size_t got = compress_block(c, every[i], view(data, 2000), z, sizeof z);

		for (int round = 0; round < 400; round++) {
			uint8_t *in = malloc(got), *out = malloc(2000);
			int	 rc;

			memcpy(in, z, got);
			for (uint32_t k = rng(&s) % 4; k < 4; k++)
				in[rng(&s) % got] = (uint8_t)rng(&s);
			rc = decompress_block(c, every[i].id, view(in, got), out, 2000, NULL);
			cr_assert(rc == 0 || rc == -1);
			free(in);
			free(out);
		}
		/* The state is none the worse for it. */
		round_trip(c, every[i], data, 2000);
	}
	codec_free(c);
}

Test(compress, zstd_headers)
{
	struct codec *c = codec_new(NULL);
	uint8_t	      data[1000], z[1024], out[1000];
	size_t	      got;

	fill(data, sizeof data, 2);
	got = compress_block(c, (struct compress_choice){ COMPRESS_ZSTD, -20 }, view(data, 1000), z,
			     sizeof z);

	struct wbytes h = wbytes_of(z, 8, ORDER_BIG);

	cr_assert_eq(get32(wbytes_view(h), 0), got - 8);
	cr_assert_eq(z[4], 113); /* zstd-fast-20 */

	/* Levels that no version knows, and the order in which early big-endian machines wrote. */
	static const uint32_t bad[] = { 0x00002908, 0x14002908, 0x66002908, 0x7c002908,
					0xffffffff };

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		put32(h, 4, bad[i]);
		cr_assert_eq(decompress_block(c, COMPRESS_ZSTD, view(z, got), out, 1000, NULL), -1);
	}
	put32(h, 4, 0x0028a503);
	cr_assert_eq(decompress_block(c, COMPRESS_ZSTD, view(z, got), out, 1000, NULL), 0);

	static const uint32_t lengths[] = { 0, 1, 0x7fffffff, 0xffffffff, 0xfffffff8 };

	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		put32(h, 0, lengths[i]);
		cr_assert_eq(decompress_block(c, COMPRESS_ZSTD, view(z, got), out, 1000, NULL), -1);
		put32(h, 0, lengths[i]);
		cr_assert_eq(decompress_block(c, COMPRESS_LZ4, view(z, got), out, 1000, NULL), -1);
	}
	codec_free(c);
}
