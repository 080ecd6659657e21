/*
 * Space map objects, entry by entry; log space maps by txg. The check's own reading of them: the
 * writer's is core/pool/spacemaps.c, and each must be able to prove the other wrong.
 */
#ifndef CORE_CHECK_SPACE_ENTRIES_H
#define CORE_CHECK_SPACE_ENTRIES_H

#include "core/pool/pool.h"
#include "formats/spacemap.h"

/* Not for debug entries. 0 goes on, -1 ends it. */
typedef int space_entry_fn(void *ctx, const struct spacemap_entry *entry, struct err *e);

/*
 * Every entry of a space map in its order. `start` and `shift` as for spacemap_next; *head (may be
 * NULL) is its header. Ends with ERR_CORRUPT when there is more of it than SPACE_MAP_MAX.
 */
#define SPACE_MAP_MAX (UINT64_C(4) << 30) /* bytes; genuine ones stay below 100 MiB */
int space_entries(struct pool *p, uint64_t object, uint64_t start, unsigned shift,
		  space_entry_fn *fn, void *ctx, struct spacemap *head, struct err *e) MUST_CHECK;

/* The ZAP of a top-level vdev, 0 when it has none. By the pool's own configuration (may be NULL):
 * newer labels do not name it. */
uint64_t space_vdev_zap(const struct pool_config *mos, unsigned vdev);

/* Log space maps, oldest first. None: count 0. free() the list. */
struct space_log {
	uint64_t txg, object;
};
int space_logs(struct pool *p, struct space_log **out, size_t *count, struct err *e) MUST_CHECK;

#endif
