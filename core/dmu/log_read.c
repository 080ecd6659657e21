/*
 * The chain of an intent log: each block names the next one before that is
 * written; a bad checksum ends it.
 */
#include "core/dmu/log_read.h"

#include "formats/zil.h"

static bool is_log_block(const struct blkptr *bp)
{
	return !blkptr_is_hole(bp) && !bp->embedded && blkptr_check(bp, NULL) == 0 &&
	       (bp->checksum == CHECKSUM_ZILOG || bp->checksum == CHECKSUM_ZILOG2) &&
	       bp->lsize == bp->psize && bp->lsize >= ZIL_CHAIN_SIZE;
}

/* Is there a record of txg `from` or later? One that makes no sense counts as such. */
static bool has_record(struct bytes in, bool newer, uint64_t from)
{
	size_t	 chain = newer ? 0 : in.n - ZIL_CHAIN_SIZE;
	size_t	 at = newer ? ZIL_CHAIN_SIZE : 0, limit = newer ? in.n : chain;
	uint64_t used = get64(in, chain + ZIL_CHAIN_USED);

	if (used > limit || used < at)
		return true;
	while (used - at >= ZIL_RECORD_MIN) {
		uint64_t length = get64(in, at + ZIL_RECORD_LENGTH);

		if (length < ZIL_RECORD_MIN || length > used - at ||
		    get64(in, at + ZIL_RECORD_TXG) >= from)
			return true;
		at += (size_t)length;
	}
	return false;
}

int log_pending(struct block_reader *r, const struct zil_header *log, uint64_t synced,
		bool *pending, struct err *e)
{
	struct blkptr bp = log->log;
	/*
	 * After a claim what is older than it counts as synced, and the
	 * blocks are the pool's already.
	 */
	uint64_t from = log->claim_txg != 0 ? log->claim_txg : synced + 1;
	bool	 found = false;

	for (unsigned i = 0; !found && i < ZIL_BLOCKS_MAX && is_log_block(&bp); i++) {
		struct block_where where = { .blkid = i };
		struct block	  *b;
		struct err	   why = { 0 };
		bool		   newer = bp.checksum == CHECKSUM_ZILOG2;

		if (bp.birth > synced) {
			found = true;
			break;
		}
		if (block_read(r, &bp, &where, &b, &why) < 0) {
			if (why.kind == ERR_NOMEM)
				return err_nomem(e);
			break;
		}
		found = has_record(b->bytes, newer, from) ||
			blkptr_decode(bytes_sub(b->bytes,
						(newer ? 0 : b->bytes.n - ZIL_CHAIN_SIZE) +
							ZIL_CHAIN_NEXT,
						BLKPTR_SIZE),
				      &bp, NULL) < 0;
		block_put(r, b);
	}
	*pending = found;
	return 0;
}
