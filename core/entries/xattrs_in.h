/* Extended attributes of host files. */
#ifndef CORE_ENTRIES_XATTRS_IN_H
#define CORE_ENTRIES_XATTRS_IN_H

#include "core/zpl/entry.h"

/* Starts as all zero; kept from file to file. */
struct xattrs_in {
	char		   *names, *values;
	size_t		    values_cap;
	struct entry_xattr *list;
	size_t		    list_cap;
};

void xattrs_in_fini(struct xattrs_in *x);

/*
 * What may be read of the open file `fd` (name NULL), or of `name` in the directory `fd`, not
 * followed. Of the system attributes only the POSIX ACLs are taken: the others are the host file
 * system's own.
 */
int xattrs_in_read(struct xattrs_in *x, int fd, const char *name, struct entry *out,
		   struct err *e) MUST_CHECK;

#endif
