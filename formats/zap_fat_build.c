/*
 * Building fat ZAPs whole.
 *
 * The leaves are the nodes of a binary trie over hashes, cut where a node's entries fit one leaf.
 * As the items are sorted, next_leaf walks that cut from left to right with nothing but its place;
 * it is walked once to count, once for each pointer table, and once to fill the leaves.
 */
#include <stdlib.h>

#include "formats/zap_layout.h"
#include "formats/base/limits.h"

/* The kernel stops two bits short of the 28 that a hash has (zap_fat.c, zap_grow_ptrtbl). With 48
 * bits it could go on, but a table of more than 2^26 pointers is an attack, not a directory. */
enum { TABLE_SHIFT_MAX = 26 };

struct build {
	const struct zap_fat_plan *plan;
	const struct zap_item	  *items;
	size_t			   count;
	size_t			   leaf_capacity; /* chunks */
	struct zap_fat		   fat;
	struct wbytes		   block; /* the one block of memory */
	zap_emit_fn		  *emit;
	void			  *ctx;
	uint64_t		   next_blkid;
};

/* A leaf to be: the hashes from `from` on that share their first prefix_len bits with it. */
struct leaf_cut {
	uint64_t from;
	unsigned prefix_len;
	size_t	 first, count; /* its items */
	bool	 started;
};

static size_t name_bytes(const struct build *b, const struct zap_item *item)
{
	return (size_t)item->name_size + !(b->plan->flags & ZAP_FLAG_UINT64_KEY);
}

static size_t item_chunks(const struct build *b, const struct zap_item *item)
{
	return 1 + array_chunks(name_bytes(b, item)) +
	       array_chunks((size_t)item->value_count * item->int_size);
}

static bool cut_holds(const struct leaf_cut *cut, uint64_t hash)
{
	return cut->prefix_len == 0 || (hash ^ cut->from) >> (64 - cut->prefix_len) == 0;
}

/* Steps to the next leaf: 1, 0 after the last, -1. Starts with *cut all zero. */
static int next_leaf(const struct build *b, struct leaf_cut *cut, struct err *e)
{
	size_t	 end, chunks = 0;
	unsigned len = 0;

	if (cut->started) {
		cut->first += cut->count;
		cut->from += cut->prefix_len == 0 ? 0 : UINT64_C(1) << (64 - cut->prefix_len);
		if (cut->from == 0)
			return 0;
		/* Wider than that it would reach into what is already cut. */
		len = 64 - (unsigned)__builtin_ctzll(cut->from);
	}
	for (end = cut->first; end < b->count; end++) {
		chunks += item_chunks(b, &b->items[end]);
		if (chunks > b->leaf_capacity)
			break;
	}
	if (end < b->count) {
		/* The first that finds no room must differ from the leaf's hashes in its prefix. */
		uint64_t differ = b->items[end].hash ^ cut->from;
		unsigned need = differ == 0 ? 64 : 1 + (unsigned)__builtin_clzll(differ);

		len = need > len ? need : len;
	}
	if (len > TABLE_SHIFT_MAX)
		return err_set(e, ERR_NOSPACE,
			       "more names have hash %#llx than a leaf of %zu bytes can hold",
			       (unsigned long long)b->items[end].hash, b->plan->block_size);
	cut->started = true;
	cut->prefix_len = len;
	while (end > cut->first && !cut_holds(cut, b->items[end - 1].hash))
		end--;
	cut->count = end - cut->first;
	return 1;
}

static int check_items(const struct build *b, struct err *e)
{
	for (size_t i = 0; i < b->count; i++) {
		const struct zap_item *item = &b->items[i];

		assert(i == 0 || b->items[i - 1].hash <= item->hash);
		if (name_bytes(b, item) > ZAP_FAT_NAME_MAX || name_bytes(b, item) == 0)
			return err_set(e, ERR_USAGE, "zap name of %u bytes", item->name_size);
		if (!int_size_ok(item->int_size) ||
		    item->value_count > (unsigned)ZAP_FAT_VALUE_MAX / item->int_size)
			return err_set(e, ERR_USAGE, "zap value of %u integers of %u bytes",
				       item->value_count, item->int_size);
		if (item_chunks(b, item) > b->leaf_capacity)
			return err_set(e, ERR_NOSPACE, "zap entry larger than a leaf of %zu bytes",
				       b->plan->block_size);
	}
	return 0;
}

/* First walk: how many leaves, and how many bits the table takes. */
static int measure(struct build *b, struct err *e)
{
	struct leaf_cut cut = { 0 };
	unsigned	block_shift = log2_floor(b->plan->block_size), deepest = 0;
	struct zap_fat *z = &b->fat;
	int		rc;

	*z = (struct zap_fat){ .magic = ZAP_MAGIC,
			       .block_type = ZAP_BLOCK_HEADER,
			       .salt = b->plan->salt,
			       .normflags = b->plan->normflags,
			       .flags = b->plan->flags,
			       .table_shift = block_shift - 4,
			       .entry_count = b->count,
			       .block_size = b->plan->block_size };
	while ((rc = next_leaf(b, &cut, e)) > 0) {
		z->leaf_count++;
		if (cut.prefix_len > deepest)
			deepest = cut.prefix_len;
	}
	if (rc == 0 && deepest > z->table_shift) {
		z->table_shift = deepest;
		z->table_block = 1 + z->leaf_count;
		z->table_blocks = UINT64_C(1) << (deepest - (block_shift - 3));
	}
	z->free_block = 1 + z->leaf_count + z->table_blocks;
	return rc;
}

static int emit_block(struct build *b, struct err *e)
{
	return b->emit(b->ctx, b->next_blkid++, wbytes_view(b->block), e);
}

/* The pointer table, one pointer after the other, into `part` of the block. Each full part is
 * emitted, the embedded table excepted, which is emitted with its header. */
static int put_table(struct build *b, struct wbytes part, struct err *e)
{
	struct leaf_cut cut = { 0 };
	size_t		at = 0;
	uint64_t	blkid = 1;
	int		rc;

	for (; (rc = next_leaf(b, &cut, e)) > 0; blkid++) {
		uint64_t pointers = UINT64_C(1) << (b->fat.table_shift - cut.prefix_len);

		for (; pointers > 0; pointers--) {
			put64(part, at, blkid);
			at += 8;
			if (at == part.n && b->fat.table_blocks > 0) {
				rc = emit_block(b, e);
				if (rc != 0)
					return rc;
				at = 0;
			}
		}
	}
	return rc;
}

static int put_header(struct build *b, struct err *e)
{
	const struct zap_fat *z = &b->fat;
	struct wbytes	      w = b->block;
	int		      rc = 0;

	memset(w.p, 0, w.n);
	put64(w, FAT_TYPE, z->block_type);
	put64(w, FAT_MAGIC, z->magic);
	put64(w, FAT_TABLE_BLOCK, z->table_block);
	put64(w, FAT_TABLE_BLOCKS, z->table_blocks);
	put64(w, FAT_TABLE_SHIFT, z->table_shift);
	put64(w, FAT_FREE_BLOCK, z->free_block);
	put64(w, FAT_LEAVES, z->leaf_count);
	put64(w, FAT_ENTRIES, z->entry_count);
	put64(w, FAT_SALT, z->salt);
	put64(w, FAT_NORMFLAGS, z->normflags);
	put64(w, FAT_FLAGS, z->flags);
	if (z->table_blocks == 0)
		rc = put_table(b, wbytes_from(w, w.n / 2), e);
	return rc != 0 ? rc : emit_block(b, e);
}

static int put_leaves(struct build *b, struct err *e)
{
	struct leaf_cut cut = { 0 };
	int		rc;

	while ((rc = next_leaf(b, &cut, e)) > 0) {
		struct leaf_out leaf;

		leaf_out_init(&leaf, b->block, cut.from, cut.prefix_len, b->plan->normflags != 0);
		for (size_t i = 0; i < cut.count; i++)
			leaf_out_add(&leaf, &b->items[cut.first + i], b->plan->flags);
		leaf_out_finish(&leaf);
		rc = emit_block(b, e);
		if (rc != 0)
			return rc;
	}
	return rc;
}

int zap_fat_build(const struct zap_fat_plan *plan, const struct zap_item *items, size_t count,
		  zap_emit_fn *emit, void *ctx, uint64_t *blocks, struct err *e)
{
	assert(is_pow2(plan->block_size) && plan->block_size >= FAT_BLOCK_MIN &&
	       plan->block_size <= FAT_BLOCK_MAX);

	struct build b = { .plan = plan,
			   .items = items,
			   .count = count,
			   .leaf_capacity = leaf_chunks(plan->block_size),
			   .emit = emit,
			   .ctx = ctx };
	uint8_t	    *memory = malloc(plan->block_size);
	int	     rc;

	if (memory == NULL)
		return err_nomem(e);
	b.block = wbytes_of(memory, plan->block_size, plan->order);
	rc = check_items(&b, e);
	if (rc == 0)
		rc = measure(&b, e);
	if (rc == 0)
		rc = put_header(&b, e);
	if (rc == 0)
		rc = put_leaves(&b, e);
	if (rc == 0 && b.fat.table_blocks > 0)
		rc = put_table(&b, b.block, e);
	if (rc == 0)
		*blocks = b.fat.free_block;
	free(memory);
	return rc;
}
