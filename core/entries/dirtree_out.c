/*
 * Entries into a directory. Making them and their contents is here; the walk that keeps us inside
 * is in safe_dir, what is set on them in attrs_out.
 */
#include "core/entries/dirtree_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/entries/attrs_out.h"
#include "core/entries/safe_dir.h"

struct dirtree_out {
	struct safe_dir		   dirs, targets; /* where entries go, where hard links lead */
	struct dirtree_out_options o;
	struct attrs_out	   attrs;
	struct late_dirs	   late;
	int			   fd;	 /* of the current file, or -1 */
	struct entry		   file; /* borrowed until its end, but for the path */
	char			   path[ENTRY_PATH_MAX + 1]; /* of the current entry */
	char			   target[ENTRY_PATH_MAX + 1];
	uint64_t		   end; /* of what was written to it */
};

/* Errors that every further entry would meet too. */
static bool fatal(const struct err *e)
{
	return e->kind == ERR_NOSPACE || e->kind == ERR_NOMEM;
}

/* One entry failed: told, and the rest goes on, when there is someone to tell. */
static int give_up(struct dirtree_out *t, const struct entry *n, const struct err *why,
		   struct err *e)
{
	if (t->o.report != NULL && !fatal(why)) {
		t->o.report(t->o.ctx, n->path, n->path_size, why);
		return 0;
	}
	if (e == NULL)
		return -1;
	*e = *why;
	return entry_err_in(e, n->path, n->path_size);
}

/* Takes away what stands where an entry is to go. */
static int clear_way(int dir, const char *name, struct err *e)
{
	if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
		return 0;
	if ((errno == EISDIR || errno == EPERM) && unlinkat(dir, name, AT_REMOVEDIR) == 0)
		return 0;
	return err_errno(e, errno, "cannot be replaced");
}

static int make_empty_dir(int dir, const char *name, struct err *e)
{
	struct stat st;

	if (mkdirat(dir, name, 0700) == 0)
		return 0;
	if (errno == EEXIST && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (S_ISDIR(st.st_mode)) {
			/* Its entry's mode comes at the end; until then we have to get in. */
			if ((st.st_mode & S_IRWXU) != S_IRWXU)
				(void)!fchmodat(dir, name, (st.st_mode & 07777) | S_IRWXU,
						AT_SYMLINK_NOFOLLOW);
			return 0;
		}
		if (clear_way(dir, name, e) < 0)
			return -1;
		if (mkdirat(dir, name, 0700) == 0)
			return 0;
	}
	return err_errno(e, errno, "cannot be made");
}

static int open_dir(int dir, const char *name)
{
	return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int make_dir(struct dirtree_out *t, int dir, const char *name, const struct entry *n,
		    struct err *e)
{
	if (n->path_size > 0 && make_empty_dir(dir, name, e) < 0)
		return -1;

	int fd = open_dir(dir, n->path_size > 0 ? name : ".");

	if (fd >= 0)
		attrs_out_clear_acls(fd);
	attrs_out_xattrs(&t->attrs, fd, n); /* counts when fd is -1 */
	if (fd >= 0)
		close(fd);
	return late_dirs_add(&t->late, n, e);
}

static int open_new(int dir, const char *name, struct err *e)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int	  fd = openat(dir, name, flags, 0600);

	if (fd < 0 && errno == EEXIST) {
		if (clear_way(dir, name, e) < 0)
			return -1;
		fd = openat(dir, name, flags, 0600);
	}
	return fd < 0 ? err_errno(e, errno, "cannot be made") : fd;
}

static int make_file(struct dirtree_out *t, int dir, const char *name, const struct entry *n,
		     struct err *e)
{
	int fd = open_new(dir, name, e);

	if (fd < 0)
		return -1;
	t->fd = fd;
	t->end = 0;
	t->file = *n;
	t->file.path = t->path;
	return 0;
}

static int make_link(struct dirtree_out *t, int dir, const char *name, const struct entry *n,
		     struct err *e)
{
	int	    target_dir;
	const char *target;

	/* Replacing a name by a link to itself would lose the file. */
	if (n->target_size == n->path_size && memcmp(n->target, n->path, n->path_size) == 0)
		return 0;
	if (entry_path_copy(n->target, n->target_size, t->target, e) < 0 ||
	    safe_dir_parent(&t->targets, t->target, n->target_size, false, &target_dir, &target,
			    e) < 0)
		return err_in(e, "hard link");
	if (linkat(target_dir, target, dir, name, 0) == 0)
		return 0;
	if (errno == EEXIST) {
		if (clear_way(dir, name, e) < 0)
			return -1;
		if (linkat(target_dir, target, dir, name, 0) == 0)
			return 0;
	}
	err_errno(e, errno, "hard link");
	return -1;
}

static int make_symlink(struct dirtree_out *t, int dir, const char *name, const struct entry *n,
			struct err *e)
{
	if (n->target_size == 0 || n->target_size > ENTRY_PATH_MAX ||
	    memchr(n->target, '\0', n->target_size) != NULL)
		return err_set(e, ERR_REFUSED, "a symbolic link that this host cannot hold");
	memcpy(t->target, n->target, n->target_size);
	t->target[n->target_size] = '\0';
	if (symlinkat(t->target, dir, name) == 0)
		return 0;
	if (errno == EEXIST) {
		if (clear_way(dir, name, e) < 0)
			return -1;
		if (symlinkat(t->target, dir, name) == 0)
			return 0;
	}
	return err_errno(e, errno, "symbolic link");
}

static mode_t node_type(enum entry_kind kind)
{
	switch (kind) {
	case ENTRY_FIFO:
		return S_IFIFO;
	case ENTRY_SOCKET:
		return S_IFSOCK;
	case ENTRY_CHAR:
		return S_IFCHR;
	default:
		return S_IFBLK;
	}
}

/* 1 when it was made, 0 when only root may make it, -1. */
static int make_node(struct dirtree_out *t, int dir, const char *name, const struct entry *n,
		     struct err *e)
{
	mode_t mode = node_type(n->kind) | 0600;
	dev_t  dev = S_ISCHR(mode) || S_ISBLK(mode) ? makedev(n->major, n->minor) : 0;

	if (mknodat(dir, name, mode, dev) == 0)
		return 1;
	if (errno == EEXIST) {
		if (clear_way(dir, name, e) < 0)
			return -1;
		if (mknodat(dir, name, mode, dev) == 0)
			return 1;
	}
	if (errno != EPERM)
		return err_errno(e, errno, "cannot be made");
	t->attrs.lost.count[LOST_DEVICES]++;
	return 0;
}

static int make(struct dirtree_out *t, const struct entry *n, struct err *e)
{
	int	    dir, made;
	const char *name;

	if (n->path_size == 0 && n->kind != ENTRY_DIR)
		return err_set(e, ERR_CORRUPT, "the root is not a directory");
	if (safe_dir_parent(&t->dirs, t->path, n->path_size, true, &dir, &name, e) < 0)
		return -1;
	switch (n->kind) {
	case ENTRY_DIR:
		return make_dir(t, dir, name, n, e);
	case ENTRY_FILE:
		return make_file(t, dir, name, n, e);
	case ENTRY_HARDLINK:
		return make_link(t, dir, name, n, e);
	case ENTRY_SYMLINK:
		made = make_symlink(t, dir, name, n, e) < 0 ? -1 : 1;
		break;
	default:
		made = make_node(t, dir, name, n, e);
	}
	if (made > 0)
		attrs_out_at(&t->attrs, dir, name, n);
	return made < 0 ? -1 : 0;
}

static int tree_begin(void *self, const struct entry *n, struct err *e)
{
	struct dirtree_out *t = self;
	struct err	    why = { 0 };

	if (entry_path_copy(n->path, n->path_size, t->path, &why) == 0 && make(t, n, &why) == 0)
		return 0;
	return give_up(t, n, &why, e);
}

/* A file that is half written must not look whole. */
static void drop_file(struct dirtree_out *t)
{
	int	    dir;
	const char *name;

	if (t->fd < 0)
		return;
	close(t->fd);
	t->fd = -1;
	if (safe_dir_parent(&t->dirs, t->path, t->file.path_size, false, &dir, &name, NULL) == 0)
		unlinkat(dir, name, 0);
}

/* A file that is larger than this host's can be is that file's trouble; a full disk is everyone's.
 */
static int write_fault(struct dirtree_out *t, int number, struct err *e)
{
	struct err why;

	err_errno(&why, number, "cannot be written");
	if (number == EFBIG) {
		why.kind = ERR_UNSUPPORTED;
		drop_file(t);
		return give_up(t, &t->file, &why, e);
	}
	if (e == NULL)
		return -1;
	*e = why;
	return entry_err_in(e, t->file.path, t->file.path_size);
}

static int tree_data(void *self, uint64_t offset, struct bytes piece, struct err *e)
{
	struct dirtree_out *t = self;

	if (t->fd < 0)
		return 0;
	if (offset > INT64_MAX || piece.n > INT64_MAX - offset)
		return write_fault(t, EFBIG, e);
	while (piece.n > 0) {
		ssize_t n = pwrite(t->fd, piece.p, piece.n, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return write_fault(t, n < 0 ? errno : EIO, e);
		piece = bytes_from(piece, (size_t)n);
		offset += (uint64_t)n;
	}
	if (offset > t->end)
		t->end = offset;
	return 0;
}

/* A file that failed keeps what could be read, at its full size; whoever copies tells of it. */
static int tree_end(void *self, const struct err *failed, struct err *e)
{
	struct dirtree_out *t = self;

	(void)failed;
	if (t->fd < 0)
		return 0;
	if (t->file.size > INT64_MAX)
		return write_fault(t, EFBIG, e);
	if (t->end < t->file.size && ftruncate(t->fd, (off_t)t->file.size) < 0)
		return write_fault(t, errno, e);
	attrs_out_clear_acls(t->fd);
	attrs_out_fd(&t->attrs, t->fd, &t->file);

	int fd = t->fd;

	t->fd = -1;
	return close(fd) < 0 ? write_fault(t, errno, e) : 0;
}

static void finish_dir(struct dirtree_out *t, const struct entry *n)
{
	int	    parent, fd = -1;
	const char *name;

	if (n->path_size == 0)
		fd = open_dir(t->dirs.root, ".");
	else if (safe_dir_parent(&t->dirs, n->path, n->path_size, false, &parent, &name, NULL) == 0)
		fd = open_dir(parent, name);
	/* A later entry may have replaced the directory: then it is no loss. */
	if (fd < 0)
		return;
	attrs_out_fd(&t->attrs, fd, n);
	close(fd);
}

static int tree_finish(void *self, struct err *e)
{
	struct dirtree_out *t = self;

	(void)e;
	for (size_t i = t->late.count; i > 0; i--) {
		struct entry n = late_dirs_get(&t->late, i - 1);

		finish_dir(t, &n);
	}
	lost_tell(&t->attrs.lost, t->o.lost, t->o.ctx);
	return 0;
}

static void tree_close(void *self)
{
	struct dirtree_out *t = self;

	drop_file(t);
	safe_dir_fini(&t->dirs);
	safe_dir_fini(&t->targets);
	late_dirs_fini(&t->late);
	free(t);
}

static int open_root(const char *path, struct err *e)
{
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		return err_errno(e, errno, "%s", path);

	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? err_errno(e, errno, "%s", path) : fd;
}

int dirtree_out_open(const char *path, const struct dirtree_out_options *o, struct entry_sink *out,
		     struct err *e)
{
	struct dirtree_out *t = calloc(1, sizeof *t);
	int		    root = open_root(path, e), again = -1;

	if (root < 0 || t == NULL)
		goto fail;
	again = fcntl(root, F_DUPFD_CLOEXEC, 0);
	if (again < 0) {
		err_errno(e, errno, "%s", path);
		goto fail;
	}
	safe_dir_init(&t->dirs, root);
	safe_dir_init(&t->targets, again);
	t->fd = -1;
	t->o = *o;
	t->attrs = (struct attrs_out){ .same_owner = o->same_owner,
				       .uid = geteuid(),
				       .gid = getegid() };
	*out = (struct entry_sink){ .self = t,
				    .begin = tree_begin,
				    .data = tree_data,
				    .end = tree_end,
				    .finish = tree_finish,
				    .close = tree_close };
	return 0;
fail:
	if (t == NULL && root >= 0)
		err_nomem(e);
	if (root >= 0)
		close(root);
	free(t);
	return -1;
}
