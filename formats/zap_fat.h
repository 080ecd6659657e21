/*
 * Fat ZAPs: a header block with a pointer table indexed by the hash's upper bits, and leaves of
 * 24-byte chunks.
 *
 * Reading: decode the header once, ask for the leaf of a hash, walk a leaf. Every chain is bounded
 * by the leaf's number of chunks.
 * Writing: fat ZAPs are built whole, from entries sorted by hash, block by block.
 * Source: on-disk format, "fat ZAP"; OpenZFS zap_impl.h (zap_phys_t),
 * zap_leaf.h, zap_leaf.c, zap.c.
 */
#ifndef FORMATS_ZAP_FAT_H
#define FORMATS_ZAP_FAT_H

#include "formats/zap.h"

struct zap_fat {
	uint64_t magic, block_type;
	uint64_t salt, normflags, flags;
	uint64_t table_block; /* first block of an external pointer table; 0: embedded in block 0 */
	uint64_t table_blocks, table_shift; /* the table has 1 << table_shift pointers */
	uint64_t free_block, leaf_count, entry_count;
	size_t	 block_size;
};

/* `block` is block 0. Shifts and counts that do not fit are ERR_CORRUPT. */
int zap_fat_decode(struct bytes block, struct zap_fat *out, struct err *e) MUST_CHECK;

/* Where the pointer with this index is: block id and byte offset within that block. */
void zap_fat_pointer_at(const struct zap_fat *z, uint64_t index, uint64_t *blkid, size_t *offset);

/* Index into the pointer table of a hash. */
uint64_t zap_fat_index(const struct zap_fat *z, uint64_t hash);

/* A leaf block, checked as far as can be without a walk. */
struct zap_leaf {
	struct bytes block;
	uint64_t     prefix;
	unsigned     prefix_len, free_chunks, entries, flags;
	size_t	     hash_slots, chunks;
};
int zap_leaf_decode(struct bytes block, struct zap_leaf *out, struct err *e) MUST_CHECK;

/*
 * Each entry of the leaf, walking the chunks of kind "entry" in order. `scratch` must have room for
 * ZAP_FAT_SCRATCH bytes; names and values that do not lie in one piece are put together there. fn
 * as in zap_read.h. A damaged entry (a chain that leads astray, into itself or past its end, an odd
 * size) is stepped over; after all others were given the result is -1 (ERR_CORRUPT) with the first
 * reason, also when the number of entries is not the header's.
 */
enum { ZAP_FAT_NAME_MAX = 1024, ZAP_FAT_VALUE_MAX = 8 << 10,
       ZAP_FAT_SCRATCH = ZAP_FAT_NAME_MAX + ZAP_FAT_VALUE_MAX };
typedef int zap_leaf_fn(void *ctx, const struct zap_entry *entry, struct err *e);
int	    zap_leaf_each(const struct zap_leaf *leaf, uint64_t zap_flags, uint8_t *scratch,
			  zap_leaf_fn *fn, void *ctx, struct err *e) MUST_CHECK;

/* The entry of this hash and name through the leaf's hash chain; 1 found, 0 not there, -1. */
int zap_leaf_find(const struct zap_leaf *leaf, uint64_t zap_flags, uint64_t hash, struct bytes name,
		  uint8_t *scratch, struct zap_entry *out, struct err *e) MUST_CHECK;

/* An entry to be built. Borrowed until zap_fat_build returns. */
struct zap_item {
	uint64_t     hash;  /* zap_hash of the name */
	uint32_t     cd;    /* chosen by zap_items_sort among entries of equal hash when `cd_new` */
	bool	     cd_new;
	uint8_t	     int_size;
	uint32_t     name_size;
	const void  *name;  /* no NUL; for number keys: uint64_t[name_size / 8], native */
	uint32_t     value_count;
	const void  *value; /* integers of int_size bytes, native order */
};

/*
 * Sorts by hash and gives entries of equal hash differentiators (kept ones stay, new ones fill up).
 */
void zap_items_sort(struct zap_item *items, size_t count);

struct zap_fat_plan {
	uint64_t   salt, normflags, flags; /* ZAP_FLAG_* */
	size_t	   block_size;		   /* power of two, 1 KiB .. 128 KiB; OpenZFS: 16 KiB */
	enum order order;
};

/*
 * Builds the whole ZAP from sorted items (names unique): calls emit for each block in ascending
 * blkid without gaps, which are block 0, the leaves from 1 on in the order of their hashes, and the
 * pointer table when it does not fit block 0. The bytes may be changed or kept only until emit
 * returns; what emit returns other than 0 ends the build and is returned. *blocks is how many there
 * are. The builder works in one block of memory and goes over the items four times. A leaf has the
 * shortest prefix with which its entries fit, as when the kernel adds them one by one. ERR_NOSPACE
 * when more entries than fit a leaf share the first 26 bits of their hashes (another salt helps
 * unless the hashes are equal), or one entry is larger than a leaf; ERR_USAGE for an entry that no
 * ZAP may hold (name or value above ZAP_FAT_*_MAX, odd int_size); ERR_NOMEM.
 */
typedef int zap_emit_fn(void *ctx, uint64_t blkid, struct bytes block, struct err *e);
int zap_fat_build(const struct zap_fat_plan *plan, const struct zap_item *items, size_t count,
		  zap_emit_fn *emit, void *ctx, uint64_t *blocks, struct err *e) MUST_CHECK;

#endif
