#include "formats/bonus_test.h"
#include "formats/spacemap.h"

Test(spacemap, headers_of_both_ages)
{
	uint8_t		buf[512];
	char		out[1024];
	struct text	t = text_in(out, sizeof out);
	struct spacemap s;

	cr_assert_eq(spacemap_decode(bonus("dnode-spacemap", buf), &s, NULL), 0);
	cr_assert_eq(s.size, SPACEMAP_SIZE);
	cr_assert_eq(s.length, 0x190);
	cr_assert_eq(s.alloc, 0x33400);
	spacemap_describe(&s, &t);
	cr_assert_eq(strncmp(out, "object = 74\nsmp_length = 0x190\nsmp_alloc = 0x33400\n", 51), 0,
		     "%s", out);
	cr_assert_not_null(strstr(out, "histogram["), "%s", out);

	cr_assert_eq(spacemap_decode(bonus("dnode-spacemap-fuse", buf), &s, NULL), 0);
	cr_assert_eq(s.size, SPACEMAP_V0_SIZE);
	cr_assert_eq(s.object, 24);
	cr_assert(bytes_zero(bytes_of(s.histogram, sizeof s.histogram, ORDER_LITTLE)));
}

Test(spacemap, headers_survive_the_other_order)
{
	static const char *const names[] = { "dnode-spacemap", "dnode-spacemap-fuse" };

	for (int i = 0; i < 2; i++) {
		uint8_t		buf[512], big[512], back[512];
		struct bytes	in = bonus(names[i], buf);
		struct spacemap s;

		cr_assert_eq(spacemap_decode(in, &s, NULL), 0);
		spacemap_encode(&s, wbytes_of(big, in.n, ORDER_BIG));
		cr_assert_eq(spacemap_decode(bytes_of(big, in.n, ORDER_BIG), &s, NULL), 0);
		spacemap_encode(&s, wbytes_of(back, in.n, ORDER_LITTLE));
		cr_assert_arr_eq(back, in.p, in.n);
	}
}

Test(spacemap, a_short_header_is_corrupt_and_leaves_out_alone)
{
	uint8_t		raw[SPACEMAP_SIZE] = { 1 };
	struct spacemap s = { .length = 9 };

	for (size_t n = 0; n < SPACEMAP_V0_SIZE; n++) {
		struct err e = { 0 };

		cr_assert_eq(spacemap_decode(bytes_of(raw, n, ORDER_BIG), &s, &e), -1);
		cr_assert_eq(e.kind, ERR_CORRUPT);
		cr_assert_eq(s.length, 9);
	}
}

Test(spacemap, less_than_nothing_is_allocated_in_a_log)
{
	char		out[256];
	struct text	t = text_in(out, sizeof out);
	struct spacemap s = { .size = SPACEMAP_V0_SIZE, .alloc = -512 };

	spacemap_describe(&s, &t);
	cr_assert_str_eq(out, "object = 0\nsmp_length = 0x0\nsmp_alloc = -0x200\n");
}

Test(spacemap, genuine_entries_are_read_and_written_again)
{
	uint8_t		      buf[512], again[512];
	struct bytes	      in = golden("records/spacemap-entries", buf, sizeof buf);
	struct cursor	      c = cursor_of(in);
	struct spacemap_entry x;
	size_t		      at = 0;
	uint64_t	      sum = 0;
	int		      entries = 0;

	while (spacemap_next(&c, 0, 9, &x, NULL) == 1) {
		entries++;
		if (x.debug) {
			spacemap_put_debug(wbytes_of(again, sizeof again, ORDER_LITTLE), &at, x.txg,
					   x.pass, x.is_free);
			continue;
		}
		cr_assert_eq(x.vdev, SPACEMAP_NO_VDEV);
		sum += x.is_free ? -x.size : x.size;
		cr_assert_eq(spacemap_entry_size(0, 9, x.offset, x.size, true), 8);
		spacemap_put(wbytes_of(again, sizeof again, ORDER_LITTLE), &at, 0, 9, x.offset,
			     x.size, x.is_free, true);
	}
	cr_assert_not(c.spent);
	cr_assert_eq(entries, 50);
	cr_assert_eq(sum, 0x33400); /* the header's smp_alloc */
	cr_assert_eq(at, in.n);
	cr_assert_arr_eq(again, buf, in.n);
}

/* Puts one range and reads it back as however many entries; returns that number. */
static unsigned put_and_read(uint64_t start, unsigned shift, uint64_t offset, uint64_t size,
			     bool is_free, bool v2, enum order o)
{
	static uint8_t	      buf[1 << 16];
	size_t		      at = 0;
	unsigned	      n = 0;
	uint64_t	      next = offset;
	struct spacemap_entry x;

	spacemap_put(wbytes_of(buf, sizeof buf, o), &at, start, shift, offset, size, is_free, v2);
	cr_assert_eq(at, spacemap_entry_size(start, shift, offset, size, v2));

	struct cursor c = cursor_of(bytes_of(buf, at, o));

	while (spacemap_next(&c, start, shift, &x, NULL) == 1) {
		cr_assert_eq(x.offset, next);
		cr_assert_eq(x.is_free, is_free);
		cr_assert_not(x.debug);
		next += x.size;
		n++;
	}
	cr_assert_eq(next, offset + size);
	return n;
}

Test(spacemap, long_runs_become_more_words_or_wider_ones)
{
	const uint64_t run = UINT64_C(1) << 15, start = UINT64_C(1) << 30;

	for (enum order o = ORDER_LITTLE; o <= ORDER_BIG; o++) {
		cr_assert_eq(put_and_read(start, 12, start, 4096, false, true, o), 1);
		cr_assert_eq(put_and_read(start, 12, start + 4096, run << 12, true, true, o), 1);
		cr_assert_eq(put_and_read(start, 12, start, (run + 1) << 12, true, false, o), 2);
		cr_assert_eq(put_and_read(start, 12, start, (run + 1) << 12, true, true, o), 1);
		cr_assert_eq(put_and_read(start, 12, start, (3 * run) << 12, true, false, o), 3);
		cr_assert_eq(put_and_read(0, 9, UINT64_C(1) << 62, 512, true, true, o), 1);
		/* More than 2^36 units: two wide ones. */
		cr_assert_eq(put_and_read(0, 9, 0, (UINT64_C(1) << 45) + 512, false, true, o), 2);
	}
	cr_assert_eq(spacemap_entry_size(0, 12, 0, run << 12, true), 8);
	cr_assert_eq(spacemap_entry_size(0, 12, 0, (run + 1) << 12, true), 16);
	cr_assert_eq(spacemap_entry_size(0, 12, 0, (3 * run) << 12, false), 24);
	cr_assert_eq(spacemap_entry_size(0, 9, UINT64_C(1) << 56, 512, true), 16);
	cr_assert_eq(spacemap_entry_size(0, 9, (UINT64_C(1) << 56) - 512, 512, true), 8);
}

Test(spacemap, known_words)
{
	uint8_t		      buf[32];
	struct wbytes	      w = wbytes_of(buf, sizeof buf, ORDER_BIG);
	struct spacemap_entry x;
	size_t		      at = 0;

	spacemap_put_debug(w, &at, 0x1234, 3, true);
	spacemap_put(w, &at, 0x1000, 9, 0x1000 + 5 * 512, 7 * 512, true, true);
	spacemap_put(w, &at, 0, 9, 5 * 512, (UINT64_C(1) << 20) * 512, true, true);
	cr_assert_eq(get64(wbytes_view(w), 0), UINT64_C(0x900c000000001234));
	cr_assert_eq(get64(wbytes_view(w), 8), 5 << 16 | 1 << 15 | 6);
	cr_assert_eq(get64(wbytes_view(w), 16), UINT64_C(3) << 62 | UINT64_C(0xfffff) << 24);
	cr_assert_eq(get64(wbytes_view(w), 24), UINT64_C(1) << 63 | 5);

	put64(w, 16, UINT64_C(3) << 62 | UINT64_C(9) << 24 | 0x112233);

	struct cursor c = cursor_of(wbytes_view(w));

	cr_assert_eq(spacemap_next(&c, 0, 9, &x, NULL), 1);
	cr_assert(x.debug && x.is_free && x.txg == 0x1234 && x.pass == 3);
	cr_assert_eq(spacemap_next(&c, 0, 9, &x, NULL), 1);
	cr_assert(!x.debug && x.offset == 5 * 512 && x.size == 7 * 512);
	cr_assert_eq(spacemap_next(&c, 0, 9, &x, NULL), 1);
	cr_assert(x.vdev == 0x112233 && x.size == 10 * 512 && x.offset == 5 * 512);
	cr_assert_eq(spacemap_next(&c, 0, 9, &x, NULL), 0);
	cr_assert_not(c.spent);
}

Test(spacemap, a_missing_second_word_leaves_the_cursor_spent)
{
	uint8_t		      buf[16];
	struct spacemap_entry x = { .size = 77 };

	memset(buf, 0xff, sizeof buf);
	for (size_t n = 1; n < 16; n++) {
		struct cursor c = cursor_of(bytes_of(buf, n, ORDER_LITTLE));

		cr_assert_eq(spacemap_next(&c, 0, 9, &x, NULL), 0);
		cr_assert(c.spent);
		cr_assert_eq(spacemap_next(&c, 0, 9, &x, NULL), 0);
		cr_assert_eq(x.size, 77);
	}
}

Test(spacemap, entries_past_the_end_of_the_world_are_corrupt)
{
	uint8_t		      buf[16];
	struct wbytes	      w = wbytes_of(buf, sizeof buf, ORDER_LITTLE);
	struct spacemap_entry x;

	for (unsigned shift = 2; shift <= 80; shift++) {
		struct err    e = { 0 };
		struct cursor c = cursor_of(wbytes_view(w));

		put64(w, 0, UINT64_MAX);
		put64(w, 8, UINT64_MAX);
		cr_assert_eq(spacemap_next(&c, 0, shift, &x, &e), -1);
		cr_assert_eq(e.kind, ERR_CORRUPT);
	}
	for (int i = 0; i < 2; i++) {
		struct cursor c = cursor_of(bytes_of(buf, 8, ORDER_LITTLE));

		put64(w, 0, 0);
		cr_assert_eq(spacemap_next(&c, UINT64_MAX - 511 - 512 * i, 9, &x, NULL),
			     i ? 1 : -1);
	}
}
