/*
 * Blocks on their way to the pool: compressed, checksummed, placed, written. The pipeline.
 *
 * The caller reserves memory in the current batch, fills it, and submits it as a block. Full
 * batches go to the workers, which do all of a block's work while it is in cache; a fixed number of
 * batches later the caller's thread assigns addresses in submission order, hands the finished
 * pointers to the blocks' `done`, and a worker writes the batch. When `done` is called depends only
 * on what was submitted, never on the threads: every -j gives the same bytes.
 *
 * Everything but the work inside batches happens on the caller's thread. `done` may submit blocks.
 * The first error sticks: later calls return it again.
 */
#ifndef CORE_BLOCK_BLOCK_WRITE_H
#define CORE_BLOCK_BLOCK_WRITE_H

#include "core/block/alloc.h"
#include "core/vdev/vdev.h"
#include "formats/blkptr.h"
#include "formats/codec/compress.h"

/* What blocks cost, as the dataset layer counts it. Bytes; differences may be negative. */
struct space {
	int64_t used; /* allocated, all copies */
	int64_t comp; /* stored size of one copy */
	int64_t uncomp; /* what it expands to; metadata counts as stored */
};

/*
 * The space of one block pointer, a hole being nothing and an embedded block having no stored size.
 * Source: OpenZFS dsl_dataset.c (dsl_dataset_block_born), spa.h (BP_GET_PSIZE, BP_GET_UCSIZE).
 */
struct space space_of(const struct blkptr *bp);
void	     space_add(struct space *to, struct space s);
void	     space_sub(struct space *to, struct space s);

/* Receives the finished pointer; 0, or -1 which ends everything. */
typedef int block_done_fn(void *ctx, uint64_t tag, const struct blkptr *bp, struct err *e);

struct block_request {
	uint8_t		       type, level, checksum;
	uint8_t		       copies;
	struct compress_choice compress;
	uint32_t	       size;	 /* of the contents */
	uint64_t	       fill;	 /* what the pointer's fill count will say */
	bool		       may_hole; /* contents that are all zero need not be stored */
	struct space	      *object_space, *set_space; /* receive what it costs; may be NULL */
	block_done_fn	      *done;
	void		      *ctx;
	uint64_t	       tag;
};

struct block_writer;

struct block_writer_options {
	struct vdev_tree *vdevs; /* borrowed */
	struct alloc	 *alloc; /* borrowed */
	unsigned	  threads;
	bool		  embed; /* the pool has embedded_data */
	/* borrowed; ready before the first block with a salted checksum; may be NULL */
	const struct checksum_keys *keys;
	enum order	  order; /* of what is written */
	uint64_t	  txg;	 /* birth of the blocks */
	/* Called before anything is written past what was written so far; may be NULL. */
	int (*grow)(void *ctx, uint64_t high_water, struct err *e);
	void *grow_ctx;
};
int  block_writer_new(const struct block_writer_options *o, struct block_writer **out,
		      struct err *e) MUST_CHECK;
void block_writer_free(struct block_writer *w); /* also after an error, with batches under way */

void	     block_writer_set_txg(struct block_writer *w, uint64_t txg);
uint64_t     block_writer_txg(const struct block_writer *w);
enum order   block_writer_order(const struct block_writer *w);
struct alloc *block_writer_alloc(struct block_writer *w);

/*
 * Memory for `size` bytes of contents, not cleared. The next call must be
 * block_submit with that size.
 */
int  block_reserve(struct block_writer *w, uint32_t size, uint8_t **out, struct err *e) MUST_CHECK;
int  block_submit(struct block_writer *w, const struct block_request *r, struct err *e) MUST_CHECK;

/*
 * Everything submitted, also by `done`, is placed and written when it returns.
 * Not to be called by `done`.
 */
int block_writer_drain(struct block_writer *w, struct err *e) MUST_CHECK;

/* Bytes handed to the devices so far. */
uint64_t block_writer_written(const struct block_writer *w);

/*
 * Outside the pipeline, for blocks whose addresses must be known before their contents: block_place
 * takes space for `copies` copies and fills everything in the pointer but the checksum;
 * the block will be stored as it is. block_write_placed completes the pointer and writes
 * (data has bp->psize bytes).
 */
int block_place(struct block_writer *w, const struct block_request *r, struct blkptr *out,
		struct err *e) MUST_CHECK;
int block_write_placed(struct block_writer *w, struct blkptr *bp, const uint8_t *data,
		       struct err *e) MUST_CHECK;

#endif
