/*
 * The beginning and the end of writing a file system: opening it, and what is known only when every
 * entry has come: link counts, directories, accounts.
 */
#include "core/zpl/zpl_write_impl.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
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
	z->bonus_max = z->dnode_size - DNODE_CORE_SIZE - BLKPTR_SIZE;
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
		z->o.version = ZPL_VERSION_SA;
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
	if (zpl_version(z->old) < 3)
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

/* -- directories ------------------------------------------------------------------------------- */

/* The directory's entries as ZAP items; values behind them in the same piece of memory. */
static int dir_items(struct zpl_write *z, uint32_t index, struct zap_item **out, struct err *e)
{
	struct names_dir *d = names_dir(z->names, index);
	struct zap_item	 *items = mem_array(d->count + 1, sizeof *items + sizeof(uint64_t), e);
	uint64_t	 *values;
	size_t		  n = 0;

	if (items == NULL)
		return -1;
	values = (uint64_t *)(items + d->count);
	for (uint32_t i = d->first; i != NAMES_NONE; i = names_entry(z->names, i)->next) {
		const struct name_entry *x = names_entry(z->names, i);

		if (x->object == 0)
			continue;
		values[n] = dirent_value(x->type, x->object);
		items[n] = (struct zap_item){ .cd_new = true,
					      .int_size = 8,
					      .name_size = x->name_size,
					      .name = names_text(z->names, x),
					      .value_count = 1,
					      .value = &values[n] };
		n++;
	}
	*out = items;
	return 0;
}

/* What no entry names gets the time that we were given, or the newest that was seen. */
static void default_times(struct zpl_write *z, struct node *n)
{
	struct entry_time t = z->newest;

	if (z->o.time_given || t.sec == INT64_MIN ||
	    (z->o.time > 0 && t.sec < (int64_t)z->o.time))
		t = (struct entry_time){ (int64_t)z->o.time, 0 };
	n->atime = n->mtime = n->ctime = n->crtime = t;
}

static int write_new_dir(struct zpl_write *z, uint32_t index, struct zap_item *items, struct err *e)
{
	struct dir_write  *d = &z->dirs[index];
	struct names_dir  *names = names_dir(z->names, index);
	struct node_packed packed;
	struct object_spec spec = { .number = d->object, .type = OT_DIRECTORY };
	struct zap_head head = { .salt = pool_tx_salt(dataset_write_tx(z->d), "dir", d->object) | 1,
				 .normflags = zpl_normflags(z) };

	if (!d->named) {
		default_times(z, &d->node);
		d->node.gen = pool_tx_txg(dataset_write_tx(z->d));
		if (index == 0) {
			d->node.mode = node_mode(ENTRY_DIR, z->o.root_mode);
			d->node.uid = z->o.root_uid;
			d->node.gid = z->o.root_gid;
		}
	}
	d->node.parent = z->dirs[d->parent].object;
	d->node.links = 2 + names->subdirs;
	d->node.size = 2 + names->count;
	if (zpl_write_pack(z, &d->node, &packed, &spec, e) < 0 ||
	    zpl_hash_items(&head, items, names->count, e) < 0)
		return -1;
	return zap_write(z->set, &spec, &head, items, names->count, true, e);
}

/* Size, links and times of a directory that was there before, changed where they stand. */
static int patch_old(struct zpl_write *z, struct zpl_node *n, uint32_t index, uint8_t *bonus,
		     struct err *e)
{
	struct names_dir *names = names_dir(z->names, index);
	struct wbytes	  w = wbytes_of(bonus, n->o.dn.bonus.n, n->o.dn.bonus.order);
	const uint8_t	 *base = n->o.dn.bonus.p;
	uint64_t	  now = pool_tx_time(dataset_write_tx(z->d));
	const struct {
		enum zpl_attr_id id;
		size_t		 old_offset; /* in a znode */
		uint64_t	 value;
	} patches[] = {
		{ ZPL_SIZE, 0x50, 2 + names->count },
		{ ZPL_LINKS, 0x60, 2 + names->subdirs },
		{ ZPL_MTIME, 0x10, now },
		{ ZPL_CTIME, 0x20, now },
	};
	bool is_time;

	memcpy(bonus, base, n->o.dn.bonus.n);
	for (size_t i = 0; i < sizeof patches / sizeof patches[0]; i++) {
		uintptr_t p = (uintptr_t)n->attr[patches[i].id].p; /* perhaps not in the bonus */
		size_t	  at = n->is_sa ? p - (uintptr_t)base : patches[i].old_offset;

		is_time = patches[i].id == ZPL_MTIME || patches[i].id == ZPL_CTIME;
		if (n->is_sa && (p == 0 || at > n->o.dn.bonus.n - (is_time ? 16 : 8)))
			return err_set(e, ERR_UNSUPPORTED,
				       "object %llu keeps its attributes in a spill block",
				       (unsigned long long)n->o.number);
		put64(w, at, patches[i].value);
		if (is_time)
			put64(w, at + 8, 0); /* nanoseconds */
	}
	return 0;
}

static int write_old_dir(struct zpl_write *z, uint32_t index, struct zap_item *items, struct err *e)
{
	struct dir_write *d = &z->dirs[index];
	uint8_t		  bonus[DNODE_BONUS_MAX];
	struct zap_head	  head;
	struct zpl_node	  n;
	int		  rc = -1;

	if (zpl_node_open(z->old, d->object, &n, e) < 0)
		return -1;

	struct object_spec spec = {
		.number = d->object,
		.type = OT_DIRECTORY,
		.bonus_type = n.o.dn.bonus_type,
		.flags = (n.o.dn.flags & ~DNODE_FLAG_USED_BYTES) | z->dnode_flags,
		.dnode_size = (uint32_t)dnode_size(&n.o.dn),
		.bonus = bytes_of(bonus, n.o.dn.bonus.n, n.o.dn.bonus.order),
		.replace = true,
		.settled = zpl_settled,
		.ctx = z,
	};

	if (zpl_node_spill(&n, e) < 0)
		goto out;
	if (n.spill != NULL)
		spec.spill = n.spill->bytes;
	if (patch_old(z, &n, index, bonus, e) < 0 || zap_head_of(&n.o, &head, e) < 0)
		goto out;
	if (zpl_hash_items(&head, items, names_dir(z->names, index)->count, e) < 0 ||
	    zpl_account_old(z, d->object, e) < 0)
		goto out;
	rc = zap_write(z->set, &spec, &head, items, names_dir(z->names, index)->count, true, e);
out:
	zpl_node_close(&n);
	return rc;
}

static int write_dirs(struct zpl_write *z, struct err *e)
{
	for (uint32_t i = 0; i < names_dir_count(z->names); i++) {
		struct zap_item *items;
		int		 rc;

		if (!z->dirs[i].changed)
			continue;
		if (dir_items(z, i, &items, e) < 0)
			return -1;
		rc = z->dirs[i].old ? write_old_dir(z, i, items, e) : write_new_dir(z, i, items, e);
		free(items);
		if (rc < 0)
			return -1;
	}
	return 0;
}

int zpl_write_finish(void *self, struct err *e)
{
	struct zpl_write    *z = self;
	struct block_writer *w = objset_write_writer(z->set);

	if (zpl_late_resolve(z, e) < 0 || block_writer_drain(w, e) < 0 || write_links(z, e) < 0 ||
	    write_dirs(z, e) < 0 || zpl_write_layouts(z, e) < 0 || zpl_write_master(z, e) < 0 ||
	    block_writer_drain(w, e) < 0)
		return -1;
	return zpl_write_accounts(z, e);
}
