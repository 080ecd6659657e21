/*
 * A directory of the host as a sink of entries.
 *
 * Nothing is ever made or changed outside it: paths are walked a part at a time and no symbolic
 * link is followed, whether it was there before or came as an entry. What stands in an entry's way
 * is replaced, as tar does; directories stay. Modes, owners and times of directories are set at the
 * end.
 */
#ifndef CORE_ENTRIES_DIRTREE_OUT_H
#define CORE_ENTRIES_DIRTREE_OUT_H

#include "core/entries/lost.h"
#include "core/zpl/entry.h"

struct dirtree_out_options {
	bool same_owner; /* set uid and gid; without it set-id bits go, unless the owner is right
			    anyway */
	/* One entry that could not be made; the others go on. NULL: such an error ends the copy. */
	void (*report)(void *ctx, const char *path, size_t n, const struct err *why);
	lost_fn *lost; /* what may not be set on this host, at the end; may be NULL */
	void	*ctx;
};

/* `path` is made when it is not there; a symbolic link to a directory is followed here, only here.
 */
int dirtree_out_open(const char *path, const struct dirtree_out_options *o, struct entry_sink *out,
		     struct err *e) MUST_CHECK;

#endif
