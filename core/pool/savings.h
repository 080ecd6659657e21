/*
 * What dedup and cloning save, from the sums that the pool keeps beside its tables.
 * Source: OpenZFS ddt_stats.c (ddt_get_dedup_dspace), sys/fs/zfs.h (ddt_histogram_t), brt_impl.h
 * (brt_vdev_phys_t).
 */
#ifndef CORE_POOL_SAVINGS_H
#define CORE_POOL_SAVINGS_H

#include "core/pool/pool.h"

/* Bytes, less parity. Blocks that are shared: stored once, and as often as they are used. */
struct pool_savings {
	uint64_t dedup_stored, dedup_used;
	uint64_t clone_stored, clone_saved;
};

/* What cannot be read counts as nothing. */
struct pool_savings pool_savings(struct pool *p);

#endif
