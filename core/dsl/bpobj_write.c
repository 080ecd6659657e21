/* Lists of block pointers: their blocks go out as they fill, the last one at the end. */
#include "core/dsl/bpobj_write.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/pool/layout.h"

enum { LIST_BLOCK_SIZE = 128 << 10 }; /* dsl_deadlist.c: SPA_OLD_MAXBLOCKSIZE */

struct bpobj_write {
	struct pool_tx *tx;
	struct object	old; /* when it was there before the transaction */
	bool		existed;
	uint64_t	number;
	struct bpobj	head;
	struct dnode	dn;
	struct tree    *tree;
	uint64_t	blkid; /* of the block being filled */
	uint8_t	       *block;
	size_t		filled, cap;
};

int bpobj_make(struct pool_tx *tx, uint64_t *number, struct err *e)
{
	struct bpobj b = { .size = pool_layout_of(pool_tx_version(tx)).bpobj_size };
	uint8_t	     bonus[BPOBJ_V3_SIZE];
	uint64_t     livelists;

	if (pool_tx_feature_count(tx, "com.delphix:livelist", &livelists) && livelists > 0)
		b.size = BPOBJ_V3_SIZE;
	bpobj_encode(&b, wbytes_of(bonus, b.size, ORDER_NATIVE));
	return pool_tx_object(tx, OT_BPOBJ, OT_BPOBJ_HDR, bytes_of(bonus, b.size, ORDER_NATIVE),
			      LIST_BLOCK_SIZE, number, e);
}

void bpobj_write_free(struct bpobj_write *b)
{
	if (b == NULL)
		return;
	tree_free(b->tree);
	if (b->existed)
		object_close(&b->old);
	free(b->block);
	free(b);
}

static int tree_settled(void *ctx, struct tree *t, struct err *e)
{
	struct bpobj_write *b = ctx;

	(void)e;
	tree_result(t, &b->dn);
	return 0;
}

/* -- opening ----------------------------------------------------------------------------------- */

static int find_object(struct bpobj_write *b, struct err *e)
{
	struct objset_write *mos = pool_tx_mos(b->tx);
	struct objset	    *old = objset_write_old(mos);

	b->existed = old != NULL && b->number < old->object_limit;
	if (b->existed) {
		if (object_open(old, b->number, &b->old, e) < 0) {
			b->existed = false;
			return -1;
		}
		b->dn = b->old.dn;
	} else if (objset_write_get(mos, b->number, &b->dn, e) < 0) {
		return -1;
	}
	if (b->dn.bonus_type != OT_BPOBJ_HDR || b->dn.block_size % BLKPTR_SIZE != 0 ||
	    b->dn.block_size == 0)
		return err_set(e, ERR_CORRUPT, "no list of block pointers");
	return bpobj_decode(b->dn.bonus, &b->head, e);
}

static int make_tree(struct bpobj_write *b, struct err *e)
{
	struct tree_options o = {
		.old = b->existed ? &b->old : NULL,
		.type = b->dn.type,
		.indirect_shift = b->dn.indirect_shift,
		.nblkptr = b->dn.nblkptr,
		.block_size = b->dn.block_size,
		.done = tree_settled,
		.done_ctx = b,
	};

	objset_write_tree(pool_tx_mos(b->tx), &o);
	return tree_new(&o, &b->tree, e);
}

static int make_room(struct bpobj_write *b, struct err *e)
{
	return mem_grow(&b->block, &b->cap, b->filled + BLKPTR_SIZE, 1, e);
}

/* The last block is begun: its entries come along, in our byte order. */
static int load_last(struct bpobj_write *b, struct err *e)
{
	uint64_t      per_block = b->dn.block_size / BLKPTR_SIZE;
	uint64_t      count = b->head.count % per_block;
	struct block *block;
	struct blkptr bp;
	int	      rc = 0;

	if (b->head.count == 0)
		return 0;
	b->blkid = b->head.count / per_block;
	if (!b->existed || (b->head.count - 1) / per_block != b->dn.max_blkid)
		return err_set(e, ERR_CORRUPT, "a list of %llu blocks with %llu entries",
			       (unsigned long long)b->dn.max_blkid + 1,
			       (unsigned long long)b->head.count);
	if (count == 0)
		return 0;
	if (object_block(&b->old, b->blkid, &block, e) < 0)
		return -1;
	for (uint64_t i = 0; rc == 0 && i < count; i++) {
		rc = blkptr_decode(bytes_from(block->bytes, i * BLKPTR_SIZE), &bp, e);
		if (rc == 0)
			rc = make_room(b, e);
		if (rc == 0)
			blkptr_encode(&bp, wbytes_of(b->block + b->filled, BLKPTR_SIZE,
						     ORDER_NATIVE));
		b->filled += BLKPTR_SIZE;
	}
	block_put(b->old.os->reader, block);
	return rc;
}

int bpobj_write_open(struct pool_tx *tx, uint64_t number, struct bpobj_write **out, struct err *e)
{
	struct bpobj_write *b = mem_zero(sizeof *b, e);

	if (b == NULL)
		return -1;
	b->tx = tx;
	b->number = number;
	if (find_object(b, e) < 0 || make_tree(b, e) < 0 || load_last(b, e) < 0) {
		bpobj_write_free(b);
		return err_in(e, "MOS object %llu", (unsigned long long)number);
	}
	*out = b;
	return 0;
}

/* -- adding ------------------------------------------------------------------------------------ */

static int write_block(struct bpobj_write *b, struct err *e)
{
	uint8_t *to;

	if (tree_reserve(b->tree, &to, e) < 0)
		return -1;
	memcpy(to, b->block, b->filled);
	memset(to + b->filled, 0, b->dn.block_size - b->filled);
	b->filled = 0;
	return tree_submit(b->tree, b->blkid++, 1, e);
}

int bpobj_write_add(struct bpobj_write *b, const struct blkptr *bp, struct err *e)
{
	struct blkptr kept = *bp;
	struct space  s = space_of(bp);

	/* What is not needed to free it is left out. */
	kept.fill = 0;
	if (bp->embedded)
		memset(kept.payload, 0, sizeof kept.payload);
	else if (!bp->dedup)
		kept.cksum = (struct digest){ 0 };
	if (make_room(b, e) < 0)
		return -1;
	blkptr_encode(&kept, wbytes_of(b->block + b->filled, BLKPTR_SIZE, ORDER_NATIVE));
	b->filled += BLKPTR_SIZE;
	b->head.count++;
	b->head.bytes += (uint64_t)s.used;
	b->head.comp += (uint64_t)s.comp;
	b->head.uncomp += (uint64_t)s.uncomp;
	return b->filled == b->dn.block_size ? write_block(b, e) : 0;
}

int bpobj_write_flush(struct bpobj_write *b, struct err *e)
{
	if (b->filled > 0 && write_block(b, e) < 0)
		return -1;
	return tree_finish(b->tree, b->blkid == 0 ? 0 : b->blkid - 1, e);
}

int bpobj_write_end(struct bpobj_write *b, struct err *e)
{
	uint8_t bonus[BPOBJ_V3_SIZE];

	bpobj_encode(&b->head, wbytes_of(bonus, b->head.size, ORDER_NATIVE));
	b->dn.bonus = bytes_of(bonus, b->head.size, ORDER_NATIVE);
	return objset_write_put(pool_tx_mos(b->tx), b->number, &b->dn, e);
}
