/* Access control lists between libarchive's entries and ours. */
#ifndef CORE_ENTRIES_ACLS_H
#define CORE_ENTRIES_ACLS_H

#include "core/zpl/entry.h"

struct archive_entry; /* libarchive's */

/* What lists are put together in; starts as all zero, kept from entry to entry. */
struct acl_buffers {
	struct posix_ace *posix;
	size_t		  posix_cap;
	uint8_t		 *values; /* of both POSIX lists */
	size_t		  values_cap;
	struct ace	 *aces;
	size_t		  aces_cap;
};
void acl_buffers_fini(struct acl_buffers *b);

/*
 * The lists that say more than a mode: POSIX ones as extended attributes behind those that `out`
 * has (`xattrs` is out->xattrs, with room for two more), NFSv4 ones as out->aces. out->mode's group
 * bits become the mask, as on the host. ERR_UNSUPPORTED for users and groups without a number that
 * this host does not know.
 */
int acls_take(struct acl_buffers *b, struct archive_entry *ae, struct entry_xattr *xattrs,
	      struct entry *out, struct err *e) MUST_CHECK;

/* Is it one of the two attributes that are POSIX ACLs? */
bool acls_is_xattr(const char *name);

/* Has the entry a list of any kind? */
bool acls_any(const struct entry *n);

/*
 * The entry's lists onto ae, whose mode has been set. False when one of them cannot be kept: both
 * kinds at once, entries that archives have no form for, a value that is no list.
 */
bool acls_give(const struct entry *n, struct archive_entry *ae);

#endif
