/*
 * Which pools lie on some members, and how complete they are: from labels alone, so that a pool
 * whose MOS cannot be read is seen too. What `zpool import` shows.
 */
#ifndef CORE_DUMP_POOLS_H
#define CORE_DUMP_POOLS_H

#include "core/vdev/members.h"

enum vdev_health { HEALTH_ONLINE, HEALTH_DEGRADED, HEALTH_OFFLINE, HEALTH_FAULTED, HEALTH_UNAVAIL };

/* One line of a pool's configuration: a vdev, parents before their children. */
struct pool_row {
	const struct vdev_config *vdev;	  /* NULL: a top-level vdev no label describes */
	const struct member	 *member; /* of a leaf that is here, else NULL */
	uint64_t		  top;	  /* index of its top-level vdev */
	size_t			  parent; /* row, SIZE_MAX for top-level vdevs */
	unsigned		  depth;  /* 0 for top-level vdevs */
	enum vdev_health	  health;
	bool			  stale; /* its label is older than the pool's newest */
};

struct pool_view {
	const struct pool_config *config; /* of the newest label */
	enum vdev_health	  health;
	struct pool_row		 *rows;
	size_t			  count;
};

struct pool_views {
	struct pool_view *list; /* in the order of their first member */
	size_t		  count;
};

/* Borrows from `m`, which must outlive the views. Spares and cache devices are of no pool. */
int  pool_views_of(const struct members *m, struct pool_views *out, struct err *e) MUST_CHECK;
void pool_views_free(struct pool_views *v);

/* "ONLINE" */
const char *vdev_health_name(enum vdev_health h);

/* The config of a member's newest label, NULL when it has none. */
const struct pool_config *member_config(const struct member *m);

#endif
