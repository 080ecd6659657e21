/* A new volume and its contents. Write half. */
#ifndef CORE_ZVOL_ZVOL_WRITE_H
#define CORE_ZVOL_ZVOL_WRITE_H

#include "core/dmu/object_fill.h"

/* In the caller's memory; nothing to free. */
struct zvol_write {
	struct object_fill data;
};

/*
 * Into the empty object set of a volume. size: bytes, a multiple of block_size; block_size: a power
 * of two, 512 and more. Then pieces in ascending order, what lies between them being zeros, then
 * the end. Blocks of zeros become holes.
 */
int zvol_write_begin(struct objset_write *set, uint64_t size, uint32_t block_size, uint64_t salt,
		     struct zvol_write *out, struct err *e) MUST_CHECK;
int zvol_write_piece(struct zvol_write *z, uint64_t offset, struct bytes piece,
		     struct err *e) MUST_CHECK;
int zvol_write_end(struct zvol_write *z, struct err *e) MUST_CHECK;

#endif
