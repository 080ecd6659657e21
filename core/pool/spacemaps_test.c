#include "core/pool/spacemaps.h"
#include "core/zpl/pool_rig_test.h"

/* A vdev of SECTORS sectors of 512 bytes, each free or not. */
enum { SECTORS = 4096, SHIFT = 9 };

static void free_of(const bool *is_free, struct ranges *out)
{
	for (uint64_t i = 0; i < SECTORS; i++) {
		if (is_free[i])
			cr_assert_eq(ranges_add(out, i << SHIFT, (i + 1) << SHIFT, NULL, NULL), 0);
	}
}

static void check_map(const struct ranges *free_ranges, const bool *is_free, uint64_t from,
		      uint64_t to)
{
	static uint8_t	      buf[SECTORS * 8 + 64];
	bool		      got[SECTORS];
	struct spacemap	      head = { .size = SPACEMAP_SIZE };
	struct spacemap_entry entry;
	uint64_t	      start = from << SHIFT, end = to << SHIFT, segments = 0, buckets = 0;
	int64_t		      used = 0;
	size_t		      entries = spacemap_entries(free_ranges, start, end, SHIFT);
	size_t		      n = spacemap_fill(free_ranges, start, end, SHIFT,
						wbytes_of(buf, sizeof buf, ORDER_NATIVE), &head);

	cr_assert_eq(n, entries * 8);
	cr_assert_eq(head.length, n);
	memset(got, 1, sizeof got);

	struct cursor c = cursor_of(bytes_of(buf, n, ORDER_NATIVE));

	while (spacemap_next(&c, start, SHIFT, &entry, NULL) == 1) {
		cr_assert_not(entry.is_free);
		for (uint64_t i = entry.offset >> SHIFT; i < (entry.offset + entry.size) >> SHIFT;
		     i++) {
			cr_assert(i >= from && i < to && got[i]);
			got[i] = false;
		}
	}
	for (uint64_t i = from; i < to; i++) {
		cr_assert_eq(got[i], is_free[i], "sector %llu", (unsigned long long)i);
		used += is_free[i] ? 0 : 512;
		segments += is_free[i] && (i == from || !is_free[i - 1]);
	}
	cr_assert_eq(head.alloc, used);
	for (unsigned b = 0; b < SPACEMAP_BUCKETS; b++)
		buckets += head.histogram[b];
	cr_assert_eq(buckets, segments);
}

Test(spacemaps, a_map_says_what_a_bitmap_says)
{
	uint32_t s = 1;

	for (unsigned round = 0; round < 60; round++) {
		struct ranges free_ranges = { 0 };
		bool	      is_free[SECTORS];
		uint64_t      at = 0;

		while (at < SECTORS) {
			uint64_t n;

			s = s * 1664525 + 1013904223;
			n = round == 0 ? SECTORS : 1 + (s >> 8) % (1u << (s >> 28));
			for (; n > 0 && at < SECTORS; n--)
				is_free[at++] = round == 1 || (round > 1 && s >> 27 & 1);
		}
		free_of(is_free, &free_ranges);
		check_map(&free_ranges, is_free, 0, SECTORS);
		check_map(&free_ranges, is_free, 512, 1024);
		check_map(&free_ranges, is_free, SECTORS - 1, SECTORS);
		ranges_fini(&free_ranges);
	}
}

static int claim(void *ctx, uint32_t vdev, uint64_t offset, uint64_t asize, unsigned copy)
{
	bool twice;

	(void)copy;
	cr_assert_eq(vdev, 0);
	cr_assert_eq(ranges_add(ctx, offset, offset + asize, &twice, NULL), 0);
	cr_assert_not(twice, "offset %llx has two owners", (unsigned long long)offset);
	return 0;
}

struct claims {
	struct pool  *pool;
	struct ranges used;
};

static int claim_block(void *ctx, const struct block_where *where, const struct blkptr *bp,
		       const struct err *failed, struct err *e)
{
	struct claims *c = ctx;

	cr_assert_null(failed, "%s", failed == NULL ? "" : failed->text);
	if (blkptr_is_hole(bp) || bp->embedded)
		return 0;
	return block_ranges(pool_reader(c->pool), bp, where, claim, &c->used, e);
}

static int claim_dataset(void *ctx, struct dataset *ds, const struct err *failed, struct err *e)
{
	struct objset os;

	cr_assert_null(failed);
	if (blkptr_is_hole(&ds->phys.bp))
		return 0;
	cr_assert_eq(dataset_objset(ds, &os, e), 0);
	return objset_visit(&os, claim_block, ctx, e);
}

/* What the maps call used is what a walk over the whole pool finds, byte for byte. */
static void check_pool(struct rig *r)
{
	struct dsl_walk	 walk = { .hidden = true };
	struct claims	 c = { 0 };
	struct spacemaps maps;
	struct alloc	*a;
	struct ranges	 free_ranges;
	uint64_t	 at = 0;

	rig_pool(r);
	c.pool = r->pool;
	cr_assert_eq(alloc_new(0, 1 << RIG_ASHIFT, &a, NULL), 0);
	cr_assert_eq(spacemaps_load(r->pool, 0, a, &maps, &r->e), 0, "%s", r->e.text);
	cr_assert_eq(alloc_after(a, &free_ranges, NULL), 0);
	cr_assert_eq(objset_visit(pool_mos(r->pool), claim_block, &c, &r->e), 0);
	cr_assert_eq(dataset_each(r->pool, &walk, claim_dataset, &c, &r->e), 0, "%s", r->e.text);
	cr_assert_eq(ranges_bytes(&c.used) + ranges_bytes(&free_ranges), maps.count * maps.size);
	for (size_t i = 0; i < free_ranges.count; i++) {
		cr_assert_eq(c.used.list[i].start, at);
		cr_assert_eq(c.used.list[i].end, free_ranges.list[i].start);
		at = free_ranges.list[i].end;
	}
	ranges_fini(&free_ranges);
	ranges_fini(&c.used);
	alloc_free(a);
	spacemaps_fini(&maps);
	pool_close(r->pool);
	r->pool = NULL;
}

Test(spacemaps, a_pool_s_maps_are_what_is_referenced_through_many_commits, .timeout = 60)
{
	struct rig  r;
	char	    path[32];
	static char text[200001];

	memset(text, 'x', 200000);
	for (size_t i = 0; i < 200000; i++)
		text[i] = (char)('a' + i * i % 23);
	rig_init(&r);
	r.threads = 2;
	rig_create(&r);
	for (unsigned i = 0; i < 50; i++) {
		snprintf(path, sizeof path, "d%u/%u", i % 3, i);
		put_file(&r, path, text + i * 2000);
	}
	rig_commit(&r);
	check_pool(&r);
	for (unsigned round = 0; round < 12; round++) {
		rig_reopen(&r);
		snprintf(path, sizeof path, "d%u/%u", round % 3, round);
		cr_assert_eq(zpl_write_remove(r.z, path, strlen(path), &r.e), 0, "%s", r.e.text);
		snprintf(path, sizeof path, "new%u", round % 4);
		put_file(&r, path, text + round);
		rig_commit(&r);
		check_pool(&r);
	}
	free(rig_list(&r));
	rig_fini(&r);
}

/* What a label says of the vdev is not to be trusted. */
Test(spacemaps, impossible_metaslabs_are_refused)
{
	struct rig	 r;
	struct spacemaps maps;
	struct alloc	*a;
	struct vdev_top *top, was;

	rig_init(&r);
	rig_create(&r);
	rig_commit(&r);
	rig_pool(&r);
	top = (struct vdev_top *)vdev_tree_top(pool_vdevs(r.pool), 0);
	was = *top;
	cr_assert_eq(alloc_new(0, 1 << RIG_ASHIFT, &a, NULL), 0);
	for (unsigned i = 0; i < 5; i++) {
		*top = was;
		r.e.kind = ERR_NONE;
		if (i == 0)
			top->asize = UINT64_C(1) << 62;
		else if (i == 1)
			top->metaslab_shift = 63;
		else if (i == 2)
			top->ashift = 20;
		else if (i == 3)
			top->metaslab_shift = 17, top->asize = UINT64_C(1) << 40;
		else
			top->metaslab_array = 1;
		cr_assert_eq(spacemaps_load(r.pool, 0, a, &maps, &r.e), -1, "case %u", i);
		cr_assert_neq(r.e.kind, ERR_NOMEM);
	}
	alloc_free(a);
	pool_close(r.pool);
	rig_fini(&r);
}
