/* Most files have none, so that costs one call. */
#include "core/entries/xattrs_in.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/xattr.h>

#include "core/base/mem.h"
#include "core/entries/acls.h"

enum {
	NAMES_MAX = 1 << 16,
	VALUE_MAX = 1 << 16
}; /* Linux's limits.h, XATTR_LIST_MAX, XATTR_SIZE_MAX */

void xattrs_in_fini(struct xattrs_in *x)
{
	free(x->names);
	free(x->values);
	free(x->list);
}

/* Where one file's attributes are asked for: by descriptor, or by a path when it cannot be opened.
 */
struct where {
	int  fd;
	char path[32 + ENTRY_PART_MAX + 1]; /* "" : use fd */
};

static ssize_t names_of(const struct where *w, char *buf)
{
	return w->path[0] != '\0' ? llistxattr(w->path, buf, NAMES_MAX)
				  : flistxattr(w->fd, buf, NAMES_MAX);
}

static ssize_t value_of(const struct where *w, const char *name, void *buf)
{
	return w->path[0] != '\0' ? lgetxattr(w->path, name, buf, VALUE_MAX)
				  : fgetxattr(w->fd, name, buf, VALUE_MAX);
}

/* Values move while they grow, so their places are filled in when all are there. */
static void place_values(struct xattrs_in *x, size_t count)
{
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		x->list[i].value = x->values + at;
		at += x->list[i].size;
	}
}

static int read_all(struct xattrs_in *x, const struct where *w, size_t names_size,
		    struct entry *out, struct err *e)
{
	size_t count = 0, used = 0;

	for (size_t at = 0; at < names_size; at += strlen(x->names + at) + 1) {
		const char *name = x->names + at;

		if (strncmp(name, "system.", 7) == 0 && !acls_is_xattr(name))
			continue;
		if (mem_grow(&x->values, &x->values_cap, used + VALUE_MAX, 1, e) < 0 ||
		    mem_grow(&x->list, &x->list_cap, count + 1, sizeof x->list[0], e) < 0)
			return -1;

		ssize_t n = value_of(w, name, x->values + used);

		if (n < 0 && (errno == EIO || errno == ENOMEM))
			return err_errno(e, errno, "extended attribute %s", name);
		if (n < 0)
			continue; /* not for us to read, or gone */
		x->list[count++] = (struct entry_xattr){ .name = name, .size = (size_t)n };
		used += (size_t)n;
	}
	place_values(x, count);
	out->xattrs = x->list;
	out->xattr_count = count;
	return 0;
}

int xattrs_in_read(struct xattrs_in *x, int fd, const char *name, struct entry *out, struct err *e)
{
	struct where w = { .fd = fd };

	if (name != NULL)
		snprintf(w.path, sizeof w.path, "/proc/self/fd/%d/%s", fd, name);
	if (x->names == NULL && (x->names = malloc(NAMES_MAX)) == NULL)
		return err_nomem(e);

	ssize_t n = names_of(&w, x->names);

	if (n < 0 && (errno == EIO || errno == ENOMEM))
		return err_errno(e, errno, "extended attributes");
	return n <= 0 ? 0 : read_all(x, &w, (size_t)n, out, e);
}
