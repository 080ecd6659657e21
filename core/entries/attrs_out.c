/* Setting what a file is besides its contents. The order matters: see set_all. */
#include "core/entries/attrs_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/entries/acls.h"
#include "formats/posix_acl.h"

static int change_owner(int dir, const char *name, const struct entry *n)
{
	uid_t uid = (uid_t)n->uid;
	gid_t gid = (gid_t)n->gid;

	if (n->uid > UINT32_MAX || n->gid > UINT32_MAX)
		return -1;
	return name != NULL ? fchownat(dir, name, uid, gid, AT_SYMLINK_NOFOLLOW)
			    : fchown(dir, uid, gid);
}

/* True when the file belongs to whom the entry says, now or before. */
static bool set_owner(struct attrs_out *a, int dir, const char *name, const struct entry *n)
{
	bool right = n->uid == a->uid && n->gid == a->gid;

	if (!a->same_owner)
		return right;
	if (change_owner(dir, name, n) == 0)
		return true;
	a->lost.count[LOST_OWNERS] += !right;
	return right;
}

/* A program of somebody else must not become a set-id program of ours. */
static mode_t mode_of(const struct entry *n, bool owned)
{
	return (mode_t)(owned ? n->mode & 07777 : n->mode & 01777);
}

static void times_of(const struct entry *n, struct timespec t[2])
{
	t[0] = (struct timespec){ .tv_nsec = UTIME_OMIT };
	if (n->have_atime)
		t[0] = (struct timespec){ .tv_sec = n->atime.sec, .tv_nsec = n->atime.ns };
	t[1] = (struct timespec){ .tv_sec = n->mtime.sec, .tv_nsec = n->mtime.ns };
}

/* One entry's attributes: what was lost of them. */
struct losses {
	bool xattrs, acls;
};

static void lose(struct losses *l, const struct entry_xattr *x)
{
	if (acls_is_xattr(x->name))
		l->acls = true;
	else
		l->xattrs = true;
}

/* NFSv4 lists have no place on this host. */
static void count_losses(struct attrs_out *a, const struct losses *l, const struct entry *n)
{
	a->lost.count[LOST_XATTRS] += l->xattrs;
	a->lost.count[LOST_ACLS] += l->acls || n->aces != NULL;
}

void attrs_out_xattrs(struct attrs_out *a, int fd, const struct entry *n)
{
	struct losses l = { false, false };

	for (size_t i = 0; i < n->xattr_count; i++) {
		const struct entry_xattr *x = &n->xattrs[i];

		if (fsetxattr(fd, x->name, x->value, x->size, 0) < 0)
			lose(&l, x);
	}
	count_losses(a, &l, n);
}

void attrs_out_clear_acls(int fd)
{
	(void)!fremovexattr(fd, POSIX_ACL_ACCESS);
	(void)!fremovexattr(fd, POSIX_ACL_DEFAULT);
}

/* A new owner clears capabilities and set-id bits, and a mode may forbid writing attributes. */
void attrs_out_fd(struct attrs_out *a, int fd, const struct entry *n)
{
	struct timespec t[2];
	bool		owned = set_owner(a, fd, NULL, n);

	attrs_out_xattrs(a, fd, n);
	times_of(n, t);
	a->lost.count[LOST_MODES] += fchmod(fd, mode_of(n, owned)) < 0;
	a->lost.count[LOST_TIMES] += futimens(fd, t) < 0;
}

/* Links have no descriptor of their own; /proc gives their directory a path. */
static void xattrs_at(struct attrs_out *a, int dir, const char *name, const struct entry *n)
{
	char	      path[32 + ENTRY_PART_MAX + 1];
	struct losses l = { false, false };

	snprintf(path, sizeof path, "/proc/self/fd/%d/%s", dir, name);
	if (n->kind != ENTRY_SYMLINK)
		(void)!lremovexattr(path, POSIX_ACL_ACCESS);
	for (size_t i = 0; i < n->xattr_count; i++) {
		const struct entry_xattr *x = &n->xattrs[i];

		if (lsetxattr(path, x->name, x->value, x->size, 0) < 0)
			lose(&l, x);
	}
	count_losses(a, &l, n);
}

void attrs_out_at(struct attrs_out *a, int dir, const char *name, const struct entry *n)
{
	struct timespec t[2];
	bool		owned = set_owner(a, dir, name, n);

	xattrs_at(a, dir, name, n);
	times_of(n, t);
	/* The mode of a link means nothing and cannot be set. */
	if (n->kind != ENTRY_SYMLINK &&
	    fchmodat(dir, name, mode_of(n, owned), AT_SYMLINK_NOFOLLOW) < 0)
		a->lost.count[LOST_MODES]++;
	a->lost.count[LOST_TIMES] += utimensat(dir, name, t, AT_SYMLINK_NOFOLLOW) < 0;
}

struct late_dir {
	size_t		  path, path_size; /* in paths */
	uint64_t	  uid, gid;
	struct entry_time mtime, atime;
	uint32_t	  mode;
	bool		  have_atime;
};

int late_dirs_add(struct late_dirs *l, const struct entry *n, struct err *e)
{
	if (mem_grow(&l->dirs, &l->cap, l->count + 1, sizeof l->dirs[0], e) < 0 ||
	    mem_grow(&l->paths, &l->paths_cap, l->paths_n + n->path_size + 1, 1, e) < 0)
		return -1;
	l->dirs[l->count++] = (struct late_dir){ .path = l->paths_n,
						 .path_size = n->path_size,
						 .uid = n->uid,
						 .gid = n->gid,
						 .mtime = n->mtime,
						 .atime = n->atime,
						 .mode = n->mode,
						 .have_atime = n->have_atime };
	memcpy(l->paths + l->paths_n, n->path, n->path_size);
	l->paths[l->paths_n + n->path_size] = '\0';
	l->paths_n += n->path_size + 1;
	return 0;
}

struct entry late_dirs_get(const struct late_dirs *l, size_t i)
{
	const struct late_dir *d = &l->dirs[i];

	return (struct entry){ .kind = ENTRY_DIR,
			       .path = l->paths + d->path,
			       .path_size = d->path_size,
			       .mode = d->mode,
			       .uid = d->uid,
			       .gid = d->gid,
			       .mtime = d->mtime,
			       .atime = d->atime,
			       .have_atime = d->have_atime };
}

void late_dirs_fini(struct late_dirs *l)
{
	free(l->dirs);
	free(l->paths);
}
