#include <criterion/criterion.h>
#include <string.h>

#include "core/dump/pools.h"

/* Members with one label each, made of plain structs: only what the views look at is set. */
static struct vdev_config leaf(uint64_t guid, const char *path)
{
	return (struct vdev_config){ .kind = VDEV_DISK, .guid = guid, .path = (char *)path };
}

static struct pool_config config(uint64_t pool, uint64_t txg, uint64_t guid,
				 struct vdev_config *top, uint64_t tops)
{
	return (struct pool_config){ .name = "tank",
				     .pool_guid = pool,
				     .txg = txg,
				     .guid = guid,
				     .tree = top,
				     .vdev_children = tops,
				     .state = POOL_EXPORTED };
}

static struct member member(struct pool_config *c)
{
	return (struct member){ .labels[0].config = c, .best = c == NULL ? -1 : 0 };
}

static struct pool_views view(struct member *list, size_t count)
{
	struct members	  m = { .list = list, .count = count };
	struct pool_views v;
	struct err	  e = { 0 };

	cr_assert_eq(pool_views_of(&m, &v, &e), 0, "%s", e.text);
	return v;
}

Test(pools, a_single_disk)
{
	struct vdev_config d = leaf(11, "/dev/a");
	struct pool_config c = config(1, 5, 11, &d, 1);
	struct member	   list[] = { member(&c), member(NULL) };
	struct pool_views  v = view(list, 2);

	cr_assert_eq(v.count, 1);
	cr_assert_eq(v.list[0].health, HEALTH_ONLINE);
	cr_assert_eq(v.list[0].count, 1);
	cr_assert_eq(v.list[0].rows[0].member, &list[0]);
	pool_views_free(&v);
}

Test(pools, a_mirror_without_one_side_is_degraded_and_the_newest_label_counts)
{
	struct vdev_config a = leaf(11, "a"), b = leaf(12, "b"), *both[] = { &a, &b };
	struct vdev_config top = {
		.kind = VDEV_MIRROR, .guid = 10, .children = both, .child_count = 2
	};
	struct pool_config one = config(1, 5, 11, &top, 1), two = config(1, 9, 12, &top, 1);
	struct member	   list[] = { member(&one), member(&two) };
	struct pool_views  v = view(list, 2);

	cr_assert_eq(v.list[0].config, &two);
	cr_assert_eq(v.list[0].health, HEALTH_ONLINE);
	cr_assert_eq(v.list[0].count, 3);
	cr_assert(v.list[0].rows[1].stale);
	cr_assert_not(v.list[0].rows[2].stale);
	pool_views_free(&v);

	v = view(list, 1);
	cr_assert_eq(v.list[0].health, HEALTH_DEGRADED);
	cr_assert_eq(v.list[0].rows[0].health, HEALTH_DEGRADED);
	cr_assert_eq(v.list[0].rows[2].health, HEALTH_UNAVAIL);
	cr_assert_eq(v.list[0].rows[2].depth, 1);
	cr_assert_null(v.list[0].rows[2].member);
	pool_views_free(&v);
}

Test(pools, raidz_bears_as_many_losses_as_it_has_parity)
{
	struct vdev_config d[4], *all[4];
	struct vdev_config top = {
		.kind = VDEV_RAIDZ, .guid = 10, .nparity = 2, .children = all, .child_count = 4
	};
	struct pool_config c[4];
	struct member	   list[4];

	for (unsigned i = 0; i < 4; i++) {
		d[i] = leaf(11 + i, "x");
		all[i] = &d[i];
		c[i] = config(1, 5, 11 + i, &top, 1);
		list[i] = member(&c[i]);
	}
	for (size_t here = 1; here <= 4; here++) {
		struct pool_views v = view(list, here);

		cr_assert_eq(v.list[0].health, here == 4   ? HEALTH_ONLINE
					       : here >= 2 ? HEALTH_DEGRADED
							   : HEALTH_UNAVAIL);
		pool_views_free(&v);
	}
}

Test(pools, a_missing_top_level_vdev_makes_it_unavailable_but_a_missing_log_does_not)
{
	struct vdev_config d = leaf(11, "a"), log = leaf(12, "l");
	struct pool_config c = config(1, 5, 11, &d, 2), l = config(1, 5, 99, &log, 2);
	struct member	   list[] = { member(&c), member(&l) };
	struct pool_views  v = view(list, 1);

	cr_assert_eq(v.list[0].health, HEALTH_UNAVAIL);
	cr_assert_null(v.list[0].rows[1].vdev);
	cr_assert_eq(v.list[0].rows[1].top, 1);
	pool_views_free(&v);

	log.id = 1;
	log.is_log = true;
	v = view(list, 2);
	cr_assert_eq(v.list[0].rows[1].health, HEALTH_UNAVAIL);
	cr_assert_eq(v.list[0].health, HEALTH_DEGRADED);
	pool_views_free(&v);
}

Test(pools, two_pools_of_one_name_stay_apart_and_spares_are_of_none)
{
	struct vdev_config a = leaf(11, "a"), b = leaf(12, "b");
	struct pool_config one = config(1, 5, 11, &a, 1), two = config(2, 5, 12, &b, 1);
	struct pool_config spare = { .state = POOL_SPARE, .guid = 13 };
	struct member	   list[] = { member(&spare), member(&one), member(&two) };
	struct pool_views  v = view(list, 3);

	cr_assert_eq(v.count, 2);
	cr_assert_eq(v.list[0].config, &one);
	cr_assert_eq(v.list[1].config, &two);
	pool_views_free(&v);
}

Test(pools, a_tree_deeper_than_configs_nest_is_cut)
{
	struct vdev_config chain[40], *child[40];
	struct pool_config c = config(1, 5, 77, &chain[0], UINT64_MAX);
	struct member	   list[] = { member(&c) };

	for (unsigned i = 0; i < 40; i++) {
		chain[i] = (struct vdev_config){ .kind = VDEV_MIRROR, .guid = i, .id = i };
		child[i] = &chain[i];
	}
	for (unsigned i = 0; i + 1 < 40; i++) {
		chain[i].children = &child[i + 1];
		chain[i].child_count = 1;
	}

	struct pool_views v = view(list, 1);

	cr_assert_eq(v.list[0].health, HEALTH_UNAVAIL);
	cr_assert_lt(v.list[0].count, 5000);
	pool_views_free(&v);
}
