/* Names that give way to others: links counted down, files and empty directories that go. */
#include "core/zpl/zpl_write_impl.h"

#include <stdlib.h>

#include "core/base/mem.h"

int zpl_write_link(struct zpl_write *z, uint64_t object, int64_t delta, struct err *e)
{
	uint64_t before = 0;

	(void)idmap_get(&z->more_links, object, &before);
	return idmap_put(&z->more_links, object, before + (uint64_t)delta, e);
}

/* Links of an object, those of this transaction included. */
static int count_links(struct zpl_write *z, uint64_t object, int64_t *links,
		       uint64_t *xattrs, struct err *e)
{
	struct dnode dn;
	uint64_t     more = 0;
	size_t	     at;

	/* An object of this transaction whose blocks are under way is not known to the set yet. */
	if (block_writer_drain(objset_write_writer(z->set), e) < 0 ||
	    objset_write_get(z->set, object, &dn, e) < 0)
		return -1;
	(void)idmap_get(&z->more_links, object, &more);
	at = node_links_offset(dn.bonus, z->sa);
	if (zpl_write_is_old(z, object)) {
		struct zpl_attr a;

		if (zpl_getattr(z->old, object, &a, e) < 0)
			return -1;
		if (entry_kind_of_mode(a.mode) == ENTRY_DIR)
			return err_set(e, ERR_CORRUPT,
				       "object %llu is a directory, its entry says not",
				       (unsigned long long)object);
		*links = (int64_t)a.links;
		*xattrs = a.xattr_object;
	} else {
		*links = (int64_t)get64(dn.bonus, at);
	}
	*links += (int64_t)more;
	return 0;
}

/* The attributes of an xattr directory: each a file that nothing else names. */
struct xattr_files {
	uint64_t *list;
	size_t	  count, cap;
};

static int note_xattr(void *ctx, const struct zpl_dirent *d, struct err *e)
{
	struct xattr_files *f = ctx;

	if (mem_grow(&f->list, &f->cap, f->count + 1, sizeof f->list[0], e) < 0)
		return -1;
	f->list[f->count++] = d->object;
	return 0;
}

static int drop_acl(struct zpl_write *z, uint64_t object, struct err *e)
{
	struct dnode dn;

	return objset_write_get(z->set, object, &dn, e) < 0 ? -1 : zpl_write_drop_acl(z, &dn, e);
}

static int drop_old(struct zpl_write *z, uint64_t object, struct err *e)
{
	if (zpl_account_old(z, object, e) < 0 || drop_acl(z, object, e) < 0)
		return -1;
	return objset_write_drop(z->set, object, e);
}

int zpl_write_drop_old_xattrs(struct zpl_write *z, uint64_t dir, struct err *e)
{
	struct xattr_files f = { 0 };
	int		   rc = zpl_readdir(z->old, dir, note_xattr, &f, e);

	for (size_t i = 0; rc == 0 && i < f.count; i++)
		rc = drop_old(z, f.list[i], e);
	if (rc == 0)
		rc = drop_old(z, dir, e);
	free(f.list);
	return rc < 0 ? err_in(e, "xattr directory %llu", (unsigned long long)dir) : 0;
}

/* One name less for an object; the last one takes it along. */
static int unlink_object(struct zpl_write *z, uint64_t object, struct err *e)
{
	struct dnode dn;
	int64_t	     links = 0;
	uint64_t     xattrs = 0;

	if (count_links(z, object, &links, &xattrs, e) < 0)
		return -1;
	if (links > 1)
		return zpl_write_link(z, object, -1, e);
	if (zpl_write_is_old(z, object)) {
		if (zpl_account_old(z, object, e) < 0 ||
		    (xattrs != 0 && zpl_write_drop_old_xattrs(z, xattrs, e) < 0))
			return -1;
	} else {
		if (zpl_write_drop_xattrs(z, object, e) < 0 ||
		    objset_write_get(z->set, object, &dn, e) < 0 || zpl_account_gone(z, &dn, e) < 0)
			return -1;
	}
	if (idmap_put(&z->more_links, object, 0, e) < 0 || drop_acl(z, object, e) < 0)
		return -1;
	return objset_write_drop(z->set, object, e);
}

int zpl_write_unlink(struct zpl_write *z, uint32_t dir, uint32_t entry, struct err *e)
{
	uint64_t object = names_entry(z->names, entry)->object;

	names_remove(z->names, entry);
	z->dirs[dir].changed = true;
	return unlink_object(z, object, e);
}

/* An empty directory goes away. */
int zpl_write_rmdir(struct zpl_write *z, uint32_t parent, uint32_t entry, const struct entry *in,
		    struct err *e)
{
	struct zpl_attr a = { 0 };
	uint32_t	index;
	uint64_t	object;

	if (zpl_write_subdir(z, entry, &index, e) < 0 || zpl_write_load_dir(z, index, e) < 0)
		return -1;
	if (names_dir(z->names, index)->count != 0)
		return zpl_write_err(e, in->path, in->path_size, ERR_EXISTS,
				     "is a directory that is not empty");
	object = z->dirs[index].object;
	names_remove(z->names, entry);
	z->dirs[parent].changed = true;
	z->dirs[index].changed = false; /* it will not be written */
	z->last_dir = NAMES_NONE;
	if (zpl_write_drop_xattrs(z, object, e) < 0)
		return -1;
	if (!z->dirs[index].old)
		return objset_write_remove(z->set, object, e);
	if (zpl_getattr(z->old, object, &a, e) < 0)
		return -1;
	/* Those of one that was named went then. */
	if (a.xattr_object != 0 && !z->dirs[index].named &&
	    zpl_write_drop_old_xattrs(z, a.xattr_object, e) < 0)
		return -1;
	return drop_old(z, object, e);
}

/* Makes room for a new entry of this name: a file gives way, a directory with entries does not. */
int zpl_write_way_for(struct zpl_write *z, uint32_t dir, struct part name, const struct entry *in,
		      struct err *e)
{
	uint32_t entry;

	if (zpl_write_find(z, dir, name, &entry, e) < 0)
		return -1;
	if (entry == NAMES_NONE)
		return 0;
	if (names_entry(z->names, entry)->type == DT_DIR)
		return zpl_write_rmdir(z, dir, entry, in, e);
	return zpl_write_unlink(z, dir, entry, e);
}

/* What is no directory gives way to one that an entry names; what merely lies on the way to another
 * entry does not. */
int zpl_write_way_for_dir(struct zpl_write *z, const struct entry *in, struct err *e)
{
	struct part name;
	uint32_t    dir, entry;

	if (in->path_size == 0)
		return 0;
	if (zpl_write_parent(z, in->path, in->path_size, true, &dir, &name, e) < 0 ||
	    zpl_write_find(z, dir, name, &entry, e) < 0)
		return -1;
	if (entry == NAMES_NONE || names_entry(z->names, entry)->type == DT_DIR)
		return 0;
	return zpl_write_unlink(z, dir, entry, e);
}
