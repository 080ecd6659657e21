/* Versions and what came with them. */
#include "core/pool/layout.h"

#include "formats/dsl.h"
#include "formats/objset.h"

/* Source: OpenZFS sys/fs/zfs.h. */
enum {
	BPOBJ_ACCOUNT = 3,
	FUID = 9, /* ZPL 3 */
	UNIQUE_ACCURATE = 9,
	ORIGIN = 11,
	SNAP_PROPS = 12,
	USED_BREAKDOWN = 13,
	USERSPACE = 15, /* ZPL 4 */
	SA = 24,	/* ZPL 5 */
	DEADLISTS = 26,
	DIR_CLONES = 26,
	ZFS_FUSE = 23, /* the last one that it knows */
};

/* Source: OpenZFS zfs_comutil.c (zfs_zpl_version_map). */
static unsigned zpl_version(uint64_t version)
{
	if (version >= SA)
		return 5;
	if (version >= USERSPACE)
		return 4;
	return version >= FUID ? 3 : 2;
}

static size_t bpobj_size(uint64_t version)
{
	if (version >= DEADLISTS)
		return BPOBJ_V2_SIZE;
	return version >= BPOBJ_ACCOUNT ? BPOBJ_V1_SIZE : BPOBJ_V0_SIZE;
}

struct pool_layout pool_layout_of(uint64_t version)
{
	size_t objset = version >= USERSPACE ? OBJSET_V2_SIZE : OBJSET_V1_SIZE;
	bool   features = version >= POOL_VERSION_FEATURES;

	return (struct pool_layout){
		.features = features,
		.unique_accurate = version >= UNIQUE_ACCURATE,
		.origin = version >= ORIGIN,
		.snapshot_props = version >= SNAP_PROPS,
		.used_breakdown = version >= USED_BREAKDOWN,
		.user_accounting = version >= USERSPACE,
		.free_dir = version >= DEADLISTS,
		.dir_clones = version >= DIR_CLONES,
		.deadlist_maps = version >= DEADLISTS,
		.bpobj_size = bpobj_size(version),
		.objset_size = objset,
		.mos_size = features ? OBJSET_V3_SIZE : objset,
		.zpl_version = zpl_version(version),
		.software_version = version > ZFS_FUSE ? POOL_VERSION_FEATURES : 0,
	};
}

bool pool_layout_made(uint64_t version)
{
	return version == ZFS_FUSE || version == 28 || version == POOL_VERSION_FEATURES;
}
