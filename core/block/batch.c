/*
 * The pure work on a batch: zero test, compression, padding, checksum, and the write itself. Runs
 * on any thread, touches nothing but the batch.
 */
#include "core/block/batch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

#ifndef IOV_MAX
#define IOV_MAX 1024
#endif

int batch_new(size_t in_cap, struct batch **out, struct err *e)
{
	struct batch *b = mem_zero(sizeof *b, e);

	if (b == NULL)
		return -1;
	b->in = mem_raw(in_cap, e);
	b->out = mem_raw(in_cap, e);
	b->in_cap = in_cap;
	if (b->in == NULL || b->out == NULL) {
		batch_free(b);
		return -1;
	}
	*out = b;
	return 0;
}

void batch_free(struct batch *b)
{
	if (b == NULL)
		return;
	free(b->in);
	free(b->out);
	free(b->blocks);
	free(b->iov);
	free(b->writes);
	free(b);
}

void batch_reset(struct batch *b)
{
	b->in_used = b->out_used = b->out_need = 0;
	b->count = b->iov_count = b->write_count = 0;
	b->err.kind = ERR_NONE;
}

/* Pads what is stored to whole units; `stored` lies in batch->out. */
static void pad(struct batch_block *bb, size_t used)
{
	memset(bb->stored + used, 0, bb->asize - used);
}

static void store_compressed(struct batch_block *bb, size_t n, uint64_t unit, uint8_t *to)
{
	bb->stored = to;
	bb->psize = bb->asize = (uint32_t)align_up(n, unit);
	bb->compress = (uint8_t)bb->req.compress.id;
	pad(bb, n);
}

static void store_as_is(struct batch *b, struct batch_block *bb, uint64_t unit, uint8_t *to)
{
	bb->stored = b->in + bb->in;
	bb->psize = bb->req.size;
	bb->asize = (uint32_t)align_up(bb->psize, unit);
	bb->compress = COMPRESS_OFF;
	if (bb->asize != bb->psize) {
		memcpy(to, bb->stored, bb->psize);
		bb->stored = to;
		pad(bb, bb->psize);
	}
}

static bool may_embed(const struct batch *b, const struct batch_block *bb, size_t n)
{
	return b->options->embed && n <= BLKPTR_PAYLOAD_MAX && bb->req.level == 0 &&
	       bb->req.type != OT_DNODE && bb->req.type != OT_OBJSET;
}

/* A compressor may give up some bytes before its output is full. */
enum { EMBED_SLACK = 16 };

/*
 * How long a compressed form may be and still be used: an eighth and one unit shorter than the
 * contents, or short enough for the pointer. A compressor that knows stops early: what is no longer
 * than one unit, as most small files are, can only be embedded.
 */
static size_t useful_size(const struct batch *b, const struct batch_block *bb, size_t n)
{
	size_t limit = min64(n - n / 8, align_down(n - 1, b->unit));

	if (limit < BLKPTR_PAYLOAD_MAX && may_embed(b, bb, BLKPTR_PAYLOAD_MAX))
		limit = min64(n, BLKPTR_PAYLOAD_MAX + EMBED_SLACK);
	return limit;
}

/* Chooses the form in which the block is stored. */
static void choose_form(struct batch *b, struct batch_block *bb, struct codec *codec)
{
	struct bytes in = bytes_of(b->in + bb->in, bb->req.size, b->options->order);
	uint8_t	    *to = b->out + b->out_used;
	size_t	     limit = useful_size(b, bb, in.n), n = 0;

	bb->hole = bb->embedded = false;
	if (bb->req.may_hole && bytes_zero(in)) {
		bb->hole = true;
		bb->asize = bb->psize = 0;
		return;
	}
	if (limit > 0)
		n = compress_block(codec, bb->req.compress, in, to, limit);
	if (n > 0 && may_embed(b, bb, n)) {
		bb->embedded = true;
		bb->stored = to;
		bb->psize = (uint32_t)n;
		bb->asize = 0;
		bb->compress = (uint8_t)bb->req.compress.id;
		b->out_used += BLKPTR_PAYLOAD_MAX;
		return;
	}
	if (n > 0 && align_up(n, b->unit) < in.n)
		store_compressed(bb, n, b->unit, to);
	else
		store_as_is(b, bb, b->unit, to);
	if (bb->stored == to)
		b->out_used += bb->asize;
}

void batch_compress(void *arg, void *state)
{
	struct batch *b = arg;

	for (size_t i = 0; i < b->count; i++) {
		struct batch_block *bb = &b->blocks[i];

		choose_form(b, bb, state);
		if (bb->hole || bb->embedded)
			continue;
		if (checksum_keyed(bb->req.checksum, b->options->keys,
				   bytes_of(bb->stored, bb->psize, b->options->order), &bb->cksum,
				   &b->err) < 0)
			return;
	}
}

void batch_write(void *arg, void *state)
{
	struct batch *b = arg;

	(void)state;
	for (size_t i = 0; i < b->write_count; i++) {
		struct batch_write *w = &b->writes[i];

		if (vdev_writev(b->options->vdevs, alloc_vdev(b->options->alloc), w->offset, w->iov,
				w->iov_count, &b->err) < 0)
			return;
	}
}

void batch_pointer(const struct batch *b, const struct batch_block *bb, struct blkptr *out)
{
	const struct block_request *r = &bb->req;

	*out = (struct blkptr){ .order = b->options->order };
	if (bb->hole)
		return;
	out->lsize = r->size;
	out->psize = bb->psize;
	out->birth = b->txg;
	out->fill = r->fill;
	out->type = r->type;
	out->level = r->level;
	out->compress = bb->compress;
	if (bb->embedded) {
		out->embedded = true;
		out->etype = BP_EMBEDDED_DATA;
		memcpy(out->payload, bb->stored, bb->psize);
		return;
	}
	out->checksum = r->checksum;
	out->cksum = bb->cksum;
}

/* `writes` points into `iov`, which moves when it grows. */
static int grow_iov(struct batch *b, struct err *e)
{
	size_t	      cap = b->iov_cap == 0 ? 256 : b->iov_cap * 2;
	struct iovec *old = b->iov, *iov = mem_array(cap, sizeof *iov, e);

	if (iov == NULL)
		return -1;
	if (b->iov_count > 0)
		memcpy(iov, old, b->iov_count * sizeof *iov);
	for (size_t i = 0; i < b->write_count; i++)
		b->writes[i].iov = iov + (b->writes[i].iov - old);
	free(old);
	b->iov = iov;
	b->iov_cap = cap;
	return 0;
}

int batch_add_write(struct batch *b, const struct batch_block *bb, uint64_t offset, struct err *e)
{
	struct batch_write *last = b->write_count > 0 ? &b->writes[b->write_count - 1] : NULL;
	struct iovec	   *tail = last != NULL ? &last->iov[last->iov_count - 1] : NULL;

	if (last != NULL && (last->end != offset || last->iov_count == IOV_MAX))
		last = NULL;
	if (last != NULL && (uint8_t *)tail->iov_base + tail->iov_len == bb->stored) {
		tail->iov_len += bb->asize;
		last->end += bb->asize;
		return 0;
	}
	if (b->iov_count == b->iov_cap && grow_iov(b, e) < 0)
		return -1;
	if (last == NULL) {
		if (mem_grow(&b->writes, &b->write_cap, b->write_count + 1, sizeof b->writes[0],
			     e) < 0)
			return -1;
		last = &b->writes[b->write_count++];
		*last = (struct batch_write){ offset, offset, &b->iov[b->iov_count], 0 };
	}
	b->iov[b->iov_count++] = (struct iovec){ .iov_base = bb->stored, .iov_len = bb->asize };
	last->iov_count++;
	last->end += bb->asize;
	return 0;
}
