/*
 * Block pointers. One decoder for the three forms: what they share is in the property and birth
 * words; an embedded pointer's payload fills all other words, lowest byte of a word first.
 */
#include "formats/blkptr.h"

#include <inttypes.h>

#include "formats/base/limits.h"
#include "formats/codec/compress.h"
#include "formats/objtype.h"

enum {
	BP_PROP = 0x30,
	BP_PROP2 = 0x38,
	BP_PHYS_BIRTH = 0x48,
	BP_BIRTH = 0x50,
	BP_FILL = 0x58,
	BP_CKSUM = 0x60,
	DVA_WORD1 = 0x08,
};

static int dva_decode(struct bytes in, struct dva *out, struct err *e)
{
	uint64_t w0 = get64(in, 0), w1 = get64(in, DVA_WORD1);

	if (bits(w1, 0, 63) > UINT64_MAX / SECTOR)
		return err_set(e, ERR_CORRUPT, "offset of 0x%" PRIx64 " sectors is past 2^64 bytes",
			       bits(w1, 0, 63));
	*out = (struct dva){ .vdev = (uint32_t)bits(w0, 32, 24),
			     .asize = bits(w0, 0, 24) * SECTOR,
			     .offset = bits(w1, 0, 63) * SECTOR,
			     .gang = bits(w1, 63, 1) };
	return 0;
}

static void dva_encode(const struct dva *dva, struct wbytes out)
{
	put64(out, 0, bits_put(dva->vdev, 32, 24) | bits_put(dva->asize / SECTOR, 0, 24));
	put64(out, DVA_WORD1, bits_put(dva->offset / SECTOR, 0, 63) | bits_put(dva->gang, 63, 1));
}

static bool is_payload_word(size_t off)
{
	return off != BP_PROP && off != BP_BIRTH;
}

static void payload_decode(struct bytes in, uint8_t *payload)
{
	struct wbytes out = wbytes_of(payload, BLKPTR_PAYLOAD_MAX, ORDER_LITTLE);
	size_t	      at = 0;

	for (size_t off = 0; off < BLKPTR_SIZE; off += 8) {
		if (!is_payload_word(off))
			continue;
		put64(out, at, get64(in, off));
		at += 8;
	}
}

static void payload_encode(const uint8_t *payload, struct wbytes out)
{
	struct bytes in = bytes_of(payload, BLKPTR_PAYLOAD_MAX, ORDER_LITTLE);
	size_t	     at = 0;

	for (size_t off = 0; off < BLKPTR_SIZE; off += 8) {
		if (!is_payload_word(off))
			continue;
		put64(out, off, get64(in, at));
		at += 8;
	}
}

static struct blkptr props_decode(uint64_t w)
{
	struct blkptr bp = {
		.compress = (uint8_t)bits(w, 32, 7),
		.embedded = bits(w, 39, 1),
		.type = (uint8_t)bits(w, 48, 8),
		.level = (uint8_t)bits(w, 56, 5),
		.crypt = bits(w, 61, 1),
		.dedup = bits(w, 62, 1),
		.order = bits(w, 63, 1) ? ORDER_LITTLE : ORDER_BIG,
	};

	if (bp.embedded) {
		bp.lsize = bits(w, 0, 25) + 1;
		bp.psize = bits(w, 25, 7) + 1;
		bp.etype = (uint8_t)bits(w, 40, 8);
		bp.checksum = CHECKSUM_OFF;
	} else {
		bp.lsize = (bits(w, 0, 16) + 1) * SECTOR;
		bp.psize = (bits(w, 16, 16) + 1) * SECTOR;
		bp.checksum = (uint8_t)bits(w, 40, 8);
	}
	return bp;
}

/* Sizes are stored less one unit; 0, which a fresh struct has, is stored as the least size. */
static uint64_t units(uint64_t size, uint64_t unit)
{
	return size < unit ? 0 : size / unit - 1;
}

static uint64_t props_encode(const struct blkptr *bp)
{
	uint64_t w = bits_put(bp->compress, 32, 7) | bits_put(bp->embedded, 39, 1) |
		     bits_put(bp->type, 48, 8) | bits_put(bp->level, 56, 5) |
		     bits_put(bp->crypt, 61, 1) | bits_put(bp->dedup, 62, 1);

	/* A hole points at no block, so OpenZFS leaves the order of one unset. */
	if (!blkptr_is_hole(bp))
		w |= bits_put(bp->order == ORDER_LITTLE, 63, 1);
	if (bp->embedded)
		return w | bits_put(units(bp->lsize, 1), 0, 25) |
		       bits_put(units(bp->psize, 1), 25, 7) | bits_put(bp->etype, 40, 8);
	return w | bits_put(units(bp->lsize, SECTOR), 0, 16) |
	       bits_put(units(bp->psize, SECTOR), 16, 16) | bits_put(bp->checksum, 40, 8);
}

static int dvas_decode(struct bytes in, struct blkptr *bp, struct err *e)
{
	int count = blkptr_is_encrypted(bp) ? BLKPTR_DVAS - 1 : BLKPTR_DVAS;

	for (int i = 0; i < count; i++) {
		if (dva_decode(bytes_from(in, (size_t)i * DVA_SIZE), &bp->dva[i], e) < 0)
			return err_in(e, "copy %d", i);
	}
	if (blkptr_is_encrypted(bp)) {
		bp->salt = get64(in, 2 * DVA_SIZE);
		bp->iv = get64(in, 2 * DVA_SIZE + DVA_WORD1);
	}
	return 0;
}

int blkptr_decode(struct bytes in, struct blkptr *out, struct err *e)
{
	if (in.n < BLKPTR_SIZE)
		return err_set(e, ERR_CORRUPT, "block pointer needs %d bytes, has %zu", BLKPTR_SIZE,
			       in.n);

	struct blkptr bp = props_decode(get64(in, BP_PROP));

	bp.birth = get64(in, BP_BIRTH);
	if (bp.embedded) {
		payload_decode(in, bp.payload);
		*out = bp;
		return 0;
	}
	if (dvas_decode(in, &bp, e) < 0)
		return -1;
	bp.rewrite = bits(get64(in, BP_PROP2), 63, 1);
	bp.phys_birth = get64(in, BP_PHYS_BIRTH);
	bp.fill = get64(in, BP_FILL);
	for (size_t i = 0; i < 4; i++)
		bp.cksum.w[i] = get64(in, BP_CKSUM + 8 * i);
	*out = bp;
	return 0;
}

static bool never_written(const struct blkptr *bp)
{
	return blkptr_is_hole(bp) && bp->birth == 0 && bp->type == OT_NONE && bp->level == 0 &&
	       bp->lsize <= SECTOR;
}

void blkptr_encode(const struct blkptr *bp, struct wbytes out)
{
	assert(out.n >= BLKPTR_SIZE);
	memset(out.p, 0, BLKPTR_SIZE);
	if (never_written(bp))
		return;
	put64(out, BP_PROP, props_encode(bp));
	put64(out, BP_BIRTH, bp->birth);
	if (bp->embedded) {
		payload_encode(bp->payload, out);
		return;
	}
	for (size_t i = 0; i < BLKPTR_DVAS; i++)
		dva_encode(&bp->dva[i], wbytes_from(out, i * DVA_SIZE));
	if (blkptr_is_encrypted(bp)) {
		put64(out, 2 * DVA_SIZE, bp->salt);
		put64(out, 2 * DVA_SIZE + DVA_WORD1, bp->iv);
	}
	put64(out, BP_PROP2, bits_put(bp->rewrite, 63, 1));
	put64(out, BP_PHYS_BIRTH, bp->phys_birth);
	put64(out, BP_FILL, bp->fill);
	for (size_t i = 0; i < 4; i++)
		put64(out, BP_CKSUM + 8 * i, bp->cksum.w[i]);
}

bool blkptr_is_hole(const struct blkptr *bp)
{
	const struct dva *d = &bp->dva[0];

	return !bp->embedded && d->vdev == 0 && d->offset == 0 && d->asize == 0 && !d->gang;
}

bool blkptr_is_encrypted(const struct blkptr *bp)
{
	return bp->crypt && !bp->embedded && bp->level == 0 && objtype_is_encrypted(bp->type);
}

unsigned blkptr_copies(const struct blkptr *bp)
{
	unsigned n = 0;

	for (size_t i = 0; i < BLKPTR_DVAS && !bp->embedded; i++)
		n += bp->dva[i].asize != 0;
	return n;
}

uint64_t blkptr_asize(const struct blkptr *bp)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < BLKPTR_DVAS && !bp->embedded; i++)
		sum += bp->dva[i].asize;
	return sum;
}

uint64_t blkptr_phys_birth(const struct blkptr *bp)
{
	return bp->phys_birth != 0 ? bp->phys_birth : bp->birth;
}

static int check_embedded(const struct blkptr *bp, struct err *e)
{
	if (bp->etype > BP_EMBEDDED_REDACTED)
		return err_set(e, ERR_CORRUPT, "unknown kind of embedded data %u", bp->etype);
	if (bp->etype == BP_EMBEDDED_REDACTED)
		return 0;
	if (bp->psize == 0 || bp->psize > BLKPTR_PAYLOAD_MAX)
		return err_set(e, ERR_CORRUPT,
			       "embedded data of %" PRIu64 " bytes, %d is the most there can be",
			       bp->psize, BLKPTR_PAYLOAD_MAX);
	if (bp->psize > bp->lsize)
		return err_set(e, ERR_CORRUPT,
			       "embedded data of %" PRIu64 " bytes for a block of %" PRIu64,
			       bp->psize, bp->lsize);
	return 0;
}

static int check_stored(const struct blkptr *bp, struct err *e)
{
	if (bp->dva[0].asize == 0)
		return err_set(e, ERR_CORRUPT, "a block without an allocated copy");
	if (bp->checksum >= CHECKSUM_COUNT)
		return err_set(e, ERR_CORRUPT, "unknown checksum %u", bp->checksum);
	if (bp->psize == 0 || bp->psize > BLOCK_MAX)
		return err_set(e, ERR_CORRUPT, "impossible stored size %" PRIu64, bp->psize);
	if (bp->psize > bp->lsize && !bp->crypt && !bp->dva[0].gang)
		return err_set(e, ERR_CORRUPT,
			       "stored size %" PRIu64 " is more than the block's %" PRIu64,
			       bp->psize, bp->lsize);
	return 0;
}

int blkptr_check(const struct blkptr *bp, struct err *e)
{
	if (blkptr_is_hole(bp))
		return 0;
	if (!objtype_known(bp->type))
		return err_set(e, ERR_CORRUPT, "unknown object type %u", bp->type);
	if (bp->level >= DNODE_LEVELS_MAX)
		return err_set(e, ERR_CORRUPT, "impossible level %u", bp->level);
	if (bp->compress >= COMPRESS_COUNT)
		return err_set(e, ERR_CORRUPT, "unknown compression %u", bp->compress);
	if (bp->lsize == 0 || bp->lsize > BLOCK_MAX)
		return err_set(e, ERR_CORRUPT, "impossible block size %" PRIu64, bp->lsize);
	return bp->embedded ? check_embedded(bp, e) : check_stored(bp, e);
}

static void put_type(const struct blkptr *bp, struct text *t)
{
	if (!objtype_known(bp->type))
		text_put(t, "[L%u type %u]", bp->level, bp->type);
	else if (bp->type & OT_NEWTYPE)
		text_put(t, "[L%u bswap %s %s]", bp->level,
			 objtype_is_metadata(bp->type) ? "metadata" : "data",
			 objtype_name(bp->type));
	else
		text_put(t, "[L%u %s]", bp->level, objtype_name(bp->type));
}

static void put_algorithm(const char *name, const char *what, unsigned id, struct text *t)
{
	if (name != NULL)
		text_put(t, " %s", name);
	else
		text_put(t, " %s-%u", what, id);
}

static const char *crypt_word(const struct blkptr *bp)
{
	if (!bp->crypt)
		return "unencrypted";
	if (bp->level > 0)
		return "indirect-MAC";
	return blkptr_is_encrypted(bp) ? "encrypted" : "authenticated";
}

static void put_copies(const struct blkptr *bp, struct text *t)
{
	for (size_t i = 0; i < BLKPTR_DVAS; i++) {
		const struct dva *d = &bp->dva[i];

		if (d->asize != 0)
			text_put(t, "DVA[%zu]=<%" PRIu32 ":%" PRIx64 ":%" PRIx64 "> ", i, d->vdev,
				 d->offset, d->asize);
	}
	if (blkptr_is_encrypted(bp))
		text_put(t, "salt=%" PRIx64 " iv=%" PRIx64 ":%" PRIx64 " ", bp->salt, bp->iv,
			 bits(bp->fill, 32, 32));
}

static void describe_stored(const struct blkptr *bp, struct text *t)
{
	static const char *const words[] = { "zero", "single", "double", "triple" };
	char			 cksum[DIGEST_TEXT];

	put_copies(bp, t);
	put_type(bp, t);
	put_algorithm(checksum_name(bp->checksum), "checksum", bp->checksum, t);
	put_algorithm(compress_name(bp->compress), "compress", bp->compress, t);
	digest_text(&bp->cksum, cksum);
	text_put(t,
		 " %s %s %s %s %s size=%" PRIx64 "L/%" PRIx64 "P birth=%" PRIu64 "L/%" PRIu64
		 "P fill=%" PRIu64 " cksum=%s",
		 crypt_word(bp), bp->order == ORDER_LITTLE ? "LE" : "BE",
		 bp->dva[0].gang ? "gang" : "contiguous", bp->dedup ? "dedup" : "unique",
		 words[blkptr_copies(bp)], bp->lsize, bp->psize, bp->birth, blkptr_phys_birth(bp),
		 blkptr_is_encrypted(bp) ? bits(bp->fill, 0, 32) : bp->fill, cksum);
}

void blkptr_describe(const struct blkptr *bp, struct text *t)
{
	if (blkptr_is_hole(bp)) {
		text_put(t, "HOLE ");
		put_type(bp, t);
		text_put(t, " size=%" PRIx64 "L birth=%" PRIu64 "L", bp->lsize, bp->birth);
	} else if (bp->embedded) {
		text_put(t, bp->etype == BP_EMBEDDED_REDACTED ? "REDACTED " : "EMBEDDED ");
		put_type(bp, t);
		text_put(t, " et=%u", bp->etype);
		put_algorithm(compress_name(bp->compress), "compress", bp->compress, t);
		text_put(t, " size=%" PRIx64 "L/%" PRIx64 "P birth=%" PRIu64 "L", bp->lsize,
			 bp->psize, bp->birth);
	} else {
		describe_stored(bp, t);
	}
}
