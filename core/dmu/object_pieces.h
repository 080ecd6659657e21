/*
 * An object's contents as pieces, holes left out: what can be read is given, what cannot is told of
 * and stepped over. Read half.
 */
#ifndef CORE_DMU_OBJECT_PIECES_H
#define CORE_DMU_OBJECT_PIECES_H

#include "core/dmu/objset_read.h"

struct object_pieces {
	uint64_t size; /* contents end here, whatever blocks there are */
	/* A piece, borrowed; 0 to go on, -1 ends it. */
	int (*piece)(void *ctx, uint64_t offset, struct bytes piece, struct err *e);
	/* [start, end) cannot be read. */
	void (*bad)(void *ctx, uint64_t start, uint64_t end, const struct err *why);
	void *ctx;
};

/*
 * buf: room for one block of the object. -1 only when `piece` said so or memory is short.
 */
int object_pieces_read(struct object *o, const struct object_pieces *how, uint8_t *buf,
		       struct err *e) MUST_CHECK;

/*
 * Where data is, below `size`: neighbouring ranges joined; fn returns 0 to go on, -1 to end it.
 * What lies below a lost indirect block counts as a hole.
 */
typedef int object_range_fn(void *ctx, uint64_t start, uint64_t end, struct err *e);
int object_pieces_map(struct object *o, uint64_t size, object_range_fn *fn, void *ctx,
		      struct err *e) MUST_CHECK;

#endif
