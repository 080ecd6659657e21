/*
 * The member that a pool is built on: what may be overwritten, and what is left when it fails.
 *
 * A file that is made here is removed again when the run fails; what was there before keeps its
 * size, and after a failure has no labels. A dry run builds on a temporary file without a name.
 */
#ifndef CMD_MKPOOL_TARGET_H
#define CMD_MKPOOL_TARGET_H

#include "cmd/mkpool/options.h"
#include "core/vdev/dev.h"

struct target {
	struct dev	*dev;
	bool		 touched; /* something may have been written to it */
	struct pool_size size;
	char		*unlink; /* what is removed on failure, or NULL */
};

/* ERR_REFUSED by name of what is there, ERR_USAGE for a size that it cannot have. */
int  target_open(const struct options *o, struct target *out, struct err *e) MUST_CHECK;
void target_close(struct target *t, bool failed);

#endif
