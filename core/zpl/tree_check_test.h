/*
 * For tests: is what a file system says of itself true? Directories of their entries, the
 * accounts of users, groups and projects of the files, and the dataset of its blocks:
 * each summed a second time.
 */
#ifndef CORE_ZPL_TREE_CHECK_TEST_H
#define CORE_ZPL_TREE_CHECK_TEST_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/idmap.h"
#include "core/block/block_write.h"
#include "core/dmu/objset_read.h"
#include "core/dmu/zap_read.h"
#include "core/zpl/zpl_read.h"
#include "formats/base/limits.h"

/* Does the directory say of itself what is in it? */
struct checked_dir {
	struct zpl *z;
	uint64_t    object, entries, subdirs;
};

static int check_dirent(void *ctx, const struct zpl_dirent *d, struct err *e)
{
	struct checked_dir *c = ctx;
	struct zpl_attr	    a;

	cr_assert_eq(zpl_getattr(c->z, d->object, &a, e), 0);
	cr_assert_eq(a.mode >> 12, d->type);
	if (d->type == 4) {
		cr_assert_eq(a.parent, c->object);
		c->subdirs++;
	}
	c->entries++;
	return 0;
}

static inline void check_dirs(struct zpl *z)
{
	struct objset *os = zpl_objset(z);

	for (uint64_t n = 1; objset_next(os, &n, NULL) == 0; n++) {
		struct checked_dir c = { .z = z, .object = n };
		struct zpl_attr	   a;
		struct object	   o;
		bool		   dir;
		struct err	   e = { 0 };

		cr_assert_eq(object_open(os, n, &o, &e), 0, "%s", e.text);
		dir = o.dn.type == OT_DIRECTORY;
		object_close(&o);
		if (!dir)
			continue;
		cr_assert_eq(zpl_readdir(z, n, check_dirent, &c, &e), 0, "%s", e.text);
		cr_assert_eq(zpl_getattr(z, n, &a, &e), 0, "%s", e.text);
		cr_assert_eq(a.size, c.entries + 2);
		cr_assert_eq(a.links, c.subdirs + 2);
	}
}

/* What every user (group with `group`) owns, summed from the files themselves, against the
 * accounting object. */
struct checked_accounts {
	struct idmap bytes, objects;
	size_t	     listed;
};

static inline void tally_up(struct idmap *m, uint64_t id, uint64_t n)
{
	uint64_t before = 0;

	(void)idmap_get(m, id, &before);
	cr_assert_eq(idmap_put(m, id, before + n, NULL), 0);
}

static int check_account(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct checked_accounts *c = ctx;
	char			 name[64] = "";
	bool			 object;
	uint64_t		 want = 0, id;

	(void)e;
	memcpy(name, entry->name.p, entry->name.n);
	object = strncmp(name, "obj-", 4) == 0;
	id = strtoull(object ? name + 4 : name, NULL, 16);
	cr_assert(idmap_get(object ? &c->objects : &c->bytes, id, &want), "%s", name);
	cr_assert_eq(zap_entry_int(entry, 0), want, "%s: %llu, not %llu", name,
		     (unsigned long long)zap_entry_int(entry, 0), (unsigned long long)want);
	c->listed++;
	return 0;
}

static inline void check_accounts(struct zpl *z, uint64_t account)
{
	struct objset	       *os = zpl_objset(z);
	bool			objects = os->phys.flags & OBJSET_FLAG_USEROBJACCOUNTING;
	struct checked_accounts c = { 0 };
	struct err		e = { 0 };

	for (uint64_t n = 1; objset_next(os, &n, NULL) == 0; n++) {
		struct zpl_attr a = { 0 };
		struct object	o;
		uint64_t	id;

		cr_assert_eq(object_open(os, n, &o, &e), 0, "%s", e.text);
		if (o.dn.bonus_type == OT_SA || o.dn.bonus_type == OT_ZNODE) {
			cr_assert_eq(zpl_getattr(z, n, &a, &e), 0, "%s", e.text);
			id = account == OBJECT_USERUSED	   ? a.uid
			     : account == OBJECT_GROUPUSED ? a.gid
							   : 0;
			tally_up(&c.bytes, id, o.dn.used + 512);
			if (objects)
				tally_up(&c.objects, id, 1);
		}
		object_close(&o);
	}
	cr_assert_eq(zap_each_at(os, account, check_account, &c, &e), 0, "%s", e.text);
	cr_assert_eq(c.listed,
		     c.bytes.count + c.bytes.has_zero + c.objects.count + c.objects.has_zero);
	idmap_fini(&c.bytes);
	idmap_fini(&c.objects);
}

/* What the blocks of an object set cost, summed by a walk; every pointer must lead somewhere. */
static int add_block(void *ctx, const struct block_where *where, const struct blkptr *bp,
		     const struct err *failed, struct err *e)
{
	(void)e;
	cr_assert_null(failed, "object %llu: %s", (unsigned long long)where->object,
		       failed == NULL ? "" : failed->text);
	space_add(ctx, space_of(bp));
	return 0;
}

static inline void check_space(struct dataset *ds, struct objset *os)
{
	struct space sum = { 0 };

	cr_assert_eq(objset_visit(os, add_block, &sum, NULL), 0);
	cr_assert_eq(ds->phys.used, (uint64_t)sum.used);
	cr_assert_eq(ds->phys.compressed, (uint64_t)sum.comp);
	cr_assert_eq(ds->phys.uncompressed, (uint64_t)sum.uncomp);
	/* Txg 1 is the origin that every dataset is a clone of. */
	if (!ds->snapshot && ds->phys.prev_snap_txg <= 1)
		cr_assert_eq(ds->phys.unique, (uint64_t)sum.used);
}

static inline void check_all(struct dataset *ds, struct zpl *z)
{
	check_dirs(z);
	check_accounts(z, OBJECT_USERUSED);
	check_accounts(z, OBJECT_GROUPUSED);
	if (zpl_objset(z)->phys.flags & OBJSET_FLAG_PROJECTQUOTA)
		check_accounts(z, OBJECT_PROJECTUSED);
	check_space(ds, zpl_objset(z));
}

#endif
