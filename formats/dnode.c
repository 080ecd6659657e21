/*
 * The dnode: decode, encode, describe, and the arithmetic of its tree. What hangs under it, and
 * whether its numbers agree with each other, is left to the layers that read blocks.
 */
#include "formats/dnode.h"

#include "formats/base/limits.h"
#include "formats/codec/checksum.h"
#include "formats/codec/compress.h"

enum {
	D_TYPE = 0x00,
	D_INDIRECT_SHIFT = 0x01,
	D_LEVELS = 0x02,
	D_NBLKPTR = 0x03,
	D_BONUS_TYPE = 0x04,
	D_CHECKSUM = 0x05,
	D_COMPRESS = 0x06,
	D_FLAGS = 0x07,
	D_SECTORS = 0x08,
	D_BONUS_LEN = 0x0a,
	D_EXTRA_SLOTS = 0x0c,
	D_MAX_BLKID = 0x10,
	D_USED = 0x18,

	BLKPTR_SHIFT = 7,

	/* OpenZFS writes 12..17 (dnode.h, DN_*_INDBLKSHIFT), older ones from 10; a reader has no
	 * trouble with any block that exists and holds at least two pointers. */
	INDIRECT_SHIFT_LOW = 9,
	INDIRECT_SHIFT_HIGH = 24,
};

size_t dnode_size(const struct dnode *dn)
{
	return ((size_t)dn->extra_slots + 1) * DNODE_MIN_SIZE;
}

size_t dnode_bonus_space(const struct dnode *dn)
{
	size_t taken = DNODE_CORE_SIZE + (size_t)dn->nblkptr * BLKPTR_SIZE;

	if (dn->flags & DNODE_FLAG_SPILL)
		taken += BLKPTR_SIZE;
	return taken < dnode_size(dn) ? dnode_size(dn) - taken : 0;
}

uint64_t dnode_fanout(const struct dnode *dn)
{
	assert(dn->indirect_shift > BLKPTR_SHIFT && dn->indirect_shift < 64);
	return UINT64_C(1) << (dn->indirect_shift - BLKPTR_SHIFT);
}

uint64_t dnode_span(const struct dnode *dn, unsigned level)
{
	uint64_t span = 1, fanout = dnode_fanout(dn);

	/* A fanout of 2 or more saturates within 64 rounds, whatever the level. */
	for (unsigned i = 0; i < level && span != UINT64_MAX; i++) {
		if (!mul_ok(span, fanout, &span))
			span = UINT64_MAX;
	}
	return span;
}

/* Does the fixed part leave the dnode, or its block? */
static int check_shape(struct bytes in, const struct dnode *dn, unsigned bonus_len, struct err *e)
{
	if (dnode_size(dn) > in.n)
		return err_set(e, ERR_CORRUPT, "dnode of %zu bytes, its block has %zu left",
			       dnode_size(dn), in.n);
	if (dn->indirect_shift < INDIRECT_SHIFT_LOW || dn->indirect_shift > INDIRECT_SHIFT_HIGH)
		return err_set(e, ERR_CORRUPT, "dnode has indirect blocks of 2^%u bytes",
			       dn->indirect_shift);
	if (dn->levels < 1 || dn->levels > DNODE_LEVELS_MAX)
		return err_set(e, ERR_CORRUPT, "dnode has %u levels", dn->levels);
	if (dn->nblkptr < 1 || dn->nblkptr > 3)
		return err_set(e, ERR_CORRUPT, "dnode has %u block pointers", dn->nblkptr);
	if (dn->block_size < BLOCK_MIN || dn->block_size > BLOCK_MAX)
		return err_set(e, ERR_CORRUPT, "dnode has blocks of %u bytes", dn->block_size);
	if (dn->nblkptr == 3 && dn->extra_slots == 0 && dn->flags & DNODE_FLAG_SPILL)
		return err_set(e, ERR_CORRUPT, "dnode's third block pointer is its spill pointer");
	if (bonus_len > dnode_bonus_space(dn))
		return err_set(e, ERR_CORRUPT, "dnode's bonus of %u bytes does not fit in %zu",
			       bonus_len, dnode_bonus_space(dn));
	return 0;
}

static int decode_pointers(struct bytes in, struct dnode *dn, struct err *e)
{
	for (unsigned i = 0; i < dn->nblkptr; i++) {
		struct bytes raw = bytes_sub(in, DNODE_CORE_SIZE + i * BLKPTR_SIZE, BLKPTR_SIZE);

		if (blkptr_decode(raw, &dn->bp[i], e) < 0)
			return err_in(e, "block pointer %u", i);
	}
	if (dn->flags & DNODE_FLAG_SPILL) {
		struct bytes raw = bytes_sub(in, dnode_size(dn) - BLKPTR_SIZE, BLKPTR_SIZE);

		if (blkptr_decode(raw, &dn->spill, e) < 0)
			return err_in(e, "spill pointer");
	}
	return 0;
}

/* Space is accounting, not structure: a count of sectors that overflows is cut off, not refused. */
static uint64_t used_bytes(uint64_t used, uint8_t flags)
{
	if (flags & DNODE_FLAG_USED_BYTES)
		return used;
	return min64(used, UINT64_MAX / SECTOR) * SECTOR;
}

int dnode_decode(struct bytes in, struct dnode *out, struct err *e)
{
	if (in.n < DNODE_MIN_SIZE)
		return err_set(e, ERR_CORRUPT, "dnode needs %d bytes, has %zu", DNODE_MIN_SIZE,
			       in.n);
	if (get8(in, D_TYPE) == OT_NONE) {
		*out = (struct dnode){ .type = OT_NONE };
		return 0;
	}

	unsigned     bonus_len = get16(in, D_BONUS_LEN);
	struct dnode dn = {
		.type = get8(in, D_TYPE),
		.indirect_shift = get8(in, D_INDIRECT_SHIFT),
		.levels = get8(in, D_LEVELS),
		.nblkptr = get8(in, D_NBLKPTR),
		.bonus_type = get8(in, D_BONUS_TYPE),
		.checksum = get8(in, D_CHECKSUM),
		.compress = get8(in, D_COMPRESS),
		.flags = get8(in, D_FLAGS),
		.extra_slots = get8(in, D_EXTRA_SLOTS),
		.block_size = (uint32_t)get16(in, D_SECTORS) * SECTOR,
		.max_blkid = get64(in, D_MAX_BLKID),
		.used = used_bytes(get64(in, D_USED), get8(in, D_FLAGS)),
	};

	if (check_shape(in, &dn, bonus_len, e) < 0 || decode_pointers(in, &dn, e) < 0)
		return -1;
	dn.bonus = bytes_sub(in, DNODE_CORE_SIZE + (size_t)dn.nblkptr * BLKPTR_SIZE, bonus_len);
	*out = dn;
	return 0;
}

static void encode_core(const struct dnode *dn, struct wbytes out)
{
	put8(out, D_TYPE, dn->type);
	put8(out, D_INDIRECT_SHIFT, dn->indirect_shift);
	put8(out, D_LEVELS, dn->levels);
	put8(out, D_NBLKPTR, dn->nblkptr);
	put8(out, D_BONUS_TYPE, dn->bonus_type);
	put8(out, D_CHECKSUM, dn->checksum);
	put8(out, D_COMPRESS, dn->compress);
	put8(out, D_FLAGS, dn->flags);
	put16(out, D_SECTORS, (uint16_t)(dn->block_size / SECTOR));
	put16(out, D_BONUS_LEN, (uint16_t)dn->bonus.n);
	put8(out, D_EXTRA_SLOTS, dn->extra_slots);
	put64(out, D_MAX_BLKID, dn->max_blkid);
	if (dn->flags & DNODE_FLAG_USED_BYTES)
		put64(out, D_USED, dn->used);
	else
		put64(out, D_USED, dn->used / SECTOR + (dn->used % SECTOR != 0));
}

void dnode_encode(const struct dnode *dn, struct wbytes out)
{
	assert(out.n >= dnode_size(dn));
	memset(out.p, 0, dnode_size(dn));
	if (dn->type == OT_NONE)
		return;

	size_t bonus_at = DNODE_CORE_SIZE + (size_t)dn->nblkptr * BLKPTR_SIZE;

	assert(dn->nblkptr >= 1 && dn->nblkptr <= 3 && dn->bonus.n <= dnode_bonus_space(dn));
	encode_core(dn, out);
	for (unsigned i = 0; i < dn->nblkptr; i++)
		blkptr_encode(&dn->bp[i],
			      wbytes_sub(out, DNODE_CORE_SIZE + i * BLKPTR_SIZE, BLKPTR_SIZE));
	if (dn->bonus.p != NULL && dn->bonus.n > 0)
		memcpy(out.p + bonus_at, dn->bonus.p, dn->bonus.n);
	if (dn->flags & DNODE_FLAG_SPILL)
		blkptr_encode(&dn->spill,
			      wbytes_sub(out, dnode_size(dn) - BLKPTR_SIZE, BLKPTR_SIZE));
}

static void describe_flags(uint8_t flags, struct text *t)
{
	static const char *const names[] = { "USED_BYTES", "USERUSED_ACCOUNTED", "SPILL_BLKPTR",
					     "USEROBJUSED_ACCOUNTED" };

	text_put(t, "dnode flags:");
	for (unsigned i = 0; i < 8; i++) {
		if (!(flags >> i & 1))
			continue;
		if (i < sizeof names / sizeof *names)
			text_put(t, " %s", names[i]);
		else
			text_put(t, " 0x%x", 1u << i);
	}
	text_put(t, "\n");
}

static void describe_algorithm(const char *what, unsigned id, const char *name, struct text *t)
{
	if (name != NULL)
		text_put(t, "%s: %s\n", what, name);
	else
		text_put(t, "%s: %u (unknown)\n", what, id);
}

void dnode_describe(const struct dnode *dn, struct text *t)
{
	if (dn->type == OT_NONE) {
		text_put(t, "type: free\n");
		return;
	}
	text_put(t, "type: %s (%u)\n", objtype_name(dn->type), dn->type);
	text_put(t, "lvl: %u\niblk: %llu\ndblk: %u\ndsize: %llu\ndnsize: %zu\n", dn->levels,
		 1ULL << (dn->indirect_shift & 63), dn->block_size, (unsigned long long)dn->used,
		 dnode_size(dn));
	text_put(t, "bonus: %zu bytes, %s (%u)\n", dn->bonus.n, objtype_name(dn->bonus_type),
		 dn->bonus_type);
	describe_algorithm("checksum", dn->checksum, checksum_name(dn->checksum), t);
	describe_algorithm("compression", dn->compress, compress_name(dn->compress), t);
	describe_flags(dn->flags, t);
	text_put(t, "dnode maxblkid: %llu\n", (unsigned long long)dn->max_blkid);
}
