#include <criterion/criterion.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/block/block_read.h"
#include "formats/codec/compress.h"
#include "formats/objtype.h"

/* One disk in memory and a reader over it. */
struct rig {
	struct dev	    *dev;
	struct vdev_tree    *vdevs;
	struct block_reader *reader;
	size_t		     events;
	struct block_event   last;
};

static const struct block_where here = { .objset = 5, .object = 7 };

static void note(void *ctx, const struct block_event *event)
{
	struct rig *r = ctx;

	r->events++;
	r->last = *event;
}

static void rig_open(struct rig *r, size_t cache)
{
	struct vdev_config  disk = { .kind = VDEV_DISK, .guid = 1, .asize = 56 << 20, .ashift = 9 };
	struct vdev_config *children[] = { &disk };
	struct vdev_config  root = { .kind = VDEV_ROOT, .children = children, .child_count = 1 };
	struct vdev_member  member = { .guid = 1 };
	struct err	    e = { 0 };

	*r = (struct rig){ 0 };
	cr_assert_eq(dev_mem_new("memory", 64 << 20, &r->dev, &e), 0);
	member.dev = r->dev;
	cr_assert_eq(vdev_tree_open(&root, &member, 1, &r->vdevs, &e), 0, "%s", e.text);

	struct block_reader_options o = {
		.vdevs = r->vdevs, .cache_bytes = cache, .on_event = note, .ctx = r
	};

	cr_assert_eq(block_reader_new(&o, &r->reader, &e), 0, "%s", e.text);
}

static void rig_close(struct rig *r)
{
	block_reader_free(r->reader);
	vdev_tree_close(r->vdevs);
}

static void put(struct rig *r, uint64_t offset, const void *p, size_t n)
{
	cr_assert_eq(dev_write(r->dev, VDEV_DATA_START + offset, p, n, NULL), 0);
}

/* n bytes of a pattern at the offsets given, and the pointer to them. */
static struct blkptr place(struct rig *r, size_t n, unsigned salt, unsigned copies,
			   const uint64_t *offsets)
{
	uint8_t	     *p = malloc(n);
	struct blkptr bp = { .lsize = n,
			     .psize = n,
			     .birth = 9,
			     .fill = 1,
			     .type = OT_PLAIN_FILE,
			     .checksum = CHECKSUM_FLETCHER_4,
			     .compress = COMPRESS_OFF };

	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(i * 7 + salt);
	cr_assert_eq(checksum_compute(bp.checksum, bytes_of(p, n, bp.order), &bp.cksum, NULL), 0);
	for (unsigned c = 0; c < copies; c++) {
		bp.dva[c] = (struct dva){ .offset = offsets[c], .asize = n };
		put(r, offsets[c], p, n);
	}
	free(p);
	return bp;
}

static bool is_pattern(const uint8_t *p, size_t n, unsigned salt)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] != (uint8_t)(i * 7 + salt))
			return false;
	}
	return true;
}

Test(block_read, a_block_is_verified_and_kept)
{
	struct rig    r;
	struct block *a, *b;
	struct blkptr bp;

	rig_open(&r, 0);
	bp = place(&r, 4096, 1, 1, (uint64_t[]){ 0x10000 });
	cr_assert_eq(block_read(r.reader, &bp, &here, &a, NULL), 0);
	cr_assert(is_pattern(a->bytes.p, 4096, 1));
	cr_assert_eq(a->type, OT_PLAIN_FILE);
	/* From the cache: the device no longer has it. */
	put(&r, 0x10000, "spoilt", 6);
	cr_assert_eq(block_read(r.reader, &bp, &here, &b, NULL), 0);
	cr_assert_eq(a, b);
	/* A pointer that claims other bytes at that address is not served from it. */
	bp.cksum.w[0]++;
	block_put(r.reader, b);
	cr_assert_eq(block_read(r.reader, &bp, &here, &b, NULL), -1);
	cr_assert_eq(r.events, 1);
	cr_assert(r.last.checksum_failed);
	block_put(r.reader, a);
	rig_close(&r);
}

Test(block_read, a_small_cache_stays_small_and_right)
{
	struct rig    r;
	struct block *held, *b;
	struct blkptr bps[20];

	rig_open(&r, 10000);
	for (unsigned i = 0; i < 20; i++)
		bps[i] = place(&r, 4096, i, 1, (uint64_t[]){ 0x10000 + i * 4096 });
	cr_assert_eq(block_read(r.reader, &bps[0], &here, &held, NULL), 0);
	for (unsigned i = 0; i < 100; i++) {
		cr_assert_eq(block_read(r.reader, &bps[i % 20], &here, &b, NULL), 0);
		cr_assert(is_pattern(b->bytes.p, 4096, i % 20));
		block_put(r.reader, b);
	}
	cr_assert(is_pattern(held->bytes.p, 4096, 0));
	block_put(r.reader, held);
	rig_close(&r);
}

Test(block_read, the_next_copy_is_tried_and_told_of)
{
	struct rig    r;
	struct block *b;
	struct blkptr bp;
	uint8_t	      buf[4096];

	rig_open(&r, 0);
	bp = place(&r, 4096, 3, 3, (uint64_t[]){ 0x10000, 0x20000, 0x30000 });
	put(&r, 0x10100, "spoilt", 6);
	bp.dva[1].offset = 60 << 20; /* past the end of the vdev */
	cr_assert_eq(block_read(r.reader, &bp, &here, &b, NULL), 0);
	cr_assert(is_pattern(b->bytes.p, 4096, 3));
	cr_assert_eq(r.events, 2);
	cr_assert_not(r.last.checksum_failed);
	cr_assert_eq(r.last.copy, 1);
	block_put(r.reader, b);
	cr_assert_eq(block_verify_copy(r.reader, &bp, &here, 0, 0, buf, NULL), -1);
	cr_assert_eq(block_verify_copy(r.reader, &bp, &here, 2, 0, buf, NULL), 0);
	put(&r, 0x30100, "spoilt", 6);
	cr_assert_eq(block_read_into(r.reader, &bp, &here, buf, NULL), -1);
	rig_close(&r);
}

Test(block_read, compressed_holes_and_embedded)
{
	struct rig    r;
	struct codec *codec = codec_new(NULL);
	uint8_t	      plain[4096] = "to be compressed", packed[4096] = { 0 };
	struct block *b;
	struct blkptr bp = { .lsize = 4096, .birth = 3, .type = OT_DIRECTORY };

	rig_open(&r, 0);
	cr_assert_eq(block_read(r.reader, &bp, &here, &b, NULL), 0);
	cr_assert(bytes_zero(b->bytes));
	cr_assert_eq(b->bytes.n, 4096);
	block_put(r.reader, b);

	bp.compress = COMPRESS_LZ4;
	bp.checksum = CHECKSUM_SHA256;
	bp.psize = 512;
	cr_assert_gt(compress_block(codec, (struct compress_choice){ .id = COMPRESS_LZ4 },
				    bytes_of(plain, sizeof plain, bp.order), packed, 512),
		     0);
	cr_assert_eq(checksum_compute(CHECKSUM_SHA256, bytes_of(packed, 512, bp.order), &bp.cksum,
				      NULL),
		     0);
	bp.dva[0] = (struct dva){ .offset = 512, .asize = 512 };
	put(&r, 512, packed, 512);
	cr_assert_eq(block_read(r.reader, &bp, &here, &b, NULL), 0);
	cr_assert_arr_eq(b->bytes.p, plain, sizeof plain);
	block_put(r.reader, b);

	struct blkptr em = { .lsize = 4096,
			     .psize = 60,
			     .birth = 3,
			     .type = OT_DIRECTORY,
			     .compress = COMPRESS_LZ4,
			     .embedded = true };

	memcpy(em.payload, packed, 60);
	cr_assert_eq(block_read(r.reader, &em, &here, &b, NULL), 0);
	cr_assert_arr_eq(b->bytes.p, plain, sizeof plain);
	block_put(r.reader, b);
	em.etype = BP_EMBEDDED_REDACTED;
	cr_assert_eq(block_read(r.reader, &em, &here, &b, NULL), -1);
	codec_free(codec);
	rig_close(&r);
}

/* Writes a sealed gang header for `bp` at each of its addresses. */
static void put_gang(struct rig *r, const struct blkptr *bp, const struct blkptr *members,
		     unsigned count, enum order order)
{
	uint8_t	      raw[GANG_HEADER_SIZE] = { 0 };
	struct digest verifier = { { bp->dva[0].vdev, bp->dva[0].offset, bp->birth, 0 } };

	for (unsigned i = 0; i < count; i++)
		blkptr_encode(&members[i], wbytes_of(raw + i * BLKPTR_SIZE, BLKPTR_SIZE, order));
	cr_assert_eq(checksum_trailer_seal(CHECKSUM_GANG_HEADER, wbytes_of(raw, sizeof raw, order),
					   &verifier, NULL),
		     0);
	for (unsigned c = 0; c < BLKPTR_DVAS; c++) {
		if (bp->dva[c].asize != 0)
			put(r, bp->dva[c].offset, raw, sizeof raw);
	}
}

/* A block of 3072 bytes in three members of 1024, under a header with two copies. */
static struct blkptr gang_of_three(struct rig *r, enum order order)
{
	struct blkptr whole = place(r, 3072, 5, 1, (uint64_t[]){ 0x100000 }), member[3];
	uint8_t	      part[3072];

	cr_assert_eq(dev_read(r->dev, VDEV_DATA_START + 0x100000, part, sizeof part, NULL), 0);
	for (unsigned i = 0; i < 3; i++) {
		member[i] = place(r, 1024, 0, 1, (uint64_t[]){ 0x200000 + i * 0x1000 });
		put(r, 0x200000 + i * 0x1000, part + i * 1024, 1024);
		cr_assert_eq(checksum_compute(CHECKSUM_FLETCHER_4,
					      bytes_of(part + i * 1024, 1024, member[i].order),
					      &member[i].cksum, NULL),
			     0);
	}
	whole.dva[0] = (struct dva){ .offset = 0x300000, .asize = 3584, .gang = true };
	whole.dva[1] = (struct dva){ .offset = 0x310000, .asize = 3584, .gang = true };
	put_gang(r, &whole, member, 3, order);
	return whole;
}

static int count_range(void *ctx, uint32_t vdev, uint64_t offset, uint64_t asize, unsigned copy)
{
	(void)vdev;
	(void)offset;
	(void)copy;
	*(uint64_t *)ctx += asize;
	return 0;
}

Test(block_read, a_gang_is_put_together_in_either_order)
{
	for (int order = 0; order < 2; order++) {
		struct rig    r;
		struct blkptr bp;
		uint8_t	      buf[3072];
		uint64_t      claimed = 0;

		rig_open(&r, 0);
		bp = gang_of_three(&r, (enum order)order);
		cr_assert_eq(block_read_into(r.reader, &bp, &here, buf, NULL), 0);
		cr_assert(is_pattern(buf, 3072, 5));
		cr_assert_eq(r.events, 0);
		cr_assert_eq(block_ranges(r.reader, &bp, &here, count_range, &claimed, NULL), 0);
		cr_assert_eq(claimed, 2 * 512 + 3072);
		/* The first header lost: the second serves. */
		put(&r, 0x300000, "spoilt", 6);
		cr_assert_eq(block_read_into(r.reader, &bp, &here, buf, NULL), 0);
		cr_assert_eq(r.events, 1);
		cr_assert_eq(block_verify_copy(r.reader, &bp, &here, 1, 0, buf, NULL), 0);
		cr_assert_eq(block_verify_copy(r.reader, &bp, &here, 0, 0, buf, NULL), -1);
		/* A member lost: nothing serves. */
		put(&r, 0x201000, "spoilt", 6);
		cr_assert_eq(block_read_into(r.reader, &bp, &here, buf, NULL), -1);
		rig_close(&r);
	}
}

Test(block_read, a_gang_that_contains_itself_ends)
{
	struct rig    r;
	struct blkptr bp;
	uint8_t	      buf[3072];
	uint64_t      claimed = 0;
	struct err    e = { 0 };

	rig_open(&r, 0);
	bp = gang_of_three(&r, ORDER_LITTLE);
	put_gang(&r, &bp, (struct blkptr[]){ bp }, 1, ORDER_LITTLE);
	cr_assert_eq(block_read_into(r.reader, &bp, &here, buf, &e), -1);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	cr_assert_eq(block_ranges(r.reader, &bp, &here, count_range, &claimed, &e), -1);
	rig_close(&r);
}

Test(block_read, gang_members_must_add_up)
{
	struct rig    r;
	struct blkptr bp, half;
	uint8_t	      buf[3072];

	rig_open(&r, 0);
	bp = gang_of_three(&r, ORDER_LITTLE);
	half = place(&r, 1024, 5, 1, (uint64_t[]){ 0x400000 });
	put_gang(&r, &bp, (struct blkptr[]){ half }, 1, ORDER_LITTLE);
	cr_assert_eq(block_read_into(r.reader, &bp, &here, buf, NULL), -1);
	half = place(&r, 2048, 5, 1, (uint64_t[]){ 0x400000 });
	put_gang(&r, &bp, (struct blkptr[]){ half, half }, 2, ORDER_LITTLE);
	cr_assert_eq(block_read_into(r.reader, &bp, &here, buf, NULL), -1);
	rig_close(&r);
}

Test(block_read, no_memory_is_said_and_nothing_leaks)
{
	struct rig    r;
	struct block *b;
	struct blkptr bp;
	struct err    e = { 0 };
	int	      rc = -1;

	rig_open(&r, 0);
	bp = gang_of_three(&r, ORDER_LITTLE);
	for (uint64_t n = 1; rc < 0; n++) {
		mem_fail_at(n);
		rc = block_read(r.reader, &bp, &here, &b, &e);
		mem_fail_at(0);
		cr_assert(rc == 0 || e.kind == ERR_NOMEM, "%s", e.text);
	}
	block_put(r.reader, b);
	rig_close(&r);
}
