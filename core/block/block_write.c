/*
 * The write pipeline: which batch is where, in which order addresses are given out. The work inside
 * a batch is batch.c's, free space alloc.c's.
 *
 *   filling -> (compressing) ... -> placed, done() called -> (writing) -> spare
 *
 * A batch is placed when PIPELINE_DEPTH later ones have been filled, or fewer when they are large,
 * or on drain. When depends on what was submitted alone: addresses do not depend on threads.
 */
#include "core/block/batch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

enum {
	PIPELINE_DEPTH = 8,
	/* Contents of what is being compressed; each batch has as much again for its output. */
	PIPELINE_BYTES = 48 << 20,
	WRITING_MAX = 2,
	WRITING_BYTES = 16 << 20,
};

struct block_writer {
	struct block_writer_options options;
	struct threads		   *threads;
	struct batch		   *filling;
	struct batch		   *first, **last; /* compressing, oldest first */
	unsigned		    depth; /* how many those are */
	size_t			    bytes; /* and what they have room for */
	struct batch		   *writing, **writing_last; /* being written, oldest first */
	unsigned		    writing_count;
	size_t			    writing_bytes;
	struct batch		   *spare;
	bool			    placing; /* inside place_oldest: done() may submit */
	struct err		    err;     /* the first error; kind ERR_NONE: none yet */
	uint64_t		    written;
};

static void *codec_state_new(struct err *e)
{
	return codec_new(e);
}

static void codec_state_free(void *state)
{
	codec_free(state);
}

int block_writer_new(const struct block_writer_options *o, struct block_writer **out, struct err *e)
{
	struct threads_options how = { o->threads, codec_state_new, codec_state_free };
	struct block_writer   *w = mem_zero(sizeof *w, e);

	if (w == NULL)
		return -1;
	w->options = *o;
	w->last = &w->first;
	w->writing_last = &w->writing;
	if (threads_new(&how, &w->threads, e) < 0) {
		free(w);
		return -1;
	}
	*out = w;
	return 0;
}

/* Waits for the jobs of a list of batches and frees them. */
static void free_list(struct block_writer *w, struct batch *b)
{
	while (b != NULL) {
		struct batch *next = b->next;

		job_wait(w->threads, &b->job);
		batch_free(b);
		b = next;
	}
}

void block_writer_free(struct block_writer *w)
{
	if (w == NULL)
		return;
	free_list(w, w->first);
	free_list(w, w->writing);
	free_list(w, w->spare);
	batch_free(w->filling);
	threads_free(w->threads);
	free(w);
}

void block_writer_set_txg(struct block_writer *w, uint64_t txg)
{
	w->options.txg = txg;
}

uint64_t block_writer_txg(const struct block_writer *w)
{
	return w->options.txg;
}

enum order block_writer_order(const struct block_writer *w)
{
	return w->options.order;
}

struct alloc *block_writer_alloc(struct block_writer *w)
{
	return w->options.alloc;
}

uint64_t block_writer_written(const struct block_writer *w)
{
	return w->written;
}

/* Keeps the first error; later calls of the writer give it back. */
static int fail(struct block_writer *w, const struct err *why, struct err *e)
{
	if (w->err.kind == ERR_NONE)
		w->err = *why;
	if (e != NULL)
		*e = w->err;
	return -1;
}

static int grow(struct block_writer *w, struct err *e)
{
	if (w->options.grow == NULL)
		return 0;
	return w->options.grow(w->options.grow_ctx, alloc_high_water(w->options.alloc), e);
}

/*
 * One stream's addresses for every block of the batch that has such a copy, in runs as
 * long as free space gives.
 */
static int place_copy(struct block_writer *w, struct batch *b, unsigned copy, uint64_t *offsets,
		      struct err *e)
{
	uint64_t left = 0, at = 0, total = 0;

	for (size_t i = 0; i < b->count; i++) {
		if (b->blocks[i].req.copies > copy)
			total += b->blocks[i].asize;
	}
	for (size_t i = 0; i < b->count; i++) {
		struct batch_block *bb = &b->blocks[i];

		if (bb->req.copies <= copy || bb->asize == 0)
			continue;
		if (left < bb->asize) {
			if (left > 0 && alloc_release(w->options.alloc, at, left, e) < 0)
				return -1;
			if (alloc_run(w->options.alloc, copy, bb->asize, total, &at, &left, e) < 0)
				return -1;
		}
		offsets[i * BLKPTR_DVAS + copy] = at;
		if (batch_add_write(b, bb, at, e) < 0)
			return -1;
		at += bb->asize;
		left -= bb->asize;
		total -= bb->asize;
		w->written += bb->asize;
	}
	return 0;
}

/* Gives the block its pointer and tells whom it belongs to. */
static int deliver(struct block_writer *w, const struct batch *b, size_t i, const uint64_t *offsets,
		   struct err *e)
{
	const struct batch_block *bb = &b->blocks[i];
	struct blkptr		  bp;

	batch_pointer(b, bb, &bp);
	for (unsigned c = 0; bb->asize > 0 && c < bb->req.copies; c++)
		bp.dva[c] = (struct dva){ .vdev = alloc_vdev(w->options.alloc),
					  .offset = offsets[i * BLKPTR_DVAS + c],
					  .asize = bb->asize };

	struct space cost = space_of(&bp);

	if (bb->req.object_space != NULL)
		space_add(bb->req.object_space, cost);
	if (bb->req.set_space != NULL)
		space_add(bb->req.set_space, cost);
	return bb->req.done(bb->req.ctx, bb->req.tag, &bp, e);
}

static int place(struct block_writer *w, struct batch *b, struct err *e)
{
	uint64_t *offsets = mem_array(b->count + 1, BLKPTR_DVAS * sizeof *offsets, e);
	int	  rc = -1;

	if (offsets == NULL)
		return -1;
	if (b->err.kind != ERR_NONE) {
		if (e != NULL)
			*e = b->err;
		goto out;
	}
	for (unsigned copy = 0; copy < BLKPTR_DVAS; copy++) {
		if (place_copy(w, b, copy, offsets, e) < 0)
			goto out;
	}
	if (grow(w, e) < 0)
		goto out;
	for (size_t i = 0; i < b->count; i++) {
		if (deliver(w, b, i, offsets, e) < 0)
			goto out;
	}
	rc = 0;
out:
	free(offsets);
	return rc;
}

/* Waits for the oldest batch being written and keeps it for reuse. */
static int collect_written(struct block_writer *w, struct err *e)
{
	struct batch *b = w->writing;

	job_wait(w->threads, &b->job);
	w->writing = b->next;
	if (w->writing == NULL)
		w->writing_last = &w->writing;
	w->writing_count--;
	w->writing_bytes -= b->in_cap;
	b->next = w->spare;
	w->spare = b;
	return b->err.kind == ERR_NONE ? 0 : fail(w, &b->err, e);
}

/* The oldest batch gets its addresses and goes to be written. */
static int place_oldest(struct block_writer *w, struct err *e)
{
	struct batch *b = w->first;
	struct err    why = { 0 };

	w->first = b->next;
	if (w->first == NULL)
		w->last = &w->first;
	w->depth--;
	w->bytes -= b->in_cap;
	b->next = NULL;
	job_wait(w->threads, &b->job);
	w->placing = true;

	int rc = place(w, b, &why);

	w->placing = false;
	/* Onto the list of those being written in any case: there it is waited for and freed. */
	*w->writing_last = b;
	w->writing_last = &b->next;
	w->writing_count++;
	w->writing_bytes += b->in_cap;
	if (rc < 0)
		return fail(w, &why, e);
	job_start(w->threads, &b->job, batch_write, b);
	return 0;
}

/*
 * A batch that is done with and large enough. When none is, one that is too small goes, so that
 * there are never more of them than were once needed at a time.
 */
static struct batch *take_spare(struct block_writer *w, size_t size)
{
	struct batch **at = &w->spare, *b;

	while (*at != NULL && (*at)->in_cap < size)
		at = &(*at)->next;
	b = *at;
	if (b != NULL) {
		*at = b->next;
	} else if (w->spare != NULL) {
		struct batch *small = w->spare;

		w->spare = small->next;
		batch_free(small);
	}
	return b;
}

static int start_filling(struct block_writer *w, size_t size, struct err *e)
{
	struct batch *b = take_spare(w, size);

	if (b != NULL)
		batch_reset(b);
	else if (batch_new(size > BATCH_SIZE ? size : BATCH_SIZE, &b, e) < 0)
		return -1;
	b->next = NULL;
	b->txg = w->options.txg;
	b->options = &w->options;
	b->unit = alloc_unit(w->options.alloc);
	w->filling = b;
	return 0;
}

/* Hands the batch being filled to the workers. */
static void dispatch(struct block_writer *w)
{
	struct batch *b = w->filling;

	w->filling = NULL;
	if (b == NULL)
		return;
	*w->last = b;
	w->last = &b->next;
	w->depth++;
	w->bytes += b->in_cap;
	job_start(w->threads, &b->job, batch_compress, b);
}

/* Keeps what is under way bounded; what `done` submits meanwhile only queues up. */
static int keep_depth(struct block_writer *w, unsigned depth, struct err *e)
{
	while (!w->placing && w->depth > 0 && (w->depth > depth || w->bytes > PIPELINE_BYTES)) {
		if (place_oldest(w, e) < 0)
			return -1;
		while (w->writing_count > WRITING_MAX ||
		       (w->writing_count > 1 && w->writing_bytes > WRITING_BYTES)) {
			if (collect_written(w, e) < 0)
				return -1;
		}
	}
	return 0;
}

int block_reserve(struct block_writer *w, uint32_t size, uint8_t **out, struct err *e)
{
	uint64_t need = align_up(size, alloc_unit(w->options.alloc));

	if (w->err.kind != ERR_NONE)
		return fail(w, &w->err, e);
	/* Placing may submit blocks that fill the next batch at once: hence a loop. */
	while (w->filling == NULL || w->filling->txg != w->options.txg ||
	       w->filling->in_cap - w->filling->in_used < size ||
	       w->filling->in_cap - w->filling->out_need < need) {
		dispatch(w);
		if (keep_depth(w, PIPELINE_DEPTH, e) < 0)
			return -1;
		if (w->filling == NULL && start_filling(w, need, e) < 0)
			return -1;
	}
	*out = w->filling->in + w->filling->in_used;
	return 0;
}

int block_submit(struct block_writer *w, const struct block_request *r, struct err *e)
{
	struct batch *b = w->filling;

	assert(b != NULL && r->size <= b->in_cap - b->in_used && r->size % SECTOR == 0);
	assert(r->copies >= 1 && r->copies <= BLKPTR_DVAS);
	if (mem_grow(&b->blocks, &b->cap, b->count + 1, sizeof b->blocks[0], e) < 0)
		return -1;
	b->blocks[b->count++] = (struct batch_block){ .req = *r, .in = (uint32_t)b->in_used };
	b->in_used += r->size;
	b->out_need += align_up(r->size, b->unit);
	return 0;
}

int block_writer_drain(struct block_writer *w, struct err *e)
{
	assert(!w->placing); /* done() cannot wait for blocks that are placed after its own */
	if (w->err.kind != ERR_NONE)
		return fail(w, &w->err, e);
	while (w->filling != NULL || w->first != NULL) {
		dispatch(w);
		if (keep_depth(w, 0, e) < 0)
			return -1;
	}
	while (w->writing != NULL) {
		if (collect_written(w, e) < 0)
			return -1;
	}
	return 0;
}

int block_place(struct block_writer *w, const struct block_request *r, struct blkptr *out,
		struct err *e)
{
	uint64_t      asize = align_up(r->size, alloc_unit(w->options.alloc)), got;
	struct blkptr bp = {
		.lsize = r->size, .psize = r->size, .birth = w->options.txg, .fill = r->fill,
		.type = r->type, .level = r->level, .checksum = r->checksum,
		.compress = COMPRESS_OFF, .order = w->options.order,
	};

	for (unsigned c = 0; c < r->copies; c++) {
		bp.dva[c].vdev = alloc_vdev(w->options.alloc);
		bp.dva[c].asize = asize;
		if (alloc_run(w->options.alloc, c, asize, asize, &bp.dva[c].offset, &got, e) < 0)
			return -1;
	}
	*out = bp;
	return grow(w, e);
}

int block_write_placed(struct block_writer *w, struct blkptr *bp, const uint8_t *data,
		       struct err *e)
{
	static const uint8_t zeros[1 << ASHIFT_MAX];
	struct iovec	     iov[2] = { { (void *)data, bp->psize } };

	if (checksum_keyed(bp->checksum, w->options.keys, bytes_of(data, bp->psize, bp->order),
			   &bp->cksum, e) < 0)
		return -1;
	for (unsigned c = 0; c < blkptr_copies(bp); c++) {
		const struct dva *d = &bp->dva[c];

		iov[1] = (struct iovec){ (void *)zeros, d->asize - bp->psize };
		if (vdev_writev(w->options.vdevs, d->vdev, d->offset, iov,
				iov[1].iov_len > 0 ? 2 : 1, e) < 0)
			return -1;
		w->written += d->asize;
	}
	return 0;
}
