/* A volume's contents as one file, given to a sink: a raw image with its holes. */
#ifndef CORE_ENTRIES_VOLUME_OUT_H
#define CORE_ENTRIES_VOLUME_OUT_H

#include "core/zpl/entry.h"
#include "core/zvol/zvol_read.h"

struct volume_export {
	const char	 *name; /* the file's path */
	struct entry_time time;
	bool		  without_contents, with_ranges; /* as zpl_export's */
	/* bytes that cannot be read */
	void (*report)(void *ctx, const char *path, size_t n, const struct err *why);
	void *ctx;
};

/* -1 when the sink or the memory failed. */
int volume_export(struct zvol *z, const struct volume_export *what, struct entry_sink *sink,
		  struct err *e) MUST_CHECK;

#endif
