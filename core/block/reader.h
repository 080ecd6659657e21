/* What block_read.c and gang_read.c share. Private to core/block. */
#ifndef CORE_BLOCK_READER_H
#define CORE_BLOCK_READER_H

#include "core/block/block_read.h"

struct cache;
struct codec;

struct block_reader {
	struct vdev_tree *vdevs;
	struct cache	 *cache;
	struct codec	 *codec;
	struct checksum_keys keys;
	block_event_fn	 *on_event;
	void		 *ctx;
	uint8_t		 *stored; /* scratch: a block as it is stored */
	size_t		  stored_cap;
};

/* One attempt at one copy of a block. */
struct read_at {
	const struct blkptr	 *bp;
	const struct block_where *where;
	unsigned		  copy, way;
	/* of a gang's members read all copies, not the first good one */
	bool			  every;
};

/* Tells on_event of a failed attempt; actual NULL: it was not the checksum. */
void reader_event(struct block_reader *r, const struct read_at *at, const struct digest *actual,
		  uint64_t size, const struct err *why);

/* Copies in turn until one is good: bp->psize bytes as stored. bp has been checked. */
int reader_copies(struct block_reader *r, const struct blkptr *bp, const struct block_where *where,
		  uint8_t *buf, struct err *e) MUST_CHECK;

/* at->bp's copy at->copy is a gang: its members' bytes, bp->psize of them, each verified. */
int gang_read(struct block_reader *r, const struct read_at *at, uint8_t *buf,
	      struct err *e) MUST_CHECK;

#endif
