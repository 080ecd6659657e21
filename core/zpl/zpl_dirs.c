/*
 * Directories: what entries say of them; and writing them, when everything that is in them is
 * known. One that was there before keeps its object: its attributes stay where they are, or, when
 * an entry names it, are packed anew.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/zpl/zpl_write_impl.h"
#include "formats/znode.h"

/* What a directory has that no entry says: attributes of DOS and illumos, and the like. */
#define FLAGS_KEPT (UINT64_MAX << 32 & ~ZNODE_PROJID_FLAG)

/* -- what an entry says ------------------------------------------------------------------------ */

/* The entry's ACL outlives it: the directory is written at the end. */
static int keep_acl(struct dir_write *d, const struct entry *in, struct err *e)
{
	free(d->aces);
	d->aces = NULL;
	if (in->aces == NULL)
		return 0;
	d->aces = mem_array(in->ace_count + 1, sizeof *in->aces, e);
	if (d->aces == NULL)
		return -1;
	memcpy(d->aces, in->aces, in->ace_count * sizeof *in->aces);
	d->node.aces = d->aces;
	return 0;
}

/*
 * One that was there before stays the same directory, born when it was, and loses what the entry
 * replaces. Its entries are needed to write it.
 */
static int take_over(struct zpl_write *z, uint32_t index, const struct entry *in, struct node *n,
		     struct err *e)
{
	struct zpl_attr a;

	if (zpl_write_load_dir(z, index, e) < 0 ||
	    zpl_getattr(z->old, z->dirs[index].object, &a, e) < 0)
		return -1;
	n->gen = a.gen;
	n->flags = a.flags & FLAGS_KEPT;
	if (!in->have_crtime)
		n->crtime = a.crtime;
	if (z->dirs[index].named || a.xattr_object == 0)
		return 0;
	return zpl_write_drop_old_xattrs(z, a.xattr_object, e);
}

int zpl_write_dir_entry(struct zpl_write *z, const struct entry *in, struct err *e)
{
	struct dir_write *d;
	struct node	  node;
	uint32_t	  dir;

	if (zpl_write_way_for_dir(z, in, e) < 0 ||
	    zpl_write_walk(z, in->path, in->path_size, true, &dir, e) < 0 ||
	    zpl_write_node(z, in, 0, &node, e) < 0)
		return -1;
	d = &z->dirs[dir];
	if ((d->old && take_over(z, dir, in, &node, e) < 0) ||
	    zpl_write_drop_xattrs(z, d->object, e) < 0)
		return -1;
	free(d->xattrs);
	d->xattrs = NULL;
	d->node = node;
	d->named = d->changed = true;
	z->counts.directories++;
	return keep_acl(d, in, e) < 0 ? -1
				      : zpl_write_xattrs(z, in, d->object, &d->node, &d->xattrs, e);
}

/* -- writing ----------------------------------------------------------------------------------- */

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

/* What no entry names gets the time that we were given, or the newest that we saw. */
static void default_times(struct zpl_write *z, struct node *n)
{
	struct entry_time t = z->newest;

	if (z->o.time_given || t.sec == INT64_MIN ||
	    (z->o.time > 0 && t.sec < (int64_t)z->o.time))
		t = (struct entry_time){ (int64_t)z->o.time, 0 };
	n->atime = n->mtime = n->ctime = n->crtime = t;
}

/* The attributes of one that is new, or named. */
static int pack(struct zpl_write *z, uint32_t index, struct node_packed *packed,
		struct object_spec *spec, struct err *e)
{
	struct dir_write *d = &z->dirs[index];

	d->node.parent = z->dirs[d->parent].object;
	d->node.links = 2 + names_dir(z->names, index)->subdirs;
	d->node.size = 2 + names_dir(z->names, index)->count;
	return zpl_write_acl(z, &d->node, e) < 0 ? -1
						 : zpl_write_pack(z, &d->node, packed, spec, e);
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
	if (pack(z, index, &packed, &spec, e) < 0)
		return -1;
	return zap_write(z->set, &spec, &head, items, names->count, e);
}

/*
 * Size, links and times of a directory that was there before, changed where they stand. In a new
 * pool, whose time is not known yet, nothing happened to it after its entry was read.
 */
static int patch(struct zpl_write *z, struct zpl_node *n, uint32_t index, uint8_t *bonus,
		 struct err *e)
{
	struct names_dir *names = names_dir(z->names, index);
	struct pool_tx	 *tx = dataset_write_tx(z->d);
	struct wbytes	  w = wbytes_of(bonus, n->o.dn.bonus.n, n->o.dn.bonus.order);
	const uint8_t	 *base = n->o.dn.bonus.p;
	const struct {
		enum zpl_attr_id id;
		size_t		 old_offset; /* in a znode */
		uint64_t	 value;
		bool		 is_time;
	} patches[] = {
		{ ZPL_SIZE, 0x50, 2 + names->count, false },
		{ ZPL_LINKS, 0x60, 2 + names->subdirs, false },
		{ ZPL_MTIME, 0x10, pool_tx_time(tx), true },
		{ ZPL_CTIME, 0x20, pool_tx_time(tx), true },
	};

	memcpy(bonus, base, n->o.dn.bonus.n);
	for (size_t i = 0; i < sizeof patches / sizeof patches[0]; i++) {
		uintptr_t p = (uintptr_t)n->attr[patches[i].id].p; /* perhaps not in the bonus */
		size_t	  at = n->is_sa ? p - (uintptr_t)base : patches[i].old_offset;

		if (patches[i].is_time && pool_tx_pool(tx) == NULL)
			continue;
		if (n->is_sa && (p == 0 || at > n->o.dn.bonus.n - (patches[i].is_time ? 16 : 8)))
			return err_set(e, ERR_UNSUPPORTED,
				       "object %llu keeps its attributes in a spill block",
				       (unsigned long long)n->o.number);
		put64(w, at, patches[i].value);
		if (patches[i].is_time)
			put64(w, at + 8, 0); /* nanoseconds */
	}
	return 0;
}

/* The attributes that it has, but for what follows from its entries. */
static int keep_attributes(struct zpl_write *z, struct zpl_node *n, uint32_t index, uint8_t *bonus,
			   struct object_spec *spec, struct err *e)
{
	if (zpl_node_spill(n, e) < 0)
		return -1;
	if (n->spill != NULL)
		spec->spill = n->spill->bytes;
	spec->bonus_type = n->o.dn.bonus_type;
	spec->flags = (n->o.dn.flags & ~DNODE_FLAG_USED_BYTES) | z->dnode_flags;
	spec->bonus = bytes_of(bonus, n->o.dn.bonus.n, n->o.dn.bonus.order);
	return patch(z, n, index, bonus, e);
}

/* Those that an entry gives it; an ACL that was elsewhere goes. */
static int new_attributes(struct zpl_write *z, struct zpl_node *n, uint32_t index,
			  struct node_packed *packed, struct object_spec *spec, struct err *e)
{
	return zpl_write_drop_acl(z, &n->o.dn, e) < 0 ? -1 : pack(z, index, packed, spec, e);
}

static int write_old_dir(struct zpl_write *z, uint32_t index, struct zap_item *items, struct err *e)
{
	struct dir_write  *d = &z->dirs[index];
	size_t		   count = names_dir(z->names, index)->count;
	struct node_packed packed;
	struct zap_head	   head;
	struct zpl_node	   n;
	int		   rc;

	if (zpl_node_open(z->old, d->object, &n, e) < 0)
		return -1;

	struct object_spec spec = {
		.number = d->object,
		.type = OT_DIRECTORY,
		.dnode_size = (uint32_t)dnode_size(&n.o.dn),
		.replace = true,
		.settled = zpl_settled,
		.ctx = z,
	};

	rc = d->named ? new_attributes(z, &n, index, &packed, &spec, e)
		      : keep_attributes(z, &n, index, packed.bonus, &spec, e);
	if (rc == 0)
		rc = zap_head_of(&n.o, &head, e);
	if (rc == 0)
		rc = zpl_account_old(z, d->object, e);
	if (rc == 0)
		rc = zap_write(z->set, &spec, &head, items, count, e);
	zpl_node_close(&n);
	return rc;
}

int zpl_write_dirs(struct zpl_write *z, struct err *e)
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

