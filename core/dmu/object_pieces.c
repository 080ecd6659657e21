/* Allocated ranges, and the bytes in them. */
#include "core/dmu/object_pieces.h"

#include "formats/base/limits.h"

/* The blocks of one allocated range. */
static int read_range(struct object *o, const struct object_pieces *how, uint64_t start,
		      uint64_t end, uint8_t *buf, struct err *e)
{
	while (start < end) {
		uint64_t   n = min64(o->dn.block_size - start % o->dn.block_size, end - start);
		struct err why = { 0 };

		if (object_read(o, start, buf, (size_t)n, &why) == 0) {
			struct bytes piece = bytes_of(buf, (size_t)n, ORDER_NATIVE);

			if (how->piece(how->ctx, start, piece, e) < 0)
				return -1;
		} else if (why.kind == ERR_NOMEM) {
			*e = why;
			return -1;
		} else {
			how->bad(how->ctx, start, start + n, &why);
		}
		start += n;
	}
	return 0;
}

int object_pieces_read(struct object *o, const struct object_pieces *how, uint8_t *buf,
		       struct err *e)
{
	uint64_t at = 0, start, end;

	while (at < how->size) {
		struct err why = { 0 };
		int	   rc = object_next_data(o, at, &start, &end, &why);

		if (rc < 0 && why.kind == ERR_NOTFOUND)
			return 0;
		end = min64(end, how->size);
		if (rc < 0) {
			if (end <= at)
				end = how->size;
			how->bad(how->ctx, at, end, &why);
		} else if (start >= end) {
			return 0;
		} else if (read_range(o, how, start, end, buf, e) < 0) {
			return -1;
		}
		at = end;
	}
	return 0;
}

int object_pieces_map(struct object *o, uint64_t size, object_range_fn *fn, void *ctx,
		      struct err *e)
{
	uint64_t at = 0, start, end, from = 0, to = 0; /* [from, to) is not told of yet */

	while (at < size) {
		struct err why = { 0 };
		int	   rc = object_next_data(o, at, &start, &end, &why);

		if (rc < 0 && why.kind == ERR_NOTFOUND)
			break;
		end = min64(end, size);
		if (rc == 0 && start < end) {
			if (start != to) {
				if (from < to && fn(ctx, from, to, e) < 0)
					return -1;
				from = start;
			}
			to = end;
		}
		at = end > at ? end : size;
	}
	return from < to ? fn(ctx, from, to, e) : 0;
}
