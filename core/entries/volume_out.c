/* Volumes have no owner, mode or times of their own: they come out as a readable file of root's. */
#include "core/entries/volume_out.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

enum { VOLUME_MODE = 0644, REPORTS_MAX = 100 };

struct give {
	const struct volume_export *what;
	struct entry_sink	   *sink;
	struct entry_range	   *ranges;
	size_t			    range_count, range_cap;
	struct err		    failed; /* the first fault */
	unsigned		    reports;
};

static int give_piece(void *ctx, uint64_t offset, struct bytes piece, struct err *e)
{
	struct give *g = ctx;

	return g->sink->data(g->sink->self, offset, piece, e);
}

static void bad_range(void *ctx, uint64_t start, uint64_t end, const struct err *why)
{
	struct give *g = ctx;
	struct err   told = *why;

	err_in(&told, "bytes %llu to %llu cannot be read", (unsigned long long)start,
	       (unsigned long long)end);
	if (g->failed.kind == ERR_NONE)
		g->failed = told;
	if (g->reports++ < REPORTS_MAX)
		g->what->report(g->what->ctx, "", 0, &told);
}

static int add_range(void *ctx, uint64_t start, uint64_t end, struct err *e)
{
	struct give *g = ctx;

	if (mem_grow(&g->ranges, &g->range_cap, g->range_count + 1, sizeof *g->ranges, e) < 0)
		return -1;
	g->ranges[g->range_count++] = (struct entry_range){ start, end - start };
	return 0;
}

static int give_volume(struct give *g, struct zvol *z, struct err *e)
{
	struct object_pieces how = { .piece = give_piece, .bad = bad_range, .ctx = g };
	struct entry file = {
		.kind = ENTRY_FILE, .path = g->what->name, .path_size = strlen(g->what->name),
		.mode = VOLUME_MODE, .size = z->size, .mtime = g->what->time,
	};

	if (g->what->with_ranges && !g->what->without_contents) {
		if (zvol_map(z, add_range, g, e) < 0)
			return -1;
		file.have_ranges = g->range_count != 1 || g->ranges[0].size != z->size;
		file.ranges = g->ranges;
		file.range_count = g->range_count;
	}
	if (g->sink->begin(g->sink->self, &file, e) < 0)
		return -1;
	if (!g->what->without_contents && zvol_read(z, &how, e) < 0)
		return -1;
	return g->sink->end(g->sink->self, g->failed.kind != ERR_NONE ? &g->failed : NULL, e);
}

int volume_export(struct zvol *z, const struct volume_export *what, struct entry_sink *sink,
		  struct err *e)
{
	struct give g = { .what = what, .sink = sink };
	int	    rc = give_volume(&g, z, e);

	free(g.ranges);
	return rc;
}
