#include <criterion/criterion.h>

#include "formats/base/bytes.h"
#include "formats/base/limits.h"
#include "formats/base/text.h"

static const uint8_t eight[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

Test(bytes, integers_follow_the_order_of_the_view)
{
	struct bytes le = bytes_of(eight, 8, ORDER_LITTLE), be = bytes_of(eight, 8, ORDER_BIG);

	cr_assert_eq(get64(le, 0), UINT64_C(0x0807060504030201));
	cr_assert_eq(get64(be, 0), UINT64_C(0x0102030405060708));
	cr_assert_eq(get32(be, 4), UINT32_C(0x05060708));
	cr_assert_eq(get16(le, 2), 0x0403);
}

Test(bytes, what_is_put_can_be_got_in_both_orders)
{
	for (enum order o = ORDER_LITTLE; o <= ORDER_BIG; o++) {
		uint8_t	      buf[16] = { 0 };
		struct wbytes w = wbytes_of(buf, sizeof buf, o);

		put64(w, 1, 0x1122334455667788);
		put32(w, 9, 0xdeadbeef);
		put16(w, 13, 0xcafe);
		put8(w, 15, 7);
		cr_assert_eq(get64(wbytes_view(w), 1), 0x1122334455667788);
		cr_assert_eq(get32(wbytes_view(w), 9), 0xdeadbeef);
		cr_assert_eq(get16(wbytes_view(w), 13), 0xcafe);
		cr_assert_eq(get8(wbytes_view(w), 15), 7);
	}
}

Test(bytes, a_cursor_past_its_end_yields_zero_and_stays_spent)
{
	struct cursor c = cursor_of(bytes_of(eight, 8, ORDER_BIG));

	cr_assert_eq(cursor_32(&c), 0x01020304u);
	cr_assert_eq(cursor_left(&c), 4);
	cr_assert_eq(cursor_64(&c), 0);
	cr_assert(c.spent);
	cr_assert_eq(cursor_8(&c), 0);
	cr_assert_eq(cursor_left(&c), 0);
}

Test(bytes, zero_test)
{
	uint8_t buf[1000] = { 0 };

	cr_assert(bytes_zero(bytes_of(buf, 0, ORDER_LITTLE)));
	cr_assert(bytes_zero(bytes_of(buf, sizeof buf, ORDER_LITTLE)));
	buf[999] = 1;
	cr_assert_not(bytes_zero(bytes_of(buf, sizeof buf, ORDER_LITTLE)));
	cr_assert(bytes_zero(bytes_of(buf, 999, ORDER_LITTLE)));
	buf[0] = 1;
	cr_assert_not(bytes_zero(bytes_of(buf, 1, ORDER_LITTLE)));
}

Test(bytes, bit_fields)
{
	cr_assert_eq(bits(UINT64_MAX, 0, 64), UINT64_MAX);
	cr_assert_eq(bits(0xabcd, 4, 8), 0xbc);
	cr_assert_eq(bits_put(3, 62, 2), UINT64_C(3) << 62);
}

Test(limits, arithmetic_notices_overflow)
{
	uint64_t v;

	cr_assert(add_ok(1, 2, &v));
	cr_assert_eq(v, 3);
	cr_assert_not(add_ok(UINT64_MAX, 1, &v));
	cr_assert_not(mul_ok(UINT64_MAX / 2, 3, &v));
	cr_assert_eq(align_up(513, 512), 1024);
	cr_assert_eq(log2_floor(1), 0);
	cr_assert_eq(log2_floor(UINT64_MAX), 63);
}

Test(text, names_are_quoted_and_overlong_text_is_cut)
{
	char	    buf[16];
	struct text t = text_in(buf, sizeof buf);

	text_name(&t, "a\n\\\xff", 4);
	cr_assert_str_eq(buf, "a\\x0a\\x5c\\xff");
	cr_assert_not(t.cut);
	text_put(&t, "%s", "0123456789");
	cr_assert(t.cut);
	cr_assert_eq(t.n, 15);
	cr_assert_eq(strlen(buf), 15);
}
