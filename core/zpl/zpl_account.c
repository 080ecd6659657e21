/*
 * Who owns how much: the user, group and project accounting objects.
 * Source: OpenZFS dmu_objset.c (do_userquota_update, userquota_updates_task), zfs_quota.c.
 */
#include "core/zpl/zpl_write_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

enum { DEFAULT_PROJECT = 0 };

void tallies_fini(struct tallies *t)
{
	free(t->list);
	idmap_fini(&t->index);
	*t = (struct tallies){ 0 };
}

static int tally(struct tallies *t, uint64_t id, int64_t bytes, int objects, struct err *e)
{
	uint64_t at;

	if (!idmap_get(&t->index, id, &at)) {
		at = t->count;
		if (mem_grow(&t->list, &t->cap, t->count + 1, sizeof t->list[0], e) < 0 ||
		    idmap_put(&t->index, id, at, e) < 0)
			return -1;
		t->list[t->count++] = (struct tally){ .id = id };
	}
	t->list[at].bytes += bytes;
	t->list[at].objects += objects;
	return 0;
}

int zpl_account(struct zpl_write *z, uint64_t uid, uint64_t gid, int64_t bytes, int objects,
		struct err *e)
{
	if (tally(&z->users, uid, bytes, objects, e) < 0 ||
	    tally(&z->groups, gid, bytes, objects, e) < 0)
		return -1;
	return tally(&z->projects, DEFAULT_PROJECT, bytes, objects, e);
}

/*
 * Of what was counted when it was written. A dnode costs 512 bytes beside the
 * blocks, however large it is.
 */
static int64_t bytes_of_dnode(const struct dnode *dn)
{
	return dn->flags & DNODE_FLAG_USERUSED_ACCOUNTED ? (int64_t)(dn->used + DNODE_MIN_SIZE) : 0;
}

static int objects_of_dnode(const struct dnode *dn)
{
	return dn->flags & DNODE_FLAG_USEROBJ_ACCOUNTED ? 1 : 0;
}

int zpl_settled(void *ctx, uint64_t number, const struct dnode *dn, struct err *e)
{
	struct zpl_write *z = ctx;
	uint64_t	  uid, gid;

	(void)number;
	node_owner(dn->bonus, z->sa, &uid, &gid);
	return zpl_account(z, uid, gid, bytes_of_dnode(dn), objects_of_dnode(dn), e);
}

int zpl_account_gone(struct zpl_write *z, const struct dnode *dn, struct err *e)
{
	uint64_t uid, gid;

	node_owner(dn->bonus, z->sa, &uid, &gid);
	return zpl_account(z, uid, gid, -bytes_of_dnode(dn), -objects_of_dnode(dn), e);
}

/* Takes an object that was there before out of its owner's account. */
int zpl_account_old(struct zpl_write *z, uint64_t object, struct err *e)
{
	struct zpl_node	n;
	struct zpl_attr a;
	int		rc;

	if (zpl_node_open(z->old, object, &n, e) < 0)
		return -1;
	rc = zpl_node_attr(&n, &a, e);
	if (rc == 0 && a.projid != DEFAULT_PROJECT && a.projid != UINT64_MAX)
		rc = err_set(e, ERR_UNSUPPORTED, "object %llu belongs to project %llu",
			     (unsigned long long)object, (unsigned long long)a.projid);
	if (rc == 0)
		rc = zpl_account(z, a.uid, a.gid, -bytes_of_dnode(&n.o.dn),
				 -objects_of_dnode(&n.o.dn), e);
	zpl_node_close(&n);
	return rc;
}

static int add_to(struct zap_edit *zap, const char *name, int64_t delta, struct err *e)
{
	uint64_t old = 0;

	zap_edit_get(zap, name, &old);
	if (old + (uint64_t)delta == 0) {
		struct err ignored;

		(void)!zap_edit_remove(zap, name, strlen(name), &ignored);
		return 0;
	}
	return delta == 0 ? 0 : zap_edit_set(zap, name, old + (uint64_t)delta, e);
}

static int open_account(struct zpl_write *z, uint64_t object, struct zap_edit **out, struct err *e)
{
	struct dnode dn;

	if (objset_write_get(z->set, object, &dn, e) < 0)
		return -1;
	if (z->old != NULL && dn.type != OT_NONE)
		return zap_edit_open(z->set, object, out, e);
	return zap_edit_new(z->set, object, OT_USERGROUP_USED,
			    pool_tx_salt(dataset_write_tx(z->d), "account", object) | 1, out, e);
}

static bool changes_nothing(const struct tallies *t)
{
	for (size_t i = 0; i < t->count; i++) {
		if (t->list[i].bytes != 0 || t->list[i].objects != 0)
			return false;
	}
	return true;
}

static int write_account(struct zpl_write *z, uint64_t object, const struct tallies *t,
			 bool count_objects, struct err *e)
{
	struct zap_edit *zap;
	char		 name[32];
	int		 rc = 0;

	/* A file system that is not changed stays as it is, block for block. */
	if (z->old != NULL && changes_nothing(t))
		return 0;
	if (open_account(z, object, &zap, e) < 0)
		return -1;
	for (size_t i = 0; rc == 0 && i < t->count; i++) {
		unsigned long long id = t->list[i].id;

		snprintf(name, sizeof name, "%llx", id);
		rc = add_to(zap, name, t->list[i].bytes, e);
		snprintf(name, sizeof name, "obj-%llx", id);
		if (rc == 0 && count_objects)
			rc = add_to(zap, name, t->list[i].objects, e);
	}
	if (rc == 0)
		rc = zap_edit_write(zap, e);
	zap_edit_free(zap);
	return rc;
}

int zpl_write_accounts(struct zpl_write *z, struct err *e)
{
	uint64_t flags = objset_write_phys(z->set)->flags;
	size_t	 size = objset_write_phys(z->set)->size;
	bool	 objects = flags & OBJSET_FLAG_USEROBJACCOUNTING;

	if (!(flags & OBJSET_FLAG_USERACCOUNTING) || size < OBJSET_V2_SIZE)
		return 0;
	if (write_account(z, OBJECT_USERUSED, &z->users, objects, e) < 0 ||
	    write_account(z, OBJECT_GROUPUSED, &z->groups, objects, e) < 0)
		return -1;
	if (!(flags & OBJSET_FLAG_PROJECTQUOTA) || size < OBJSET_V3_SIZE)
		return 0;
	return write_account(z, OBJECT_PROJECTUSED, &z->projects, objects, e);
}
