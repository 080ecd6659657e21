/*
 * An object set being changed: new, or one that already holds data. Write half.
 *
 * Dnodes are put one by one; a dnode block whose dnodes are all settled streams out at once and is
 * fetched back only when one of them changes again. What the set costs is summed from the blocks'
 * own deltas.
 */
#ifndef CORE_DMU_OBJSET_WRITE_H
#define CORE_DMU_OBJSET_WRITE_H

#include "core/dmu/tree_write.h"

struct objset_write;

struct objset_write_options {
	struct block_writer *writer; /* borrowed */
	/* borrowed: to fetch back what was written, and to read `old` */
	struct block_reader *reader;
	struct objset	    *old;    /* borrowed; NULL: a new set */
	struct store_policy  policy;
	uint64_t	     id;   /* of the dataset, 0 the MOS: for messages */
	uint64_t	     type; /* enum objset_type, for a new set */
	size_t		     phys_size; /* of the object set block, for a new set */
	uint64_t	     flags;	/* OBJSET_FLAG_*, for a new set */
	uint64_t	     first_object;
	/* a block of the set as it was is gone; the set's space is already less by it */
	block_freed_fn	    *freed;
	void		    *freed_ctx;
};
int  objset_write_new(const struct objset_write_options *o, struct objset_write **out,
		      struct err *e) MUST_CHECK;
void objset_write_free(struct objset_write *w);

/*
 * Something that goes away by itself when the pipeline has placed its last block;
 * after an error, with the set.
 */
struct under_way {
	struct under_way *next, **prev;
	void (*free)(struct under_way *self);
};
void objset_write_own(struct objset_write *w, struct under_way *u);
void objset_write_disown(struct under_way *u);

/* For blocks submitted from now on. */
void objset_write_set_policy(struct objset_write *w, struct store_policy policy);

struct block_writer	  *objset_write_writer(struct objset_write *w);
const struct store_policy *objset_write_policy(const struct objset_write *w);
struct objset		  *objset_write_old(struct objset_write *w); /* NULL for a new set */
struct space		  *objset_write_space(struct objset_write *w); /* what has changed so far */

/*
 * A free object number. Numbers of the two kinds come from dnode blocks of their own, so that
 * objects that settle at once do not wait for those that settle last.
 */
enum object_kind { OBJECT_SETTLES_SOON, OBJECT_SETTLES_LATE };
int objset_write_alloc(struct objset_write *w, enum object_kind kind, uint64_t *number,
		       struct err *e) MUST_CHECK;
/* The same for a dnode of dnode_size bytes: 512 to 16384, a multiple of 512; 0 is 512. */
int objset_write_alloc_sized(struct objset_write *w, enum object_kind kind, uint32_t dnode_size,
			     uint64_t *number, struct err *e) MUST_CHECK;
/* The same for a number that must be this one; it must be free, and gets 512 bytes. */
int objset_write_claim(struct objset_write *w, uint64_t number, struct err *e) MUST_CHECK;

/*
 * The dnode of an object in use will be put again when the pipeline has its blocks: its
 * dnode block stays until then.
 */
int objset_write_expect(struct objset_write *w, uint64_t number, struct err *e) MUST_CHECK;

/* The object's dnode, final unless put again later. dn->bonus is copied. */
int objset_write_put(struct objset_write *w, uint64_t number, const struct dnode *dn,
		     struct err *e) MUST_CHECK;
/* As it stands now, in this commit or before. dn->bonus points into memory that the next call of
 * anything here may take away. ERR_NOTFOUND when the number is free. */
int objset_write_get(struct objset_write *w, uint64_t number, struct dnode *dn,
		     struct err *e) MUST_CHECK;
/* Frees the number; its blocks are the caller's matter (objset_write_free_blocks). */
int objset_write_remove(struct objset_write *w, uint64_t number, struct err *e) MUST_CHECK;

/*
 * Every block of an object as it was before this commit becomes free:
 * contents, indirect blocks, spill.
 */
int objset_write_free_blocks(struct objset_write *w, uint64_t number, struct err *e) MUST_CHECK;

/*
 * Removes an object with all its blocks, whether they are from this commit or from before. Its
 * dnode must have been put.
 */
int objset_write_drop(struct objset_write *w, uint64_t number, struct err *e) MUST_CHECK;

/* A tree in this set: fills in writer, policy, space and freed. */
void objset_write_tree(struct objset_write *w, struct tree_options *o);

/*
 * The accounting dnodes (OBJECT_USERUSED ...) live in the object set block itself.
 * put/get above take these numbers too.
 */

/*
 * Writes every dnode block and the meta-dnode's tree, then the object set block, and gives the
 * pointer to it; that of `old` when nothing was changed. Nothing may be put afterwards.
 */
int objset_write_finish(struct objset_write *w, struct blkptr *root, struct err *e) MUST_CHECK;

/*
 * For the set that is written last, with addresses known before contents (core/pool/freeze.h): the
 * dnode blocks that are dirty, ascending; the caller writes them and the object set block itself.
 */
struct dnode_block {
	uint64_t blkid;
	unsigned used, waiting; /* dnodes in use; allocated but not yet put */
	uint32_t expected;	/* a bit a slot: in use, and will be put again */
	bool	 open;		/* numbers are still being given out */
	bool	 dirty;
	uint8_t	 data[DNODE_BLOCK_SIZE];
};
int objset_write_dirty(struct objset_write *w, struct dnode_block ***out, size_t *count,
		       struct err *e) MUST_CHECK; /* the array is free()d, not the blocks */
struct objset_phys *objset_write_phys(struct objset_write *w);

#endif
