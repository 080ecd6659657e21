/* What the tests of ZAPs share: golden blocks, ZAPs in memory, and an audit of every chunk of a
 * leaf. */
#ifndef FORMATS_ZAP_SUPPORT_TEST_H
#define FORMATS_ZAP_SUPPORT_TEST_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/zap_layout.h"

/* A whole ZAP object in memory. */
struct mem_zap {
	uint8_t	  *p;
	size_t	   block_size, blocks, cap;
	enum order order;
};

static inline struct bytes mem_block(const struct mem_zap *m, uint64_t blkid)
{
	cr_assert_lt(blkid, m->blocks);
	return bytes_of(m->p + blkid * m->block_size, m->block_size, m->order);
}

static inline int mem_emit(void *ctx, uint64_t blkid, struct bytes block, struct err *e)
{
	struct mem_zap *m = ctx;

	(void)e;
	cr_assert_eq(blkid, m->blocks, "blocks come without gaps");
	cr_assert_eq(block.n, m->block_size);
	if (m->blocks == m->cap) {
		m->cap = m->cap == 0 ? 4 : m->cap * 2;
		m->p = realloc(m->p, m->cap * m->block_size);
		cr_assert_not_null(m->p);
	}
	memcpy(m->p + m->blocks++ * m->block_size, block.p, block.n);
	return 0;
}

static inline struct mem_zap mem_build(const struct zap_fat_plan *plan,
				       const struct zap_item *items, size_t count)
{
	struct mem_zap m = { .block_size = plan->block_size, .order = plan->order };
	struct err     e = { 0 };
	uint64_t       blocks = 0;

	cr_assert_eq(zap_fat_build(plan, items, count, mem_emit, &m, &blocks, &e), 0, "%s", e.text);
	cr_assert_eq(blocks, m.blocks);
	return m;
}

static inline struct mem_zap mem_golden(const char *name, size_t block_size)
{
	struct mem_zap m = { .block_size = block_size, .order = ORDER_LITTLE };
	char	       path[256];
	size_t	       n;

	snprintf(path, sizeof path, "testdata/golden/zap/%s", name);
	m.p = malloc(1 << 20);

	FILE *f = fopen(path, "rb");

	cr_assert_not_null(f, "%s", path);
	n = fread(m.p, 1, 1 << 20, f);
	fclose(f);
	cr_assert(n > 0 && n % block_size == 0);
	m.blocks = n / block_size;
	return m;
}

/* Marks the chunks of an array; each belongs to one thing only. */
static inline void audit_array(const struct zap_leaf *l, uint8_t *seen, uint16_t chunk, size_t n)
{
	for (size_t left = array_chunks(n); left > 0; left--) {
		cr_assert_lt(chunk, l->chunks);
		cr_assert_eq(seen[chunk]++, 0, "chunk %u is used twice", chunk);

		struct bytes c = bytes_sub(l->block, leaf_chunk_at(l->block.n, chunk), CHUNK_SIZE);

		cr_assert_eq(get8(c, 0), CHUNK_ARRAY);
		chunk = get16(c, CHUNK_NEXT);
	}
	cr_assert_eq(chunk, CHAIN_END);
}

static inline void audit_chain(const struct zap_leaf *l, uint8_t *seen, size_t slot, uint64_t flags)
{
	uint32_t last_cd = 0;
	uint16_t at = get16(l->block, LEAF_HEADER_SIZE + 2 * slot);

	while (at != CHAIN_END) {
		cr_assert_lt(at, l->chunks);
		cr_assert_eq(seen[at]++, 0);

		struct bytes c = bytes_sub(l->block, leaf_chunk_at(l->block.n, at), CHUNK_SIZE);
		uint64_t     hash = get64(c, ENTRY_HASH);

		cr_assert_eq(get8(c, 0), CHUNK_ENTRY);
		cr_assert_eq(leaf_slot_of(l->hash_slots, l->prefix_len, hash), slot);
		if (l->prefix_len > 0)
			cr_assert_eq(hash >> (64 - l->prefix_len), l->prefix);
		cr_assert_geq(get32(c, ENTRY_CD), last_cd, "chains ascend by differentiator");
		last_cd = get32(c, ENTRY_CD);
		audit_array(l, seen, get16(c, ENTRY_NAME_CHUNK),
			    get16(c, ENTRY_NAME_COUNT) * (flags & ZAP_FLAG_UINT64_KEY ? 8u : 1u));
		audit_array(l, seen, get16(c, ENTRY_VALUE_CHUNK),
			    (size_t)get16(c, ENTRY_VALUE_COUNT) * get8(c, ENTRY_INT_SIZE));
		at = get16(c, ENTRY_NEXT);
	}
}

/* Every chunk is in exactly one chain: an entry's, an array's, or the free list. */
static inline void audit_leaf(const struct zap_leaf *l, uint64_t flags)
{
	uint8_t *seen = calloc(l->chunks, 1);
	uint16_t at = get16(l->block, LEAF_FREE_LIST);
	unsigned free_chunks = 0;

	for (size_t slot = 0; slot < l->hash_slots; slot++)
		audit_chain(l, seen, slot, flags);
	for (; at != CHAIN_END && free_chunks <= l->chunks; free_chunks++) {
		cr_assert_lt(at, l->chunks);
		cr_assert_eq(seen[at]++, 0);

		struct bytes c = bytes_sub(l->block, leaf_chunk_at(l->block.n, at), CHUNK_SIZE);

		cr_assert_eq(get8(c, 0), CHUNK_FREE);
		at = get16(c, CHUNK_NEXT);
	}
	cr_assert_eq(free_chunks, l->free_chunks);
	for (size_t i = 0; i < l->chunks; i++)
		cr_assert_eq(seen[i], 1, "chunk %zu is in no chain", i);
	free(seen);
}

static inline uint64_t mem_pointer(const struct mem_zap *m, const struct zap_fat *z, uint64_t index)
{
	uint64_t blkid;
	size_t	 offset;

	zap_fat_pointer_at(z, index, &blkid, &offset);
	return get64(mem_block(m, blkid), offset);
}

static inline struct zap_leaf mem_leaf(const struct mem_zap *m, uint64_t blkid)
{
	struct zap_leaf l = { 0 };
	struct err	e = { 0 };

	cr_assert_eq(zap_leaf_decode(mem_block(m, blkid), &l, &e), 0, "%s", e.text);
	return l;
}

/* The whole ZAP: the header's counts, each pointer's leaf and its prefix, each leaf. */
static inline struct zap_fat audit_zap(const struct mem_zap *m)
{
	struct zap_fat z = { 0 };
	struct err     e = { 0 };
	uint64_t       leaves = 0, entries = 0, last = 0;

	cr_assert_eq(zap_fat_decode(mem_block(m, 0), &z, &e), 0, "%s", e.text);
	for (uint64_t i = 0; i < UINT64_C(1) << z.table_shift; i++) {
		uint64_t	blkid = mem_pointer(m, &z, i);
		struct zap_leaf l = mem_leaf(m, blkid);

		cr_assert_leq(l.prefix_len, z.table_shift);
		cr_assert_eq(i >> (z.table_shift - l.prefix_len), l.prefix);
		if (blkid == last)
			continue;
		last = blkid;
		leaves++;
		entries += l.entries;
		audit_leaf(&l, z.flags);
	}
	cr_assert_eq(leaves, z.leaf_count);
	cr_assert_eq(entries, z.entry_count);
	cr_assert_eq(m->blocks, z.free_block);
	return z;
}

/* Entries copied out of a walk, as items. */
struct collected {
	struct zap_item items[8192];
	size_t		count;
	uint64_t	salt, flags;
};

static inline int collect(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct collected *all = ctx;
	size_t		  count = entry->value.n / entry->int_size;
	uint8_t		 *name = malloc(entry->name.n + 1), *value = malloc(entry->value.n + 1);

	(void)e;
	cr_assert_lt(all->count, 8192);
	cr_assert_eq(entry->hash, zap_hash(all->salt, all->flags, entry->name.p, entry->name.n));
	memcpy(name, entry->name.p, entry->name.n);
	for (size_t i = 0; i < count; i++) {
		uint64_t v = zap_entry_int(entry, i);

		memcpy(value + i * entry->int_size,
		       (uint8_t *)&v + (ORDER_NATIVE == ORDER_BIG ? 8 - entry->int_size : 0),
		       entry->int_size);
	}
	all->items[all->count++] = (struct zap_item){ .hash = entry->hash,
						      .cd = entry->cd,
						      .int_size = (uint8_t)entry->int_size,
						      .name = name,
						      .name_size = (uint32_t)entry->name.n,
						      .value = value,
						      .value_count = (uint32_t)count };
	return 0;
}

static inline struct collected *collect_all(const struct mem_zap *m)
{
	struct collected *all = calloc(1, sizeof *all);
	uint8_t		 *scratch = malloc(ZAP_FAT_SCRATCH);
	struct zap_fat	  z = audit_zap(m);
	struct err	  e = { 0 };

	all->salt = z.salt;
	all->flags = z.flags;
	for (uint64_t i = 1; i <= z.leaf_count; i++) {
		struct zap_leaf l = mem_leaf(m, i);

		cr_assert_eq(zap_leaf_each(&l, z.flags, scratch, collect, all, &e), 0, "%s",
			     e.text);
	}
	free(scratch);
	zap_items_sort(all->items, all->count);
	return all;
}

static inline void collected_free(struct collected *all)
{
	for (size_t i = 0; i < all->count; i++) {
		free((void *)all->items[i].name);
		free((void *)all->items[i].value);
	}
	free(all);
}

/* Found through its hash? */
static inline int mem_find(const struct mem_zap *m, const struct zap_fat *z, const void *name,
			   size_t n, uint8_t *scratch, struct zap_entry *out)
{
	uint64_t	hash = zap_hash(z->salt, z->flags, name, n);
	struct zap_leaf l = mem_leaf(m, mem_pointer(m, z, zap_fat_index(z, hash)));
	struct err	e;

	return zap_leaf_find(&l, z->flags, hash, bytes_of(name, n, ORDER_NATIVE), scratch, out, &e);
}

#endif
