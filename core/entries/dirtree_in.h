/*
 * A directory of the host as a source of entries: the directory itself as the root, then what is in
 * it, in byte order of names, each directory before its contents. Mounts below it are crossed,
 * symbolic links never followed. The second and later names of a file are hard links to the first.
 * Whatever cannot be read, or changes its size meanwhile, is an error that names it.
 */
#ifndef CORE_ENTRIES_DIRTREE_IN_H
#define CORE_ENTRIES_DIRTREE_IN_H

#include "core/zpl/entry.h"

/* A symbolic link to a directory is followed here, only here. */
int dirtree_in_open(const char *path, struct entry_source *out, struct err *e) MUST_CHECK;

/*
 * From the next entry on, what `skip` says yes to is not told, nor opened, nor gone down into;
 * other names of such a file are told as files of their own. `from` is a source of dirtree_in_open;
 * the path ends with a NUL.
 */
void dirtree_in_skip(struct entry_source *from, bool (*skip)(void *ctx, const char *path, size_t n),
		     void *ctx);

#endif
