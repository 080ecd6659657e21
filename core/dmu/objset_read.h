/* Object sets and their objects, by number. Read half. */
#ifndef CORE_DMU_OBJSET_READ_H
#define CORE_DMU_OBJSET_READ_H

#include "core/block/block_read.h"
#include "formats/objset.h"

struct objset {
	struct block_reader *reader; /* borrowed */
	uint64_t	     id;     /* dataset's object number, 0 for the MOS: for block_where */
	struct blkptr	     root;   /* pointer to the object set block */
	struct objset_phys   phys;
	/* one more than the largest number that could be in use */
	uint64_t	     object_limit;
};

/* Reads the object set block that bp points to. A hole gives an empty set of type OBJSET_NONE. */
int objset_open(struct block_reader *r, const struct blkptr *bp, uint64_t id, struct objset *out,
		struct err *e) MUST_CHECK;

/*
 * An object: its dnode and where it came from. `block` holds the dnode block that dn.bonus points
 * into; object_close gives it back. Numbers in the middle of a large dnode and free slots are
 * ERR_NOTFOUND.
 */
struct object {
	struct objset *os;
	uint64_t       number; /* 0 is the meta-dnode; OBJECT_USERUSED.. the accounting dnodes */
	struct dnode   dn;
	struct block  *block;
};
#define OBJECT_USERUSED	   UINT64_MAX /* -1, -2, -3: dmu.h, DMU_USERUSED_OBJECT ... */
#define OBJECT_GROUPUSED   (UINT64_MAX - 1)
#define OBJECT_PROJECTUSED (UINT64_MAX - 2)
int  object_open(struct objset *os, uint64_t number, struct object *out, struct err *e) MUST_CHECK;
void object_close(struct object *o);

/*
 * The smallest number >= *number in use, or ERR_NOTFOUND past the last. A dnode block that cannot
 * be read is stepped over and reported as an event.
 */
int objset_next(struct objset *os, uint64_t *number, struct err *e) MUST_CHECK;

/* The pointer to block `blkid` of `level`; a hole (blkptr_is_hole) where nothing is. */
int object_blkptr(struct object *o, unsigned level, uint64_t blkid, struct blkptr *out,
		  struct err *e) MUST_CHECK;

/* One level-0 block (zeros for a hole), counted: block_put(o->os->reader, b). */
int object_block(struct object *o, uint64_t blkid, struct block **out, struct err *e) MUST_CHECK;

/*
 * n bytes at offset; past the last block they read as zeros. A block that cannot be read ends it.
 * All of it comes in the writer's byte order.
 */
int object_read(struct object *o, uint64_t offset, void *buf, size_t n, struct err *e) MUST_CHECK;

/*
 * Walks the allocated level-0 ranges: from `offset` on, the next range that is not a hole, as
 * [*start, *end). ERR_NOTFOUND when only holes follow. A range can end where the next one begins
 * (at the end of an indirect block). When an indirect block cannot be read, [*start, *end) is set
 * too: what lies below it, to be stepped over.
 */
int object_next_data(struct object *o, uint64_t offset, uint64_t *start, uint64_t *end,
		     struct err *e) MUST_CHECK;

/*
 * Calls fn for every pointer of the object, indirect blocks before what lies under them, spill
 * included (level 0, blkid BLKID_SPILL). Holes are given when they carry a birth, not the ranges
 * that were never written. An indirect block (or object set block) that then cannot be read is
 * given to fn once more, with `failed` set, and stepped over. fn returns 0 to go on, 1 to skip
 * what lies below, -1 to stop.
 */
typedef int object_visit_fn(void *ctx, const struct block_where *where, const struct blkptr *bp,
			    const struct err *failed, struct err *e);
int object_visit(struct object *o, object_visit_fn *fn, void *ctx, struct err *e) MUST_CHECK;

/* The same for an object set: its own block, the meta-dnode's tree, every object, the accounting
 * objects and the intent log's first pointer are all given to fn. */
int objset_visit(struct objset *os, object_visit_fn *fn, void *ctx, struct err *e) MUST_CHECK;

#endif
