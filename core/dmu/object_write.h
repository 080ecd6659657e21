/*
 * The contents of one object, written whole from its first block to its last, and its
 * dnode when they are placed.
 */
#ifndef CORE_DMU_OBJECT_WRITE_H
#define CORE_DMU_OBJECT_WRITE_H

#include "core/dmu/objset_write.h"

/* Told when the object's dnode has been put; may be NULL. */
typedef int object_settled_fn(void *ctx, uint64_t number, const struct dnode *dn, struct err *e);

struct object_spec {
	uint64_t	   number;
	uint8_t		   type, bonus_type, flags; /* flags beside DNODE_FLAG_USED_BYTES */
	struct bytes	   bonus; /* copied */
	struct bytes	   spill; /* what the bonus has no room for; copied; empty: none */
	uint32_t	   block_size;
	uint32_t	   dnode_size; /* bytes, as the number was allocated; 0: 512 */
	bool		   replace; /* the object exists: its old blocks are freed first */
	object_settled_fn *settled;
	void		  *ctx;
};

struct object_write;

int object_write_begin(struct objset_write *w, const struct object_spec *spec,
		       struct object_write **out, struct err *e) MUST_CHECK;

/* Memory for the next block, then the block; ascending blkids, gaps are holes. */
int object_write_reserve(struct object_write *o, uint8_t **out, struct err *e) MUST_CHECK;
int object_write_submit(struct object_write *o, uint64_t blkid, struct err *e) MUST_CHECK;

/* Ends it and takes `o`, which goes away by itself once its last block is placed. */
int object_write_end(struct object_write *o, uint64_t max_blkid, struct err *e) MUST_CHECK;

/* In place of end, after a failure: forgets the object. */
void object_write_abandon(struct object_write *o);

/* An object of `size` bytes that are in memory (0: no block at all). */
int object_write_bytes(struct objset_write *w, const struct object_spec *spec, const void *data,
		       size_t size, struct err *e) MUST_CHECK;

/* dnode.c, dnode_allocate: pointers that fit beside a bonus of this size in a dnode of that. */
uint8_t object_pointer_count(uint8_t bonus_type, size_t bonus_size, uint32_t dnode_size);

#endif
