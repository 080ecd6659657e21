/*
 * What a pool of a version looks like where versions differ: asked here and nowhere else.
 * Source: OpenZFS sys/fs/zfs.h (SPA_VERSION_*), at the places that ask for each.
 */
#ifndef CORE_POOL_LAYOUT_H
#define CORE_POOL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POOL_VERSION_FEATURES = 5000 }; /* features instead of numbers from here on */

struct pool_layout {
	bool	 features;	  /* lists of them in the MOS and in the labels */
	bool	 unique_accurate; /* records say so by a flag */
	bool	 origin;	  /* $ORIGIN, and snapshots that list their clones */
	bool	 snapshot_props;
	bool	 used_breakdown;
	bool	 user_accounting; /* file systems know what their users use */
	bool	 free_dir;	  /* $FREE, and free_bpobj for what is freed in the background */
	bool	 dir_clones;
	bool	 deadlist_maps; /* a ZAP of lists; before: one list */
	size_t	 bpobj_size;	/* of the bonus of a new list */
	size_t	 objset_size;	/* of an object set's block, before features make it larger */
	size_t	 mos_size;	/* of the MOS's */
	unsigned zpl_version;	/* the newest that it can have */
	/*
	 * What the uberblocks of a new pool say of who wrote them. Whoever writes version 23 today
	 * is zfs-fuse, which says nothing, and the pool is made as that would make it: device
	 * numbers have the form that goes with it (core/zpl/node_pack.h, node_rdev).
	 */
	uint64_t software_version;
};

struct pool_layout pool_layout_of(uint64_t version);

/* Is a new pool of this version made here? POOL_VERSIONS says which are. */
bool pool_layout_made(uint64_t version);
#define POOL_VERSIONS "23, 28 or 5000"

#endif
