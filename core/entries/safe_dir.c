/* The walk, with the last directory kept: entries of one directory come one after the other. */
#include "core/entries/safe_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

void safe_dir_init(struct safe_dir *d, int root)
{
	d->root = d->fd = root;
	d->n = 0;
}

static void forget(struct safe_dir *d)
{
	if (d->fd != d->root)
		close(d->fd);
	d->fd = d->root;
	d->n = 0;
}

void safe_dir_fini(struct safe_dir *d)
{
	forget(d);
	if (d->root >= 0)
		close(d->root);
}

/* ELOOP and ENOTDIR are what O_NOFOLLOW and O_DIRECTORY make of a symbolic link. */
static int step_fault(int number, struct err *e)
{
	if (number == ELOOP || number == ENOTDIR)
		return err_set(e, ERR_REFUSED, "a part of the path is not a directory");
	return err_errno(e, number, "directory");
}

/* One part down from d->fd. */
static int step(struct safe_dir *d, const char *part, size_t size, bool make, struct err *e)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	char	  name[ENTRY_PART_MAX + 1];

	if (size > ENTRY_PART_MAX || d->n + 1 + size > ENTRY_PATH_MAX)
		return err_set(e, ERR_REFUSED, "the name is too long");
	memcpy(name, part, size);
	name[size] = '\0';

	int fd = openat(d->fd, name, flags);

	if (fd < 0 && errno == ENOENT && make) {
		if (mkdirat(d->fd, name, 0777) < 0 && errno != EEXIST)
			return step_fault(errno, e);
		fd = openat(d->fd, name, flags);
	}
	if (fd < 0)
		return step_fault(errno, e);
	if (d->fd != d->root)
		close(d->fd);
	d->fd = fd;
	if (d->n > 0)
		d->path[d->n++] = '/';
	memcpy(d->path + d->n, part, size);
	d->n += size;
	return 0;
}

/* Is the directory that we hold `path` itself, or above it? */
static bool on_the_way(const struct safe_dir *d, const char *path, size_t n)
{
	return d->n <= n && memcmp(d->path, path, d->n) == 0 &&
	       (d->n == 0 || d->n == n || path[d->n] == '/');
}

static int walk(struct safe_dir *d, const char *path, size_t n, bool make, struct err *e)
{
	if (!on_the_way(d, path, n))
		forget(d);
	while (d->n < n) {
		const char *part = path + d->n + (d->n > 0);
		size_t	    left = n - (size_t)(part - path);
		const char *slash = memchr(part, '/', left);

		if (step(d, part, slash != NULL ? (size_t)(slash - part) : left, make, e) < 0)
			return -1;
	}
	return 0;
}

int safe_dir_parent(struct safe_dir *d, const char *path, size_t n, bool make, int *fd,
		    const char **name, struct err *e)
{
	size_t last = n; /* where the last part starts */

	while (last > 0 && path[last - 1] != '/')
		last--;
	if (walk(d, path, last > 0 ? last - 1 : 0, make, e) < 0)
		return -1;
	*fd = d->fd;
	*name = path + last;
	return 0;
}
