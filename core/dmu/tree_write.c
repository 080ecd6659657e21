/*
 * Trees of indirect blocks under way.
 *
 * Invariants: pointers of one level arrive in ascending order, so when one arrives for a parent
 * other than the open one, the open parent is complete. `pending` counts blocks in the pipeline;
 * once finish has been called and nothing is pending, open parents are closed from the bottom up.
 */
#include "core/dmu/tree_write.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

struct level {
	uint8_t *buf; /* the open indirect block's pointers */
	uint64_t blkid;
	bool	 open;
};

struct tree {
	struct tree_options o;
	unsigned	    levels, old_levels;
	uint64_t	    pending;
	uint64_t	    max_blkid;
	bool		    finished;
	struct space	    space; /* what changed */
	uint8_t		    root[3 * BLKPTR_SIZE];
	/* [DNODE_LEVELS_MAX + 1], made when the first indirect block is */
	struct level	   *level;
};

static struct wbytes root_slot(struct tree *t, uint64_t i)
{
	return wbytes_of(t->root + i * BLKPTR_SIZE, BLKPTR_SIZE, block_writer_order(t->o.writer));
}

uint64_t blkptr_fill_count(const struct blkptr *bp)
{
	if (blkptr_is_hole(bp))
		return 0;
	return bp->embedded ? 1 : bp->fill;
}

int tree_new(const struct tree_options *o, struct tree **out, struct err *e)
{
	struct tree *t = mem_zero(sizeof *t, e);

	if (t == NULL)
		return -1;
	t->o = *o;
	t->levels = 1;
	if (o->old != NULL) {
		t->levels = t->old_levels = o->old->dn.levels;
		t->max_blkid = o->old->dn.max_blkid;
		for (unsigned i = 0; i < o->nblkptr; i++)
			blkptr_encode(&o->old->dn.bp[i], root_slot(t, i));
	}
	*out = t;
	return 0;
}

void tree_free(struct tree *t)
{
	if (t == NULL)
		return;
	for (unsigned i = 0; t->level != NULL && i <= DNODE_LEVELS_MAX; i++)
		free(t->level[i].buf);
	free(t->level);
	free(t);
}

static uint64_t fanout(const struct tree *t)
{
	return (UINT64_C(1) << t->o.indirect_shift) / BLKPTR_SIZE;
}

static int freed(struct tree *t, const struct blkptr *bp, struct err *e)
{
	if (blkptr_is_hole(bp))
		return 0;
	space_sub(&t->space, space_of(bp));
	return t->o.freed(t->o.freed_ctx, bp, e);
}

/*
 * Puts a pointer into its slot; what was there is freed, and leaves a trace when the block is gone.
 */
static int set_slot(struct tree *t, struct wbytes slot, unsigned level, const struct blkptr *bp,
		    struct err *e)
{
	struct blkptr old, hole = { .order = bp->order };

	if (t->old_levels == 0) { /* nothing was there */
		blkptr_encode(bp, slot);
		return 0;
	}
	if (blkptr_decode(wbytes_view(slot), &old, e) < 0 || freed(t, &old, e) < 0)
		return -1;
	if (blkptr_is_hole(bp) && t->o.policy->hole_birth &&
	    (!blkptr_is_hole(&old) || old.birth != 0)) {
		hole.lsize = level == 0 ? t->o.block_size : UINT64_C(1) << t->o.indirect_shift;
		hole.type = t->o.type;
		hole.level = (uint8_t)level;
		hole.birth = block_writer_txg(t->o.writer);
		bp = &hole;
	}
	blkptr_encode(bp, slot);
	return 0;
}

static int pointer_done(void *ctx, uint64_t tag, const struct blkptr *bp, struct err *e);

/* Submits contents of any level; `pending` covers it until pointer_done. */
static int submit(struct tree *t, unsigned level, uint64_t blkid, uint32_t size, uint64_t fill,
		  struct err *e)
{
	const struct store_policy *p = t->o.policy;
	bool			   meta = level > 0 || objtype_is_metadata(t->o.type);
	struct block_request	   r = {
		.type = t->o.type,
		.level = (uint8_t)level,
		.checksum = meta ? p->meta_checksum : p->data_checksum,
		.copies = store_policy_copies(p, t->o.type, level),
		.compress = meta ? p->meta_compress : p->data_compress,
		.size = size,
		.fill = fill,
		.may_hole = true,
		.object_space = &t->space,
		.set_space = t->o.set_space,
		.done = pointer_done,
		.ctx = t,
		/* A tag has room for both: 8 levels, and fewer than 2^56 blocks of 512 bytes. */
		.tag = (uint64_t)level << 56 | blkid,
	};

	t->pending++;
	return block_submit(t->o.writer, &r, e);
}

/* The sum of the children's fill counts; *empty when they are all holes. */
static uint64_t fill_of(const struct tree *t, const uint8_t *buf, bool *empty)
{
	uint64_t sum = 0;

	*empty = true;
	for (uint64_t i = 0; i < fanout(t); i++) {
		struct blkptr bp;
		struct bytes  in = bytes_of(buf + i * BLKPTR_SIZE, BLKPTR_SIZE,
					    block_writer_order(t->o.writer));

		/* Most slots of most indirect blocks are empty. */
		if (bytes_zero(in) || blkptr_decode(in, &bp, NULL) < 0 || blkptr_is_hole(&bp))
			continue;
		*empty = false;
		sum += blkptr_fill_count(&bp);
	}
	return sum;
}

static int close_level(struct tree *t, unsigned k, struct err *e)
{
	struct level *l = &t->level[k];
	uint32_t      size = UINT32_C(1) << t->o.indirect_shift;
	uint8_t	     *to;
	bool	      empty;
	uint64_t      fill = fill_of(t, l->buf, &empty);

	if (block_reserve(t->o.writer, size, &to, e) < 0)
		return -1;
	/*
	 * One that holds nothing but holes becomes a hole itself. Source: dbuf.c,
	 * dbuf_write_children_ready.
	 */
	if (empty)
		memset(to, 0, size);
	else
		memcpy(to, l->buf, size);
	l->open = false;
	return submit(t, k, l->blkid, size, fill, e);
}

/*
 * A hole that is older than the indirect block over it: all of that block's
 * pointers are holes since then.
 */
static void inherit_hole(const struct dnode *dn, unsigned level, uint64_t birth, struct wbytes to)
{
	struct blkptr hole = { .type = dn->type,
			       .level = (uint8_t)(level - 1),
			       .birth = birth,
			       .lsize = level == 1 ? dn->block_size
						   : UINT64_C(1) << dn->indirect_shift,
			       .order = to.order };

	for (size_t at = 0; birth != 0 && at < to.n; at += BLKPTR_SIZE)
		blkptr_encode(&hole, wbytes_sub(to, at, BLKPTR_SIZE));
}

/*
 * The blocks themselves stay charged until the pointers to them are replaced: set_slot does that.
 */
int tree_load_indirect(struct object *old, unsigned level, uint64_t blkid, struct wbytes to,
		       struct err *e)
{
	struct block_where where = { old->os->id, old->number, blkid, (uint8_t)level };
	struct blkptr	   bp, child;
	struct block	  *b;
	int		   rc = 0;

	if (object_blkptr(old, level, blkid, &bp, e) < 0)
		return -1;
	if (blkptr_is_hole(&bp)) {
		inherit_hole(&old->dn, level, bp.birth, to);
		return 0;
	}
	if (block_read(old->os->reader, &bp, &where, &b, e) < 0)
		return -1;
	for (size_t at = 0; rc == 0 && at + BLKPTR_SIZE <= min64(b->bytes.n, to.n);
	     at += BLKPTR_SIZE) {
		rc = blkptr_decode(bytes_sub(b->bytes, at, BLKPTR_SIZE), &child, e);
		if (rc == 0)
			blkptr_encode(&child, wbytes_sub(to, at, BLKPTR_SIZE));
	}
	block_put(old->os->reader, b);
	return rc;
}

static int open_level(struct tree *t, unsigned k, uint64_t blkid, struct err *e)
{
	if (t->level == NULL) {
		t->level = mem_array(DNODE_LEVELS_MAX + 1, sizeof *t->level, e);
		if (t->level == NULL)
			return -1;
	}
	struct level *l = &t->level[k];

	if (l->open && l->blkid == blkid)
		return 0;
	if (l->open && close_level(t, k, e) < 0)
		return -1;
	if (l->buf == NULL)
		l->buf = mem_raw((size_t)1 << t->o.indirect_shift, e);
	if (l->buf == NULL)
		return -1;
	memset(l->buf, 0, UINT64_C(1) << t->o.indirect_shift);
	l->blkid = blkid;
	l->open = true;
	if (k >= t->old_levels)
		return 0;
	return tree_load_indirect(t->o.old, k, blkid,
				  wbytes_of(l->buf, UINT64_C(1) << t->o.indirect_shift,
					    block_writer_order(t->o.writer)), e);
}

/* One level more: the pointers in the dnode move into a new top block. */
static int grow(struct tree *t, struct err *e)
{
	if (t->levels == DNODE_LEVELS_MAX)
		return err_set(e, ERR_UNSUPPORTED, "an object of more than %d levels",
			       DNODE_LEVELS_MAX);
	if (!bytes_zero(bytes_of(t->root, sizeof t->root, ORDER_NATIVE))) {
		if (open_level(t, t->levels, 0, e) < 0)
			return -1;
		memcpy(t->level[t->levels].buf, t->root, (size_t)t->o.nblkptr * BLKPTR_SIZE);
		memset(t->root, 0, sizeof t->root);
	}
	t->levels++;
	return 0;
}

/* A pointer of `level` finds its place, in the dnode or in the parent. */
static int place_pointer(struct tree *t, unsigned level, uint64_t blkid, const struct blkptr *bp,
			 struct err *e)
{
	if (level + 1 == t->levels && blkid >= t->o.nblkptr && grow(t, e) < 0)
		return -1;
	if (level + 1 == t->levels)
		return set_slot(t, root_slot(t, blkid), level, bp, e);
	/* A hole in a new tree needs no parent. */
	if (blkptr_is_hole(bp) && t->old_levels == 0)
		return 0;
	if (open_level(t, level + 1, blkid / fanout(t), e) < 0)
		return -1;

	struct wbytes slot = wbytes_of(t->level[level + 1].buf + blkid % fanout(t) * BLKPTR_SIZE,
				       BLKPTR_SIZE, block_writer_order(t->o.writer));

	return set_slot(t, slot, level, bp, e);
}

/* Can the dnode's pointers reach the last block? */
static bool reaches(const struct tree *t, uint64_t blkid)
{
	uint64_t span = t->o.nblkptr;

	for (unsigned k = 1; k < t->levels; k++) {
		if (!mul_ok(span, fanout(t), &span))
			return true;
	}
	return blkid < span;
}

/* After finish: closes what is open from the bottom up, one level at a time, then reports. */
static int advance(struct tree *t, struct err *e)
{
	if (!t->finished || t->pending > 0)
		return 0;
	for (;;) {
		for (unsigned k = 1; t->level != NULL && k < t->levels; k++) {
			if (t->level[k].open)
				return close_level(t, k, e);
		}
		if (reaches(t, t->max_blkid))
			break;
		if (grow(t, e) < 0)
			return -1;
	}
	return t->o.done(t->o.done_ctx, t, e);
}

static int pointer_done(void *ctx, uint64_t tag, const struct blkptr *bp, struct err *e)
{
	struct tree *t = ctx;

	t->pending--;
	if (place_pointer(t, (unsigned)(tag >> 56), tag & (UINT64_MAX >> 8), bp, e) < 0)
		return -1;
	return advance(t, e);
}

int tree_reserve(struct tree *t, uint8_t **out, struct err *e)
{
	return block_reserve(t->o.writer, t->o.block_size, out, e);
}

int tree_submit(struct tree *t, uint64_t blkid, uint64_t fill, struct err *e)
{
	return submit(t, 0, blkid, t->o.block_size, fill, e);
}

int tree_put(struct tree *t, uint64_t blkid, const struct blkptr *bp, struct err *e)
{
	return place_pointer(t, 0, blkid, bp, e);
}

int tree_finish(struct tree *t, uint64_t max_blkid, struct err *e)
{
	t->finished = true;
	t->max_blkid = max64(t->max_blkid, max_blkid);
	return advance(t, e);
}

void tree_result(const struct tree *t, struct dnode *dn)
{
	uint64_t before = t->o.old != NULL ? t->o.old->dn.used : 0;

	dn->levels = (uint8_t)t->levels;
	dn->max_blkid = t->max_blkid;
	dn->nblkptr = t->o.nblkptr;
	dn->indirect_shift = t->o.indirect_shift;
	dn->block_size = t->o.block_size;
	dn->used = before + (uint64_t)t->space.used;
	for (unsigned i = 0; i < t->o.nblkptr; i++) {
		struct bytes in = bytes_of(t->root + i * BLKPTR_SIZE, BLKPTR_SIZE,
					   block_writer_order(t->o.writer));

		if (blkptr_decode(in, &dn->bp[i], NULL) < 0)
			dn->bp[i] = (struct blkptr){ 0 }; /* cannot be: it was encoded here */
	}
}
