/*
 * The block tree of one object, written from its leaves up: new, or a change to an existing one.
 *
 * Level-0 blocks are submitted in ascending order; indirect blocks follow as their children's
 * pointers come back from the pipeline, without ever waiting for it. A tree keeps at most one open
 * indirect block per level. Blocks that a change replaces are given to `freed`.
 */
#ifndef CORE_DMU_TREE_WRITE_H
#define CORE_DMU_TREE_WRITE_H

#include "core/block/block_write.h"
#include "core/dmu/objset_read.h"
#include "core/dmu/store_policy.h"

/* What becomes of a block that nothing points to any more. */
typedef int block_freed_fn(void *ctx, const struct blkptr *bp, struct err *e);

struct tree;
/* The tree is complete: tree_result has what the dnode needs. May free the tree. */
typedef int tree_done_fn(void *ctx, struct tree *t, struct err *e);

struct tree_options {
	struct block_writer	  *writer; /* borrowed, all of these */
	const struct store_policy *policy;
	struct object		  *old;	  /* the object as it is, or NULL for a new tree */
	struct space		  *set_space;
	uint8_t			   type, indirect_shift, nblkptr; /* with `old`: as in its dnode */
	uint32_t		   block_size;
	block_freed_fn		  *freed;
	void			  *freed_ctx;
	tree_done_fn		  *done;
	void			  *done_ctx;
};
int  tree_new(const struct tree_options *o, struct tree **out, struct err *e) MUST_CHECK;
void tree_free(struct tree *t);

/*
 * Memory for the next level-0 block (block_size bytes, not cleared), then the block itself. Nothing
 * else may be reserved or submitted in between. fill: 1, or for dnode blocks the dnodes in use.
 */
int tree_reserve(struct tree *t, uint8_t **out, struct err *e) MUST_CHECK;
int tree_submit(struct tree *t, uint64_t blkid, uint64_t fill, struct err *e) MUST_CHECK;

/* A level-0 pointer that is there already. Not to be mixed with submitted blocks. */
int tree_put(struct tree *t, uint64_t blkid, const struct blkptr *bp, struct err *e) MUST_CHECK;

/* No more blocks. `done` is called when the last pointer is known: perhaps now, perhaps later. */
int tree_finish(struct tree *t, uint64_t max_blkid, struct err *e) MUST_CHECK;

/*
 * Sets levels, max_blkid, nblkptr, indirect_shift, block_size, the pointers and `used` (the
 * old one plus what changed).
 */
void tree_result(const struct tree *t, struct dnode *dn);

/*
 * The pointers of an existing indirect block (level > 0) into `to`, which is zeros and as long as
 * such a block, in the order of `to`. Where it is a hole with a birth, holes of that birth.
 * Source: dbuf.c, dbuf_read_hole.
 */
int tree_load_indirect(struct object *old, unsigned level, uint64_t blkid, struct wbytes to,
		       struct err *e) MUST_CHECK;

/* The fill count a pointer contributes to its parent; helper shared with the freeze. */
uint64_t blkptr_fill_count(const struct blkptr *bp);

#endif
