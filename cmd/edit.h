/*
 * What --include, --exclude, --strip-components and the owner options do to entries on their way
 * into a pool or out of it.
 */
#ifndef CMD_EDIT_H
#define CMD_EDIT_H

#include "core/zpl/entry.h"

struct edit_owner {
	bool	 uid_given, gid_given;
	uint64_t uid, gid;
};

struct edit {
	const char	**excludes; /* argv's words, in arrays that are freed by edit_fini */
	size_t		  exclude_count, exclude_cap;
	const char	**includes; /* none: everything */
	bool		 *included; /* has it matched anything yet? */
	size_t		  include_count, include_cap, included_cap;
	unsigned	  strip;
	struct edit_owner owner;
	const char	 *mode; /* checked by chmode_check; NULL: as they are */
	bool		  mtime_given;
	struct entry_time mtime;
};

void edit_fini(struct edit *edit);

/* One more pattern, --strip-components's number. ERR_USAGE, ERR_NOMEM. */
int edit_exclude(struct edit *edit, const char *pattern, struct err *e) MUST_CHECK;
int edit_include(struct edit *edit, const char *pattern, struct err *e) MUST_CHECK;
int edit_parse_strip(struct edit *edit, const char *word, struct err *e) MUST_CHECK;

/* "U", "U:G" or ":G": numbers, or "root". ERR_USAGE. */
int edit_parse_owner(const char *word, struct edit_owner *out, struct err *e) MUST_CHECK;

/* "1600000000", "@1600000000.5", "-1". ERR_USAGE. */
int edit_parse_mtime(const char *word, struct entry_time *out, struct err *e) MUST_CHECK;

/* Is this path (n bytes, as entry_path_clean makes it) excluded? */
bool edit_excludes(const struct edit *edit, const char *path, size_t n);

/*
 * Is it included, itself or with a directory above it? Without patterns everything is. Notes which
 * patterns have matched.
 */
bool edit_includes(struct edit *edit, const char *path, size_t n);

/* Are there so few parts that --strip-components leaves nothing? */
bool edit_strips_all(const struct edit *edit, const char *path, size_t n);

/* Changes the entry in place; false: it is left out. */
bool edit_entry(const struct edit *edit, struct entry *entry);

#endif
