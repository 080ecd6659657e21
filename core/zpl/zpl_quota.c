/*
 * Quotas of users, groups and projects: a ZAP for each kind, named in the master node; ids in hex to
 * limits.
 * Source: OpenZFS zfs_quota.c (zfs_set_userquota), zfs_prop.c (zfs_userquota_prop_prefixes).
 */
#include <stdio.h>
#include <string.h>

#include "core/zpl/zpl_write_impl.h"

static const char *const names[ZPL_QUOTA_KINDS] = {
	[ZPL_QUOTA_USER] = "userquota@",
	[ZPL_QUOTA_GROUP] = "groupquota@",
	[ZPL_QUOTA_USER_OBJECTS] = "userobjquota@",
	[ZPL_QUOTA_GROUP_OBJECTS] = "groupobjquota@",
	[ZPL_QUOTA_PROJECT] = "projectquota@",
	[ZPL_QUOTA_PROJECT_OBJECTS] = "projectobjquota@",
};

static int new_list(struct zpl_write *z, enum zpl_quota kind, struct err *e)
{
	uint64_t number;

	if (objset_write_alloc(z->set, OBJECT_SETTLES_LATE, &number, e) < 0 ||
	    zap_edit_new(z->set, number, OT_USERGROUP_QUOTA,
			 pool_tx_salt(dataset_write_tx(z->d), "zpl zap", number) | 1,
			 &z->quotas[kind], e) < 0)
		return -1;
	zap_edit_flags(z->quotas[kind], z->dnode_flags);
	return zap_edit_set(z->master, names[kind], number, e);
}

static int open_list(struct zpl_write *z, enum zpl_quota kind, struct err *e)
{
	uint64_t number;

	if (z->quotas[kind] != NULL)
		return 0;
	if (z->master == NULL && zap_edit_open(z->set, 1, &z->master, e) < 0)
		return -1;
	if (zap_edit_get(z->master, names[kind], &number))
		return zap_edit_open(z->set, number, &z->quotas[kind], e);
	return new_list(z, kind, e);
}

int zpl_write_set_quota(struct zpl_write *z, enum zpl_quota kind, uint64_t id, uint64_t limit,
			struct err *e)
{
	char	 name[32];
	uint64_t there;

	if (open_list(z, kind, e) < 0)
		return -1;
	snprintf(name, sizeof name, "%llx", (unsigned long long)id);
	if (limit != 0)
		return zap_edit_set(z->quotas[kind], name, limit, e);
	return zap_edit_get(z->quotas[kind], name, &there)
		       ? zap_edit_remove(z->quotas[kind], name, strlen(name), e)
		       : 0;
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
