/* Where the datasets of the plan will be mounted, and in which of them a path is. */
#ifndef CMD_MKPOOL_MOUNTS_H
#define CMD_MKPOOL_MOUNTS_H

#include "cmd/mkpool/datasets.h"

/* Does the mount point begin the path, whole parts only? */
bool mounts_leads(const char *mountpoint, const char *path, size_t n);

/* Of a dataset that is made already; NULL: what is put into it cannot be seen there. */
const char *mounts_point(const struct made_dataset *m);

/* The dataset with the longest mount point above a path. ERR_REFUSED: none, or two of them. */
int mounts_find(const struct datasets *s, const char *path, size_t n, size_t *index,
		struct err *e) MUST_CHECK;

/* The dataset whose mount point this very path is; SIZE_MAX: none. */
size_t mounts_at(const struct datasets *s, const char *path, size_t n);

/*
 * The directory that a dataset will be mounted on, in the dataset above, where nothing of that name
 * is: the first import would make it, which it cannot in a read-only one.
 */
int mounts_make_dirs(struct datasets *s, struct err *e) MUST_CHECK;

#endif
