/*
 * The CRC-64 table and the loop over bytes.
 *
 * A table entry is linear in the bits of its index, so eight constants (what a single bit becomes
 * after eight steps) give all 256 at compile time: no start-up code, no races, no page of numbers.
 */
#include "formats/crc64.h"

#define BIT(i, n, v) ((i) >> (n)&1 ? UINT64_C(v) : 0)
#define ENTRY(i) \
	(BIT(i, 0, 0xb32e4cbe03a75f6f) ^ BIT(i, 1, 0xf4843657a840a05b) ^ \
	 BIT(i, 2, 0x7bd0c384ff8f5e33) ^ BIT(i, 3, 0xf7a18709ff1ebc66) ^ \
	 BIT(i, 4, 0x7d9ba13851336649) ^ BIT(i, 5, 0xfb374270a266cc92) ^ \
	 BIT(i, 6, 0x64b62bcaebc387a1) ^ BIT(i, 7, 0xc96c5795d7870f42))
#define ENTRIES_4(i) ENTRY(i), ENTRY((i) + 1), ENTRY((i) + 2), ENTRY((i) + 3)
#define ENTRIES_16(i) ENTRIES_4(i), ENTRIES_4((i) + 4), ENTRIES_4((i) + 8), ENTRIES_4((i) + 12)
#define ENTRIES_64(i) \
	ENTRIES_16(i), ENTRIES_16((i) + 16), ENTRIES_16((i) + 32), ENTRIES_16((i) + 48)

const uint64_t crc64_table[256] = {
	ENTRIES_64(0),
	ENTRIES_64(64),
	ENTRIES_64(128),
	ENTRIES_64(192),
};

uint64_t crc64_of(uint64_t start, const void *p, size_t n)
{
	const uint8_t *b = p;
	uint64_t       crc = start;

	for (size_t i = 0; i < n; i++)
		crc = crc64_byte(crc, b[i]);
	return crc;
}
