/* What the files of zpl_export share. Private to core/zpl. */
#ifndef CORE_ZPL_EXPORT_IMPL_H
#define CORE_ZPL_EXPORT_IMPL_H

#include "core/base/idmap.h"
#include "core/zpl/contents.h"
#include "core/zpl/zpl_read.h"

/* What a directory walk returns when memory ran out, to be told from damage in the directory. */
enum { EXPORT_STOP = 2 };

struct export_xattr {
	size_t name, value, size; /* offsets in the arena */
};

struct export
{
	struct zpl		*z;
	const struct zpl_export *what;
	struct entry_sink	*sink;
	char			 path[ENTRY_PATH_MAX + 1];
	size_t			 path_n;
	struct idmap		 entered; /* directories */

	struct idmap links; /* objects with several names: offset of the first one in link_paths */
	char	    *link_paths;
	size_t	     link_n, link_cap;

	uint8_t *buf; /* a block of the current file */
	size_t	 buf_cap;

	struct contents contents; /* of the current file */

	/* Extended attributes of the current file. */
	char		    *arena;
	size_t		     arena_n, arena_cap;
	struct export_xattr *xattrs;
	size_t		     xattr_count, xattr_cap;
	struct entry_xattr  *given;
	size_t		     given_cap;

	struct ace *aces; /* its access control list */
	size_t	    ace_cap;
};

void export_fini(struct export *x);

/* Tells `report` of a fault at x->path. */
void export_report(struct export *x, const struct err *why);

/* The object at x->path as an entry, contents included. -1 only when the sink or memory fails. */
int export_one(struct export *x, const struct zpl_attr *a, struct err *e) MUST_CHECK;

#endif
