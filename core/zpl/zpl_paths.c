/* Paths of a file system being written: directories that are made, and those of old that are read
 * when first looked into. */
#include "core/zpl/zpl_write_impl.h"

#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

int zpl_write_err(struct err *e, const char *path, size_t n, enum err_kind kind, const char *what)
{
	char	    quoted[512];
	struct text t = text_in(quoted, sizeof quoted);

	text_name(&t, path, n);
	return err_set(e, kind, "%s: %s", quoted, what);
}

int zpl_write_new_dir(struct zpl_write *z, uint32_t parent, uint64_t object, uint32_t *index,
		      struct err *e)
{
	/* Room first: as many directories as there are indices get freed. */
	if (mem_grow(&z->dirs, &z->dir_cap, names_dir_count(z->names) + 1, sizeof z->dirs[0],
		     e) < 0 ||
	    names_new_dir(z->names, index, e) < 0)
		return -1;
	z->dirs[*index] = (struct dir_write){ .object = object, .parent = parent, .changed = true };
	z->dirs[*index].node.mode = node_mode(ENTRY_DIR, 0755);
	return 0;
}

static int old_entry(void *ctx, const struct zpl_dirent *d, struct err *e)
{
	struct load {
		struct zpl_write *z;
		uint32_t	  dir;
	} *l = ctx;
	unsigned	type = d->type;
	struct zpl_attr a;
	uint32_t	entry;

	if (d->object == 0 || names_find(l->z->names, l->dir, d->name, d->name_size) != NAMES_NONE)
		return err_set(e, ERR_CORRUPT, "directory %llu has an entry twice, or of nothing",
			       (unsigned long long)l->z->dirs[l->dir].object);
	/* Entries that were made by the first version of the ZPL do not say what they are. */
	if (type == 0) {
		if (zpl_getattr(l->z->old, d->object, &a, e) < 0)
			return -1;
		type = (unsigned)(a.mode >> 12 & 0xf);
	}
	return names_add(l->z->names, l->dir, d->name, d->name_size, d->object, type, &entry, e);
}

/* A directory that was there before gives its entries when one of them is first looked for. */
int zpl_write_load_dir(struct zpl_write *z, uint32_t index, struct err *e)
{
	struct load {
		struct zpl_write *z;
		uint32_t	  dir;
	} l = { z, index };

	if (!z->dirs[index].old || z->dirs[index].loaded)
		return 0;
	z->dirs[index].loaded = true;
	return zpl_readdir(z->old, z->dirs[index].object, old_entry, &l, e);
}

int zpl_write_find(struct zpl_write *z, uint32_t dir, struct part name, uint32_t *entry,
		   struct err *e)
{
	if (zpl_write_load_dir(z, dir, e) < 0)
		return -1;
	*entry = names_find(z->names, dir, name.p, name.n);
	return 0;
}

/* The directory that an entry of type DT_DIR names. */
int zpl_write_subdir(struct zpl_write *z, uint32_t entry, uint32_t *index, struct err *e)
{
	struct name_entry *x = names_entry(z->names, entry);

	if (x->subdir == NAMES_NONE) {
		if (zpl_write_new_dir(z, x->dir, x->object, index, e) < 0)
			return -1;
		z->dirs[*index].old = true;
		z->dirs[*index].changed = false;
		names_entry(z->names, entry)->subdir = *index;
	}
	*index = names_entry(z->names, entry)->subdir;
	return 0;
}

static int make_dir(struct zpl_write *z, uint32_t parent, struct part name, uint32_t *index,
		    struct err *e)
{
	uint64_t object;
	uint32_t entry;

	if (zpl_write_alloc(z, OBJECT_SETTLES_LATE, &object, e) < 0 ||
	    zpl_write_new_dir(z, parent, object, index, e) < 0 ||
	    names_add(z->names, parent, name.p, name.n, object, DT_DIR, &entry, e) < 0)
		return -1;
	names_entry(z->names, entry)->subdir = *index;
	z->dirs[parent].changed = true;
	return 0;
}

/* The next part of a path; false at its end. */
static bool next_part(const char **p, const char *end, struct part *out)
{
	if (*p >= end)
		return false;

	const char *slash = memchr(*p, '/', (size_t)(end - *p));

	out->p = *p;
	out->n = (size_t)((slash != NULL ? slash : end) - *p);
	*p = slash != NULL ? slash + 1 : end;
	return true;
}

/* The directory of this path; with `make`, missing ones are made. */
int zpl_write_walk(struct zpl_write *z, const char *path, size_t n, bool make, uint32_t *dir,
		   struct err *e)
{
	const char *p = path;
	struct part part;
	uint32_t    entry;

	if (n == z->last_size && z->last_dir != NAMES_NONE && memcmp(path, z->last_path, n) == 0) {
		*dir = z->last_dir;
		return 0;
	}
	*dir = ROOT_DIR;
	while (next_part(&p, path + n, &part)) {
		size_t upto = (size_t)(part.p - path) + part.n;

		if (zpl_write_find(z, *dir, part, &entry, e) < 0)
			return -1;
		if (entry == NAMES_NONE && !make)
			return zpl_write_err(e, path, upto, ERR_NOTFOUND, "no such directory");
		if (entry == NAMES_NONE) {
			if (zpl_write_check_name(z, path, upto, part, e) < 0 ||
			    make_dir(z, *dir, part, dir, e) < 0)
				return -1;
		} else if (names_entry(z->names, entry)->type != DT_DIR) {
			return zpl_write_err(e, path, upto, ERR_EXISTS, "not a directory");
		} else if (zpl_write_subdir(z, entry, dir, e) < 0) {
			return -1;
		}
	}
	if (n < sizeof z->last_path) {
		memcpy(z->last_path, path, n);
		z->last_size = n;
		z->last_dir = *dir;
	}
	return 0;
}

/* Splits a path into its directory (made if need be) and its last part. */
int zpl_write_parent(struct zpl_write *z, const char *path, size_t n, bool make, uint32_t *dir,
		     struct part *name, struct err *e)
{
	size_t at = n;

	while (at > 0 && path[at - 1] != '/')
		at--;
	*name = (struct part){ path + at, n - at };
	if (make && zpl_write_check_name(z, path, n, *name, e) < 0)
		return -1;
	if (name->n == 0)
		return zpl_write_err(e, path, n, ERR_UNSUPPORTED, "the root directory is no file");
	return zpl_write_walk(z, path, at > 0 ? at - 1 : 0, make, dir, e);
}

int zpl_write_lookup(struct zpl_write *z, const char *path, size_t n, uint32_t *dir,
		     uint32_t *entry, struct err *e)
{
	struct part name;

	if (zpl_write_parent(z, path, n, false, dir, &name, e) < 0 ||
	    zpl_write_find(z, *dir, name, entry, e) < 0)
		return -1;
	return *entry != NAMES_NONE ? 0
				    : zpl_write_err(e, path, n, ERR_NOTFOUND, "no such file");
}
