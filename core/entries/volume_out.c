/* Volumes have no owner, mode or times of their own: they come out as a readable file of root's. */
#include "core/entries/volume_out.h"

#include <string.h>

#include "core/zpl/contents.h"

enum { VOLUME_MODE = 0644 };

static void report(void *ctx, const struct err *why)
{
	const struct volume_export *what = ctx;

	what->report(what->ctx, "", 0, why);
}

static int give_volume(struct contents *c, struct zvol *z, const struct volume_export *what,
		       struct err *e)
{
	struct object_pieces how = contents_pieces(c, z->size);
	struct entry file = {
		.kind = ENTRY_FILE, .path = what->name, .path_size = strlen(what->name),
		.mode = VOLUME_MODE, .size = z->size, .mtime = what->time,
	};

	if (what->with_ranges && !what->without_contents) {
		if (zvol_map(z, contents_range, c, e) < 0)
			return -1;
		contents_map(c, &file);
	}
	if (c->sink->begin(c->sink->self, &file, e) < 0)
		return -1;
	if (!what->without_contents && zvol_read(z, &how, e) < 0)
		return -1;
	return c->sink->end(c->sink->self, c->failed.kind != ERR_NONE ? &c->failed : NULL, e);
}

int volume_export(struct zvol *z, const struct volume_export *what, struct entry_sink *sink,
		  struct err *e)
{
	struct contents c = { .sink = sink, .report = report, .ctx = (void *)what };
	int		rc = give_volume(&c, z, what, e);

	contents_fini(&c);
	return rc;
}
