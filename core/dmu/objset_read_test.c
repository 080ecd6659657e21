#include <criterion/criterion.h>
#include <stdlib.h>

#include "core/dmu/objset_read.h"
#include "formats/codec/compress.h"

/* An object of 512-byte blocks with indirect blocks of 1 KiB (8 pointers), unchecked, in memory. */
struct rig {
	struct dev	    *dev;
	struct vdev_tree    *vdevs;
	struct block_reader *reader;
	struct objset	     os;
	struct object	     o;
	uint64_t	     next; /* free space */
};

enum { SHIFT = 10, FANOUT = 8, BLOCK = 512 };

static void rig_open(struct rig *r)
{
	struct vdev_config  disk = { .kind = VDEV_DISK, .guid = 1, .asize = 56 << 20, .ashift = 9 };
	struct vdev_config *children[] = { &disk };
	struct vdev_config  root = { .kind = VDEV_ROOT, .children = children, .child_count = 1 };
	struct vdev_member  member = { .guid = 1 };

	*r = (struct rig){ .next = 0x10000 };
	cr_assert_eq(dev_mem_new("memory", 64 << 20, &r->dev, NULL), 0);
	member.dev = r->dev;
	cr_assert_eq(vdev_tree_open(&root, &member, 1, &r->vdevs, NULL), 0);
	cr_assert_eq(block_reader_new(&(struct block_reader_options){ .vdevs = r->vdevs },
				      &r->reader, NULL),
		     0);
	r->os = (struct objset){ .reader = r->reader, .id = 3 };
	r->o = (struct object){ .os = &r->os,
				.number = 9,
				.dn = { .type = OT_PLAIN_FILE,
					.indirect_shift = SHIFT,
					.nblkptr = 1,
					.block_size = BLOCK } };
}

static void rig_close(struct rig *r)
{
	block_reader_free(r->reader);
	vdev_tree_close(r->vdevs);
}

static struct blkptr store(struct rig *r, const void *p, size_t n, unsigned level)
{
	struct blkptr bp = { .dva = { { .offset = r->next, .asize = n } },
			     .lsize = n,
			     .psize = n,
			     .birth = 4,
			     .fill = 1,
			     .type = OT_PLAIN_FILE,
			     .level = (uint8_t)level,
			     .checksum = CHECKSUM_OFF,
			     .compress = COMPRESS_OFF };

	cr_assert_eq(dev_write(r->dev, VDEV_DATA_START + r->next, p, n, NULL), 0);
	r->next += n;
	return bp;
}

/* Builds the object with `count` blocks; block i is there when there(i), filled with i + 1. */
static void build(struct rig *r, uint64_t count, bool (*there)(uint64_t))
{
	struct blkptr *below = calloc(count, sizeof *below);
	unsigned       level = 0;

	r->o.dn.max_blkid = count - 1;
	for (uint64_t i = 0; i < count; i++) {
		uint8_t data[BLOCK];

		memset(data, (int)(i + 1), sizeof data);
		if (there(i))
			below[i] = store(r, data, sizeof data, 0);
	}
	while (count > 1) {
		uint64_t above = (count + FANOUT - 1) / FANOUT;

		level++;
		for (uint64_t i = 0; i < above; i++) {
			uint8_t raw[1 << SHIFT] = { 0 };
			bool	any = false;

			for (uint64_t k = 0; k < FANOUT && i * FANOUT + k < count; k++) {
				any = any || !blkptr_is_hole(&below[i * FANOUT + k]);
				blkptr_encode(&below[i * FANOUT + k],
					      wbytes_of(raw + k * BLKPTR_SIZE, BLKPTR_SIZE,
							ORDER_LITTLE));
			}
			below[i] = any ? store(r, raw, sizeof raw, level) : (struct blkptr){ 0 };
		}
		count = above;
	}
	r->o.dn.levels = (uint8_t)(level + 1);
	r->o.dn.bp[0] = below[0];
	free(below);
}

/* Of 200 blocks: 3, 4, 5, then 130 to 140. */
static bool sparse(uint64_t i)
{
	return (i >= 3 && i <= 5) || (i >= 130 && i <= 140);
}

Test(object_read, bytes_through_levels_and_holes)
{
	struct rig r;
	uint8_t	   buf[3 * BLOCK];

	rig_open(&r);
	build(&r, 200, sparse);
	cr_assert_eq(r.o.dn.levels, 4);
	cr_assert_eq(object_read(&r.o, 2 * BLOCK + 100, buf, sizeof buf, NULL), 0);
	cr_assert(bytes_zero(bytes_of(buf, BLOCK - 100, ORDER_LITTLE)));
	cr_assert_eq(buf[BLOCK - 100], 4);
	cr_assert_eq(buf[sizeof buf - 1], 6);
	/* Past the last block there are zeros. */
	memset(buf, 1, sizeof buf);
	cr_assert_eq(object_read(&r.o, UINT64_C(1) << 60, buf, sizeof buf, NULL), 0);
	cr_assert(bytes_zero(bytes_of(buf, sizeof buf, ORDER_LITTLE)));
	rig_close(&r);
}

Test(object_read, ranges_of_data_are_all_found)
{
	struct rig r;
	uint64_t   at = 0, start, end, sum = 0, first = 0;
	struct err e = { 0 };

	rig_open(&r);
	build(&r, 200, sparse);
	while (object_next_data(&r.o, at, &start, &end, &e) == 0) {
		cr_assert_geq(start, at);
		cr_assert_gt(end, start);
		first = first == 0 ? start : first;
		sum += end - start;
		at = end;
	}
	cr_assert_eq(e.kind, ERR_NOTFOUND);
	cr_assert_eq(first, 3 * BLOCK);
	cr_assert_eq(sum, 14 * BLOCK);
	cr_assert_eq(object_next_data(&r.o, 4 * BLOCK + 7, &start, &end, NULL), 0);
	cr_assert_eq(start, 4 * BLOCK + 7);
	cr_assert_eq(object_next_data(&r.o, UINT64_MAX, &start, &end, NULL), -1);
	rig_close(&r);
}

Test(object_read, a_pointer_of_the_wrong_level_is_corrupt)
{
	struct rig    r;
	struct blkptr bp;
	struct err    e = { 0 };

	rig_open(&r);
	build(&r, 200, sparse);
	r.o.dn.bp[0].level = 1;
	cr_assert_eq(object_blkptr(&r.o, 0, 3, &bp, &e), -1);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	rig_close(&r);
}

Test(object_read, what_lies_under_a_lost_indirect_block_is_named)
{
	struct rig    r;
	struct blkptr bp;
	uint64_t      start = 0, end = 0;
	struct err    e = { 0 };

	rig_open(&r);
	build(&r, 200, sparse);
	cr_assert_eq(object_blkptr(&r.o, 1, 0, &bp, NULL), 0);
	/* Pointers to level 5 where level 0 belongs. */
	for (unsigned i = 0; i < FANOUT; i++) {
		uint8_t	      raw[BLKPTR_SIZE];
		struct blkptr bad = bp;

		bad.level = 5;
		blkptr_encode(&bad, wbytes_of(raw, sizeof raw, ORDER_LITTLE));
		cr_assert_eq(dev_write(r.dev, VDEV_DATA_START + bp.dva[0].offset + i * BLKPTR_SIZE,
				       raw, sizeof raw, NULL),
			     0);
	}
	cr_assert_eq(object_next_data(&r.o, 0, &start, &end, &e), -1);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	cr_assert_eq(start, 0);
	cr_assert_eq(end, FANOUT * BLOCK);
	cr_assert_eq(object_next_data(&r.o, end, &start, &end, &e), 0);
	cr_assert_eq(start, 130 * BLOCK);
	rig_close(&r);
}

struct seen {
	unsigned at[4], failed;
	unsigned skip_level;
};

static int see(void *ctx, const struct block_where *where, const struct blkptr *bp,
	       const struct err *failed, struct err *e)
{
	struct seen *s = ctx;

	(void)e;
	cr_assert_eq(where->object, 9);
	cr_assert(failed != NULL || !blkptr_is_hole(bp));
	s->at[where->level]++;
	s->failed += failed != NULL;
	return where->level == s->skip_level ? 1 : 0;
}

Test(object_visit, every_pointer_once_and_none_below_what_is_skipped)
{
	struct rig  r;
	struct seen s = { .skip_level = 9 };

	rig_open(&r);
	build(&r, 200, sparse);
	cr_assert_eq(object_visit(&r.o, see, &s, NULL), 0);
	cr_assert_eq(s.at[3], 1);
	cr_assert_eq(s.at[2], 2);
	cr_assert_eq(s.at[1], 3);
	cr_assert_eq(s.at[0], 14);
	cr_assert_eq(s.failed, 0);
	s = (struct seen){ .skip_level = 2 };
	cr_assert_eq(object_visit(&r.o, see, &s, NULL), 0);
	cr_assert_eq(s.at[2], 2);
	cr_assert_eq(s.at[1] + s.at[0], 0);
	r.o.dn.bp[0].dva[0].offset = 60 << 20;
	s = (struct seen){ .skip_level = 9 };
	cr_assert_eq(object_visit(&r.o, see, &s, NULL), 0);
	cr_assert_eq(s.at[3], 2);
	cr_assert_eq(s.failed, 1);
	rig_close(&r);
}

static int count_failed(void *ctx, const struct block_where *where, const struct blkptr *bp,
			const struct err *failed, struct err *e)
{
	(void)where;
	(void)bp;
	(void)e;
	*(unsigned *)ctx += failed != NULL;
	return 0;
}

/*
 * Each level's block names the next level's only block eight times: 8^6 blocks on the face of it.
 */
Test(object_visit, shared_indirect_blocks_do_not_make_it_endless)
{
	struct rig    r;
	struct blkptr below;
	uint8_t	      raw[1 << SHIFT] = { 0 };
	unsigned      failed = 0;

	rig_open(&r);
	below = store(&r, raw, BLOCK, 0);
	for (unsigned level = 1; level < 8; level++) {
		for (unsigned i = 0; i < FANOUT; i++)
			blkptr_encode(&below, wbytes_of(raw + i * BLKPTR_SIZE, BLKPTR_SIZE,
							ORDER_LITTLE));
		below = store(&r, raw, sizeof raw, level);
	}
	r.o.dn.bp[0] = below;
	r.o.dn.levels = 8;
	r.o.dn.max_blkid = UINT64_MAX;
	cr_assert_eq(object_visit(&r.o, count_failed, &failed, NULL), 0);
	cr_assert_gt(failed, 0);
	rig_close(&r);
}

static bool all(uint64_t i)
{
	(void)i;
	return true;
}

/* Dnodes of 512 bytes where block i holds type byte i + 1 in its first slot only. */
Test(objset_read, objects_are_found_by_their_slots)
{
	struct rig    r;
	uint64_t      number = 0;
	struct object o;
	struct err    e = { 0 };
	uint8_t	      slots[BLOCK] = { 0 };

	rig_open(&r);
	build(&r, 40, all);
	/* Make the data dnodes: free ones, but for 17 and 30. */
	for (unsigned i = 0; i < 40; i++) {
		struct blkptr bp;
		struct dnode  dn = { .type = i == 17 || i == 30 ? OT_PLAIN_FILE : OT_NONE,
				     .indirect_shift = 17,
				     .levels = 1,
				     .nblkptr = 1,
				     .bonus_type = OT_ZNODE,
				     .block_size = 512 };

		memset(slots, 0, sizeof slots);
		if (dn.type != OT_NONE)
			dnode_encode(&dn, wbytes_of(slots, sizeof slots, ORDER_LITTLE));
		cr_assert_eq(object_blkptr(&r.o, 0, i, &bp, NULL), 0);
		cr_assert_eq(dev_write(r.dev, VDEV_DATA_START + bp.dva[0].offset, slots,
				       sizeof slots, NULL),
			     0);
	}
	r.os.phys.meta = r.o.dn;
	r.os.phys.meta.type = OT_DNODE;
	r.os.object_limit = 40;
	cr_assert_eq(objset_next(&r.os, &number, &e), 0, "%s", e.text);
	cr_assert_eq(number, 17);
	number++;
	cr_assert_eq(objset_next(&r.os, &number, &e), 0);
	cr_assert_eq(number, 30);
	cr_assert_eq(object_open(&r.os, 30, &o, &e), 0, "%s", e.text);
	cr_assert_eq(o.dn.type, OT_PLAIN_FILE);
	object_close(&o);
	number++;
	cr_assert_eq(objset_next(&r.os, &number, &e), -1);
	cr_assert_eq(e.kind, ERR_NOTFOUND);
	cr_assert_eq(object_open(&r.os, 18, &o, &e), -1);
	cr_assert_eq(e.kind, ERR_NOTFOUND);
	cr_assert_eq(object_open(&r.os, 1000, &o, &e), -1);
	cr_assert_eq(e.kind, ERR_NOTFOUND);
	rig_close(&r);
}
