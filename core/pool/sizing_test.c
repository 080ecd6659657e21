#include <criterion/criterion.h>

#include "core/pool/sizing.h"
#include "formats/base/limits.h"
#include "formats/label.h"


static uint64_t metaslabs(uint64_t size)
{
	uint64_t asize = sizing_asize(size);

	return asize >> sizing_metaslab_shift(asize, 0);
}

Test(sizing, labels_and_boot_area_are_not_allocatable)
{
	cr_assert_eq(sizing_asize(128 * MIB), 129499136); /* zdb -C of OpenZFS 2.3's pools */
	cr_assert_eq(sizing_asize(64 * MIB), 62390272);
	cr_assert_eq(sizing_asize(64 * MIB + 255 * 1024), 62390272);
	cr_assert_eq(sizing_asize(4 * MIB), 0);
	cr_assert_eq(sizing_asize(0), 0);
}

Test(sizing, metaslabs_are_as_openzfs_cuts_them)
{
	cr_assert_eq(sizing_metaslab_shift(sizing_asize(64 * MIB), 0), 24);
	cr_assert_eq(metaslabs(64 * MIB), 3);
	cr_assert_eq(sizing_metaslab_shift(sizing_asize(128 * MIB), 0), 24);
	cr_assert_eq(metaslabs(128 * MIB), 7);
	cr_assert_eq(sizing_metaslab_shift(sizing_asize(4 * GIB), 0), 28);
	cr_assert_eq(metaslabs(4 * GIB), 15);
	cr_assert_eq(sizing_metaslab_shift(sizing_asize(20 * GIB), 0), 29);
	cr_assert_eq(metaslabs(20 * GIB), 39);
	cr_assert_eq(sizing_metaslab_shift(sizing_asize(1024 * GIB), 0), 33);
	cr_assert_eq(metaslabs(1024 * GIB), 127);
	/* Beyond 2^17 of the largest ordinary ones they grow again. */
	cr_assert_eq(sizing_metaslab_shift(UINT64_C(1) << 50, 0), 34);
	cr_assert_eq(sizing_metaslab_shift(UINT64_C(1) << 52, 0), 36);
}

/* USED and AVAIL of pools that OpenZFS 2.3 made, as its zfs list showed them. */
Test(sizing, avail_is_what_zfs_list_showed)
{
	static const struct {
		uint64_t size, used, avail;
	} genuine[] = {
		{ 134217728, 325120, 58395136 },  { 67108864, 329728, 24836096 },
		{ 100663296, 831488, 41111552 },  { 134217728, 2591744, 56128512 },
		{ 100663296, 318464, 41624576 },
	};

	for (size_t i = 0; i < sizeof genuine / sizeof genuine[0]; i++)
		cr_expect_eq(sizing_avail(genuine[i].size, genuine[i].used, 0), genuine[i].avail);
}

Test(sizing, slop_and_log_of_larger_pools)
{
	/* 15 of 256 MiB, 128 MiB of slop */
	cr_assert_eq(sizing_avail(4 * GIB, 0, 0), 15 * 256 * MIB - 128 * MIB);
	/* 127 of 8 GiB: one for the log, which counts against the slop */
	cr_assert_eq(sizing_avail(1024 * GIB, 0, 0),
		     126 * 8 * GIB - (126 * 8 * GIB / 32 - 8 * GIB));
	cr_assert_eq(sizing_avail(64 * MIB, 1 * GIB, 0), 0);
}

static uint64_t chosen(uint64_t avail, unsigned percent, uint64_t used)
{
	struct pool_size rule = { .rule = POOL_SIZE_AVAIL,
				  .avail = avail,
				  .avail_percent = percent };
	uint64_t	 size = 0;

	cr_assert_eq(sizing_choose(&rule, used, used, 0, &size, NULL), 0);
	cr_assert_eq(size % LABEL_SIZE, 0);
	cr_assert_geq(size, VDEV_MIN_SIZE);
	cr_assert_geq(sizing_avail(size, 0, 0), used);
	return size;
}

Test(sizing, a_chosen_size_keeps_what_the_rule_promises)
{
	static const uint64_t used[] = { 0, 1, 999, 100 * MIB + 7, 3 * GIB, 500 * GIB };

	for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
		uint64_t u = used[i];

		cr_expect_geq(sizing_avail(chosen(16 * MIB, 5, u), u, 0), 16 * MIB);
		cr_expect_geq(sizing_avail(chosen(0, 20, u), u, 0) * 5, u);
		cr_expect_geq(sizing_avail(chosen(2 * GIB, 0, u), u, 0), 2 * GIB);
		(void)chosen(0, 0, u);
	}
}

Test(sizing, nothing_smaller_would_do_for_min)
{
	uint64_t used = 300 * MIB, size = chosen(0, 0, used);

	cr_assert_lt(sizing_avail(size - LABEL_SIZE, 0, 0), used);
}

Test(sizing, a_given_size_must_hold_the_contents)
{
	struct pool_size rule = { .rule = POOL_SIZE_GIVEN, .size = 64 * MIB };
	uint64_t	 size = 1;
	struct err	 e;

	cr_assert_lt(sizing_choose(&rule, 0, 49 * MIB, 0, &size, &e), 0);
	cr_assert_eq(e.kind, ERR_NOSPACE);
	cr_assert_eq(size, 1);
	cr_assert_eq(sizing_choose(&rule, 0, 48 * MIB, 0, &size, &e), 0);
	cr_assert_eq(size, 64 * MIB);
}

Test(sizing, large_blocks_ask_for_larger_metaslabs)
{
	struct pool_size rule = { .rule = POOL_SIZE_AVAIL, .avail = 16 * MIB };
	uint64_t	 size;

	cr_assert_eq(sizing_metaslab_shift(sizing_asize(128 * MIB), 26), 26);
	cr_assert_eq(sizing_metaslab_shift(sizing_asize(20 * GIB), 26), 29);
	cr_assert_eq(sizing_choose(&rule, 1 * MIB, 20 * MIB, 26, &size, NULL), 0);
	cr_assert_geq(sizing_asize(size), 64 * MIB);
	cr_assert_geq(sizing_avail(size, 1 * MIB, 26), 16 * MIB);
}

/* A reservation of the root is no use of space, and must fit; its refreservation it shows. */
Test(sizing, what_the_root_has_for_itself)
{
	struct pool_size rule = { .rule = POOL_SIZE_AVAIL, .avail = 16 * MIB, .least = GIB };
	uint64_t	 size = 0, plain = chosen(16 * MIB, 0, GIB);

	cr_assert_eq(sizing_choose(&rule, 1, 1, 0, &size, NULL), 0);
	cr_expect_geq(sizing_avail(size, 0, 0), GIB);
	rule.own = 16 * MIB;
	cr_assert_eq(sizing_choose(&rule, GIB, 1, 0, &size, NULL), 0);
	cr_expect_geq(sizing_avail(size, 0, 0), GIB);
	cr_expect_leq(size, plain);
}
