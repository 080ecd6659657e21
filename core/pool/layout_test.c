#include "core/pool/layout.h"

#include <criterion/criterion.h>

#include "formats/dsl.h"
#include "formats/objset.h"

/* As genuine pools of these versions are (zfs-fuse 0.7: 1, 8, 15, 21, 23; OpenZFS 2.3: 23, 28). */
Test(layout, what_came_with_which_version)
{
	struct pool_layout first = pool_layout_of(1), v15 = pool_layout_of(15);
	struct pool_layout v23 = pool_layout_of(23), v28 = pool_layout_of(28);
	struct pool_layout now = pool_layout_of(5000);

	cr_assert_eq(first.bpobj_size, BPOBJ_V0_SIZE);
	cr_assert_eq(first.objset_size, OBJSET_V1_SIZE);
	cr_assert(!first.origin && !first.used_breakdown);
	cr_assert_eq(v15.zpl_version, 4);
	cr_assert(v15.origin && v15.used_breakdown && v15.user_accounting);
	cr_assert_eq(v23.zpl_version, 4);
	cr_assert_eq(v23.bpobj_size, BPOBJ_V1_SIZE);
	cr_assert_eq(v23.mos_size, OBJSET_V2_SIZE);
	cr_assert(!v23.free_dir && !v23.deadlist_maps && !v23.features);
	cr_assert_eq(v23.software_version, 0);
	cr_assert_eq(v28.zpl_version, 5);
	cr_assert(v28.free_dir && v28.deadlist_maps && v28.dir_clones && !v28.features);
	cr_assert_eq(v28.software_version, 5000);
	cr_assert(now.features);
	cr_assert_eq(now.bpobj_size, BPOBJ_V2_SIZE);
	cr_assert_eq(now.mos_size, OBJSET_V3_SIZE);
}

Test(layout, three_versions_are_made)
{
	unsigned made = 0;

	for (uint64_t version = 0; version <= 5001; version++)
		made += pool_layout_made(version);
	cr_assert_eq(made, 3);
	cr_assert(pool_layout_made(23) && pool_layout_made(28) && pool_layout_made(5000));
}
