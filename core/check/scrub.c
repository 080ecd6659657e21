/*
 * The window, its order on disk, and the batches. A worker reads its batch and verifies every copy
 * in it; the thread that owns the scrub hands them out in order and looks at what failed.
 */
#include "core/check/scrub.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

enum {
	WINDOW = 32 << 10,    /* blocks; about 12 MiB */
	BATCH_SIZE = 1 << 20, /* bytes of one read, unless one block is larger */
	BATCH_COPIES = 2048,  /* copies in one batch */
	GAP_MAX = 32 << 10,   /* reading on over this much is cheaper than a second read */
};

enum copy_state { COPY_UNREAD, COPY_GOOD, COPY_BAD_READ, COPY_BAD_CKSUM, COPY_UNSUPPORTED };

struct scrub_block {
	struct blkptr	   bp;
	struct block_where where;
	uint8_t		   state[BLKPTR_DVAS]; /* enum copy_state */
};

struct scrub_copy {
	uint64_t offset;
	uint32_t vdev, block; /* index of the block */
	uint32_t size;
	uint8_t	 copy;
};

/* Copies [first, first + count) in disk order, in [offset, offset + size). */
struct batch {
	struct job    job;
	struct scrub *s;
	size_t	      first, count;
	uint32_t      vdev;
	uint64_t      offset, size;
	uint8_t	     *buf;
	size_t	      cap;
	bool	      nomem;
};

struct scrub {
	struct scrub_options o;
	struct scrub_counts  counts;
	struct threads	    *threads;
	struct scrub_block  *blocks;
	struct scrub_copy   *copies;
	size_t		     block_count, copy_count;
	struct batch	    *batches; /* a ring */
	size_t		     batch_count;
	uint8_t		    *gang; /* room for one block */
};

static int   no_state;
static void *state_new(struct err *e)
{
	(void)e;
	return &no_state;
}

static void state_free(void *state)
{
	(void)state;
}

void scrub_free(struct scrub *s)
{
	if (s == NULL)
		return;
	threads_free(s->threads);
	for (size_t i = 0; s->batches != NULL && i < s->batch_count; i++)
		free(s->batches[i].buf);
	free(s->batches);
	free(s->blocks);
	free(s->copies);
	free(s->gang);
	free(s);
}

int scrub_new(const struct scrub_options *o, struct scrub **out, struct err *e)
{
	struct scrub	      *s = mem_zero(sizeof *s, e);
	struct threads_options how = { .count = o->threads,
				       .state_new = state_new,
				       .state_free = state_free };

	if (s == NULL)
		return -1;
	s->o = *o;
	s->batch_count = 2 * o->threads + 1;
	s->blocks = mem_raw(WINDOW * sizeof *s->blocks, e);
	s->copies = mem_raw(WINDOW * BLKPTR_DVAS * sizeof *s->copies, e);
	s->batches = mem_array(s->batch_count, sizeof *s->batches, e);
	if (s->blocks == NULL || s->copies == NULL || s->batches == NULL ||
	    threads_new(&how, &s->threads, e) < 0) {
		scrub_free(s);
		return -1;
	}
	for (size_t i = 0; i < s->batch_count; i++)
		s->batches[i].s = s;
	*out = s;
	return 0;
}

const struct scrub_counts *scrub_counts(const struct scrub *s)
{
	return &s->counts;
}

/* -- workers ---------------------------------------------------------------------------------- */

static uint8_t verify(const struct scrub *s, const struct blkptr *bp, const uint8_t *stored)
{
	struct digest actual;
	struct err    why;
	bool	      mismatch;

	if (block_verify_stored(block_reader_keys(s->o.reader), bp, stored, &actual, &mismatch,
				&why) == 0)
		return COPY_GOOD;
	return why.kind == ERR_UNSUPPORTED ? COPY_UNSUPPORTED : COPY_BAD_CKSUM;
}

/* The whole batch could not be read: each copy for itself. */
static void read_singly(struct batch *b)
{
	struct scrub *s = b->s;

	for (size_t i = b->first; i < b->first + b->count; i++) {
		const struct scrub_copy *c = &s->copies[i];
		struct scrub_block	*block = &s->blocks[c->block];

		if (vdev_read(s->o.vdevs, c->vdev, c->offset, 0, b->buf, c->size, NULL) < 0)
			block->state[c->copy] = COPY_BAD_READ;
		else
			block->state[c->copy] = verify(s, &block->bp, b->buf);
	}
}

/* Do two pointers to one address ask for the same bytes and checksum? */
static bool same_bytes(const struct blkptr *a, const struct blkptr *b)
{
	return a->psize == b->psize && a->checksum == b->checksum && a->order == b->order &&
	       a->crypt == b->crypt && a->type == b->type && digest_equal(&a->cksum, &b->cksum);
}

static void verify_batch(void *arg, void *state)
{
	struct batch		*b = arg;
	struct scrub		*s = b->s;
	const struct scrub_copy *before = NULL;

	(void)state;
	if (b->size > b->cap) {
		free(b->buf);
		b->buf = mem_raw((size_t)b->size, NULL);
		b->cap = b->buf != NULL ? (size_t)b->size : 0;
	}
	b->nomem = b->buf == NULL;
	if (b->nomem)
		return;
	if (vdev_read(s->o.vdevs, b->vdev, b->offset, 0, b->buf, (size_t)b->size, NULL) < 0) {
		read_singly(b);
		return;
	}
	for (size_t i = b->first; i < b->first + b->count; i++) {
		const struct scrub_copy *c = &s->copies[i];
		struct scrub_block	*block = &s->blocks[c->block];

		/* Deduplicated and cloned blocks, or a pool made to waste our time. */
		if (before != NULL && before->offset == c->offset &&
		    same_bytes(&s->blocks[before->block].bp, &block->bp))
			block->state[c->copy] = s->blocks[before->block].state[before->copy];
		else
			block->state[c->copy] =
				verify(s, &block->bp, b->buf + (c->offset - b->offset));
		before = c;
	}
}

/* -- the owner's side ------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct scrub_copy *x = a, *y = b;

	if (x->vdev != y->vdev)
		return x->vdev < y->vdev ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->copy < y->copy ? -1 : x->copy > y->copy;
}

/* As many copies from `first` on as one read takes. */
static void form_batch(const struct scrub *s, size_t first, struct batch *b)
{
	const struct scrub_copy *c = &s->copies[first];
	uint64_t		 end = c->offset + c->size;
	size_t			 i = first + 1;

	b->first = first;
	b->vdev = c->vdev;
	b->offset = c->offset;
	for (; i < s->copy_count && i - first < BATCH_COPIES; i++) {
		const struct scrub_copy *n = &s->copies[i];
		uint64_t		 past = max64(end, n->offset + n->size);

		if (n->vdev != b->vdev || n->offset > end + GAP_MAX ||
		    past - b->offset > BATCH_SIZE)
			break;
		end = past;
	}
	b->count = i - first;
	b->size = end - b->offset;
}

static int end_batch(struct scrub *s, struct batch *b, struct err *e)
{
	job_wait(s->threads, &b->job);
	if (b->count == 0)
		return 0;
	if (b->nomem)
		return err_nomem(e);
	for (size_t i = b->first; i < b->first + b->count; i++) {
		s->counts.copies++;
		s->counts.bytes += s->copies[i].size;
	}
	b->count = 0;
	return s->o.tick != NULL ? s->o.tick(s->o.ctx, s->counts.bytes, e) : 0;
}

static int run_batches(struct scrub *s, struct err *e)
{
	size_t at = 0, turn = 0;
	int    rc = 0;

	while (rc == 0 && at < s->copy_count) {
		struct batch *b = &s->batches[turn++ % s->batch_count];

		rc = end_batch(s, b, e);
		if (rc < 0)
			break;
		form_batch(s, at, b);
		at += b->count;
		job_start(s->threads, &b->job, verify_batch, b);
	}
	for (size_t i = 0; i < s->batch_count; i++) {
		struct batch *b = &s->batches[turn++ % s->batch_count];

		if (rc == 0)
			rc = end_batch(s, b, e);
		job_wait(s->threads, &b->job);
		b->count = 0;
	}
	return rc;
}

/* One copy here and now: gang blocks, and the others of a block whose first copy is bad. */
static int verify_now(struct scrub *s, struct scrub_block *b, unsigned copy, struct err *e)
{
	struct err why = { 0 };

	if (s->gang == NULL)
		s->gang = mem_raw(BLOCK_MAX, e);
	if (s->gang == NULL)
		return -1;
	s->counts.copies++;
	s->counts.bytes += b->bp.psize;
	if (block_verify_copy(s->o.reader, &b->bp, &b->where, copy, 0, s->gang, &why) == 0)
		b->state[copy] = COPY_GOOD;
	else if (why.kind == ERR_NOMEM)
		return err_nomem(e);
	else if (why.kind == ERR_UNSUPPORTED)
		b->state[copy] = COPY_UNSUPPORTED;
	else
		b->state[copy] = why.kind == ERR_IO ? COPY_BAD_READ : COPY_BAD_CKSUM;
	return 0;
}

static bool is_bad(const struct scrub_block *b, unsigned copy)
{
	return b->state[copy] == COPY_BAD_READ || b->state[copy] == COPY_BAD_CKSUM;
}

static int tell_bad(struct scrub *s, struct scrub_block *b, struct err *e)
{
	unsigned bad = 0, good = 0;

	for (unsigned c = 0; c < BLKPTR_DVAS; c++) {
		if (b->bp.dva[c].asize != 0 && b->state[c] == COPY_UNREAD &&
		    verify_now(s, b, c, e) < 0)
			return -1;
		bad += is_bad(b, c);
		good += b->state[c] == COPY_GOOD;
	}
	for (unsigned c = 0; c < BLKPTR_DVAS; c++) {
		struct scrub_bad one = { .bp = &b->bp,
					 .where = &b->where,
					 .copy = c,
					 .cksum = b->state[c] == COPY_BAD_CKSUM,
					 .lost = good == 0 };

		if (!is_bad(b, c))
			continue;
		one.last = --bad == 0;
		if (s->o.on_bad(s->o.ctx, &one, e) < 0)
			return -1;
	}
	return 0;
}

int scrub_flush(struct scrub *s, struct err *e)
{
	if (s->copy_count > 0)
		qsort(s->copies, s->copy_count, sizeof *s->copies, by_place);
	if (run_batches(s, e) < 0)
		return -1;
	for (size_t i = 0; i < s->block_count; i++) {
		struct scrub_block *b = &s->blocks[i];
		bool		    bad = false, unsupported = false;

		for (unsigned c = 0; c < BLKPTR_DVAS; c++) {
			bad |= is_bad(b, c);
			unsupported |= b->state[c] == COPY_UNSUPPORTED;
		}
		s->counts.unsupported += unsupported;
		if (bad && tell_bad(s, b, e) < 0)
			return -1;
	}
	s->block_count = s->copy_count = 0;
	return 0;
}

/* Which copies are to be read now; what cannot be read at all is bad at once. */
static int add_copies(struct scrub *s, struct scrub_block *b, bool verified, struct err *e)
{
	bool first = true;

	for (unsigned c = 0; c < BLKPTR_DVAS; c++) {
		const struct dva *d = &b->bp.dva[c];

		b->state[c] = COPY_UNREAD;
		if (d->asize == 0)
			continue;
		if (verified && first) {
			b->state[c] = COPY_GOOD;
			s->counts.copies++;
			s->counts.bytes += b->bp.psize;
		} else if (s->o.fast && !first) {
			continue;
		} else if (d->offset > INT64_MAX / 2) {
			b->state[c] = COPY_BAD_READ; /* and no arithmetic with it */
		} else if (d->gang) {
			if (verify_now(s, b, c, e) < 0)
				return -1;
		} else {
			s->copies[s->copy_count++] =
				(struct scrub_copy){ .offset = d->offset,
						     .vdev = d->vdev,
						     .block = (uint32_t)s->block_count,
						     .size = (uint32_t)b->bp.psize,
						     .copy = (uint8_t)c };
		}
		first = false;
	}
	return 0;
}

int scrub_add(struct scrub *s, const struct blkptr *bp, const struct block_where *where,
	      bool verified, struct err *e)
{
	struct scrub_block *b;

	if (s->block_count == WINDOW && scrub_flush(s, e) < 0)
		return -1;
	b = &s->blocks[s->block_count];
	b->bp = *bp;
	b->where = *where;
	if (add_copies(s, b, verified, e) < 0)
		return -1;
	s->counts.blocks++;
	s->block_count++;
	return 0;
}
