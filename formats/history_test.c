#include "formats/bonus_test.h"
#include "formats/history.h"

Test(history, offsets_of_openzfs_2_3_as_zdb_shows_them)
{
	uint8_t	       buf[512];
	char	       out[256];
	struct text    t = text_in(out, sizeof out);
	struct history h;

	cr_assert_eq(history_decode(bonus("dnode-history", buf), &h, NULL), 0);
	history_describe(&h, &t);
	cr_assert_str_eq(out, "pool_create_len = 12328\nphys_max_off = 131072\nbof = 12328\n"
			      "eof = 14940\nrecords_lost = 0\n");
}

Test(history, both_orders)
{
	uint8_t	       buf[512], big[HISTORY_SIZE], back[HISTORY_SIZE];
	struct bytes   in = bonus("dnode-history-fuse", buf);
	struct history h;

	cr_assert_eq(in.n, HISTORY_SIZE);
	cr_assert_eq(history_decode(in, &h, NULL), 0);
	cr_assert_eq(h.phys_max_off, 1001390);
	history_encode(&h, wbytes_of(big, sizeof big, ORDER_BIG));
	cr_assert_eq(history_decode(bytes_of(big, sizeof big, ORDER_BIG), &h, NULL), 0);
	history_encode(&h, wbytes_of(back, sizeof back, ORDER_LITTLE));
	cr_assert_arr_eq(back, in.p, HISTORY_SIZE);
}

Test(history, a_short_buffer_is_corrupt_and_leaves_out_alone)
{
	uint8_t	       raw[HISTORY_SIZE] = { 1 };
	struct history h = { .eof = 9 };

	for (size_t n = 0; n < HISTORY_SIZE; n++) {
		struct err e = { 0 };

		cr_assert_eq(history_decode(bytes_of(raw, n, ORDER_BIG), &h, &e), -1);
		cr_assert_eq(e.kind, ERR_CORRUPT);
		cr_assert_eq(h.eof, 9);
	}
}
