#include <criterion/criterion.h>
#include <string.h>

#include "core/base/ranges.h"

/* The truth: one byte a unit. */
static void check(const struct ranges *r, const char *map, size_t n)
{
	char seen[256] = { 0 };

	for (size_t i = 0; i < r->count; i++) {
		cr_assert_lt(r->list[i].start, r->list[i].end);
		if (i > 0)
			cr_assert_lt(r->list[i - 1].end, r->list[i].start, "not merged");
		for (uint64_t u = r->list[i].start; u < r->list[i].end; u++)
			seen[u] = 1;
	}
	cr_assert_eq(memcmp(seen, map, n), 0);
}

Test(ranges, random_adds_and_removes_agree_with_a_bit_map)
{
	struct ranges r = { 0 };
	char	      map[256] = { 0 };
	unsigned      seed = 7;

	for (int i = 0; i < 20000; i++) {
		seed = seed * 1103515245 + 12345;

		unsigned start = seed >> 8 & 0xff, len = (seed >> 16 & 15) + 1;
		unsigned end = start + len > 256 ? 256 : start + len, had = 0;
		bool	 flag;

		for (unsigned u = start; u < end; u++)
			had += map[u];
		if (seed >> 24 & 1) {
			cr_assert_eq(ranges_add(&r, start, end, &flag, NULL), 0);
			cr_assert_eq(flag, had > 0);
			memset(map + start, 1, end - start);
		} else {
			cr_assert_eq(ranges_remove(&r, start, end, &flag, NULL), 0);
			cr_assert_eq(flag, had < end - start);
			memset(map + start, 0, end - start);
		}
		check(&r, map, sizeof map);
	}
	ranges_fini(&r);
}
