/*
 * One batch of the write pipeline, between block_write.c (order,
 * addresses) and batch.c (pure work).
 */
#ifndef CORE_BLOCK_BATCH_H
#define CORE_BLOCK_BATCH_H

#include "core/base/threads.h"
#include "core/block/block_write.h"
#include "formats/objtype.h"

/* Contents of a batch, unless a single block is larger. */
enum { BATCH_SIZE = 2 << 20 };

/* What became of a block. */
struct batch_block {
	struct block_request req;
	uint32_t	     in;    /* where its contents are in batch->in */
	/* the bytes to write: in batch->in or batch->out, padded to asize */
	uint8_t		    *stored;
	uint32_t	     psize, asize;
	uint8_t		     compress;
	bool		     hole, embedded;
	struct digest	     cksum;
};

struct batch_write {
	uint64_t      offset, end;
	struct iovec *iov; /* in batch->iov */
	int	      iov_count;
};

struct batch {
	uint8_t		   *in, *out;
	size_t		    in_cap, in_used, out_used;
	/* what the blocks could take in `out` at worst; at most in_cap */
	size_t		    out_need;
	struct batch_block *blocks;
	size_t		    count, cap;
	struct iovec	   *iov;
	size_t		    iov_count, iov_cap;
	struct batch_write *writes;
	size_t		    write_count, write_cap;
	uint64_t	    txg;
	struct job	    job;
	struct err	    err; /* kind ERR_NONE: fine */
	struct batch	   *next;
	/* for the work */
	const struct block_writer_options *options;
	uint64_t			   unit;
};

int  batch_new(size_t in_cap, struct batch **out, struct err *e) MUST_CHECK;
void batch_free(struct batch *b);
void batch_reset(struct batch *b);

/* Jobs: `arg` is the batch, `state` a struct codec. */
void batch_compress(void *arg, void *state);
void batch_write(void *arg, void *state);

/* The finished pointer of a block, without addresses. */
void batch_pointer(const struct batch *b, const struct batch_block *bb, struct blkptr *out);

/* Notes that `bb` goes to `offset`; neighbours in memory and on disk become one write. */
int batch_add_write(struct batch *b, const struct batch_block *bb, uint64_t offset,
		    struct err *e) MUST_CHECK;

#endif
