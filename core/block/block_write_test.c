#include "core/block/write_rig_test.h"

enum { COUNT = 300 };

static const struct block_where nowhere = { .objset = 1 };

/* What block i of the random mix is like. */
struct kind {
	uint32_t size, seed;
	unsigned copies;
	enum { ZEROS, TINY, TEXT, NOISE } what;
};

static struct kind kind_of(unsigned i)
{
	uint32_t s = (i + 1) * 2654435761u;

	return (struct kind){ .size = (s >> 8) % (i % 16 == 0 ? 2048u : 64u) * 512 + 512,
			      .seed = s,
			      .copies = 1 + (s >> 3) % 3,
			      .what = (s >> 5) % 4 };
}

static void contents(const struct kind *k, uint8_t *p)
{
	memset(p, 0, k->size);
	if (k->what == TINY)
		memcpy(p, &k->seed, 4);
	else if (k->what != ZEROS)
		fill_bytes(p, k->size, k->seed, k->what == TEXT);
}

struct results {
	struct blkptr bp[COUNT];
	unsigned      done;
};

static int keep(void *ctx, uint64_t tag, const struct blkptr *bp, struct err *e)
{
	struct results *r = ctx;

	(void)e;
	cr_assert_eq(tag, r->done, "pointers come in the order of submission");
	r->bp[r->done++] = *bp;
	return 0;
}

static void write_mix(struct disk_rig *r, struct results *out, struct space *object,
		      struct space *set)
{
	for (unsigned i = 0; i < COUNT; i++) {
		struct kind	     k = kind_of(i);
		struct block_request q = {
			.type = OT_PLAIN_FILE,
			.checksum = CHECKSUM_FLETCHER_4,
			.fill = 1,
			.copies = (uint8_t)k.copies,
			.compress = { .id = COMPRESS_LZ4 },
			.size = k.size,
			.may_hole = true,
			.object_space = object,
			.set_space = set,
			.done = keep,
			.ctx = out,
			.tag = i,
		};
		uint8_t *to;

		cr_assert_eq(block_reserve(r->writer, k.size, &to, &r->e), 0, "%s", r->e.text);
		contents(&k, to);
		cr_assert_eq(block_submit(r->writer, &q, &r->e), 0, "%s", r->e.text);
	}
	cr_assert_eq(block_writer_drain(r->writer, &r->e), 0, "%s", r->e.text);
	cr_assert_eq(out->done, COUNT);
}

static void check_form(const struct kind *k, const struct blkptr *bp, unsigned unit)
{
	if (k->what == ZEROS) {
		cr_assert(blkptr_is_hole(bp));
		cr_assert_eq(bp->birth, 0);
		return;
	}
	cr_assert_eq(bp->lsize, k->size);
	cr_assert_eq(bp->birth, 4);
	if (bp->embedded) {
		cr_assert_eq(k->what, TINY);
		return;
	}
	cr_assert_eq(blkptr_copies(bp), k->copies);
	cr_assert_eq(blkptr_check(bp, NULL), 0);
	for (unsigned c = 0; c < k->copies; c++) {
		cr_assert_eq(bp->dva[c].asize, align_up(bp->psize, unit));
		cr_assert_eq(bp->dva[c].offset % unit, 0);
		cr_assert_eq(bp->dva[c].offset / ALLOC_PIECE,
			     (bp->dva[c].offset + bp->dva[c].asize - 1) / ALLOC_PIECE);
		for (unsigned d = 0; d < c; d++)
			cr_assert_neq(bp->dva[c].offset / ALLOC_PIECE,
				      bp->dva[d].offset / ALLOC_PIECE);
	}
	if (bp->compress != COMPRESS_OFF) {
		cr_assert_eq(bp->psize % unit, 0, "compressed blocks are stored in whole units");
		cr_assert_lt(bp->psize, bp->lsize);
	}
}

/* Every copy of every block, and no two of them in the same place. */
static void check_mix(struct disk_rig *r, const struct results *res, unsigned unit)
{
	struct ranges taken = { 0 };
	uint8_t	     *want = malloc(2 << 20), *raw = malloc(2 << 20);

	for (unsigned i = 0; i < COUNT; i++) {
		struct kind	     k = kind_of(i);
		const struct blkptr *bp = &res->bp[i];
		struct block	    *b;

		check_form(&k, bp, unit);
		for (unsigned c = 0; !bp->embedded && c < blkptr_copies(bp); c++) {
			bool overlap;

			cr_assert_eq(ranges_add(&taken, bp->dva[c].offset,
						bp->dva[c].offset + bp->dva[c].asize, &overlap,
						NULL),
				     0);
			cr_assert_not(overlap);
			cr_assert_eq(block_verify_copy(r->reader, bp, &nowhere, c, 0, raw, &r->e),
				     0, "block %u copy %u: %s", i, c, r->e.text);
		}
		if (blkptr_is_hole(bp))
			continue;
		cr_assert_eq(block_read(r->reader, bp, &nowhere, &b, &r->e), 0, "%s", r->e.text);
		contents(&k, want);
		cr_assert_eq(b->bytes.n, k.size);
		cr_assert_arr_eq(b->bytes.p, want, k.size, "block %u", i);
		block_put(r->reader, b);
	}
	cr_assert_leq(ranges_bytes(&taken), block_writer_written(r->writer));
	ranges_fini(&taken);
	free(want);
	free(raw);
}

static uint64_t device_digest(struct disk_rig *r)
{
	uint8_t *buf = malloc(1 << 20);
	uint64_t h = 0;

	for (uint64_t at = 0; at < r->dev->size; at += 1 << 20) {
		struct digest d;

		cr_assert_eq(dev_read(r->dev, at, buf, 1 << 20, NULL), 0);
		cr_assert_eq(checksum_compute(CHECKSUM_FLETCHER_4,
					      bytes_of(buf, 1 << 20, ORDER_LITTLE), &d, NULL),
			     0);
		h = h * 31 + (d.w[0] ^ d.w[1] ^ d.w[2] ^ d.w[3]);
	}
	free(buf);
	return h;
}

/* Every number of threads writes the same bytes, and they read back; for three sector sizes. */
Test(block_write, a_random_mix_is_the_same_for_every_number_of_threads, .timeout = 60)
{
	static const unsigned ashifts[] = { 12, 13, 16 }, threads[] = { 1, 2, 8 };

	for (unsigned a = 0; a < 3; a++) {
		uint64_t digest = 0;

		for (unsigned t = 0; t < 3; t++) {
			struct results *res = calloc(1, sizeof *res);
			struct space	object = { 0 }, set = { 0 }, sum = { 0 };
			struct disk_rig r;

			disk_rig_open(&r, (struct disk_rig_options){ .ashift = ashifts[a],
								     .threads = threads[t] });
			write_mix(&r, res, &object, &set);
			if (t == 0) {
				digest = device_digest(&r);
				check_mix(&r, res, 1u << ashifts[a]);
			}
			cr_assert_eq(device_digest(&r), digest);
			for (unsigned i = 0; i < COUNT; i++)
				space_add(&sum, space_of(&res->bp[i]));
			cr_assert_eq(memcmp(&sum, &object, sizeof sum), 0);
			cr_assert_eq(memcmp(&sum, &set, sizeof sum), 0);
			disk_rig_close(&r);
			free(res);
		}
	}
}

struct one {
	struct blkptr	     bp;
	struct block_writer *again; /* submit as many blocks more */
	unsigned	     more, count;
};

static struct block_request request(uint32_t size, block_done_fn *done, void *ctx)
{
	return (struct block_request){ .type = OT_PLAIN_FILE,
				       .checksum = CHECKSUM_FLETCHER_4,
				       .copies = 1,
				       .compress = { .id = COMPRESS_LZ4 },
				       .size = size,
				       .fill = 1,
				       .may_hole = true,
				       .done = done,
				       .ctx = ctx };
}

static int one_done(void *ctx, uint64_t tag, const struct blkptr *bp, struct err *e)
{
	struct one *o = ctx;
	uint8_t	   *to;

	(void)tag;
	o->bp = *bp;
	o->count++;
	if (o->more-- == 0) {
		o->more = 0;
		return 0;
	}
	for (unsigned i = 0; i < 2; i++) {
		struct block_request q = request(128 << 10, one_done, ctx);

		if (block_reserve(o->again, q.size, &to, e) < 0)
			return -1;
		fill_bytes(to, q.size, o->count, false);
		if (block_submit(o->again, &q, e) < 0)
			return -1;
	}
	return 0;
}

static void submit_one(struct disk_rig *r, struct block_request q, uint32_t seed, bool compressible)
{
	uint8_t *to;

	cr_assert_eq(block_reserve(r->writer, q.size, &to, &r->e), 0, "%s", r->e.text);
	fill_bytes(to, q.size, seed, compressible);
	cr_assert_eq(block_submit(r->writer, &q, &r->e), 0, "%s", r->e.text);
}

Test(block_write, a_block_larger_than_a_batch)
{
	for (unsigned compressible = 0; compressible < 2; compressible++) {
		struct disk_rig r;
		struct one	o = { 0 };
		struct block   *b;
		uint8_t	       *want = malloc(16 << 20);

		disk_rig_open(&r, (struct disk_rig_options){ .ashift = 12, .threads = 2 });
		submit_one(&r, request(512, one_done, &o), 1, false);
		submit_one(&r, request(16 << 20, one_done, &o), 7, compressible);
		cr_assert_eq(block_writer_drain(r.writer, &r.e), 0, "%s", r.e.text);
		cr_assert_eq(block_read(r.reader, &o.bp, &nowhere, &b, &r.e), 0, "%s", r.e.text);
		fill_bytes(want, 16 << 20, 7, compressible);
		cr_assert_eq(b->bytes.n, 16 << 20);
		cr_assert_eq(memcmp(b->bytes.p, want, 16 << 20), 0);
		block_put(r.reader, b);
		disk_rig_close(&r);
		free(want);
	}
}

/* 2^6 blocks from one, each submitted when another one is placed; more than the pipeline holds at a
 * time. */
Test(block_write, done_may_submit_more, .timeout = 30)
{
	struct disk_rig r;
	struct one	o = { .more = 200 };

	disk_rig_open(&r, (struct disk_rig_options){ .ashift = 12, .threads = 2 });
	o.again = r.writer;
	submit_one(&r, request(512, one_done, &o), 1, false);
	cr_assert_eq(block_writer_drain(r.writer, &r.e), 0, "%s", r.e.text);
	cr_assert_eq(o.count, 401);
	disk_rig_close(&r);
}

Test(block_write, a_full_disk_ends_it_and_the_error_stays)
{
	struct disk_rig r;
	struct one	o = { 0 };
	struct err	e = { 0 };
	uint8_t	       *to;
	unsigned	i;

	disk_rig_open(&r,
		      (struct disk_rig_options){ .ashift = 12, .threads = 2, .size = 64 << 20 });
	for (i = 0; i < 1000; i++) {
		struct block_request q = request(128 << 10, one_done, &o);

		if (block_reserve(r.writer, q.size, &to, &e) < 0)
			break;
		fill_bytes(to, q.size, i, false);
		cr_assert_eq(block_submit(r.writer, &q, &e), 0);
	}
	cr_assert_lt(i, 1000);
	cr_assert_eq(e.kind, ERR_NOSPACE);
	for (i = 0; i < 3; i++) {
		e = (struct err){ 0 };
		cr_assert_eq(block_reserve(r.writer, 512, &to, &e), -1);
		cr_assert_eq(e.kind, ERR_NOSPACE);
		cr_assert_eq(block_writer_drain(r.writer, &e), -1);
		cr_assert_eq(e.kind, ERR_NOSPACE);
	}
	disk_rig_close(&r);
}

static int refuse(void *ctx, uint64_t tag, const struct blkptr *bp, struct err *e)
{
	(void)ctx;
	(void)tag;
	(void)bp;
	return err_set(e, ERR_REFUSED, "no");
}

Test(block_write, a_failing_done_ends_it)
{
	struct disk_rig r;
	uint8_t	       *to;

	disk_rig_open(&r, (struct disk_rig_options){ .ashift = 12 });
	submit_one(&r, request(4096, refuse, NULL), 1, false);
	cr_assert_eq(block_writer_drain(r.writer, &r.e), -1);
	cr_assert_eq(r.e.kind, ERR_REFUSED);
	cr_assert_eq(block_reserve(r.writer, 512, &to, NULL), -1);
	disk_rig_close(&r);
}

Test(block_write, what_may_be_embedded)
{
	struct disk_rig r;
	struct one	o = { 0 };
	struct {
		uint8_t type, level;
		bool	no_embed, embedded;
	} cases[] = { { OT_PLAIN_FILE, 0, false, true }, { OT_PLAIN_FILE, 1, false, false },
		      { OT_DNODE, 0, false, false },	 { OT_OBJSET, 0, false, false },
		      { OT_DIRECTORY, 0, false, true },	 { OT_PLAIN_FILE, 0, true, false } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct block_request q = request(4096, one_done, &o);
		struct block	    *b;
		uint8_t		    *to;

		disk_rig_open(&r, (struct disk_rig_options){ .ashift = 9,
							     .no_embed = cases[i].no_embed });
		q.type = cases[i].type;
		q.level = cases[i].level;
		q.may_hole = false;
		cr_assert_eq(block_reserve(r.writer, q.size, &to, NULL), 0);
		memset(to, 'x', q.size);
		cr_assert_eq(block_submit(r.writer, &q, NULL), 0);
		cr_assert_eq(block_writer_drain(r.writer, NULL), 0);
		cr_assert_eq(o.bp.embedded, cases[i].embedded, "case %zu", i);
		cr_assert_eq(block_read(r.reader, &o.bp, &nowhere, &b, &r.e), 0, "%s", r.e.text);
		cr_assert_eq(b->bytes.p[4095], 'x');
		block_put(r.reader, b);
		disk_rig_close(&r);
	}
}

Test(block_write, placed_blocks_are_stored_as_they_are)
{
	struct disk_rig	     r;
	struct block_request q = request(1024, NULL, NULL);
	struct blkptr	     bp;
	struct block	    *b;
	uint8_t		     data[1024];

	fill_bytes(data, sizeof data, 3, true);
	disk_rig_open(&r, (struct disk_rig_options){ .ashift = 12 });
	q.copies = 3;
	cr_assert_eq(block_place(r.writer, &q, &bp, NULL), 0);
	cr_assert_eq(blkptr_copies(&bp), 3);
	cr_assert_eq(bp.dva[2].asize, 4096);
	cr_assert_eq(block_write_placed(r.writer, &bp, data, NULL), 0);
	cr_assert_eq(block_read(r.reader, &bp, &nowhere, &b, &r.e), 0, "%s", r.e.text);
	cr_assert_arr_eq(b->bytes.p, data, sizeof data);
	block_put(r.reader, b);
	disk_rig_close(&r);
}

Test(space, an_embedded_block_has_no_stored_size)
{
	struct blkptr data = { .embedded = true, .psize = 19, .lsize = 512, .type = OT_PLAIN_FILE };
	struct blkptr meta = { .embedded = true, .psize = 62, .lsize = 512, .type = OT_DIRECTORY };
	struct space  d = space_of(&data), m = space_of(&meta);

	cr_assert(d.used == 0 && d.comp == 0 && d.uncomp == 512);
	cr_assert(m.used == 0 && m.comp == 0 && m.uncomp == 0);
}
