/* Names of what gets lost. */
#include "core/entries/lost.h"

#include <stddef.h>

static const char *const names[LOST_KINDS] = {
	[LOST_OWNERS] = "owners",	 [LOST_MODES] = "modes",
	[LOST_TIMES] = "times",		 [LOST_XATTRS] = "extended attributes",
	[LOST_ACLS] = "access control lists",
	[LOST_DEVICES] = "device nodes", [LOST_SOCKETS] = "sockets",
	[LOST_FIFOS] = "fifos",		 [LOST_LINKS] = "hard links",
	[LOST_DIRS] = "directories",	 [LOST_SYMLINKS] = "symbolic links",
	[LOST_ROOT] = "owner, mode and time of the first directory",
	[LOST_FRACTIONS] = "parts of seconds",
};

const char *lost_name(enum lost_kind kind)
{
	return names[kind];
}

void lost_tell(const struct lost *l, lost_fn *fn, void *ctx)
{
	for (size_t i = 0; fn != NULL && i < LOST_KINDS; i++) {
		if (l->count[i] > 0)
			fn(ctx, (enum lost_kind)i, l->count[i]);
	}
}
