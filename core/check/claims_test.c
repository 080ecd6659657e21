#include <criterion/criterion.h>

#include "core/check/bitmap.h"
#include "core/check/claims.h"

static struct claims new_claims(void)
{
	return (struct claims){ .shift = 9, .limit = UINT64_C(1) << 40 };
}

Test(claims, come_out_sorted)
{
	struct claims c = new_claims();

	for (uint64_t i = 0; i < 20000; i++)
		cr_assert_eq(claims_add(&c, (i * 7919 % 20000) * 1024, 1024, false, NULL), 0);
	cr_assert_eq(claims_finish(&c, NULL), 0);
	cr_assert_eq(c.count, 20000);
	for (size_t i = 0; i < c.count; i++)
		cr_assert_eq(claims_at(&c, i).start, i * 1024);
	cr_assert_eq(c.doubles.count, 0);
	claims_fini(&c);
}

Test(claims, an_overlap_is_kept_as_a_range_and_claimed_once)
{
	struct claims c = new_claims();

	cr_assert_eq(claims_add(&c, 4096, 4096, false, NULL), 0);
	cr_assert_eq(claims_add(&c, 6144, 4096, true, NULL), 0);
	cr_assert_eq(claims_finish(&c, NULL), 0);
	cr_assert_eq(c.count, 2);
	cr_assert_eq(claims_at(&c, 1).start, 8192);
	cr_assert_eq(claims_at(&c, 1).end, 10240);
	cr_assert_eq(c.doubles.bytes, 2048);
	cr_assert_eq(c.doubles.list.list[0].start, 6144);
	claims_fini(&c);
}

Test(claims, shared_blocks_may_be_claimed_again_and_others_not)
{
	struct claims c = new_claims();

	for (int i = 0; i < 3; i++)
		cr_assert_eq(claims_add(&c, 4096, 512, true, NULL), 0);
	cr_assert_eq(claims_finish(&c, NULL), 0);
	cr_assert_eq(c.doubles.count, 0);
	cr_assert_eq(claims_add(&c, 4096, 512, false, NULL), 0);
	cr_assert_eq(claims_finish(&c, NULL), 0);
	cr_assert_eq(c.doubles.count, 1);
	claims_fini(&c);
}

Test(claims, the_same_block_again_and_again_takes_no_memory)
{
	struct claims c = new_claims();

	for (int i = 0; i < 1000000; i++)
		cr_assert_eq(claims_add(&c, 4096, 512, true, NULL), 0);
	cr_assert_lt(c.cap, 10000);
	claims_fini(&c);
}

Test(claims, a_range_larger_than_one_word_says_is_several)
{
	struct claims c = new_claims();

	cr_assert_eq(claims_add(&c, 0, UINT64_C(1) << 30, false, NULL), 0);
	cr_assert_eq(claims_finish(&c, NULL), 0);
	cr_assert_eq(claims_at(&c, c.count - 1).end, UINT64_C(1) << 30);
	cr_assert_eq(c.doubles.count, 0);
	claims_fini(&c);
}

Test(bitmap, counts_what_was_so_already_and_finds_runs)
{
	uint64_t      words[4] = { 0 };
	struct bitmap b = { words, 200 };

	cr_assert_eq(bitmap_change(&b, 10, 150, true), 0);
	cr_assert_eq(bitmap_change(&b, 140, 160, true), 10);
	cr_assert_eq(bitmap_total(&b), 150);
	cr_assert_eq(bitmap_find(&b, 0, true), 10);
	cr_assert_eq(bitmap_find(&b, 10, false), 160);
	cr_assert_eq(bitmap_find(&b, 160, true), 200);
	cr_assert_eq(bitmap_change(&b, 0, 20, false), 10);
	cr_assert_eq(bitmap_find(&b, 0, true), 20);
	cr_assert_eq(bitmap_change(&b, 64, 128, false), 0);
	cr_assert_eq(bitmap_find(&b, 20, false), 64);
}
