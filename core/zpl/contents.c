/* Files and volumes give their contents in the same way. */
#include "core/zpl/contents.h"

#include <stdlib.h>

#include "core/base/mem.h"

enum { REPORTS_MAX = 100 }; /* bad ranges told of one entry; a guard against a flood */

void contents_begin(struct contents *c)
{
	c->failed = (struct err){ 0 };
	c->reports = 0;
	c->range_count = 0;
}

void contents_fini(struct contents *c)
{
	free(c->ranges);
}

static int give_piece(void *ctx, uint64_t offset, struct bytes piece, struct err *e)
{
	struct contents *c = ctx;

	return c->sink->data(c->sink->self, offset, piece, e);
}

static void bad_range(void *ctx, uint64_t start, uint64_t end, const struct err *why)
{
	struct contents *c = ctx;
	struct err	 told = *why;

	err_in(&told, "bytes %llu to %llu cannot be read", (unsigned long long)start,
	       (unsigned long long)end);
	if (c->failed.kind == ERR_NONE)
		c->failed = told;
	if (c->reports++ < REPORTS_MAX)
		c->report(c->ctx, &told);
}

struct object_pieces contents_pieces(struct contents *c, uint64_t size)
{
	return (struct object_pieces){ size, give_piece, bad_range, c };
}

int contents_range(void *ctx, uint64_t start, uint64_t end, struct err *e)
{
	struct contents *c = ctx;

	if (mem_grow(&c->ranges, &c->range_cap, c->range_count + 1, sizeof *c->ranges, e) < 0)
		return -1;
	c->ranges[c->range_count++] = (struct entry_range){ start, end - start };
	return 0;
}

void contents_map(const struct contents *c, struct entry *entry)
{
	entry->ranges = c->ranges;
	entry->range_count = c->range_count;
	entry->have_ranges = c->range_count != 1 || c->ranges[0].size != entry->size;
}
