/*
 * Space maps as the allocator needs them: what is free on a top-level vdev, read from its
 * metaslabs' space maps and the log space maps; and a metaslab's new space map, encoded whole.
 */
#ifndef CORE_POOL_SPACEMAPS_H
#define CORE_POOL_SPACEMAPS_H

#include "core/block/alloc.h"
#include "core/pool/pool.h"
#include "formats/spacemap.h"

struct metaslab {
	uint64_t object;    /* its space map's, 0: never used */
	uint64_t unflushed; /* log space maps of this txg and later apply to it; 0: none */
	bool	 logged;    /* some log entry does */
};

struct spacemaps {
	uint64_t	 size; /* bytes of one metaslab */
	size_t		 count;
	struct metaslab *list;
	uint64_t	 array_object;	   /* metaslab -> space map */
	uint64_t	 unflushed_object; /* metaslab -> unflushed txg; 0: none */
	uint64_t	*logs;		   /* log space map objects */
	size_t		 log_count;
	uint64_t	 logs_zap;	   /* txg -> log space map; 0: none */
};

/*
 * Reads all of them; everything that is free goes to `alloc`. ERR_CORRUPT when a segment is
 * allocated twice or freed while free: poolcheck says which.
 */
int  spacemaps_load(struct pool *p, unsigned vdev, struct alloc *alloc, struct spacemaps *out,
		    struct err *e) MUST_CHECK;
void spacemaps_fini(struct spacemaps *s);

/* How many entries a fresh map of [start, end) takes at most when `free` is what is free in it: the
 * allocated runs, each cut to what one entry can say. */
size_t spacemap_entries(const struct ranges *free, uint64_t start, uint64_t end, unsigned shift);

/* Encodes such a map; returns the bytes written, which fit 8 * spacemap_entries. Sets alloc,
 * length and the histogram of `head`. */
size_t spacemap_fill(const struct ranges *free, uint64_t start, uint64_t end, unsigned shift,
		     struct wbytes out, struct spacemap *head);

#endif
