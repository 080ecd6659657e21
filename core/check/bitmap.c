/* Bits in words, changed and searched a word at a time. */
#include "core/check/bitmap.h"

static unsigned ones(uint64_t w)
{
	return (unsigned)__builtin_popcountll(w);
}

uint64_t bitmap_change(struct bitmap *b, uint64_t first, uint64_t past, bool value)
{
	uint64_t odd = 0;

	while (first < past) {
		uint64_t  bit = first % 64, n = past - first < 64 - bit ? past - first : 64 - bit;
		uint64_t  mask = UINT64_MAX >> (64 - n) << bit;
		uint64_t *w = &b->words[first / 64];

		odd += ones(value ? *w & mask : ~*w & mask);
		*w = value ? *w | mask : *w & ~mask;
		first += n;
	}
	return odd;
}

uint64_t bitmap_find(const struct bitmap *b, uint64_t at, bool value)
{
	while (at < b->count) {
		uint64_t w = b->words[at / 64];

		if (!value)
			w = ~w;
		w &= UINT64_MAX << at % 64;
		if (w != 0) {
			at = at / 64 * 64 + (unsigned)__builtin_ctzll(w);
			return at < b->count ? at : b->count;
		}
		at = (at / 64 + 1) * 64;
	}
	return b->count;
}

uint64_t bitmap_total(const struct bitmap *b)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < (b->count + 63) / 64; i++)
		n += ones(b->words[i]);
	return n;
}
