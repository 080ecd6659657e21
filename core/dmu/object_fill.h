/*
 * An object's contents given as pieces, in ascending order: put together to blocks, what lies
 * between them left as holes or zeros. Write half.
 */
#ifndef CORE_DMU_OBJECT_FILL_H
#define CORE_DMU_OBJECT_FILL_H

#include "core/dmu/object_write.h"

/* Starts with object_fill_begin; nothing to free. */
struct object_fill {
	struct object_write *object; /* NULL: none is being filled */
	uint32_t	     block_size;
	uint64_t	     size; /* of the contents */
	uint64_t	     end;  /* of the last piece */
	uint8_t		    *block; /* the open block, filled up to `filled` */
	uint64_t	     blkid;
	size_t		     filled;
};

/* Takes the object, whose contents will have `size` bytes. */
void object_fill_begin(struct object_fill *f, struct object_write *o, uint32_t block_size,
		       uint64_t size);

/* ERR_CORRUPT for a piece that begins before the last one ended, or goes past `size`. */
int object_fill_piece(struct object_fill *f, uint64_t offset, struct bytes piece,
		      struct err *e) MUST_CHECK;

/* Ends the object. After a failure it goes away with its set. */
int object_fill_end(struct object_fill *f, struct err *e) MUST_CHECK;

#endif
