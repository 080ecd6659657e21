/* Names that go: link counts, and objects whose last name went. */
#include "core/zpl/zpl_write_impl.h"

#include <stdlib.h>

#include "core/base/mem.h"

int zpl_write_change_links(struct zpl_write *z, uint64_t object, int64_t delta, struct err *e)
{
	uint64_t before = 0;

	(void)idmap_get(&z->more_links, object, &before);
	return idmap_put(&z->more_links, object, before + (uint64_t)delta, e);
}

/* Links of an object, those of this transaction included. */
static int count_links(struct zpl_write *z, uint64_t object, int64_t *links, uint64_t *xattrs, struct err *e)
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
		*xattrs = a.xattr_object;
		*links = (int64_t)a.links;
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

static int drop_old(struct zpl_write *z, uint64_t object, struct err *e)
{
	return zpl_account_old(z, object, e) < 0 ? -1 : objset_write_drop(z->set, object, e);
}

/* What a file takes along when it goes. */
static int drop_xattrs(struct zpl_write *z, uint64_t dir, struct err *e)
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

int zpl_write_unlink(struct zpl_write *z, uint64_t object, struct err *e)
{
	struct dnode dn;
	uint64_t     uid, gid, xattrs = 0;
	int64_t	     links = 0;

	if (count_links(z, object, &links, &xattrs, e) < 0)
		return -1;
	if (links > 1)
		return zpl_write_change_links(z, object, -1, e);
	if (zpl_write_is_old(z, object)) {
		if (zpl_account_old(z, object, e) < 0 || (xattrs != 0 && drop_xattrs(z, xattrs, e) < 0))
			return -1;
	} else {
		if (objset_write_get(z->set, object, &dn, e) < 0)
			return -1;
		node_owner(dn.bonus, z->sa, &uid, &gid);
		if (zpl_account(z, uid, gid, -(int64_t)(dn.used + dnode_size(&dn)), -1, e) < 0)
			return -1;
	}
	if (idmap_put(&z->more_links, object, 0, e) < 0)
		return -1;
	return objset_write_drop(z->set, object, e);
}
