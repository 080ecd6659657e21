/* Files with several names, by device and inode: under which name each was seen first. */
#ifndef CORE_ENTRIES_LINKSET_H
#define CORE_ENTRIES_LINKSET_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/err.h"

struct linkset {
	struct link **slots; /* chains */
	size_t	      slot_count, count;
};

/*
 * The name that the file was seen by first in *first, or NULL when this is the first; then `path`
 * is kept. Borrowed from the set.
 */
int  linkset_see(struct linkset *s, uint64_t dev, uint64_t ino, const char *path, size_t n,
		 const char **first, size_t *first_size, struct err *e) MUST_CHECK;
void linkset_fini(struct linkset *s);

#endif
