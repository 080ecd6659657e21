/* Owners, modes, times and extended attributes onto files of the host. What is not allowed is
 * counted. */
#ifndef CORE_ENTRIES_ATTRS_OUT_H
#define CORE_ENTRIES_ATTRS_OUT_H

#include <sys/types.h>

#include "core/entries/lost.h"
#include "core/zpl/entry.h"

struct attrs_out {
	bool	    same_owner;
	uid_t	    uid; /* ours */
	gid_t	    gid;
	struct lost lost;
};

/* Onto an open file or directory. */
void attrs_out_fd(struct attrs_out *a, int fd, const struct entry *n);

/* The extended attributes alone. */
void attrs_out_xattrs(struct attrs_out *a, int fd, const struct entry *n);

/* What a new file or directory may have inherited from the one that it is in. */
void attrs_out_clear_acls(int fd);

/* Onto a link, fifo, socket or device that we have just made; never through a link. */
void attrs_out_at(struct attrs_out *a, int dir, const char *name, const struct entry *n);

/* Directories whose attributes are set when everything is in them. About 100 bytes each. */
struct late_dirs {
	struct late_dir *dirs;
	size_t		 count, cap;
	char		*paths;
	size_t		 paths_n, paths_cap;
};

int late_dirs_add(struct late_dirs *l, const struct entry *dir, struct err *e) MUST_CHECK;
/* The i-th as an entry without extended attributes, its path borrowed until the next add. */
struct entry late_dirs_get(const struct late_dirs *l, size_t i);
void	     late_dirs_fini(struct late_dirs *l);

#endif
