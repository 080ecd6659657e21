/*
 * Who owns how much of a file system, and how much they may: what `zfs userspace` tells. Read half.
 * Source: OpenZFS zfs_quota.c (zfs_userspace_many), dmu_objset.c (do_userquota_cacheflush).
 */
#ifndef CORE_ZPL_USERSPACE_H
#define CORE_ZPL_USERSPACE_H

#include "core/zpl/zpl_read.h"

enum zpl_owners { ZPL_USERS, ZPL_GROUPS, ZPL_PROJECTS };

struct zpl_account {
	uint64_t id; /* the upper 32 bits: of which SMB domain, 0 none */
	/* Without the first there is a quota of the other sort at most. */
	bool	 has_bytes, has_objects;
	uint64_t used, quota; /* bytes; no quota: 0 */
	uint64_t objects, object_quota;
};

/*
 * Everyone who owns something or has a quota, by id; free() the list. What is damaged is left out;
 * *odd then has the first reason (kind 0: nothing was). ERR_UNSUPPORTED when the file system keeps
 * no accounts of that sort.
 */
int zpl_userspace(struct zpl *z, enum zpl_owners owners, struct zpl_account **list, size_t *count,
		  struct err *odd, struct err *e) MUST_CHECK;

#endif
