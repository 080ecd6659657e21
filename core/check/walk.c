/* The walk of a check. One stack for a tree; a dnode block's objects have trees of their own. */
#include "core/check/walk.h"

#include "formats/base/limits.h"

struct frame {
	struct block *block; /* an indirect block */
	unsigned      level; /* of the pointers in it */
	uint64_t      first; /* blkid of its first pointer */
	uint64_t      next, count;
};

/* One object's tree. */
struct tree {
	struct walk	   *w;
	uint64_t	    objset, object;
	const struct dnode *dn;
	bool		    dnodes; /* the meta-dnode: its blocks hold objects */
	struct frame	    stack[DNODE_LEVELS_MAX];
	unsigned	    depth;
};

void walk_event(void *walk, const struct block_event *event)
{
	struct walk *w = walk;

	(void)event;
	w->events++;
}

void walk_fini(struct walk *w)
{
	idmap_fini(&w->seen);
}

/* 1 when the block was not entered before. Addresses are unique below 2^57 bytes. */
static int enter(struct walk *w, const struct blkptr *bp, struct err *e)
{
	return idmap_add(&w->seen, (uint64_t)bp->dva[0].vdev << 48 ^ bp->dva[0].offset >> 9, e);
}

/*
 * Reads a metadata block and hands it to fn. *out is NULL when it was entered before or cannot be
 * read (then `lost` was told).
 */
static int take_block(struct walk *w, const struct blkptr *bp, const struct block_where *where,
		      struct block **out, struct err *e)
{
	uint64_t   before = w->events;
	struct err why = { 0 };
	int	   fresh = enter(w, bp, e), rc;

	*out = NULL;
	if (fresh < 0)
		return -1;
	if (fresh == 0)
		return w->fn(w->ctx, bp, where, false, e);
	rc = block_read(w->reader, bp, where, out, &why);
	if (rc < 0 && why.kind == ERR_NOMEM) {
		if (e != NULL)
			*e = why;
		return -1;
	}
	/* A block in the cache was read without an event too, as long as there never was one. */
	if (w->fn(w->ctx, bp, where, rc == 0 && w->events == 0, e) < 0 ||
	    (rc < 0 && w->lost(w->ctx, bp, where, w->events != before, &why, e) < 0)) {
		block_put(w->reader, *out);
		*out = NULL;
		return -1;
	}
	return 0;
}

/* Does the pointer make sense where it stands? */
static int check_pointer(const struct tree *t, const struct block_where *where,
			 const struct blkptr *bp, struct err *e)
{
	uint64_t size = where->level > 0 ? UINT64_C(1) << t->dn->indirect_shift : t->dn->block_size;

	if (blkptr_check(bp, e) < 0)
		return -1;
	if (bp->level != where->level)
		return err_set(e, ERR_CORRUPT, "pointer of level %u where level %u belongs",
			       bp->level, where->level);
	if (bp->lsize != size && where->blkid != BLKID_SPILL)
		return err_set(e, ERR_CORRUPT,
			       "block of %llu bytes in an object with blocks of %llu",
			       (unsigned long long)bp->lsize, (unsigned long long)size);
	if (bp->embedded && (bp->level > 0 || t->dnodes))
		return err_set(e, ERR_CORRUPT, "an embedded pointer where a block belongs");
	return 0;
}

static int walk_dnode_block(struct tree *t, struct block *b, uint64_t blkid, struct err *e);

/* One pointer. An indirect block goes onto the stack; a dnode block is done at once. */
static int walk_pointer(struct tree *t, const struct block_where *where, const struct blkptr *bp,
			struct err *e)
{
	struct walk  *w = t->w;
	struct err    why = { 0 };
	struct block *b;
	int	      rc = 0;

	if (blkptr_is_hole(bp) || bp->birth <= w->min_txg)
		return 0;
	if (check_pointer(t, where, bp, &why) < 0)
		return w->lost(w->ctx, bp, where, false, &why, e);
	if (where->level == 0 && !t->dnodes)
		return w->fn(w->ctx, bp, where, false, e);
	if (take_block(w, bp, where, &b, e) < 0)
		return -1;
	if (b == NULL)
		return 0;
	if (where->level == 0) {
		rc = walk_dnode_block(t, b, where->blkid, e);
		block_put(w->reader, b);
		return rc;
	}

	uint64_t count = b->bytes.n / BLKPTR_SIZE;

	t->stack[t->depth++] = (struct frame){ .block = b,
					       .level = where->level - 1u,
					       .first = where->blkid * count,
					       .count = count };
	return 0;
}

/* The next pointer of the deepest indirect block. */
static int walk_next(struct tree *t, struct err *e)
{
	struct frame	  *f = &t->stack[t->depth - 1];
	struct block_where where = { .objset = t->objset,
				     .object = t->object,
				     .level = (uint8_t)f->level };
	struct err	   why = { 0 };
	struct blkptr	   bp;

	if (f->next == f->count) {
		block_put(t->w->reader, f->block);
		t->depth--;
		return 0;
	}
	where.blkid = f->first + f->next;

	struct bytes in = bytes_sub(f->block->bytes, (size_t)f->next++ * BLKPTR_SIZE, BLKPTR_SIZE);

	/* Most pointers of a sparse object, and the rest of every last block. */
	if (bytes_zero(in))
		return 0;
	if (blkptr_decode(in, &bp, &why) < 0)
		return t->w->lost(t->w->ctx, NULL, &where, false, &why, e);
	return walk_pointer(t, &where, &bp, e);
}

/* One of the dnode's own pointers and all below it. */
static int walk_root(struct tree *t, const struct block_where *where, const struct blkptr *bp,
		     struct err *e)
{
	int rc = walk_pointer(t, where, bp, e);

	while (rc == 0 && t->depth > 0)
		rc = walk_next(t, e);
	while (t->depth > 0)
		block_put(t->w->reader, t->stack[--t->depth].block);
	return rc;
}

static int walk_dnode(struct walk *w, uint64_t objset, uint64_t object, const struct dnode *dn,
		      bool dnodes, struct err *e)
{
	struct tree t = { .w = w, .objset = objset, .object = object, .dn = dn, .dnodes = dnodes };
	struct block_where where = { .objset = objset, .object = object };

	if (dn->type == OT_NONE)
		return 0;
	where.level = (uint8_t)(dn->levels - 1);
	for (unsigned i = 0; i < dn->nblkptr; i++) {
		where.blkid = i;
		if (walk_root(&t, &where, &dn->bp[i], e) < 0)
			return -1;
	}
	if ((dn->flags & DNODE_FLAG_SPILL) == 0 || dnodes)
		return 0;
	where.level = 0;
	where.blkid = BLKID_SPILL;
	return walk_root(&t, &where, &dn->spill, e);
}

/* Its objects. Only the meta-dnode's tree comes here, so it nests once. */
static int walk_dnode_block(struct tree *t, struct block *b, uint64_t blkid, struct err *e)
{
	uint64_t slots = b->bytes.n / DNODE_MIN_SIZE, slot = 0;

	while (slot < slots) {
		struct bytes	   in = bytes_from(b->bytes, (size_t)slot * DNODE_MIN_SIZE);
		struct block_where where = { .objset = t->objset, .object = blkid * slots + slot };
		struct err	   why = { 0 };
		struct dnode	   dn;

		if (get8(in, 0) == OT_NONE) {
			slot++;
			continue;
		}
		/* A large dnode's slots count also when it makes no sense. */
		slot += 1 + get8(in, 12);
		if (dnode_decode(in, &dn, &why) < 0) {
			if (t->w->lost(t->w->ctx, NULL, &where, false, &why, e) < 0)
				return -1;
		} else if (walk_dnode(t->w, t->objset, where.object, &dn, false, e) < 0) {
			return -1;
		}
	}
	return 0;
}

static int walk_dnodes(struct walk *w, uint64_t id, const struct objset_phys *os, struct err *e)
{
	struct block_where where = { .objset = id };
	struct err	   why = { 0 };

	if (os->meta.type != OT_NONE &&
	    (os->meta.type != OT_DNODE || os->meta.block_size % DNODE_MIN_SIZE != 0)) {
		err_set(&why, ERR_CORRUPT, "the meta-dnode is no meta-dnode");
		return w->lost(w->ctx, NULL, &where, false, &why, e);
	}
	if (walk_dnode(w, id, 0, &os->meta, true, e) < 0 ||
	    walk_dnode(w, id, OBJECT_USERUSED, &os->userused, false, e) < 0 ||
	    walk_dnode(w, id, OBJECT_GROUPUSED, &os->groupused, false, e) < 0)
		return -1;
	return walk_dnode(w, id, OBJECT_PROJECTUSED, &os->projectused, false, e);
}

int walk_objset(struct walk *w, const struct blkptr *root, uint64_t id, struct zil_header *log,
		struct err *e)
{
	struct block_where where = { .objset = id, .level = LEVEL_OBJSET };
	struct objset_phys os;
	struct err	   why = { 0 };
	struct block	  *b;
	int		   rc;

	*log = (struct zil_header){ 0 };
	if (blkptr_is_hole(root))
		return 0;
	rc = blkptr_check(root, &why);
	if (rc == 0 && (root->type != OT_OBJSET || root->level != 0 || root->embedded))
		rc = err_set(&why, ERR_CORRUPT, "its pointer leads to no object set");
	if (rc < 0)
		return w->lost(w->ctx, root, &where, false, &why, e);
	/* All of it belongs to an earlier snapshot; but the intent log is always the head's own. */
	if (root->birth <= w->min_txg) {
		if (block_read(w->reader, root, &where, &b, NULL) < 0)
			return 0;
		if (objset_decode(b->bytes, &os, NULL) == 0)
			*log = os.zil;
		block_put(w->reader, b);
		return 0;
	}
	if (take_block(w, root, &where, &b, e) < 0)
		return -1;
	if (b == NULL)
		return 0;
	if (objset_decode(b->bytes, &os, &why) < 0) {
		rc = w->lost(w->ctx, root, &where, false, &why, e);
	} else {
		*log = os.zil;
		rc = walk_dnodes(w, id, &os, e);
	}
	block_put(w->reader, b);
	return rc;
}
