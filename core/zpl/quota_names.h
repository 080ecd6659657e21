/*
 * Quotas of users, groups and projects: how the master node of a file system names them: a
 * ZAP of ids (in hex) and limits for each kind, and a limit for those that are not in it.
 * Source: OpenZFS zfs_prop.c (zfs_userquota_prop_prefixes), zfs_ioctl.c (zfs_prop_set_special),
 * zfs_vfsops.c (zfsvfs_init).
 */
#ifndef CORE_ZPL_QUOTA_NAMES_H
#define CORE_ZPL_QUOTA_NAMES_H

#include "core/zpl/quota_kinds.h"

static const struct {
	const char *list, *by_default;
} zpl_quota_names[ZPL_QUOTA_KINDS] = {
	[ZPL_QUOTA_USER] = { "userquota@", "defaultuserquota" },
	[ZPL_QUOTA_GROUP] = { "groupquota@", "defaultgroupquota" },
	[ZPL_QUOTA_USER_OBJECTS] = { "userobjquota@", "defaultuserobjquota" },
	[ZPL_QUOTA_GROUP_OBJECTS] = { "groupobjquota@", "defaultgroupobjquota" },
	[ZPL_QUOTA_PROJECT] = { "projectquota@", "defaultprojectquota" },
	[ZPL_QUOTA_PROJECT_OBJECTS] = { "projectobjquota@", "defaultprojectobjquota" },
};

#endif
