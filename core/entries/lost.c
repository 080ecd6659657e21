/* Names of what gets lost. */
#include "core/entries/lost.h"

#include <stddef.h>

static const char *const names[LOST_KINDS] = {
	[LOST_OWNERS] = "owners",	 [LOST_MODES] = "modes",
	[LOST_TIMES] = "times",		 [LOST_XATTRS] = "extended attributes",
	[LOST_ACLS] = "access control lists",
	[LOST_DEVICES] = "device nodes", [LOST_SOCKETS] = "sockets",
	[LOST_FIFOS] = "fifos",		 [LOST_LINKS] = "hard links",
};

void lost_tell(const struct lost *l, lost_fn *fn, void *ctx)
{
	for (size_t i = 0; fn != NULL && i < LOST_KINDS; i++) {
		if (l->count[i] > 0)
			fn(ctx, names[i], l->count[i]);
	}
}
