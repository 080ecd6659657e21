/*
 * How much a pool holds, from its configuration.
 * Source: OpenZFS spa_misc.c (spa_update_dspace, spa_get_slop_space), vdev.c (vdev_deflated_space,
 * vdev_metaslab_init), dsl_pool.c (dsl_pool_adjustedsize).
 */
#ifndef CORE_POOL_CAPACITY_H
#define CORE_POOL_CAPACITY_H

#include "core/pool/pool.h"

struct pool_capacity {
	uint64_t raw; /* bytes in metaslabs of vdevs for data: what `zpool get size` says */
	/* of those for ordinary blocks, less parity and deferred frees, with what dedup and cloning
	 * save: what datasets share... */
	uint64_t data;
	uint64_t slop; /* ...with this in reserve */
};

struct pool_capacity pool_capacity(struct pool *p);

#endif
