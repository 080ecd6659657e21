/* What planning and writing the freeze share. Private to core/pool. */
#ifndef CORE_POOL_FREEZE_IMPL_H
#define CORE_POOL_FREEZE_IMPL_H

#include "core/pool/tx_impl.h"

/* One metaslab's new space map. */
struct map_plan {
	size_t		index; /* of the metaslab */
	uint64_t	object;
	struct spacemap head;
	uint64_t	capacity; /* bytes that its blocks hold */
	struct frozen	tree;
	uint8_t	       *content;
};

struct freeze {
	struct pool_tx	*tx;
	struct object	 meta_old, array_old, unflushed_old;
	struct frozen	 meta, array, unflushed, features;
	uint8_t		*features_image; /* the ZAP's blocks */
	struct map_plan *maps;
	size_t		 map_count, map_cap;
	uint64_t	*objects; /* by metaslab: what the array will say */
	struct blkptr	 root;
	struct ranges	 after;
};

/* Where metaslab i begins on its vdev. */
static inline uint64_t freeze_metaslab_start(const struct freeze *f, size_t i)
{
	return i * f->tx->maps.size;
}

/* freeze_plan.c: places for all that is written last, and what it replaces is freed. */
int freeze_plan(struct freeze *f, struct err *e) MUST_CHECK;

#endif
