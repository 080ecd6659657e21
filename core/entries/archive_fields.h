/* One header of an archive as an entry, in buffers that are kept from entry to entry. */
#ifndef CORE_ENTRIES_ARCHIVE_FIELDS_H
#define CORE_ENTRIES_ARCHIVE_FIELDS_H

#include "core/entries/acls.h"
#include "core/zpl/entry.h"

struct archive_entry; /* libarchive's */

struct buffer {
	char  *p;
	size_t cap;
};

/* Starts as all zero. */
struct archive_fields {
	struct buffer	    path, target, wide;
	size_t		    path_n; /* of the last path, which stays at path.p, cleaned */
	struct entry_xattr *xattrs;
	size_t		    xattr_cap;
	struct acl_buffers  acls;
};

void archive_fields_fini(struct archive_fields *f);

/*
 * The header as an entry that borrows from `f` and `ae`. Errors name the entry: ERR_REFUSED when
 * its name leads elsewhere, ERR_CORRUPT, ERR_UNSUPPORTED when its size is not known yet, ERR_NOMEM.
 */
int archive_fields_take(struct archive_fields *f, struct archive_entry *ae, struct entry *out,
			struct err *e) MUST_CHECK;

#endif
