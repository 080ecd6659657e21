/*
 * Every block pointer of an object or of an object set, top down, with a stack of its own.
 * An indirect block stays referenced while what lies under it is visited: one a level.
 *
 * Pointers that share an indirect block would make a small pool look endless. An honest
 * object never shares one, so that there are no more of them than the pool has sectors,
 * and that bounds the walk.
 */
#include "core/dmu/objset_read.h"

#include "core/dmu/object_impl.h"
#include "formats/base/limits.h"

struct frame {
	struct block *block; /* an indirect block */
	unsigned      level; /* of the pointers in it */
	uint64_t      first; /* blkid of its first pointer */
	uint64_t      next, count;
};

struct visit {
	struct object	*o;
	object_visit_fn *fn;
	void		*ctx;
	struct frame	 stack[DNODE_LEVELS_MAX];
	unsigned	 depth;
	uint64_t	 left; /* indirect blocks that may still be entered */
};

static uint64_t pool_sectors(const struct object *o)
{
	const struct vdev_tree *t = block_reader_vdevs(o->os->reader);
	uint64_t		sectors = 0;

	for (unsigned i = 0; i < vdev_tree_count(t); i++)
		sectors += vdev_tree_top(t, i)->asize / SECTOR;
	return sectors;
}

static bool never_written(const struct blkptr *bp)
{
	return blkptr_is_hole(bp) && bp->birth == 0;
}

static void push(struct visit *v, struct block *b, const struct block_where *where)
{
	uint64_t count = b->bytes.n / BLKPTR_SIZE;

	v->stack[v->depth++] = (struct frame){ .block = b,
					       .level = where->level - 1u,
					       .first = where->blkid * count,
					       .count = count };
}

/* Gives one pointer to fn and, when it leads further, opens what lies below. 0, or -1 to stop. */
static int visit_pointer(struct visit *v, const struct block_where *where, const struct blkptr *bp,
			 struct err *e)
{
	struct block_reader *r = v->o->os->reader;
	struct err	     why = { 0 };
	struct block	    *b;
	int		     rc;

	if (never_written(bp))
		return 0;
	rc = v->fn(v->ctx, where, bp, NULL, e);
	if (rc != 0 || where->level == 0 || blkptr_is_hole(bp))
		return rc < 0 ? -1 : 0;
	if (v->left-- == 0) {
		v->left = 0;
		err_set(&why, ERR_CORRUPT, "more indirect blocks than the pool has room for");
		return v->fn(v->ctx, where, bp, &why, e) < 0 ? -1 : 0;
	}
	if (object_check_pointer(v->o, where->level, bp, &why) < 0 ||
	    block_read(r, bp, where, &b, &why) < 0)
		return v->fn(v->ctx, where, bp, &why, e) < 0 ? -1 : 0;
	push(v, b, where);
	return 0;
}

/* The next pointer of the deepest indirect block. */
static int visit_next(struct visit *v, struct err *e)
{
	struct frame	  *f = &v->stack[v->depth - 1];
	struct block_where where = { .objset = v->o->os->id,
				     .object = v->o->number,
				     .level = (uint8_t)f->level };
	struct blkptr	   bp;

	if (f->next == f->count) {
		block_put(v->o->os->reader, f->block);
		v->depth--;
		return 0;
	}
	where.blkid = f->first + f->next;

	struct bytes in = bytes_from(f->block->bytes, (size_t)f->next++ * BLKPTR_SIZE);
	struct err   why = { 0 };

	if (blkptr_decode(in, &bp, &why) < 0) {
		bp = (struct blkptr){ 0 };
		return v->fn(v->ctx, &where, &bp, &why, e) < 0 ? -1 : 0;
	}
	return visit_pointer(v, &where, &bp, e);
}

/* One of the dnode's own pointers and all below it. */
static int visit_tree(struct visit *v, const struct block_where *where, const struct blkptr *bp,
		      struct err *e)
{
	int rc = visit_pointer(v, where, bp, e);

	while (rc == 0 && v->depth > 0)
		rc = visit_next(v, e);
	while (v->depth > 0)
		block_put(v->o->os->reader, v->stack[--v->depth].block);
	return rc;
}

int object_visit(struct object *o, object_visit_fn *fn, void *ctx, struct err *e)
{
	struct visit	   v = { .o = o, .fn = fn, .ctx = ctx, .left = pool_sectors(o) };
	struct block_where where = { .objset = o->os->id, .object = o->number };

	where.level = (uint8_t)(o->dn.levels - 1);
	for (unsigned i = 0; i < o->dn.nblkptr; i++) {
		where.blkid = i;
		if (visit_tree(&v, &where, &o->dn.bp[i], e) < 0)
			return -1;
	}
	if ((o->dn.flags & DNODE_FLAG_SPILL) == 0)
		return 0;
	where.level = 0;
	where.blkid = BLKID_SPILL;
	return visit_tree(&v, &where, &o->dn.spill, e);
}

/* An object by number; one that is not there is passed over, one that cannot be decoded told of. */
static int visit_number(struct objset *os, uint64_t number, object_visit_fn *fn, void *ctx,
			struct err *e)
{
	struct block_where where = { .objset = os->id, .object = number };
	struct blkptr	   none = { 0 };
	struct object	   o;
	struct err	   why = { 0 };
	int		   rc;

	if (object_open(os, number, &o, &why) < 0) {
		if (why.kind == ERR_NOTFOUND)
			return 0;
		return fn(ctx, &where, &none, &why, e) < 0 ? -1 : 0;
	}
	rc = object_visit(&o, fn, ctx, e);
	object_close(&o);
	return rc;
}

static int visit_own(struct objset *os, object_visit_fn *fn, void *ctx, struct err *e)
{
	struct block_where root = { .objset = os->id, .level = LEVEL_OBJSET };
	struct block_where log = { .objset = os->id, .level = LEVEL_LOG };
	int		   rc;

	if (never_written(&os->root))
		return 1;
	rc = fn(ctx, &root, &os->root, NULL, e);
	if (rc != 0)
		return rc;
	if (objset_has_log(&os->phys) && fn(ctx, &log, &os->phys.zil.log, NULL, e) < 0)
		return -1;
	return 0;
}

int objset_visit(struct objset *os, object_visit_fn *fn, void *ctx, struct err *e)
{
	static const uint64_t accounting[] = { OBJECT_USERUSED, OBJECT_GROUPUSED,
					       OBJECT_PROJECTUSED };
	uint64_t	      number = 0;
	int		      rc = visit_own(os, fn, ctx, e);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	/* Number 0 is the meta-dnode. */
	if (visit_number(os, 0, fn, ctx, e) < 0)
		return -1;
	for (size_t i = 0; i < sizeof accounting / sizeof accounting[0]; i++) {
		if (visit_number(os, accounting[i], fn, ctx, e) < 0)
			return -1;
	}
	for (number = 1; objset_next(os, &number, NULL) == 0; number++) {
		if (visit_number(os, number, fn, ctx, e) < 0)
			return -1;
	}
	return 0;
}
