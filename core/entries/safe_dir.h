/* Directories below one directory, walked a part at a time, so that no symbolic link leads out. */
#ifndef CORE_ENTRIES_SAFE_DIR_H
#define CORE_ENTRIES_SAFE_DIR_H

#include "core/zpl/entry.h"

struct safe_dir {
	int    root;
	int    fd; /* of the directory last asked for; root's own when path is "" */
	char   path[ENTRY_PATH_MAX + 1];
	size_t n;
};

/* Takes the descriptor. */
void safe_dir_init(struct safe_dir *d, int root);
void safe_dir_fini(struct safe_dir *d);

/*
 * The directory that holds `path`, with *name its last part; missing directories are made when
 * `make`. The descriptor is kept until the next call. ERR_REFUSED when a part is a symbolic link.
 */
int safe_dir_parent(struct safe_dir *d, const char *path, size_t n, bool make, int *fd,
		    const char **name, struct err *e) MUST_CHECK;

#endif
