/*
 * A walk over a host directory. One descriptor is open for the directory at hand, whatever the
 * depth; the way back up is "..", and checked to be the directory we came from.
 */
#include "core/entries/dirtree_in.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/entries/file_in.h"
#include "core/entries/linkset.h"
#include "core/entries/xattrs_in.h"

/* A directory on the way down to where we are. */
struct level {
	char	    *arena; /* its names */
	const char **names; /* sorted */
	size_t	     count, at;
	size_t	     path_n; /* of its own path */
	dev_t	     dev;
	ino_t	     ino;
};

struct dirtree_in {
	char		*name; /* of the tree, for messages */
	int		 dir;  /* where we are */
	bool		 started;
	int		 sub; /* the directory told last, to go down into, or -1 */
	struct level	*levels;
	size_t		 depth, cap;
	char		 path[ENTRY_PATH_MAX + 1];
	size_t		 path_n;
	char		 target[ENTRY_PATH_MAX + 1];
	struct file_in	 file;
	struct xattrs_in xattrs;
	struct linkset	 links;
	bool (*skip)(void *ctx, const char *path, size_t n);
	void *skip_ctx;
};

static int located(struct dirtree_in *t, struct err *e)
{
	entry_err_in(e, t->path, t->path_n);
	return err_in(e, "%s", t->name);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Appends a name to the arena. */
static int keep_name(struct level *l, size_t *used, size_t *cap, const char *name, struct err *e)
{
	size_t n = strlen(name) + 1;

	if (mem_grow(&l->arena, cap, *used + n, 1, e) < 0)
		return -1;
	memcpy(l->arena + *used, name, n);
	*used += n;
	l->count++;
	return 0;
}

static int read_names(DIR *d, struct level *l, struct err *e)
{
	size_t used = 0, cap = 0;

	for (;;) {
		errno = 0;

		const struct dirent *n = readdir(d);

		if (n == NULL)
			return errno != 0 ? err_errno(e, errno, "directory") : 0;
		if (strcmp(n->d_name, ".") != 0 && strcmp(n->d_name, "..") != 0 &&
		    keep_name(l, &used, &cap, n->d_name, e) < 0)
			return -1;
	}
}

static int sort_names(struct level *l, struct err *e)
{
	const char *name = l->arena;

	if (l->count == 0)
		return 0;
	l->names = malloc(l->count * sizeof *l->names);
	if (l->names == NULL)
		return err_nomem(e);
	for (size_t i = 0; i < l->count; i++, name += strlen(name) + 1)
		l->names[i] = name;
	qsort(l->names, l->count, sizeof *l->names, compare);
	return 0;
}

static void level_fini(struct level *l)
{
	free(l->arena);
	free(l->names);
}

static int level_read(int fd, struct level *l, struct err *e)
{
	struct stat st;
	int	    again = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	DIR	   *d = again >= 0 ? fdopendir(again) : NULL;

	if (d == NULL || fstat(fd, &st) < 0) {
		err_errno(e, errno, "directory");
		if (d != NULL)
			closedir(d);
		else if (again >= 0)
			close(again);
		return -1;
	}
	l->dev = st.st_dev;
	l->ino = st.st_ino;

	int r = read_names(d, l, e);

	closedir(d);
	return r < 0 ? -1 : sort_names(l, e);
}

/* Into the directory that was told last. */
static int go_down(struct dirtree_in *t, struct err *e)
{
	struct level l = { .path_n = t->path_n };

	if (mem_grow(&t->levels, &t->cap, t->depth + 1, sizeof t->levels[0], e) < 0)
		return -1;
	if (level_read(t->sub, &l, e) < 0) {
		level_fini(&l);
		return located(t, e);
	}
	if (t->dir >= 0)
		close(t->dir);
	t->dir = t->sub;
	t->sub = -1;
	t->levels[t->depth++] = l;
	return 0;
}

static int go_up(struct dirtree_in *t, struct err *e)
{
	struct stat st;

	level_fini(&t->levels[--t->depth]);
	if (t->depth == 0)
		return 0;

	const struct level *l = &t->levels[t->depth - 1];
	int		    up = openat(t->dir, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	t->path_n = l->path_n;
	t->path[t->path_n] = '\0';
	if (up < 0) {
		err_errno(e, errno, "directory");
		return located(t, e);
	}
	close(t->dir);
	t->dir = up;
	if (fstat(up, &st) == 0 && st.st_dev == l->dev && st.st_ino == l->ino)
		return 0;
	err_set(e, ERR_IO, "directories in it were moved while they were read");
	return located(t, e);
}

static int set_path(struct dirtree_in *t, const char *name, struct err *e)
{
	size_t base = t->levels[t->depth - 1].path_n, n = strlen(name);

	if (n > ENTRY_PART_MAX || base + 1 + n > ENTRY_PATH_MAX) {
		t->path_n = base;
		err_set(e, ERR_REFUSED, "the path to '%s' is longer than %d bytes", name,
			ENTRY_PATH_MAX);
		return located(t, e);
	}
	if (base > 0)
		t->path[base++] = '/';
	memcpy(t->path + base, name, n + 1);
	t->path_n = base + n;
	return 0;
}

static struct entry_time time_of(struct timespec t)
{
	return (struct entry_time){ t.tv_sec, (uint32_t)t.tv_nsec };
}

static void fill(struct dirtree_in *t, const struct stat *st, struct entry *out)
{
	*out = (struct entry){ .kind = (enum entry_kind)entry_kind_of_mode(st->st_mode),
			       .path = t->path,
			       .path_size = t->path_n,
			       .mode = st->st_mode & 07777,
			       .uid = st->st_uid,
			       .gid = st->st_gid,
			       .mtime = time_of(st->st_mtim),
			       .atime = time_of(st->st_atim),
			       .ctime = time_of(st->st_ctim),
			       .have_atime = true,
			       .have_ctime = true };
	if (S_ISREG(st->st_mode))
		out->size = (uint64_t)st->st_size;
	if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode)) {
		out->major = major(st->st_rdev);
		out->minor = minor(st->st_rdev);
	}
}

/* Opens what fstatat has seen; that it still is the same makes sure that no link came in between.
 */
static int open_same(struct dirtree_in *t, const char *name, int flags, struct stat *st,
		     struct err *e)
{
	struct stat now;
	int fd = openat(t->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags);

	if (fd < 0)
		return err_errno(e, errno, "cannot be opened");
	if (fstat(fd, &now) < 0 || now.st_dev != st->st_dev || now.st_ino != st->st_ino) {
		close(fd);
		return err_set(e, ERR_IO, "was replaced while it was read");
	}
	*st = now;
	return fd;
}

static int take_file(struct dirtree_in *t, const char *name, struct stat *st, struct entry *out,
		     struct err *e)
{
	int fd = open_same(t, name, 0, st, e);

	if (fd < 0)
		return -1;
	fill(t, st, out);
	file_in_take(&t->file, fd, out->size, (uint64_t)st->st_blocks < out->size / 512);
	return file_in_map(&t->file, out, e) < 0 ? -1
						 : xattrs_in_read(&t->xattrs, fd, NULL, out, e);
}

static int take_dir(struct dirtree_in *t, const char *name, struct stat *st, struct entry *out,
		    struct err *e)
{
	int fd = open_same(t, name, O_DIRECTORY, st, e);

	if (fd < 0)
		return -1;
	t->sub = fd;
	fill(t, st, out);
	return xattrs_in_read(&t->xattrs, fd, NULL, out, e);
}

static int take_symlink(struct dirtree_in *t, const char *name, struct entry *out, struct err *e)
{
	ssize_t n = readlinkat(t->dir, name, t->target, sizeof t->target);

	if (n < 0)
		return err_errno(e, errno, "symbolic link");
	if ((size_t)n == sizeof t->target)
		return err_set(e, ERR_REFUSED, "a symbolic link longer than %d bytes",
			       ENTRY_PATH_MAX);
	t->target[n] = '\0';
	out->target = t->target;
	out->target_size = (size_t)n;
	return 0;
}

/* 1 when it is another name of a file that was told, else 0. */
static int take_hardlink(struct dirtree_in *t, const struct stat *st, struct entry *out,
			 struct err *e)
{
	const char *first;
	size_t	    n;

	if (S_ISDIR(st->st_mode) || st->st_nlink < 2)
		return 0;
	if (linkset_see(&t->links, st->st_dev, st->st_ino, t->path, t->path_n, &first, &n, e) < 0)
		return -1;
	if (first == NULL)
		return 0;
	out->kind = ENTRY_HARDLINK;
	out->size = 0;
	out->target = first;
	out->target_size = n;
	return 1;
}

static int take(struct dirtree_in *t, const char *name, struct entry *out, struct err *e)
{
	struct stat st;

	if (fstatat(t->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_errno(e, errno, "stat");
	fill(t, &st, out);
	if (entry_kind_of_mode(st.st_mode) == 0)
		return err_set(e, ERR_UNSUPPORTED, "file type 0%o", st.st_mode & S_IFMT);

	int linked = take_hardlink(t, &st, out, e);

	if (linked != 0)
		return linked < 0 ? -1 : 0;
	if (S_ISREG(st.st_mode))
		return take_file(t, name, &st, out, e);
	if (S_ISDIR(st.st_mode))
		return take_dir(t, name, &st, out, e);
	if (S_ISLNK(st.st_mode) && take_symlink(t, name, out, e) < 0)
		return -1;
	return xattrs_in_read(&t->xattrs, t->dir, name, out, e);
}

/* The root was opened with the tree, and waits to be gone down into. */
static int take_root(struct dirtree_in *t, struct entry *out, struct err *e)
{
	struct stat st;

	t->started = true;
	if (fstat(t->sub, &st) < 0)
		return err_errno(e, errno, "stat");
	fill(t, &st, out);
	return xattrs_in_read(&t->xattrs, t->sub, NULL, out, e);
}

/*
 * The next name, in this directory or, at its end, further up: 1 and t->path
 * says it, 0 at the end, -1.
 */
static int next_name(struct dirtree_in *t, const char **name, struct err *e)
{
	do {
		while (t->depth > 0 &&
		       t->levels[t->depth - 1].at == t->levels[t->depth - 1].count) {
			if (go_up(t, e) < 0)
				return -1;
		}
		if (t->depth == 0)
			return 0;

		struct level *l = &t->levels[t->depth - 1];

		*name = l->names[l->at++];
		if (set_path(t, *name, e) < 0)
			return -1;
	} while (t->skip != NULL && t->skip(t->skip_ctx, t->path, t->path_n));
	return 1;
}

static int tree_next(void *self, struct entry *out, struct err *e)
{
	struct dirtree_in *t = self;
	const char	  *name;
	int		   got;

	file_in_drop(&t->file);
	if (!t->started)
		return take_root(t, out, e) < 0 ? located(t, e) : 1;
	if (t->sub >= 0 && go_down(t, e) < 0)
		return -1;
	got = next_name(t, &name, e);
	if (got <= 0)
		return got;
	return take(t, name, out, e) < 0 ? located(t, e) : 1;
}

static int tree_data(void *self, uint64_t *offset, struct bytes *piece, struct err *e)
{
	struct dirtree_in *t = self;
	int		   got = file_in_data(&t->file, offset, piece, e);

	return got < 0 ? located(t, e) : got;
}

static void tree_close(void *self)
{
	struct dirtree_in *t = self;

	while (t->depth > 0)
		level_fini(&t->levels[--t->depth]);
	if (t->dir >= 0)
		close(t->dir);
	if (t->sub >= 0)
		close(t->sub);
	file_in_fini(&t->file);
	xattrs_in_fini(&t->xattrs);
	linkset_fini(&t->links);
	free(t->levels);
	free(t->name);
	free(t);
}

void dirtree_in_skip(struct entry_source *from, bool (*skip)(void *ctx, const char *path, size_t n),
		     void *ctx)
{
	struct dirtree_in *t = from->self;

	t->skip = skip;
	t->skip_ctx = ctx;
}

int dirtree_in_open(const char *path, struct entry_source *out, struct err *e)
{
	int		   fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirtree_in *t;

	if (fd < 0)
		return err_errno(e, errno, "%s", path);
	t = calloc(1, sizeof *t);
	if (t == NULL) {
		close(fd);
		return err_nomem(e);
	}
	t->dir = -1;
	t->sub = fd;
	t->name = strdup(path);
	if (file_in_init(&t->file, e) < 0 || t->name == NULL) {
		tree_close(t);
		return err_nomem(e);
	}
	*out = (struct entry_source){
		.self = t, .next = tree_next, .data = tree_data, .close = tree_close
	};
	return 0;
}
