/*
 * Quotas of users, groups and projects: a ZAP for each kind, named in the master node; ids in hex
 * to limits. Source: OpenZFS zfs_quota.c (zfs_set_userquota).
 */
#include <stdio.h>
#include <string.h>

#include "core/zpl/quota_names.h"
#include "core/zpl/zpl_write_impl.h"

static int new_list(struct zpl_write *z, enum zpl_quota kind, struct err *e)
{
	uint64_t number;

	if (objset_write_alloc(z->set, OBJECT_SETTLES_LATE, &number, e) < 0 ||
	    zap_edit_new(z->set, number, OT_USERGROUP_QUOTA,
			 pool_tx_salt(dataset_write_tx(z->d), "zpl zap", number) | 1,
			 &z->quotas[kind], e) < 0)
		return -1;
	zap_edit_flags(z->quotas[kind], z->dnode_flags);
	return zap_edit_set(z->master, zpl_quota_names[kind].list, number, e);
}

static int open_master(struct zpl_write *z, struct err *e)
{
	return z->master != NULL ? 0 : zap_edit_open(z->set, 1, &z->master, e);
}

static int open_list(struct zpl_write *z, enum zpl_quota kind, struct err *e)
{
	uint64_t number;

	if (z->quotas[kind] != NULL)
		return 0;
	if (open_master(z, e) < 0)
		return -1;
	if (zap_edit_get(z->master, zpl_quota_names[kind].list, &number))
		return zap_edit_open(z->set, number, &z->quotas[kind], e);
	return new_list(z, kind, e);
}

static int set(struct zap_edit *zap, const char *name, uint64_t limit, struct err *e)
{
	uint64_t there;

	if (limit != 0)
		return zap_edit_set(zap, name, limit, e);
	return zap_edit_get(zap, name, &there) ? zap_edit_remove(zap, name, strlen(name), e) : 0;
}

int zpl_write_set_default_quota(struct zpl_write *z, enum zpl_quota kind, uint64_t limit,
				struct err *e)
{
	if (open_master(z, e) < 0)
		return -1;
	return set(z->master, zpl_quota_names[kind].by_default, limit, e);
}

int zpl_write_set_quota(struct zpl_write *z, enum zpl_quota kind, uint64_t id, uint64_t limit,
			struct err *e)
{
	char name[32];

	if (open_list(z, kind, e) < 0)
		return -1;
	snprintf(name, sizeof name, "%llx", (unsigned long long)id);
	return set(z->quotas[kind], name, limit, e);
}

int zpl_write_master(struct zpl_write *z, struct err *e)
{
	for (unsigned i = 0; i < ZPL_QUOTA_KINDS; i++) {
		if (z->quotas[i] != NULL && zap_edit_write(z->quotas[i], e) < 0)
			return -1;
	}
	return z->master != NULL ? zap_edit_write(z->master, e) : 0;
}

void zpl_write_master_fini(struct zpl_write *z)
{
	for (unsigned i = 0; i < ZPL_QUOTA_KINDS; i++)
		zap_edit_free(z->quotas[i]);
	zap_edit_free(z->master);
}
