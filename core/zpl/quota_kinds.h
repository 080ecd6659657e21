/* The kinds of quotas that users, groups and projects can have in a file system. */
#ifndef CORE_ZPL_QUOTA_KINDS_H
#define CORE_ZPL_QUOTA_KINDS_H

/* Bytes, or objects. */
enum zpl_quota {
	ZPL_QUOTA_USER,
	ZPL_QUOTA_GROUP,
	ZPL_QUOTA_USER_OBJECTS,
	ZPL_QUOTA_GROUP_OBJECTS,
	ZPL_QUOTA_PROJECT,
	ZPL_QUOTA_PROJECT_OBJECTS,
	ZPL_QUOTA_KINDS
};

#endif
