/*
 * Intent logs: chains of blocks, each naming the next before it was written. Where the checksum
 * fails the log simply ends. Blocks of a log that no import has claimed may or may not be
 * allocated. Source: OpenZFS zil.h (zil_chain_t, lr_t, lr_write_t), zil.c (zil_parse,
 * zil_read_log_block, zil_claim).
 */
#include <inttypes.h>

#include "core/check/check_impl.h"
#include "formats/base/limits.h"
#include "formats/zil.h"

enum { WRITE_MIN = ZIL_WRITE_POINTER + BLKPTR_SIZE };

struct log_block {
	struct bytes  records;
	struct blkptr next;
};

/* What is in a block whose checksum is good. false: the chain ends before it. */
static bool take_apart(const struct blkptr *bp, struct bytes in, struct log_block *out)
{
	bool	      newer = bp->checksum == CHECKSUM_ZILOG2;
	struct digest follows = bp->cksum;
	size_t	      chain;
	uint64_t      used;

	if (in.n < ZIL_CHAIN_SIZE)
		return false;
	chain = newer ? 0 : in.n - ZIL_CHAIN_SIZE;
	used = get64(in, chain + ZIL_CHAIN_USED);
	if (blkptr_decode(bytes_sub(in, chain + ZIL_CHAIN_NEXT, BLKPTR_SIZE), &out->next, NULL) < 0)
		return false;
	follows.w[ZIL_SEQUENCE]++;
	if (!digest_equal(&follows, &out->next.cksum))
		return false;
	if (newer) {
		if (used < ZIL_CHAIN_SIZE || used > in.n)
			return false;
		out->records = bytes_sub(in, ZIL_CHAIN_SIZE, (size_t)used - ZIL_CHAIN_SIZE);
	} else {
		if (used > in.n - ZIL_CHAIN_SIZE)
			return false;
		out->records = bytes_sub(in, 0, (size_t)used);
	}
	return true;
}

struct log_walk {
	struct check	  *c;
	uint64_t	   blocks;
	struct block_where where;
};

/* Large writes lie in blocks of their own, which become the file's when the log is replayed. */
static int claim_writes(struct log_walk *l, struct bytes records, struct err *e)
{
	size_t at = 0;

	while (records.n - at >= ZIL_RECORD_MIN) {
		uint64_t      type = get64(records, at + ZIL_RECORD_TYPE) & ZIL_TX_MASK;
		uint64_t      length = get64(records, at + ZIL_RECORD_LENGTH);
		struct blkptr bp;

		if (length < ZIL_RECORD_MIN || length > records.n - at)
			return 0;
		if (type == ZIL_TX_WRITE && length >= WRITE_MIN &&
		    blkptr_decode(bytes_sub(records, at + ZIL_WRITE_POINTER, BLKPTR_SIZE), &bp,
				  NULL) == 0 &&
		    !blkptr_is_hole(&bp) && !bp.embedded && blkptr_check(&bp, NULL) == 0 &&
		    check_claim(l->c, &bp, &l->where, true, e) < 0)
			return -1;
		at += (size_t)length;
	}
	return 0;
}

static bool is_log_block(const struct blkptr *bp)
{
	return !blkptr_is_hole(bp) && !bp->embedded && blkptr_check(bp, NULL) == 0 &&
	       (bp->checksum == CHECKSUM_ZILOG || bp->checksum == CHECKSUM_ZILOG2) &&
	       bp->compress <= 2 && bp->lsize == bp->psize;
}

static int walk_chain(struct log_walk *l, const struct blkptr *first, struct err *e)
{
	struct blkptr bp = *first;

	for (; l->blocks < ZIL_BLOCKS_MAX && is_log_block(&bp); l->blocks++) {
		struct log_block one;
		struct block	*b;
		bool		 good;
		int		 rc = 0;

		if (check_claim(l->c, &bp, &l->where, true, e) < 0)
			return -1;
		l->where.blkid = bp.cksum.w[ZIL_SEQUENCE];
		if (block_read(l->c->reader, &bp, &l->where, &b, NULL) < 0)
			return 0;
		good = take_apart(&bp, b->bytes, &one);
		if (good)
			rc = claim_writes(l, one.records, e);
		block_put(l->c->reader, b);
		if (!good || rc < 0)
			return rc;
		bp = one.next;
	}
	return 0;
}

int check_log(struct check *c, struct check_dataset *ds, const struct zil_header *log,
	      struct err *e)
{
	struct log_walk l = { .c = c, .where = { .objset = ds->object, .level = LEVEL_LOG } };
	char		name[WHERE_TEXT];
	struct text	t = text_in(name, sizeof name);
	int		rc;

	if (blkptr_is_hole(&log->log))
		return 0;
	/* A log's end is a block that cannot be read: not a failed read that anyone should count.
	 */
	block_reader_on_event(c->reader, NULL, NULL);
	rc = walk_chain(&l, &log->log, e);
	block_reader_on_event(c->reader, walk_event, &c->walk);
	/* An empty log has one block, so that the next write finds it. */
	if (rc < 0 || l.blocks == 0)
		return rc;
	text_name(&t, ds->name, strlen(ds->name));
	check_found(c, FINDING_LOG_PENDING, name,
		    "an intent log of %" PRIu64 " blocks that was not replayed", l.blocks);
	return 0;
}
