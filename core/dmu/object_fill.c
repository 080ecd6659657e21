/* Pieces to blocks. */
#include "core/dmu/object_fill.h"

#include <string.h>

#include "formats/base/limits.h"

void object_fill_begin(struct object_fill *f, struct object_write *o, uint32_t block_size,
		       uint64_t size)
{
	*f = (struct object_fill){ .object = o, .block_size = block_size, .size = size };
}

/* The open block is complete: zeros behind what it has, and off with it. */
static int close_block(struct object_fill *f, struct err *e)
{
	if (f->block == NULL)
		return 0;
	memset(f->block + f->filled, 0, f->block_size - f->filled);
	f->block = NULL;
	f->filled = 0;
	return object_write_submit(f->object, f->blkid, e);
}

/* Block `blkid` is open and filled with zeros up to `at`. */
static int open_block(struct object_fill *f, uint64_t blkid, size_t at, struct err *e)
{
	if (f->block != NULL && f->blkid != blkid && close_block(f, e) < 0)
		return -1;
	if (f->block == NULL) {
		if (object_write_reserve(f->object, &f->block, e) < 0)
			return -1;
		f->blkid = blkid;
		f->filled = 0;
	}
	if (at > f->filled)
		memset(f->block + f->filled, 0, at - f->filled);
	return 0;
}

int object_fill_piece(struct object_fill *f, uint64_t offset, struct bytes piece, struct err *e)
{
	if (f->object == NULL || offset > f->size || piece.n > f->size - offset)
		return err_set(e, ERR_CORRUPT, "contents past the size that was announced");
	if (offset < f->end)
		return err_set(e, ERR_CORRUPT, "contents that do not come in order");
	f->end = offset + piece.n;
	while (piece.n > 0) {
		size_t at = offset % f->block_size, n = min64(piece.n, f->block_size - at);

		if (open_block(f, offset / f->block_size, at, e) < 0)
			return -1;
		memcpy(f->block + at, piece.p, n);
		f->filled = at + n;
		piece = bytes_from(piece, n);
		offset += n;
	}
	return 0;
}

int object_fill_end(struct object_fill *f, struct err *e)
{
	struct object_write *o = f->object;
	uint64_t	     last = f->size == 0 ? 0 : (f->size - 1) / f->block_size;

	if (close_block(f, e) < 0)
		return -1;
	f->object = NULL;
	return object_write_end(o, last, e);
}
