/* Which names are whiteouts, and what they take away. */
#include "core/entries/layers.h"

static const char prefix[] = ".wh.", opaque[] = ".wh..wh..opq", meta[] = ".wh..wh.";
enum { PREFIX = sizeof prefix - 1, OPAQUE = sizeof opaque - 1, META = sizeof meta - 1 };

void layers_fini(struct layers *l)
{
	idmap_fini(&l->told);
	l->told = (struct idmap){ 0 };
}

void layers_next(struct layers *l)
{
	layers_fini(l);
}

/* FNV-1a, 64 bits, with the bits mixed once more. */
static uint64_t hash(const char *p, size_t n)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)p[i]) * UINT64_C(0x100000001b3);
	return h ^ h >> 29;
}

static bool of_this_layer(void *ctx, const char *path, size_t n)
{
	struct layers *l = ctx;

	return idmap_get(&l->told, hash(path, n), NULL);
}

static bool begins(const char *p, size_t n, const char *with, size_t size)
{
	return n >= size && memcmp(p, with, size) == 0;
}

static bool is_opaque(const char *p, size_t n)
{
	return n == OPAQUE && memcmp(p, opaque, OPAQUE) == 0;
}

static int refuse(const struct entry *n, const char *why, struct err *e)
{
	err_set(e, ERR_REFUSED, "%s", why);
	return entry_err_in(e, n->path, n->path_size);
}

/* What is not there need not go. What is behind a link is not what the layer could mean. */
static int gone(const struct entry *n, int rc, const struct err *why, struct err *e)
{
	if (rc == 0 || why->kind == ERR_NOTFOUND)
		return 0;
	if (why->kind == ERR_EXISTS)
		return refuse(n, "a whiteout below something that is no directory", e);
	if (e != NULL)
		*e = *why;
	return entry_err_in(e, n->path, n->path_size);
}

static int take_away(struct layers *l, const struct entry *n, size_t dir_n, const char *name,
		     size_t name_n, struct err *e)
{
	struct zpl_keep keep = { of_this_layer, l };
	struct err	why = { 0 };
	char		path[ENTRY_PATH_MAX + 1];

	if (name_n == 0)
		return refuse(n, "a whiteout without a name", e);
	if (name[0] == '.' && (name_n == 1 || (name_n == 2 && name[1] == '.')))
		return refuse(n, "a whiteout of '.' or '..'", e);
	memcpy(path, n->path, dir_n);
	memcpy(path + dir_n, name, name_n);
	return gone(n, zpl_write_remove_tree(l->z, path, dir_n + name_n, &keep, &why), &why, e);
}

static int clear_dir(struct layers *l, const struct entry *n, size_t dir_n, struct err *e)
{
	struct zpl_keep keep = { of_this_layer, l };
	struct err	why = { 0 };

	dir_n -= dir_n > 0;
	return gone(n, zpl_write_clear(l->z, n->path, dir_n, &keep, &why), &why, e);
}

/* Does a directory on the way have a whiteout's name? 1: bookkeeping; -1: an error. */
static int check_way(const struct entry *n, size_t dir_n, struct err *e)
{
	const char *part = n->path, *end = n->path + dir_n;

	while (part < end) {
		const char *slash = memchr(part, '/', (size_t)(end - part));
		size_t	    size = (size_t)(slash - part);

		if (begins(part, size, meta, META) && !is_opaque(part, size))
			return 1;
		if (begins(part, size, prefix, PREFIX))
			return refuse(n, "is below a whiteout", e);
		part = slash + 1;
	}
	return 0;
}

/* A file in the place of a directory. */
static int make_way(struct layers *l, const struct entry *n, struct err *e)
{
	bool dir;

	if (n->kind == ENTRY_DIR)
		return 0;
	if (zpl_write_is_dir(l->z, n->path, n->path_size, &dir, e) < 0)
		return -1;
	return dir ? zpl_write_remove_tree(l->z, n->path, n->path_size, NULL, e) : 0;
}

int layers_take(struct layers *l, const struct entry *n, struct err *e)
{
	size_t	    dir_n = n->path_size, name_n;
	const char *name;
	int	    rc;

	while (dir_n > 0 && n->path[dir_n - 1] != '/')
		dir_n--;
	name = n->path + dir_n;
	name_n = n->path_size - dir_n;
	rc = check_way(n, dir_n, e);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (is_opaque(name, name_n))
		return clear_dir(l, n, dir_n, e);
	if (begins(name, name_n, meta, META))
		return 0;
	if (begins(name, name_n, prefix, PREFIX))
		return take_away(l, n, dir_n, name + PREFIX, name_n - PREFIX, e);
	if (make_way(l, n, e) < 0)
		return -1;
	return idmap_put(&l->told, hash(n->path, n->path_size), 1, e) < 0 ? -1 : 1;
}
