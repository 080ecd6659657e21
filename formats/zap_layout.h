/*
 * Where things are in the blocks of a fat ZAP, once for the reader, the builder and the tests. Not
 * for others: they go through zap_fat.h.
 *
 *   block 0   | header: 13 words | zeros | half the block: the embedded pointer table |
 *   leaf      | header 48 | hash table: size/32 u16 | chunks of 24 bytes up to the end |
 *   chunk     entry 252 | int size | next | name, count | value, count | cd u32 | hash u64
 *             array 251 | 21 bytes                                           | next u16
 *             free  253 | 21 zeros                                           | next u16
 *
 * Chunks are linked by number; CHAIN_END ends a chain. Integers in arrays are big-endian always.
 * Source: OpenZFS zap_impl.h (zap_phys_t), zap_leaf.h (zap_leaf_phys_t, zap_leaf_chunk_t).
 */
#ifndef FORMATS_ZAP_LAYOUT_H
#define FORMATS_ZAP_LAYOUT_H

#include "formats/zap_fat.h"

enum {
	FAT_TYPE = 0x00,
	FAT_MAGIC = 0x08,
	FAT_TABLE_BLOCK = 0x10,
	FAT_TABLE_BLOCKS = 0x18,
	FAT_TABLE_SHIFT = 0x20,
	FAT_FREE_BLOCK = 0x38, /* 0x28 and 0x30 are used while the kernel moves the table */
	FAT_LEAVES = 0x40,
	FAT_ENTRIES = 0x48,
	FAT_SALT = 0x50,
	FAT_NORMFLAGS = 0x58,
	FAT_FLAGS = 0x60,
	FAT_HEADER_SIZE = 0x68,

	LEAF_TYPE = 0x00,
	LEAF_PREFIX = 0x10,
	LEAF_MAGIC = 0x18,
	LEAF_FREE = 0x1c,
	LEAF_ENTRIES = 0x1e,
	LEAF_PREFIX_LEN = 0x20,
	LEAF_FREE_LIST = 0x22,
	LEAF_FLAGS = 0x24,
	LEAF_HEADER_SIZE = 0x30,
	LEAF_MAGIC_VALUE = 0x2ab1eaf,
	LEAF_FLAG_CD_SORTED = 1, /* set in normalising ZAPs; zap_leaf.c, zap_leaf_init */

	CHUNK_SIZE = 24,
	CHUNK_ARRAY = 251,
	CHUNK_ENTRY = 252,
	CHUNK_FREE = 253,
	CHUNK_NEXT = 0x16, /* of array and free chunks */
	ARRAY_BYTES = 21,
	CHAIN_END = 0xffff,

	ENTRY_INT_SIZE = 0x01,
	ENTRY_NEXT = 0x02,
	ENTRY_NAME_CHUNK = 0x04,
	ENTRY_NAME_COUNT = 0x06, /* integers; of a string: its bytes and the NUL */
	ENTRY_VALUE_CHUNK = 0x08,
	ENTRY_VALUE_COUNT = 0x0a,
	ENTRY_CD = 0x0c,
	ENTRY_HASH = 0x10,

	FAT_BLOCK_MIN = 512,
	FAT_BLOCK_MAX = 1 << 20, /* a chunk number must fit 16 bits */
};

static inline size_t leaf_hash_slots(size_t block_size)
{
	return block_size / 32;
}

static inline size_t leaf_chunks(size_t block_size)
{
	return (block_size - 2 * leaf_hash_slots(block_size) - LEAF_HEADER_SIZE) / CHUNK_SIZE;
}

/* Offset of a chunk within its leaf. */
static inline size_t leaf_chunk_at(size_t block_size, size_t chunk)
{
	return LEAF_HEADER_SIZE + 2 * leaf_hash_slots(block_size) + chunk * CHUNK_SIZE;
}

/* Chunks that an array of n bytes takes. */
static inline size_t array_chunks(size_t n)
{
	return (n + ARRAY_BYTES - 1) / ARRAY_BYTES;
}

/* The hash table's slot; 64 - prefix_len must be at least its bits, slots a power of two. */
static inline size_t leaf_slot_of(size_t slots, unsigned prefix_len, uint64_t hash)
{
	return hash << prefix_len >> (64 - (unsigned)__builtin_ctzll(slots));
}

static inline bool int_size_ok(unsigned n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

/* A leaf being filled, in zap_leaf_build.c: init, add what fits (the caller counts), finish. */
struct leaf_out {
	struct wbytes block;
	size_t	      slots, chunks, used, entries;
	unsigned      prefix_len;
};
void leaf_out_init(struct leaf_out *l, struct wbytes block, uint64_t first_hash,
		   unsigned prefix_len, bool normalising);
void leaf_out_add(struct leaf_out *l, const struct zap_item *item, uint64_t zap_flags);
void leaf_out_finish(struct leaf_out *l);

#endif
