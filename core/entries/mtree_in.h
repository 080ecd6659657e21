/*
 * An mtree(5) list as a source of entries: what the list says, contents from files beside it.
 *
 * The contents of an entry are those of the file of its name, or of its contents= word, below the
 * directory that the list is in. Neither leads out of it, and no symbolic link is followed. What
 * the list leaves open: mode 0644, 0755 for directories; owner 0:0; the time of the contents, or 0.
 * A size that the contents do not have is an error; digests are not looked at.
 */
#ifndef CORE_ENTRIES_MTREE_IN_H
#define CORE_ENTRIES_MTREE_IN_H

#include "core/zpl/entry.h"

/* Errors name the list and the line. */
int mtree_in_open(const char *path, struct entry_source *out, struct err *e) MUST_CHECK;

/* See dirtree_in_skip: what is skipped is not opened. */
void mtree_in_skip(struct entry_source *from, bool (*skip)(void *ctx, const char *path, size_t n),
		   void *ctx);

#endif
