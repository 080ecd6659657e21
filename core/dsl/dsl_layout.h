/*
 * What the dataset layer looks like in a pool of this version: asked here and nowhere else.
 * Source: OpenZFS sys/fs/zfs.h (SPA_VERSION_*), at the places that ask for each.
 */
#ifndef CORE_DSL_DSL_LAYOUT_H
#define CORE_DSL_DSL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/dsl.h"

struct dsl_layout {
	bool   unique_accurate; /* records say so by a flag */
	bool   origin;		/* $ORIGIN, and snapshots that list their clones */
	bool   snapshot_props;
	bool   used_breakdown;
	bool   object_set_v2; /* object sets of new datasets have user accounting */
	bool   free_dir;      /* $FREE, and lists of frees */
	bool   dir_clones;
	bool   deadlist_maps; /* a ZAP of lists; before: one list */
	size_t bpobj_size;    /* of the bonus of a new list */
};

static inline struct dsl_layout dsl_layout_of(uint64_t version)
{
	return (struct dsl_layout){
		.unique_accurate = version >= 9,
		.origin = version >= 11,
		.snapshot_props = version >= 12,
		.used_breakdown = version >= 13,
		.object_set_v2 = version >= 15,
		.free_dir = version >= 26,
		.dir_clones = version >= 26,
		.deadlist_maps = version >= 26,
		.bpobj_size = version >= 26  ? BPOBJ_V2_SIZE
			      : version >= 3 ? BPOBJ_V1_SIZE
					     : BPOBJ_V0_SIZE,
	};
}

#endif
