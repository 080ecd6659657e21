#include "core/dmu/objset_rig_test.h"
#include "core/pool/freeze.h"

/* Trees of 4 KiB indirect blocks over 512-byte blocks, inside an object set that does the freeing.
 */
enum { BLOCK = 512, SHIFT = 12, FANOUT = 32 };

static uint32_t seeds[40000];

static int fill(void *ctx, uint64_t blkid, struct wbytes block, uint64_t *count, struct err *e)
{
	(void)ctx;
	(void)e;
	cr_assert(bytes_zero(wbytes_view(block)));
	fill_bytes(block.p, block.n, seeds[blkid], false);
	*count = 1;
	return 0;
}

static struct dnode new_dnode(uint8_t nblkptr)
{
	return (struct dnode){ .type = OT_SPACE_MAP,
			       .indirect_shift = SHIFT,
			       .nblkptr = nblkptr,
			       .block_size = BLOCK,
			       .flags = DNODE_FLAG_USED_BYTES };
}

static int add_fill(void *ctx, const struct block_where *where, const struct blkptr *bp,
		    const struct err *failed, struct err *e)
{
	struct space *sum = ctx;

	(void)where;
	(void)e;
	cr_assert_null(failed, "%s", failed == NULL ? "" : failed->text);
	cr_assert_eq(blkptr_copies(bp), blkptr_is_hole(bp) ? 0 : 2);
	cr_assert(blkptr_is_hole(bp) || bp->compress == COMPRESS_OFF);
	space_add(sum, space_of(bp));
	return 0;
}

/* The tree says what the seeds say, and costs what a walk over it finds. */
static void check_tree(struct set_rig *r, const struct dnode *dn, uint64_t count)
{
	struct objset os = { .reader = r->disk.reader, .id = 5 };
	struct object o = { .os = &os, .number = 9, .dn = *dn };
	struct space  sum = { 0 };
	uint64_t      there = 0, fill_sum = 0;
	uint8_t	      want[BLOCK], got[BLOCK];

	for (uint64_t i = 0; i < count; i++) {
		memset(want, 0, BLOCK);
		if (seeds[i] != 0)
			fill_bytes(want, BLOCK, seeds[i], false);
		cr_assert_eq(object_read(&o, i * BLOCK, got, BLOCK, &r->disk.e), 0, "%s",
			     r->disk.e.text);
		cr_assert_arr_eq(got, want, BLOCK, "block %llu", (unsigned long long)i);
		there += seeds[i] != 0;
	}
	for (unsigned i = 0; i < dn->nblkptr; i++)
		fill_sum += blkptr_fill_count(&dn->bp[i]);
	cr_assert_eq(fill_sum, there);
	cr_assert_eq(object_visit(&o, add_fill, &sum, NULL), 0);
	cr_assert_eq(dn->used, (uint64_t)sum.used);
	cr_assert_eq(memcmp(&sum, objset_write_space(r->set), sizeof sum), 0);
}

static void add(struct frozen *f, uint64_t blkid, uint32_t seed)
{
	struct err e = { 0 };

	seeds[blkid] = seed;
	cr_assert_eq(frozen_add(f, blkid, &e), 0, "%s", e.text);
}

Test(freeze, new_trees)
{
	static const uint64_t counts[] = { 1, 2, 3, 4, 32, 33, 97, 1025 };

	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		for (uint8_t nblkptr = 1; nblkptr <= 3; nblkptr += 2) {
			struct set_rig r;
			struct frozen  f;
			struct dnode   dn = new_dnode(nblkptr);

			memset(seeds, 0, sizeof seeds);
			set_open(&r);
			frozen_init(&f, r.set, NULL, &dn);
			for (uint64_t b = 0; b < counts[i]; b++) {
				add(&f, b, (uint32_t)b + 1);
				add(&f, b, (uint32_t)b + 1); /* planned already */
			}
			cr_assert_eq(frozen_write(&f, fill, NULL, &r.disk.e), 0, "%s",
				     r.disk.e.text);
			check_tree(&r, &f.dn, counts[i]);
			cr_assert_eq(r.freed, 0);
			frozen_fini(&f);
			set_close(&r);
		}
	}
}

/* A tree is planned and written; then it is the old one of the next plan, with more blocks and
 * other contents. */
Test(freeze, existing_trees_grow)
{
	static const struct {
		uint8_t	 nblkptr;
		uint64_t first[3], second[3];
	} cases[] = {
		{ 1, { 0, 0, 0 }, { 0, 1, 40 } },	  /* a level under what hung in the dnode */
		{ 3, { 0, 1, 2 }, { 3, 100, 3500 } },	  /* two levels at once */
		{ 3, { 1, 1, 1 }, { 1, 1, 1 } },	  /* nothing but a replacement */
		{ 1, { 5, 40, 900 }, { 41, 901, 1023 } }, /* beside old blocks */
		{ 1, { 0, 20, 31 }, { 35000, 3, 35001 } }, /* far away */
		{ 3, { 200, 200, 200 }, { 0, 199, 5000 } },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct set_rig r;
		struct frozen  f;
		struct dnode   dn = new_dnode(cases[i].nblkptr), first;
		struct objset  os = { 0 };
		struct object  old = { .os = &os, .number = 9 };

		memset(seeds, 0, sizeof seeds);
		set_open(&r);
		frozen_init(&f, r.set, NULL, &dn);
		for (unsigned b = 0; b < 3; b++)
			add(&f, cases[i].first[b], b + 1);
		/* The last seed counts where a block is named again. */
		cr_assert_eq(frozen_write(&f, fill, NULL, &r.disk.e), 0, "%s", r.disk.e.text);
		first = f.dn;
		check_tree(&r, &first, 1024);
		frozen_fini(&f);
		os = (struct objset){ .reader = r.disk.reader, .id = 5 };
		old.dn = first;
		block_writer_set_txg(r.disk.writer, ++r.txg);
		frozen_init(&f, r.set, &old, &first);
		for (unsigned b = 0; b < 3; b++)
			add(&f, cases[i].second[b], b + 100);
		cr_assert_eq(frozen_write(&f, fill, NULL, &r.disk.e), 0, "%s", r.disk.e.text);
		check_tree(&r, &f.dn, 36000);
		cr_assert_geq(f.dn.levels, first.levels);
		frozen_fini(&f);
		set_close(&r);
	}
}
