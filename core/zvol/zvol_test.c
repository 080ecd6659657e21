#include <criterion/criterion.h>

#include "core/dmu/objset_rig_test.h"
#include "core/dmu/zap_read.h"
#include "core/zvol/zvol.h"
#include "core/zvol/zvol_read.h"
#include "core/zvol/zvol_write.h"

enum { BLOCK = 8192, SIZE = 1 << 20 };

struct seen {
	uint8_t	 bytes[SIZE];
	uint64_t ranges, mapped;
};

static int see_piece(void *ctx, uint64_t offset, struct bytes piece, struct err *e)
{
	struct seen *s = ctx;

	(void)e;
	cr_assert(offset <= SIZE && piece.n <= SIZE - offset);
	memcpy(s->bytes + offset, piece.p, piece.n);
	return 0;
}

static void see_bad(void *ctx, uint64_t start, uint64_t end, const struct err *why)
{
	(void)ctx;
	cr_assert_fail("%llu to %llu: %s", (unsigned long long)start, (unsigned long long)end,
		       why->text);
}

static int see_range(void *ctx, uint64_t start, uint64_t end, struct err *e)
{
	struct seen *s = ctx;

	(void)e;
	s->ranges++;
	s->mapped += end - start;
	return 0;
}

static void give(struct zvol_write *z, uint64_t offset, const void *p, size_t n)
{
	struct err e = { 0 };

	cr_assert_eq(zvol_write_piece(z, offset, bytes_of(p, n, ORDER_NATIVE), &e), 0, "%s",
		     e.text);
}

/* Opens what was written, as zvol_open does from a dataset. */
static struct zvol reopened(struct set_rig *r)
{
	struct zvol   z = { .os = r->os };
	struct object data;

	cr_assert_eq(zap_u64_at(&z.os, ZVOL_ZAP_OBJECT, ZVOL_SIZE_KEY, &z.size, NULL), 0);
	cr_assert_eq(object_open(&z.os, ZVOL_DATA_OBJECT, &data, NULL), 0);
	cr_assert_eq(data.dn.type, OT_ZVOL);
	z.block_size = data.dn.block_size;
	object_close(&data);
	return z;
}

Test(zvol, pieces_come_back_and_zeros_are_holes)
{
	static struct seen   s;
	static uint8_t	     expected[SIZE], zeros[3 * BLOCK];
	struct set_rig	     r;
	struct zvol_write    w;
	struct object_pieces how = { .piece = see_piece, .bad = see_bad, .ctx = &s };

	for (size_t i = 0; i < 70000; i++)
		expected[5000 + i] = (uint8_t)(i * 7 + i / 251 + 1);
	expected[SIZE - 1] = 9;
	set_open(&r);
	cr_assert_eq(zvol_write_begin(r.set, SIZE, BLOCK, 3, &w, &r.disk.e), 0, "%s",
		     r.disk.e.text);
	give(&w, 5000, expected + 5000, 30000);
	give(&w, 35000, expected + 35000, 40000);
	give(&w, 200000, zeros, sizeof zeros);
	give(&w, SIZE - 1, expected + SIZE - 1, 1);
	cr_assert_eq(zvol_write_end(&w, &r.disk.e), 0);
	set_finish(&r);

	struct zvol z = reopened(&r);

	cr_assert_eq(z.size, SIZE);
	cr_assert_eq(z.block_size, BLOCK);
	cr_assert_eq(zvol_read(&z, &how, &r.disk.e), 0, "%s", r.disk.e.text);
	cr_assert_arr_eq(s.bytes, expected, SIZE);
	cr_assert_eq(zvol_map(&z, see_range, &s, NULL), 0);
	cr_assert_eq(s.ranges, 2);
	/* bytes 0 to 75000 in blocks, and the last block */
	cr_assert_eq(s.mapped, align_up(75000, BLOCK) + BLOCK);
	set_close(&r);
}

Test(zvol, sizes_and_pieces_that_do_not_fit_are_refused)
{
	struct set_rig	  r;
	struct zvol_write w;
	uint8_t		  byte = 1;
	struct bytes	  one = bytes_of(&byte, 1, ORDER_NATIVE);

	set_open(&r);
	cr_assert_lt(zvol_write_begin(r.set, BLOCK + 512, BLOCK, 3, &w, &r.disk.e), 0);
	cr_assert_eq(r.disk.e.kind, ERR_USAGE);
	cr_assert_lt(zvol_write_begin(r.set, 0, BLOCK, 3, &w, NULL), 0);
	cr_assert_eq(zvol_write_begin(r.set, SIZE, BLOCK, 3, &w, NULL), 0);
	cr_assert_lt(zvol_write_piece(&w, SIZE, one, NULL), 0);
	cr_assert_eq(zvol_write_piece(&w, 10, one, NULL), 0);
	cr_assert_lt(zvol_write_piece(&w, 10, one, NULL), 0);
	set_close(&r);
}
