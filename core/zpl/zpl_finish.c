/*
 * The beginning and the end of writing a file system: opening it, and what is known only when every
 * entry has come: link counts, and in files of their own directories, accounts, lists.
 */
#include "core/zpl/zpl_write_impl.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/pool/layout.h"
#include "formats/base/limits.h"

enum { ZPL_VERSION_SA = 5 }; /* sys/fs/zfs.h, ZPL_VERSION_SA */

/* -- making and opening ------------------------------------------------------------------------ */

void zpl_write_free(struct zpl_write *z)
{
	if (z == NULL)
		return;
	for (size_t i = 0; z->names != NULL && i < names_dir_count(z->names); i++) {
		free(z->dirs[i].xattrs);
		free(z->dirs[i].aces);
	}
	free(z->dirs);
	names_free(z->names);
	idmap_fini(&z->more_links);
	xattr_dirs_fini(&z->xattr_dirs);
	zpl_late_fini(&z->late);
	zpl_write_master_fini(z);
	tallies_fini(&z->users);
	tallies_fini(&z->groups);
	tallies_fini(&z->projects);
	zpl_close(z->old);
	free(z->spill);
	free(z);
}

/* The old znode has its fixed place in a dnode of 512 bytes. */
static void set_sizes(struct zpl_write *z)
{
	z->dnode_size =
		z->sa ? store_policy_dnode_size(objset_write_policy(z->set)) : DNODE_MIN_SIZE;
}

static int new_writer(struct dataset_write *d, const struct zpl_write_options *o,
		      struct zpl_write **out, struct err *e)
{
	struct zpl_write *z = mem_zero(sizeof *z, e);
	uint64_t	  flags;

	if (z == NULL)
		return -1;
	z->d = d;
	z->set = dataset_write_objset(d);
	z->o = *o;
	z->sa = true;
	node_layouts_init(&z->layouts, NULL);
	set_sizes(z);
	z->last_dir = NAMES_NONE;
	z->newest = (struct entry_time){ INT64_MIN, 0 };
	flags = objset_write_phys(z->set)->flags;
	if (flags & OBJSET_FLAG_USERACCOUNTING)
		z->dnode_flags |= DNODE_FLAG_USERUSED_ACCOUNTED;
	if (flags & OBJSET_FLAG_USEROBJACCOUNTING)
		z->dnode_flags |= DNODE_FLAG_USEROBJ_ACCOUNTED;
	z->names = names_new(e);
	z->spill = mem_raw(NODE_SPILL_MAX, e);
	if (z->names == NULL || z->spill == NULL) {
		zpl_write_free(z);
		return -1;
	}
	*out = z;
	return 0;
}

int zpl_write_create(struct dataset_write *d, const struct zpl_write_options *o,
		     struct zpl_write **out, struct err *e)
{
	struct zpl_write *z;

	if (new_writer(d, o, &z, e) < 0)
		return -1;
	if (z->o.version == 0)
		z->o.version = pool_layout_of(pool_tx_version(dataset_write_tx(d))).zpl_version;
	z->sa = z->o.version >= ZPL_VERSION_SA;
	/* As zfs create: forms are defined for UTF-8 only. */
	if (z->o.normalization != 0)
		z->o.utf8only = true;
	set_sizes(z);
	names_fold(z->names, z->o.casesensitivity == ZPL_CASE_INSENSITIVE);
	if (zpl_write_make_objects(z, e) < 0) {
		zpl_write_free(z);
		return -1;
	}
	*out = z;
	return 0;
}

static int open_old(struct zpl_write *z, struct err *e)
{
	uint32_t root;

	if (zpl_open_set(objset_write_old(z->set), dataset_write_name(z->d), &z->old, e) < 0)
		return -1;
	z->sa = zpl_version(z->old) >= ZPL_VERSION_SA;
	set_sizes(z);
	if (zpl_write_settings(z, e) < 0)
		return -1;
	names_fold(z->names, z->o.casesensitivity == ZPL_CASE_INSENSITIVE);
	if (zpl_version(z->old) < ZPL_VERSION_FIRST)
		return err_set(e, ERR_UNSUPPORTED, "ZPL version %llu can only be read",
			       (unsigned long long)zpl_version(z->old));
	node_layouts_init(&z->layouts, z->old->sa);
	if (zpl_write_new_dir(z, 0, zpl_root(z->old), &root, e) < 0)
		return -1;
	z->dirs[root].old = true;
	z->dirs[root].changed = false;
	return 0;
}

int zpl_write_open(struct dataset_write *d, const struct zpl_write_options *o,
		   struct zpl_write **out, struct err *e)
{
	struct zpl_write *z;

	if (new_writer(d, o, &z, e) < 0)
		return -1;
	if (open_old(z, e) < 0) {
		zpl_write_free(z);
		return -1;
	}
	*out = z;
	return 0;
}

bool zpl_write_is_old(const struct zpl_write *z, uint64_t object)
{
	const struct objset *os = objset_write_old(z->set);

	/* New numbers come from dnode blocks of their own. */
	return os != NULL && object < os->object_limit;
}

/* -- link counts ------------------------------------------------------------------------------- */

struct late_link {
	uint64_t object;
	int64_t	 more;
};

static int by_object(const void *a, const void *b)
{
	const struct late_link *x = a, *y = b;

	return x->object < y->object ? -1 : x->object > y->object;
}

/* Where `links` stands in the bonus of an object, old or new. */
static int links_offset(struct zpl_write *z, uint64_t object, struct bytes bonus, size_t *out,
			struct err *e)
{
	struct zpl_node n;

	if (!z->sa || !zpl_write_is_old(z, object)) {
		*out = node_links_offset(bonus, z->sa);
		return 0;
	}
	if (zpl_node_open(z->old, object, &n, e) < 0)
		return -1;
	*out = bonus.n;
	if (n.attr[ZPL_LINKS].p != NULL)
		*out = (size_t)(n.attr[ZPL_LINKS].p - n.o.dn.bonus.p);
	zpl_node_close(&n);
	return 0;
}

static int add_links(struct zpl_write *z, const struct late_link *l, struct err *e)
{
	uint8_t	     bonus[DNODE_BONUS_MAX];
	struct dnode dn;
	size_t	     at;

	if (objset_write_get(z->set, l->object, &dn, e) < 0 ||
	    links_offset(z, l->object, dn.bonus, &at, e) < 0)
		return -1;
	if (dn.bonus.n < 8 || at > dn.bonus.n - 8)
		return err_set(e, ERR_UNSUPPORTED,
			       "object %llu keeps its link count in a spill block",
			       (unsigned long long)l->object);
	memcpy(bonus, dn.bonus.p, dn.bonus.n);

	struct wbytes w = wbytes_of(bonus, dn.bonus.n, dn.bonus.order);

	put64(w, at, get64(dn.bonus, at) + (uint64_t)l->more);
	dn.bonus = wbytes_view(w);
	return objset_write_put(z->set, l->object, &dn, e);
}

/* In ascending order of objects, so that a dnode block comes back once. */
static int write_links(struct zpl_write *z, struct err *e)
{
	struct late_link *list = mem_array(z->more_links.count + 1, sizeof *list, e);
	size_t		  at = 0, n = 0;
	uint64_t	  object, more;
	int		  rc = 0;

	if (list == NULL)
		return -1;
	while (idmap_next(&z->more_links, &at, &object, &more)) {
		if (more != 0)
			list[n++] = (struct late_link){ object, (int64_t)more };
	}
	qsort(list, n, sizeof *list, by_object);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = add_links(z, &list[i], e);
	free(list);
	return rc;
}

/* -- the end ----------------------------------------------------------------------------------- */

int zpl_write_finish(void *self, struct err *e)
{
	struct zpl_write    *z = self;
	struct block_writer *w = objset_write_writer(z->set);

	if (zpl_late_resolve(z, e) < 0 || block_writer_drain(w, e) < 0 || write_links(z, e) < 0 ||
	    zpl_write_dirs(z, e) < 0 || zpl_write_layouts(z, e) < 0 || zpl_write_master(z, e) < 0 ||
	    block_writer_drain(w, e) < 0)
		return -1;
	return zpl_write_accounts(z, e);
}
