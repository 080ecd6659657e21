/*
 * How large a member must be, and what AVAIL OpenZFS will show on it. Pure arithmetic over one
 * top-level vdev of one disk.
 *
 * It is the importing system's arithmetic, whatever the pool's version. zfs-fuse keeps back 1/64,
 * at least 32 MiB, where OpenZFS keeps back 1/32, at least 128 MiB or half the pool: it shows more
 * AVAIL (observed: 80 MiB of metaslabs less 32 MiB).
 *
 * Source: OpenZFS vdev.c (vdev_metaslab_set_size), spa_misc.c
 * (spa_get_slop_space, spa_update_dspace), vdev.c (vdev_metaslab_init: embedded
 * log class), dsl_pool.c (dsl_pool_adjustedsize).
 */
#ifndef CORE_POOL_SIZING_H
#define CORE_POOL_SIZING_H

#include "core/pool/tx.h"

/* Allocatable bytes of a member of `size` bytes: without labels and boot area. */
uint64_t sizing_asize(uint64_t size);

/*
 * log2 of the metaslab size that OpenZFS chooses for this asize; at least `least`, which large
 * blocks ask for (0: they do not).
 */
unsigned sizing_metaslab_shift(uint64_t asize, unsigned least);

/* What `zfs list` shows as AVAIL for the root when `used` bytes are charged to it. */
uint64_t sizing_avail(uint64_t size, uint64_t used, unsigned least_shift);

/*
 * The member's size: as given, or the smallest multiple of 256 KiB from 64 MiB up that satisfies
 * the rule and whose metaslabs hold everything below high_water (allocatable bytes from the start
 * of the vdev). ERR_NOSPACE when a given size cannot hold it; its
 * metaslabs are as OpenZFS cuts them, whatever least_shift says.
 */
int sizing_choose(const struct pool_size *rule, uint64_t used, uint64_t high_water,
		  unsigned least_shift, uint64_t *size, struct err *e) MUST_CHECK;

#endif
