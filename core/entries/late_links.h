/*
 * Names of one file that come before its contents. Archives of cpio's newc kind put the contents
 * with the last name; the earlier ones wait here until it comes, then follow it as hard links.
 */
#ifndef CORE_ENTRIES_LATE_LINKS_H
#define CORE_ENTRIES_LATE_LINKS_H

#include "core/zpl/entry.h"

struct late_file {
	struct late_file *next;
	struct late_name *names,
		**last;		   /* in the order they came; the first is what others call it */
	uint64_t	  missing; /* names that are still to come */
	uint32_t	  mode;
	uint64_t	  uid, gid;
	struct entry_time mtime;
};

struct late_name {
	struct late_name *next;
	size_t		  n;
	char		  path[];
};

struct late_links {
	struct late_file *files, **last;
	size_t		  count;
	struct late_name *ready, *given; /* to be told as links, and the one told last */
	char		 *target;
	size_t		  target_size;
};

void late_links_init(struct late_links *l);
void late_links_fini(struct late_links *l);

/* Genuine archives have one; a bound keeps the search short and the memory small. */
enum { LATE_FILES_MAX = 1024 };

/* Keeps a file without contents yet that has `links` names. ERR_UNSUPPORTED over LATE_FILES_MAX. */
int late_links_file(struct late_links *l, const struct entry *file, uint64_t links,
		    struct err *e) MUST_CHECK;

/* The waiting file whose first name is `path`, or NULL. */
struct late_file *late_links_find(struct late_links *l, const char *path, size_t n);

/* One more name of it. */
int late_links_name(struct late_file *f, const char *path, size_t n, struct err *e) MUST_CHECK;

/* Contents came under `path`: all other names are ready to be told as links to it. */
int late_links_settle(struct late_links *l, struct late_file *f, const char *path, size_t n,
		      struct err *e) MUST_CHECK;

/* The next link that is ready: 1, or 0. */
int late_links_next(struct late_links *l, struct entry *out);

/* No contents will come, the file is empty: `out` is it, under its first name; its links are ready.
 */
int late_links_empty(struct late_links *l, struct late_file *f, struct entry *out,
		     struct err *e) MUST_CHECK;

#endif
