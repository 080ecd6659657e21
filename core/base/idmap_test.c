#include <criterion/criterion.h>

#include "core/base/idmap.h"
#include "core/base/mem.h"

Test(idmap, keeps_what_was_put_zero_included)
{
	struct idmap m = { 0 };
	uint64_t     v = 0;

	for (uint64_t i = 0; i < 5000; i++)
		cr_assert_eq(idmap_put(&m, i * 64, i + 7, NULL), 0);
	for (uint64_t i = 0; i < 5000; i++) {
		cr_assert(idmap_get(&m, i * 64, &v));
		cr_assert_eq(v, i + 7);
	}
	cr_assert_not(idmap_get(&m, 63, &v));
	cr_assert_eq(idmap_add(&m, 64, NULL), 0);
	cr_assert_eq(idmap_add(&m, 65, NULL), 1);
	idmap_fini(&m);
}

Test(idmap, the_walk_gives_each_pair_once)
{
	struct idmap m = { 0 };
	size_t	     at = 0, n = 0;
	uint64_t     key, value, sum = 0;

	for (uint64_t i = 0; i < 100; i++)
		cr_assert_eq(idmap_put(&m, i, i, NULL), 0);
	while (idmap_next(&m, &at, &key, &value)) {
		n++;
		sum += key;
	}
	cr_assert_eq(n, 100);
	cr_assert_eq(sum, 4950);
	idmap_fini(&m);
}

Test(idmap, no_memory_leaves_the_map_as_it_was)
{
	struct idmap m = { 0 };
	struct err   e = { 0 };

	cr_assert_eq(idmap_put(&m, 5, 6, &e), 0);
	mem_fail_at(1);
	for (uint64_t i = 10; i < 41; i++)
		cr_assert_eq(idmap_put(&m, i, i, &e), 0);
	cr_assert_eq(idmap_put(&m, 1000, 1, &e), -1);
	mem_fail_at(0);
	cr_assert_eq(e.kind, ERR_NOMEM);
	cr_assert(idmap_get(&m, 5, NULL));
	cr_assert_not(idmap_get(&m, 1000, NULL));
	idmap_fini(&m);
}
