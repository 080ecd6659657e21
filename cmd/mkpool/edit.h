/*
 * What --exclude, --strip-components and the owner options do to entries
 * on their way into the pool.
 */
#ifndef CMD_MKPOOL_EDIT_H
#define CMD_MKPOOL_EDIT_H

#include "core/zpl/entry.h"

struct edit_owner {
	bool	 uid_given, gid_given;
	uint64_t uid, gid;
};

struct edit {
	const char	**excludes; /* argv's words */
	size_t		  exclude_count;
	unsigned	  strip;
	struct edit_owner owner;
};

/* "U", "U:G" or ":G": numbers, or "root". ERR_USAGE. */
int edit_parse_owner(const char *word, struct edit_owner *out, struct err *e) MUST_CHECK;

/* Is this path (n bytes, as entry_path_clean makes it) excluded? */
bool edit_excludes(const struct edit *edit, const char *path, size_t n);

/* Changes the entry in place; false: it is left out. */
bool edit_entry(const struct edit *edit, struct entry *entry);

#endif
