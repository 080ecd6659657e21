/*
 * Blocks by pointer: the copies of an ordinary block, embedded payloads, decompression.
 * Gang blocks are put together in gang_read.c, the cache is cache.c.
 */
#include "core/block/block_read.h"

#include "core/base/mem.h"
#include "core/block/cache.h"
#include "core/block/reader.h"
#include "formats/base/limits.h"
#include "formats/codec/compress.h"
#include "formats/objtype.h"

enum { CACHE_DEFAULT = 32 << 20 };

int block_reader_new(const struct block_reader_options *o, struct block_reader **out, struct err *e)
{
	struct block_reader *r;

	if (checksum_init(e) < 0)
		return -1;
	r = mem_zero(sizeof *r, e);
	if (r == NULL)
		return -1;
	r->vdevs = o->vdevs;
	r->on_event = o->on_event;
	r->ctx = o->ctx;
	if (o->keys != NULL)
		r->keys = *o->keys;
	r->cache = cache_new(o->cache_bytes != 0 ? o->cache_bytes : CACHE_DEFAULT, e);
	r->codec = codec_new(e);
	if (r->cache == NULL || r->codec == NULL) {
		block_reader_free(r);
		return -1;
	}
	*out = r;
	return 0;
}

void block_reader_free(struct block_reader *r)
{
	if (r == NULL)
		return;
	cache_free(r->cache);
	codec_free(r->codec);
	free(r->stored);
	free(r);
}

struct vdev_tree *block_reader_vdevs(const struct block_reader *r)
{
	return r->vdevs;
}

void block_reader_on_event(struct block_reader *r, block_event_fn *fn, void *ctx)
{
	r->on_event = fn;
	r->ctx = ctx;
}

void block_reader_set_salt(struct block_reader *r, const uint8_t salt[SALT_SIZE])
{
	checksum_keys_init(&r->keys, salt);
}

const struct checksum_keys *block_reader_keys(const struct block_reader *r)
{
	return &r->keys;
}

void reader_event(struct block_reader *r, const struct read_at *at, const struct digest *actual,
		  uint64_t size, const struct err *why)
{
	const struct dva *d = &at->bp->dva[at->copy];

	if (r->on_event == NULL)
		return;
	r->on_event(r->ctx, &(struct block_event){
				    .where = at->where,
				    .bp = at->bp,
				    .copy = at->copy,
				    .way = at->way,
				    .vdev = d->vdev,
				    .offset = d->offset,
				    .size = size,
				    .checksum_failed = actual != NULL,
				    .expected = at->bp->cksum,
				    .actual = actual != NULL ? *actual : (struct digest){ { 0 } },
				    .why = why });
}

/*
 * What the pointer's checksum leaves to compare when half of it is a MAC. SHA-2 and its like are
 * cut, the others folded. Source: OpenZFS zio_checksum.c, zio_checksum_error_impl.
 */
static void leave_out_mac(const struct blkptr *bp, struct digest *expected, struct digest *actual)
{
	if (!bp->crypt || bp->type == OT_OBJSET)
		return;
	if (bp->checksum == CHECKSUM_FLETCHER_2 || bp->checksum == CHECKSUM_FLETCHER_4) {
		actual->w[0] ^= actual->w[2];
		actual->w[1] ^= actual->w[3];
	}
	actual->w[2] = actual->w[3] = 0;
	expected->w[2] = expected->w[3] = 0;
}

int block_verify_stored(const struct checksum_keys *keys, const struct blkptr *bp,
			const uint8_t *stored, struct digest *actual, bool *mismatch, struct err *e)
{
	struct bytes  data = bytes_of(stored, bp->psize, bp->order);
	struct digest expected = bp->cksum;
	enum order    order;

	*mismatch = false;
	if (bp->checksum == CHECKSUM_OFF || bp->checksum == CHECKSUM_NOPARITY)
		return 0;
	if (bp->checksum == CHECKSUM_ZILOG || bp->checksum == CHECKSUM_ZILOG2)
		return checksum_trailer_verify(bp->checksum, data, &expected, &order, e);
	if (checksum_keyed(bp->checksum, keys, data, actual, e) < 0)
		return -1;
	leave_out_mac(bp, &expected, actual);
	if (digest_equal(&expected, actual))
		return 0;

	char want[DIGEST_TEXT], got[DIGEST_TEXT];

	*mismatch = true;
	digest_text(&expected, want);
	digest_text(actual, got);
	return err_set(e, ERR_CORRUPT, "checksum %s is wrong: expected %s, got %s",
		       checksum_name(bp->checksum), want, got);
}

/* One copy one way: bytes as stored, verified. Failure is an event, and in e. */
static int read_once(struct block_reader *r, const struct read_at *at, uint8_t *buf, struct err *e)
{
	const struct blkptr *bp = at->bp;
	const struct dva    *d = &bp->dva[at->copy];
	struct digest	     actual = { { 0 } };
	bool		     mismatch = false;
	struct err	     why = { 0 };
	int		     rc;

	if (d->gang)
		rc = gang_read(r, at, buf, &why);
	else
		rc = vdev_read(r->vdevs, d->vdev, d->offset, at->way, buf, bp->psize, &why);
	if (rc == 0)
		rc = block_verify_stored(&r->keys, bp, buf, &actual, &mismatch, &why);
	if (rc == 0)
		return 0;
	reader_event(r, at, mismatch ? &actual : NULL, bp->psize, &why);
	return err_set(e, why.kind, "copy %u at %u:%llx: %s", at->copy, d->vdev,
		       (unsigned long long)d->offset, why.text);
}

int reader_copies(struct block_reader *r, const struct blkptr *bp, const struct block_where *where,
		  uint8_t *buf, struct err *e)
{
	bool tried = false;

	for (unsigned c = 0; c < BLKPTR_DVAS; c++) {
		if (bp->dva[c].asize == 0)
			continue;

		unsigned ways = bp->dva[c].gang ? 1 : vdev_ways(r->vdevs, bp->dva[c].vdev);

		for (unsigned w = 0; w < ways; w++) {
			struct read_at at = { .bp = bp, .where = where, .copy = c, .way = w };

			if (read_once(r, &at, buf, e) == 0)
				return 0;
			tried = true;
		}
	}
	return tried ? -1 : err_set(e, ERR_CORRUPT, "a block pointer without an address");
}

/* Room for the stored form of one block, kept between calls. */
static uint8_t *stored_room(struct block_reader *r, size_t n, struct err *e)
{
	if (n > r->stored_cap) {
		uint8_t *bigger = mem_raw(n, e);

		if (bigger == NULL)
			return NULL;
		free(r->stored);
		r->stored = bigger;
		r->stored_cap = n;
	}
	return r->stored;
}

static int unpack_embedded(struct block_reader *r, const struct blkptr *bp, uint8_t *buf,
			   struct err *e)
{
	struct bytes payload = bytes_of(bp->payload, bp->psize, bp->order);

	if (bp->etype != BP_EMBEDDED_DATA)
		return err_set(e, ERR_UNSUPPORTED, "embedded pointer of type %u", bp->etype);
	if (bp->psize > BLKPTR_PAYLOAD_MAX)
		return err_set(e, ERR_CORRUPT, "embedded payload of %llu bytes",
			       (unsigned long long)bp->psize);
	return decompress_block(r->codec, bp->compress, payload, buf, bp->lsize, e);
}

static int read_stored(struct block_reader *r, const struct blkptr *bp,
		       const struct block_where *where, uint8_t *buf, struct err *e)
{
	if (blkptr_is_encrypted(bp))
		return err_set(e, ERR_UNSUPPORTED, "the block is encrypted");
	if (bp->compress == COMPRESS_OFF && bp->psize == bp->lsize)
		return reader_copies(r, bp, where, buf, e);

	uint8_t *stored = stored_room(r, bp->psize, e);

	if (stored == NULL || reader_copies(r, bp, where, stored, e) < 0)
		return -1;
	return decompress_block(r->codec, bp->compress, bytes_of(stored, bp->psize, bp->order), buf,
				bp->lsize, e);
}

void block_where_text(const struct block_where *where, struct text *t)
{
	if (where->objset == 0)
		text_put(t, "the MOS");
	else
		text_put(t, "object set %llu", (unsigned long long)where->objset);
	if (where->level == LEVEL_OBJSET) {
		text_put(t, ", its own block");
		return;
	}
	if (where->level == LEVEL_LOG) {
		text_put(t, ", intent log block %llu", (unsigned long long)where->blkid);
		return;
	}
	text_put(t, ", object %llu", (unsigned long long)where->object);
	if (where->blkid == BLKID_SPILL) {
		text_put(t, ", spill block");
		return;
	}
	if (where->level > 0)
		text_put(t, ", level %u", where->level);
	text_put(t, ", block %llu", (unsigned long long)where->blkid);
}

static int in_where(const struct block_where *where, struct err *e)
{
	char	    place[128];
	struct text t = text_in(place, sizeof place);

	block_where_text(where, &t);
	return err_in(e, "%s", place);
}

int block_read_into(struct block_reader *r, const struct blkptr *bp,
		    const struct block_where *where, uint8_t *buf, struct err *e)
{
	int rc;

	if (blkptr_is_hole(bp)) {
		memset(buf, 0, bp->lsize);
		return 0;
	}
	if (blkptr_check(bp, e) < 0)
		return in_where(where, e);
	if (bp->embedded)
		rc = unpack_embedded(r, bp, buf, e);
	else
		rc = read_stored(r, bp, where, buf, e);
	return rc < 0 ? in_where(where, e) : 0;
}

int block_read(struct block_reader *r, const struct blkptr *bp, const struct block_where *where,
	       struct block **out, struct err *e)
{
	bool	      by_address = !blkptr_is_hole(bp) && !bp->embedded;
	struct block *b = by_address ? cache_get(r->cache, bp) : NULL;

	if (b != NULL) {
		*out = b;
		return 0;
	}
	if (bp->lsize > BLOCK_MAX) {
		err_set(e, ERR_CORRUPT, "impossible block size %llu",
			(unsigned long long)bp->lsize);
		return in_where(where, e);
	}
	b = cache_block_new(bp->lsize, e);
	if (b == NULL)
		return -1;
	b->bytes.order = bp->order;
	b->type = bp->type;
	b->level = bp->level;
	if (block_read_into(r, bp, where, cache_block_buffer(b), e) < 0) {
		cache_put(r->cache, b);
		return -1;
	}
	if (by_address)
		cache_add(r->cache, b, bp);
	*out = b;
	return 0;
}

void block_put(struct block_reader *r, struct block *b)
{
	if (b != NULL)
		cache_put(r->cache, b);
}

int block_verify_copy(struct block_reader *r, const struct blkptr *bp,
		      const struct block_where *where, unsigned copy, unsigned way, uint8_t *buf,
		      struct err *e)
{
	struct read_at at = { .bp = bp, .where = where, .copy = copy, .way = way, .every = true };

	if (blkptr_check(bp, e) < 0)
		return in_where(where, e);
	if (blkptr_is_hole(bp) || bp->embedded || copy >= BLKPTR_DVAS || bp->dva[copy].asize == 0) {
		err_set(e, ERR_NOTFOUND, "there is no copy %u", copy);
		return in_where(where, e);
	}
	return read_once(r, &at, buf, e) < 0 ? in_where(where, e) : 0;
}
