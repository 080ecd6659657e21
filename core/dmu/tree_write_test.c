#include "core/block/write_rig_test.h"
#include "core/dmu/tree_write.h"

/* Blocks of 512 bytes under indirect blocks of 4 KiB: many levels for little. */
enum { BLOCK = 512, SHIFT = 12, FANOUT = 32, BLOCKS_MAX = 4000 };

/* An object, and what its blocks hold: a seed each, 0 for a hole. */
struct model {
	struct disk_rig	    disk;
	struct store_policy policy;
	struct objset	    os;
	struct object	    o; /* as written last */
	bool		    written;
	struct space	    space; /* of the set */
	uint32_t	    seed[BLOCKS_MAX];
	uint64_t	    count; /* blocks from 0 up to max_blkid */
	struct ranges	    freed;
	unsigned	    frees;
};

static void model_open(struct model *m, uint8_t nblkptr, bool embed)
{
	struct compress_choice lz4 = { .id = COMPRESS_LZ4 };

	memset(m, 0, sizeof *m);
	disk_rig_open(&m->disk, (struct disk_rig_options){ .ashift = 9, .no_embed = !embed });
	m->policy = (struct store_policy){ .data_compress = lz4,
					   .meta_compress = lz4,
					   .data_checksum = CHECKSUM_FLETCHER_4,
					   .meta_checksum = CHECKSUM_FLETCHER_4,
					   .data_copies = 1,
					   .meta_copies = 2,
					   .hole_birth = true };
	m->os = (struct objset){ .reader = m->disk.reader, .id = 5 };
	m->o = (struct object){ .os = &m->os,
				.number = 9,
				.dn = { .type = OT_PLAIN_FILE,
					.indirect_shift = SHIFT,
					.nblkptr = nblkptr,
					.levels = 1,
					.block_size = BLOCK } };
}

static void model_close(struct model *m)
{
	ranges_fini(&m->freed);
	disk_rig_close(&m->disk);
}

static int note_freed(void *ctx, const struct blkptr *bp, struct err *e)
{
	struct model *m = ctx;

	m->frees++;
	for (unsigned c = 0; c < blkptr_copies(bp); c++) {
		bool twice;

		cr_assert_eq(ranges_add(&m->freed, bp->dva[c].offset,
					bp->dva[c].offset + bp->dva[c].asize, &twice, e),
			     0);
		cr_assert_not(twice);
	}
	space_sub(&m->space, space_of(bp));
	return 0;
}

static int note_done(void *ctx, struct tree *t, struct err *e)
{
	struct model *m = ctx;

	(void)e;
	m->written = true;
	tree_result(t, &m->o.dn);
	tree_free(t);
	return 0;
}

static struct tree *begin(struct model *m, struct object *old)
{
	struct tree_options o = {
		.writer = m->disk.writer,
		.policy = &m->policy,
		.old = old,
		.set_space = &m->space,
		.type = OT_PLAIN_FILE,
		.indirect_shift = SHIFT,
		.nblkptr = m->o.dn.nblkptr,
		.block_size = BLOCK,
		.freed = note_freed,
		.freed_ctx = m,
		.done = note_done,
		.done_ctx = m,
	};
	struct tree *t;

	m->written = false;
	cr_assert_eq(tree_new(&o, &t, NULL), 0);
	return t;
}

static void contents(uint8_t *p, uint32_t seed)
{
	memset(p, 0, BLOCK);
	if (seed != 0)
		fill_bytes(p, BLOCK, seed, seed % 2 == 0);
}

static void put(struct model *m, struct tree *t, uint64_t blkid, uint32_t seed)
{
	uint8_t *to;

	m->seed[blkid] = seed;
	if (blkid + 1 > m->count)
		m->count = blkid + 1;
	cr_assert_eq(tree_reserve(t, &to, &m->disk.e), 0, "%s", m->disk.e.text);
	contents(to, seed);
	cr_assert_eq(tree_submit(t, blkid, 1, &m->disk.e), 0, "%s", m->disk.e.text);
}

static void end(struct model *m, struct tree *t)
{
	cr_assert_eq(tree_finish(t, m->count == 0 ? 0 : m->count - 1, &m->disk.e), 0);
	cr_assert_eq(block_writer_drain(m->disk.writer, &m->disk.e), 0, "%s", m->disk.e.text);
	cr_assert(m->written);
}

/* dnode.c, dnode_new_blkid: a level more while the pointers do not reach. */
static unsigned levels_for(uint64_t count, unsigned nblkptr)
{
	unsigned levels = 1;

	for (uint64_t reach = nblkptr; reach < count; reach *= FANOUT)
		levels++;
	return levels;
}

static int sum_blocks(void *ctx, const struct block_where *where, const struct blkptr *bp,
		      const struct err *failed, struct err *e)
{
	(void)where;
	(void)e;
	cr_assert_null(failed, "%s", failed == NULL ? "" : failed->text);
	space_add(ctx, space_of(bp));
	return 0;
}

/* Blocks there are under block `id` of `level`. */
static uint64_t fill_of(const struct model *m, unsigned level, uint64_t id)
{
	uint64_t span = 1, n = 0;

	for (unsigned k = 0; k < level; k++)
		span *= FANOUT;
	for (uint64_t i = id * span; i < (id + 1) * span && i < m->count; i++)
		n += m->seed[i] != 0;
	return n;
}

static void check(struct model *m)
{
	struct space sum = { 0 };
	uint8_t	     want[BLOCK], got[BLOCK];

	cr_assert_eq(m->o.dn.levels, levels_for(m->count, m->o.dn.nblkptr));
	cr_assert_eq(m->o.dn.max_blkid, m->count == 0 ? 0 : m->count - 1);
	for (uint64_t i = 0; i < m->count; i++) {
		contents(want, m->seed[i]);
		cr_assert_eq(object_read(&m->o, i * BLOCK, got, BLOCK, &m->disk.e), 0, "%s",
			     m->disk.e.text);
		cr_assert_arr_eq(got, want, BLOCK, "block %llu", (unsigned long long)i);
	}
	for (unsigned level = 0; level < m->o.dn.levels; level++) {
		for (uint64_t i = 0; i == 0 || fill_of(m, level, i) > 0; i++) {
			struct blkptr bp;

			cr_assert_eq(object_blkptr(&m->o, level, i, &bp, NULL), 0);
			cr_assert_eq(blkptr_fill_count(&bp), fill_of(m, level, i));
			cr_assert_eq(blkptr_is_hole(&bp), fill_of(m, level, i) == 0);
		}
	}
	cr_assert_eq(object_visit(&m->o, sum_blocks, &sum, NULL), 0);
	cr_assert_eq(m->o.dn.used, (uint64_t)sum.used);
	cr_assert_eq(memcmp(&sum, &m->space, sizeof sum), 0);
}

Test(tree_write, new_trees_of_every_shape)
{
	static const uint64_t counts[] = { 0,  1,  2,	 3,    4,    31,       32,	    33,
					   96, 97, 1023, 1024, 1025, 3 * 1024, 3 * 1024 + 1 };

	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		for (uint8_t nblkptr = 1; nblkptr <= 3; nblkptr += 2) {
			static struct model m;
			struct tree	   *t;

			model_open(&m, nblkptr, false);
			t = begin(&m, NULL);
			for (uint32_t b = 0; b < counts[i]; b++)
				put(&m, t, b, b + 1);
			end(&m, t);
			check(&m);
			cr_assert_eq(m.frees, 0);
			model_close(&m);
		}
	}
}

/* Holes that are not submitted, and such that are as zeros. */
Test(tree_write, holes_at_head_middle_and_tail)
{
	static const struct {
		uint64_t first, last; /* of what is there; */
		uint64_t gap_from, gap_to, count;
	} cases[] = { { 5, 9, 0, 0, 40 },
		      { 2000, 2003, 0, 0, 2004 },
		      { 0, 2000, 30, 1500, 3800 },
		      { 1, 1, 0, 0, 3900 },
		      { 40, 3900, 64, 3072, 3901 } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		for (unsigned zeros = 0; zeros < 2; zeros++) {
			static struct model m;
			struct tree	   *t;

			model_open(&m, i % 2 ? 1 : 3, false);
			t = begin(&m, NULL);
			for (uint64_t b = 0; b < cases[i].count; b++) {
				bool there = b >= cases[i].first && b <= cases[i].last &&
					     (b < cases[i].gap_from || b >= cases[i].gap_to);

				if (there || zeros)
					put(&m, t, b, there ? (uint32_t)b + 7 : 0);
			}
			m.count = cases[i].count;
			end(&m, t);
			check(&m);
			model_close(&m);
		}
	}
}

Test(tree_write, embedded_blocks_count)
{
	static struct model m;
	struct tree	   *t;
	uint8_t		   *to;

	model_open(&m, 1, true);
	t = begin(&m, NULL);
	cr_assert_eq(tree_reserve(t, &to, NULL), 0);
	memset(to, 'a', BLOCK);
	cr_assert_eq(tree_submit(t, 0, 1, NULL), 0);
	end(&m, t);
	cr_assert(m.o.dn.bp[0].embedded);
	cr_assert_eq(blkptr_fill_count(&m.o.dn.bp[0]), 1);
	cr_assert_eq(m.o.dn.used, 0);
	model_close(&m);
}

static int note_ranges(void *ctx, const struct block_where *where, const struct blkptr *bp,
		       const struct err *failed, struct err *e)
{
	(void)where;
	cr_assert_null(failed);
	for (unsigned c = 0; c < blkptr_copies(bp); c++)
		cr_assert_eq(ranges_add(ctx, bp->dva[c].offset,
					bp->dva[c].offset + bp->dva[c].asize, NULL, e),
			     0);
	return 0;
}

/* What the change freed is what the old tree had and the new one has not. */
static void check_freed(struct model *m, struct ranges *before)
{
	struct ranges after = { 0 };

	cr_assert_eq(object_visit(&m->o, note_ranges, &after, NULL), 0);
	for (size_t i = 0; i < after.count; i++)
		cr_assert_eq(
			ranges_remove(before, after.list[i].start, after.list[i].end, NULL, NULL),
			0);
	cr_assert_eq(before->count, m->freed.count);
	for (size_t i = 0; i < before->count; i++) {
		cr_assert_eq(before->list[i].start, m->freed.list[i].start);
		cr_assert_eq(before->list[i].end, m->freed.list[i].end);
	}
	ranges_fini(&after);
	ranges_fini(before);
	ranges_fini(&m->freed);
}

static void change(struct model *m, unsigned round)
{
	struct object old = m->o;
	struct ranges before = { 0 };
	struct tree  *t;
	uint32_t      s = round * 2654435761u + 1;

	block_writer_set_txg(m->disk.writer, 10 + round);
	cr_assert_eq(object_visit(&old, note_ranges, &before, NULL), 0);
	t = begin(m, &old);
	for (uint64_t b = 0; b < BLOCKS_MAX; b++) {
		s = s * 1664525 + 1013904223;
		/* Runs, so that whole indirect blocks are replaced and punched now and then. */
		unsigned what =
			round % 3 == 0 ? (s >> 24) % 16 : (unsigned)(b / 50 * 7 + round) % 12;

		if (b >= m->count && (round % 2 == 0 || b > m->count + 40))
			break;
		if (what == 1 && b < m->count)
			put(m, t, b, 0);
		else if (what < 4)
			put(m, t, b, (s >> 4) + 1);
	}
	end(m, t);
	check(m);
	check_freed(m, &before);
}

Test(tree_write, changes_to_existing_trees, .timeout = 60)
{
	static const uint64_t counts[] = { 1, 3, 30, 500, 2000 };

	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		static struct model m;
		struct tree	   *t;

		model_open(&m, i % 2 ? 3 : 1, false);
		t = begin(&m, NULL);
		for (uint32_t b = 0; b < counts[i]; b++)
			put(&m, t, b, b % 5 == 3 ? 0 : b + 1);
		end(&m, t);
		for (unsigned round = 1; round < 8; round++)
			change(&m, round);
		model_close(&m);
	}
}

/* Incremental streams find what was freed by the births of holes. */
Test(tree_write, a_hole_says_since_when)
{
	static struct model m;
	struct object	    old;
	struct tree	   *t;
	struct blkptr	    bp;

	model_open(&m, 1, false);
	t = begin(&m, NULL);
	for (uint32_t b = 0; b < 2 * FANOUT; b++)
		put(&m, t, b, b + 1);
	m.count = 3 * FANOUT;
	end(&m, t);
	block_writer_set_txg(m.disk.writer, 5);
	old = m.o;
	t = begin(&m, &old);
	put(&m, t, 7, 0);
	for (uint32_t b = FANOUT; b < 2 * FANOUT; b++)
		put(&m, t, b, 0);
	end(&m, t);
	check(&m);
	cr_assert_eq(object_blkptr(&m.o, 0, 7, &bp, NULL), 0);
	cr_assert(blkptr_is_hole(&bp));
	cr_assert_eq(bp.birth, 5);
	cr_assert_eq(bp.lsize, BLOCK);
	cr_assert_eq(bp.level, 0);
	cr_assert_eq(bp.type, OT_PLAIN_FILE);
	/* Nothing is left under it: the indirect block is a hole itself. */
	cr_assert_eq(object_blkptr(&m.o, 1, 1, &bp, NULL), 0);
	cr_assert(blkptr_is_hole(&bp));
	cr_assert_eq(bp.birth, 5);
	cr_assert_eq(bp.lsize, 1 << SHIFT);
	cr_assert_eq(bp.level, 1);
	/* What was never written has no birth. */
	cr_assert_eq(object_blkptr(&m.o, 1, 2, &bp, NULL), 0);
	cr_assert_eq(bp.birth, 0);
	/* One block comes back: the others keep their birth. */
	block_writer_set_txg(m.disk.writer, 6);
	old = m.o;
	t = begin(&m, &old);
	put(&m, t, FANOUT + 3, 99);
	end(&m, t);
	check(&m);
	cr_assert_eq(object_blkptr(&m.o, 0, FANOUT + 2, &bp, NULL), 0);
	cr_assert(blkptr_is_hole(&bp));
	cr_assert_eq(bp.birth, 5);
	cr_assert_eq(bp.lsize, BLOCK);
	cr_assert_eq(bp.level, 0);
	model_close(&m);
}
