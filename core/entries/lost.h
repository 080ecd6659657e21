/* What a sink cannot keep: counted by kind, told once. */
#ifndef CORE_ENTRIES_LOST_H
#define CORE_ENTRIES_LOST_H

#include <stdint.h>

enum lost_kind {
	LOST_OWNERS,
	LOST_MODES,
	LOST_TIMES,
	LOST_XATTRS,
	LOST_ACLS,
	LOST_DEVICES,
	LOST_SOCKETS,
	LOST_FIFOS,
	LOST_LINKS,
	LOST_DIRS,
	LOST_SYMLINKS,
	LOST_ROOT,	/* what the first directory is like: all that is in it is there */
	LOST_FRACTIONS, /* of seconds: times are kept, but not as exactly */
	LOST_KINDS
};

/* Called at the end for each kind with a count, which is not 0. */
typedef void lost_fn(void *ctx, enum lost_kind kind, uint64_t count);

struct lost {
	uint64_t count[LOST_KINDS];
};

/* "device nodes" */
const char *lost_name(enum lost_kind kind);

void lost_tell(const struct lost *l, lost_fn *fn, void *ctx);

#endif
