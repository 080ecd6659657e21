/*
 * Every block of an object set, top down, with the rules of a check: blocks that an earlier
 * snapshot holds are left out by their birth, and no metadata block is entered twice, so that a
 * tree that was made to loop or to branch into itself ends.
 */
#ifndef CORE_CHECK_WALK_H
#define CORE_CHECK_WALK_H

#include "core/base/idmap.h"
#include "core/dmu/objset_read.h"

/*
 * A block that is stored or embedded, its pointer checked. `verified`: its first copy was read and
 * was good. 0 goes on, -1 stops.
 */
typedef int walk_fn(void *ctx, const struct blkptr *bp, const struct block_where *where,
		    bool verified, struct err *e);
/*
 * What lies at or below this place was not visited, and why; bp NULL: not for a pointer's sake.
 * `damaged`: because no copy was good (then walk_fn was given the block too).
 */
typedef int walk_lost_fn(void *ctx, const struct blkptr *bp, const struct block_where *where,
			 bool damaged, const struct err *why, struct err *e);

struct walk {
	struct block_reader *reader; /* with walk_event as its on_event, this as its ctx */
	walk_fn		    *fn;
	walk_lost_fn	    *lost;
	void		    *ctx;
	uint64_t	     min_txg; /* only blocks born later */
	uint64_t	     events;  /* failed attempts of the reader so far */
	struct idmap	     seen;    /* metadata blocks that were entered */
};

void walk_event(void *walk, const struct block_event *event);
void walk_fini(struct walk *w);

/* The object set and all that is in it. *log is its intent log's header (zeros when it could not be
 * read). */
int walk_objset(struct walk *w, const struct blkptr *root, uint64_t id, struct zil_header *log,
		struct err *e) MUST_CHECK;

#endif
