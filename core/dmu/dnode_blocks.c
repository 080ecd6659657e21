/* Dnode blocks of an object set being written: in memory, on their way out, and back again. */
#include "core/dmu/objset_write_impl.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

enum { IDLE_BLOCKS_MAX = 64, EXTRA_SLOTS = 12 /* formats/dnode.h */ };

static enum order order_of(const struct objset_write *w)
{
	return block_writer_order(w->o.writer);
}

static int compare_written(const void *a, const void *b)
{
	const struct written *x = a, *y = b;

	return x->blkid < y->blkid ? -1 : x->blkid > y->blkid;
}

void dnode_blocks_sort(struct objset_write *w)
{
	if (!w->written_sorted && w->written_count > 1)
		qsort(w->written, w->written_count, sizeof w->written[0], compare_written);
	w->written_sorted = true;
}

/* The pipeline has placed a dnode block. */
static int block_written(void *ctx, uint64_t tag, const struct blkptr *bp, struct err *e)
{
	struct objset_write *w = ctx;

	if (mem_grow(&w->written, &w->written_cap, w->written_count + 1, sizeof w->written[0],
		     e) < 0)
		return -1;

	struct written *new = &w->written[w->written_count];

	w->written_sorted = w->written_count == 0 || (w->written_sorted && new[-1].blkid < tag);
	w->written_count++;
	new->blkid = tag;
	blkptr_encode(bp, wbytes_of(new->bp, BLKPTR_SIZE, order_of(w)));
	return 0;
}

int dnode_block_write(struct objset_write *w, struct dnode_block *b, struct err *e)
{
	const struct store_policy *p = &w->o.policy;
	struct block_request	   r = {
		      .type = OT_DNODE,
		      .checksum = p->meta_checksum,
		      .copies = store_policy_copies(p, OT_DNODE, 0),
		      .compress = p->meta_compress,
		      .size = DNODE_BLOCK_SIZE,
		      .may_hole = true,
		      .set_space = &w->space,
		      .done = block_written,
		      .ctx = w,
		      .tag = b->blkid,
	};
	uint8_t *to;
	int	 rc;

	/* Making room may place other blocks, whose objects may put dnodes into this one: it must
	 * not go out twice. */
	b->open = true;
	rc = block_reserve(w->o.writer, DNODE_BLOCK_SIZE, &to, e);
	b->open = false;
	if (rc < 0)
		return -1;
	r.fill = b->used;
	memcpy(to, b->data, DNODE_BLOCK_SIZE);
	/* The map keeps a key with value 0 for blocks that have gone out. */
	if (idmap_put(&w->blocks, b->blkid, 0, e) < 0)
		return -1;
	free(b);
	return block_submit(w->o.writer, &r, e);
}

/* Sends a block out when nothing in it is expected any more. */
int dnode_block_settle(struct objset_write *w, struct dnode_block *b, struct err *e)
{
	if (w->keep || b->open || b->waiting > 0 || b->expected != 0 || !b->dirty)
		return 0;
	return dnode_block_write(w, b, e);
}

/* One that went out in this commit comes back; its place is given up. */
static int fetch_written(struct objset_write *w, struct dnode_block *b, struct err *e)
{
	struct written	   key = { .blkid = b->blkid }, *found;
	struct block_where where = { w->o.id, 0, b->blkid, 0 };
	struct blkptr	   bp;

	if (block_writer_drain(w->o.writer, e) < 0)
		return -1;
	dnode_blocks_sort(w);
	found = bsearch(&key, w->written, w->written_count, sizeof key, compare_written);
	if (found == NULL)
		return err_set(e, ERR_CORRUPT, "dnode block %llu is lost",
			       (unsigned long long)b->blkid);
	if (blkptr_decode(bytes_of(found->bp, BLKPTR_SIZE, order_of(w)), &bp, e) < 0 ||
	    block_read_into(w->o.reader, &bp, &where, b->data, e) < 0)
		return -1;
	memmove(found, found + 1,
		(size_t)(w->written + w->written_count - found - 1) * sizeof *found);
	w->written_count--;
	space_sub(&w->space, space_of(&bp));
	for (unsigned c = 0; c < blkptr_copies(&bp); c++) {
		if (alloc_release(block_writer_alloc(w->o.writer), bp.dva[c].offset,
				  bp.dva[c].asize, e) < 0)
			return -1;
	}
	return 0;
}

/* Slots of the dnode that begins at one: a free one has one. */
unsigned dnode_block_slots(const struct dnode_block *b, unsigned slot)
{
	const uint8_t *p = b->data + (size_t)slot * DNODE_MIN_SIZE;
	unsigned       n = p[0] == OT_NONE ? 1 : p[EXTRA_SLOTS] + 1u;

	return n > DNODE_SLOTS_PER_BLOCK - slot ? DNODE_SLOTS_PER_BLOCK - slot : n;
}

void dnode_block_take(struct dnode_block *b, unsigned slot, unsigned count)
{
	uint8_t *p = b->data + (size_t)slot * DNODE_MIN_SIZE;

	memset(p, 0, (size_t)count * DNODE_MIN_SIZE);
	p[0] = SLOT_TAKEN;
	p[EXTRA_SLOTS] = (uint8_t)(count - 1);
	b->waiting++;
}

/* A type that is not in use would be taken for our own mark; bonus buffers of the other order would
 * have to be swapped. */
static int check_dnodes(const struct objset_write *w, const struct dnode_block *b, enum order order,
			struct err *e)
{
	if (order != order_of(w) && !bytes_zero(bytes_of(b->data, DNODE_BLOCK_SIZE, order)))
		return err_set(e, ERR_UNSUPPORTED,
			       "dnodes written on a machine of the other byte order");
	for (unsigned s = 0; s < DNODE_SLOTS_PER_BLOCK; s += dnode_block_slots(b, s)) {
		if (b->data[(size_t)s * DNODE_MIN_SIZE] == SLOT_TAKEN)
			return err_set(e, ERR_CORRUPT, "a dnode of type %d", SLOT_TAKEN);
	}
	return 0;
}

static int fetch_old(struct objset_write *w, struct dnode_block *b, struct err *e)
{
	struct object meta;
	struct block *block;
	int	      rc = -1;

	if (w->o.old == NULL)
		return 0;
	if (object_open(w->o.old, 0, &meta, e) < 0)
		return -1;
	if (object_block(&meta, b->blkid, &block, e) == 0) {
		memcpy(b->data, block->bytes.p, min64(block->bytes.n, DNODE_BLOCK_SIZE));
		rc = check_dnodes(w, b, block->bytes.order, e);
		block_put(w->o.reader, block);
	}
	object_close(&meta);
	return rc;
}

/* Does a dnode, or a free slot, begin there? It could be the middle of a large dnode. */
bool dnode_block_begins(const struct dnode_block *b, unsigned slot)
{
	unsigned s = 0;

	while (s < slot)
		s += dnode_block_slots(b, s);
	return s == slot;
}

static void count_used(struct dnode_block *b)
{
	b->used = 0;
	for (unsigned s = 0; s < DNODE_SLOTS_PER_BLOCK; s += dnode_block_slots(b, s))
		b->used += b->data[(size_t)s * DNODE_MIN_SIZE] != OT_NONE;
}

/* Too many blocks fetched back and now idle: out with them. */
static int shed(struct objset_write *w, struct err *e)
{
	size_t	 at = 0;
	uint64_t key, value;

	if (w->keep || ++w->idle < IDLE_BLOCKS_MAX)
		return 0;
	w->idle = 0;
	while (idmap_next(&w->blocks, &at, &key, &value)) {
		struct dnode_block *b = (void *)(uintptr_t)value;

		if (b != NULL && dnode_block_settle(w, b, e) < 0)
			return -1;
	}
	return 0;
}

/* The block in memory, from wherever it is. */
int dnode_block_get(struct objset_write *w, uint64_t blkid, struct dnode_block **out, struct err *e)
{
	uint64_t	    value = 0;
	bool		    known = idmap_get(&w->blocks, blkid, &value);
	struct dnode_block *b = (void *)(uintptr_t)value;

	if (b != NULL) {
		*out = b;
		return 0;
	}
	if (shed(w, e) < 0)
		return -1;
	b = mem_zero(sizeof *b, e);
	if (b == NULL)
		return -1;
	b->blkid = blkid;
	if ((known ? fetch_written(w, b, e) : fetch_old(w, b, e)) < 0 ||
	    idmap_put(&w->blocks, blkid, (uint64_t)(uintptr_t)b, e) < 0) {
		free(b);
		return -1;
	}
	b->dirty = known;
	count_used(b);
	*out = b;
	return 0;
}
