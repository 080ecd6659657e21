/*
 * Verifying blocks fast: they are gathered in a window, sorted by where they lie, read in pieces of
 * up to 1 MiB with the neighbours in between, and verified by workers. What failed is told in the
 * order in which the blocks came, whatever the number of threads.
 */
#ifndef CORE_CHECK_SCRUB_H
#define CORE_CHECK_SCRUB_H

#include "core/base/threads.h"
#include "core/block/block_read.h"

/* A copy that is bad. */
struct scrub_bad {
	const struct blkptr	 *bp;
	const struct block_where *where;
	unsigned		  copy;
	bool			  cksum; /* else it could not be read */
	bool			  last;	 /* of this block's bad copies */
	bool			  lost;	 /* no copy of the block is good */
};
typedef int scrub_bad_fn(void *ctx, const struct scrub_bad *bad, struct err *e);

struct scrub_options {
	struct vdev_tree    *vdevs;
	struct block_reader *reader; /* for gang blocks; its keys */
	unsigned	     threads;
	bool		     fast; /* first copies only, others when that is bad */
	scrub_bad_fn	    *on_bad;
	int (*tick)(void *ctx, uint64_t bytes, struct err *e);
	void *ctx;
};

struct scrub_counts {
	uint64_t blocks, copies, bytes;
	uint64_t unsupported; /* blocks with a checksum that cannot be computed here */
};

struct scrub;
int  scrub_new(const struct scrub_options *o, struct scrub **out, struct err *e) MUST_CHECK;
void scrub_free(struct scrub *s);

/* Copied. `verified`: its first copy was read already, and was good. Holes and embedded pointers
 * are not for here. */
int scrub_add(struct scrub *s, const struct blkptr *bp, const struct block_where *where,
	      bool verified, struct err *e) MUST_CHECK;
/* Verifies all that was added. */
int scrub_flush(struct scrub *s, struct err *e) MUST_CHECK;

const struct scrub_counts *scrub_counts(const struct scrub *s);

#endif
