/* Trees that go: whatever is in a directory, from the bottom up, but for what is to stay. */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/zpl/zpl_write_impl.h"

/* A directory on the way down. */
struct frame {
	uint32_t dir, entry; /* its index, and its entry in the frame above */
	uint32_t next;	     /* the entry that comes next */
	size_t	 path_n;
};

struct removal {
	struct zpl_write      *z;
	const struct zpl_keep *keep;
	struct frame	      *frames;
	size_t		       depth, cap;
	char		       path[ENTRY_PATH_MAX + 1];
	size_t		       path_n;
};

static bool stays(const struct removal *r)
{
	return r->keep != NULL && r->keep->keep(r->keep->ctx, r->path, r->path_n);
}

static int enter(struct removal *r, uint32_t dir, uint32_t entry, struct err *e)
{
	if (zpl_write_load_dir(r->z, dir, e) < 0 ||
	    mem_grow(&r->frames, &r->cap, r->depth + 1, sizeof r->frames[0], e) < 0)
		return -1;
	r->frames[r->depth++] = (struct frame){ .dir = dir,
						.entry = entry,
						.next = names_dir(r->z->names, dir)->first,
						.path_n = r->path_n };
	return 0;
}

/* The last directory is done with: it goes when it is empty, unless it stays or is the first. */
static int leave(struct removal *r, struct err *e)
{
	struct frame f = r->frames[--r->depth];
	struct entry in = { .kind = ENTRY_DIR, .path = r->path, .path_size = f.path_n };

	r->path_n = f.path_n;
	if (r->depth == 0 || stays(r) || names_dir(r->z->names, f.dir)->count != 0)
		return 0;
	return zpl_write_rmdir(r->z, r->frames[r->depth - 1].dir, f.entry, &in, e);
}

static int set_path(struct removal *r, const struct frame *f, const struct name_entry *x,
		    struct err *e)
{
	size_t n = f->path_n;

	if (x->name_size + (size_t)1 > ENTRY_PATH_MAX - n)
		return zpl_write_err(e, r->path, n, ERR_REFUSED,
				     "holds a path that is longer than 4095 bytes");
	if (n > 0)
		r->path[n++] = '/';
	memcpy(r->path + n, names_text(r->z->names, x), x->name_size);
	r->path_n = n + x->name_size;
	return 0;
}

static int step(struct removal *r, struct err *e)
{
	struct frame	 *f = &r->frames[r->depth - 1];
	uint32_t	  entry = f->next, dir;
	struct name_entry x;

	if (entry == NAMES_NONE)
		return leave(r, e);
	x = *names_entry(r->z->names, entry);
	f->next = x.next;
	if (x.object == 0)
		return 0;
	if (set_path(r, f, &x, e) < 0)
		return -1;
	if (x.type == DT_DIR)
		return zpl_write_subdir(r->z, entry, &dir, e) < 0 ? -1 : enter(r, dir, entry, e);
	return stays(r) ? 0 : zpl_write_unlink(r->z, f->dir, entry, e);
}

int zpl_write_clear(struct zpl_write *z, const char *path, size_t n, const struct zpl_keep *keep,
		    struct err *e)
{
	struct removal *r;
	uint32_t	dir;
	int		rc;

	if (zpl_write_walk(z, path, n, false, &dir, e) < 0)
		return -1;
	r = mem_zero(sizeof *r, e);
	if (r == NULL)
		return -1;
	r->z = z;
	r->keep = keep;
	memcpy(r->path, path, n);
	r->path_n = n;
	rc = enter(r, dir, NAMES_NONE, e);
	while (rc == 0 && r->depth > 0)
		rc = step(r, e);
	/* It may be gone now. */
	z->last_dir = NAMES_NONE;
	free(r->frames);
	free(r);
	return rc;
}

/* A directory: what is in it, then itself. */
static int remove_tree(struct zpl_write *z, uint32_t parent, uint32_t entry, const struct entry *in,
		       const struct zpl_keep *keep, struct err *e)
{
	uint32_t dir;

	if (zpl_write_clear(z, in->path, in->path_size, keep, e) < 0 ||
	    zpl_write_subdir(z, entry, &dir, e) < 0)
		return -1;
	if (names_dir(z->names, dir)->count != 0)
		return 0;
	return zpl_write_rmdir(z, parent, entry, in, e);
}

int zpl_write_remove_tree(struct zpl_write *z, const char *path, size_t n,
			  const struct zpl_keep *keep, struct err *e)
{
	struct entry in = { .kind = ENTRY_DIR, .path = path, .path_size = n };
	uint32_t     dir, entry;

	if (zpl_write_lookup(z, path, n, &dir, &entry, e) < 0)
		return -1;
	if (keep != NULL && keep->keep(keep->ctx, path, n))
		return names_entry(z->names, entry)->type == DT_DIR
			       ? zpl_write_clear(z, path, n, keep, e)
			       : 0;
	if (names_entry(z->names, entry)->type != DT_DIR)
		return zpl_write_unlink(z, dir, entry, e);
	return remove_tree(z, dir, entry, &in, keep, e);
}

int zpl_write_is_dir(struct zpl_write *z, const char *path, size_t n, bool *yes, struct err *e)
{
	struct part name;
	struct err  why = { 0 };
	uint32_t    dir, entry;

	*yes = n == 0;
	if (n == 0)
		return 0;
	if (zpl_write_parent(z, path, n, false, &dir, &name, &why) < 0) {
		if (why.kind == ERR_NOTFOUND || why.kind == ERR_EXISTS)
			return 0;
		if (e != NULL)
			*e = why;
		return -1;
	}
	if (zpl_write_find(z, dir, name, &entry, e) < 0)
		return -1;
	*yes = entry != NAMES_NONE && names_entry(z->names, entry)->type == DT_DIR;
	return 0;
}
