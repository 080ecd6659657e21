#include <time.h>

#include "formats/zap_support_test.h"

#define SALT UINT64_C(0x9e3779b97f4a7c15)

struct many {
	struct zap_item *items;
	char (*names)[16];
	uint64_t *values;
	size_t	  count;
};

static struct many many_new(size_t count)
{
	struct many m = { .items = calloc(count, sizeof *m.items),
			  .names = calloc(count, sizeof *m.names),
			  .values = calloc(count, sizeof *m.values),
			  .count = count };

	for (size_t i = 0; i < count; i++) {
		int n = snprintf(m.names[i], sizeof m.names[i], "file-%07zu", i);

		m.values[i] = i;
		m.items[i] = (struct zap_item){ .hash = zap_hash(SALT, 0, m.names[i], (size_t)n),
						.cd_new = true,
						.int_size = 8,
						.name = m.names[i],
						.name_size = (uint32_t)n,
						.value = &m.values[i],
						.value_count = 1 };
	}
	return m;
}

static void many_free(struct many *m)
{
	free(m->items);
	free(m->names);
	free(m->values);
}

static void build_and_find_all(size_t count, size_t block_size, enum order order)
{
	struct many    m = many_new(count);
	uint8_t	       scratch[ZAP_FAT_SCRATCH];
	struct mem_zap zap;

	zap_items_sort(m.items, count);
	zap = mem_build(
		&(struct zap_fat_plan){ .salt = SALT, .block_size = block_size, .order = order },
		m.items, count);

	struct zap_fat	 z = audit_zap(&zap);
	struct zap_entry entry;

	cr_assert_eq(z.entry_count, count);
	for (size_t i = 0; i < count; i++) {
		cr_assert_eq(mem_find(&zap, &z, m.names[i], strlen(m.names[i]), scratch, &entry),
			     1);
		cr_assert_eq(zap_entry_int(&entry, 0), i);
	}
	cr_assert_eq(mem_find(&zap, &z, "nobody", 6, scratch, &entry), 0);
	free(zap.p);
	many_free(&m);
}

Test(zap_fat_build, an_empty_zap_has_one_leaf)
{
	struct mem_zap m =
		mem_build(&(struct zap_fat_plan){ .salt = 1, .block_size = 16384 }, NULL, 0);
	struct zap_fat z = audit_zap(&m);

	cr_assert_eq(z.leaf_count, 1);
	cr_assert_eq(z.table_shift, 10);
	cr_assert_eq(m.blocks, 2);
	free(m.p);
}

Test(zap_fat_build, every_entry_is_found_in_any_block_size_and_order)
{
	for (enum order o = ORDER_LITTLE; o <= ORDER_BIG; o++)
		for (size_t size = 1024; size <= 128 << 10; size *= 2)
			build_and_find_all(1000, size, o);
}

/* In 16 KiB blocks a table of more than 2^10 pointers leaves block 0. */
Test(zap_fat_build, a_hundred_thousand_entries)
{
	build_and_find_all(100000, 16384, ORDER_LITTLE);
}

static int discard(void *ctx, uint64_t blkid, struct bytes block, struct err *e)
{
	(void)e;
	(void)block;
	*(uint64_t *)ctx = blkid;
	return 0;
}

Test(zap_fat_build, a_million_entries_in_a_second)
{
	struct many	m = many_new(1000000);
	uint64_t	blocks = 0, last = 0;
	struct timespec t0, t1;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t0);
	zap_items_sort(m.items, m.count);
	cr_assert_eq(zap_fat_build(&(struct zap_fat_plan){ .salt = SALT, .block_size = 16384 },
				   m.items, m.count, discard, &last, &blocks, NULL),
		     0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t1);
	cr_assert_eq(last, blocks - 1);

	double s = (double)(t1.tv_sec - t0.tv_sec) + (double)(t1.tv_nsec - t0.tv_nsec) / 1e9;

	cr_log_info("a million entries: %.3f s, %llu blocks", s, (unsigned long long)blocks);
	/* Ten times what it takes, for sanitizers and busy machines. */
	cr_assert_lt(s, 15);
	many_free(&m);
}

Test(zap_fat_build, equal_hashes_are_numbered_around_the_kept)
{
	struct zap_item items[] = {
		{ .hash = 5, .cd_new = true, .name = "d", .name_size = 1 },
		{ .hash = 5, .cd = 1, .name = "x", .name_size = 1 },
		{ .hash = 5, .cd_new = true, .name = "b", .name_size = 1 },
		{ .hash = 3, .cd_new = true, .name = "z", .name_size = 1 },
		{ .hash = 5, .cd = 3, .name = "y", .name_size = 1 },
		{ .hash = 5, .cd_new = true, .name = "c", .name_size = 1 },
	};
	static const char expected[] = "zbxcyd";

	zap_items_sort(items, 6);
	for (size_t i = 0; i < 6; i++) {
		cr_assert_eq(*(const char *)items[i].name, expected[i]);
		cr_assert_eq(items[i].cd, i == 0 ? 0 : i - 1);
		cr_assert_not(items[i].cd_new);
	}
}

/* Names of one hash: as many as a leaf holds are built, one more is refused. */
Test(zap_fat_build, equal_hashes_fill_one_leaf_and_no_more)
{
	struct many	    m = many_new(213);
	struct mem_zap	    zap;
	uint64_t	    blocks, last;
	struct err	    e = { 0 };
	struct zap_fat_plan plan = { .salt = SALT, .block_size = 16384 };

	for (size_t i = 0; i < m.count; i++)
		m.items[i].hash = UINT64_C(0xabcdef1) << 36;
	zap_items_sort(m.items, m.count);
	zap = mem_build(&plan, m.items, 212);
	cr_assert_eq(audit_zap(&zap).leaf_count, 1);
	cr_assert_eq(mem_leaf(&zap, 1).free_chunks, 2);
	cr_assert_eq(zap_fat_build(&plan, m.items, 213, discard, &last, &blocks, &e), -1);
	cr_assert_eq(e.kind, ERR_NOSPACE);
	free(zap.p);
	many_free(&m);
}

/* Two crowds that differ in hash bit 13 only: the leaves beside the deep ones stay empty, but are
 * there. */
Test(zap_fat_build, empty_leaves_stand_beside_a_deep_split)
{
	struct many    m = many_new(400);
	struct mem_zap zap;
	struct zap_fat z;

	for (size_t i = 0; i < m.count; i++)
		m.items[i].hash = UINT64_C(0xabcde) << 44 ^ (uint64_t)(i & 1) << (64 - 13);
	zap_items_sort(m.items, m.count);
	zap = mem_build(&(struct zap_fat_plan){ .salt = SALT, .block_size = 16384 }, m.items,
			m.count);
	z = audit_zap(&zap);
	cr_assert_eq(z.table_shift, 13);
	cr_assert_eq(z.table_blocks, 4);
	cr_assert_eq(z.leaf_count, 14);
	free(zap.p);
	many_free(&m);
}

Test(zap_fat_build, number_keys_and_long_values_survive_in_both_orders)
{
	static uint64_t	 keys[3][2] = { { 1, 2 }, { 0x1122334455667788, 9 }, { 0, 0 } };
	static uint8_t	 bytes_value[ZAP_FAT_VALUE_MAX];
	static uint32_t	 words[3] = { 1, 0x01020304, UINT32_MAX };
	uint64_t	 flags = ZAP_FLAG_HASH64 | ZAP_FLAG_UINT64_KEY;
	uint8_t		 scratch[ZAP_FAT_SCRATCH];
	struct zap_entry entry;

	memset(bytes_value, 0xa5, sizeof bytes_value);
	for (enum order o = ORDER_LITTLE; o <= ORDER_BIG; o++) {
		struct zap_item items[3] = {
			{ .name = keys[0],
			  .int_size = 1,
			  .value = bytes_value,
			  .value_count = 8192 },
			{ .name = keys[1], .int_size = 4, .value = words, .value_count = 3 },
			{ .name = keys[2], .int_size = 8 },
		};
		struct mem_zap m;
		struct zap_fat z;

		for (size_t i = 0; i < 3; i++) {
			items[i].name_size = 16;
			items[i].hash = zap_hash(SALT, flags, keys[i], 16);
		}
		zap_items_sort(items, 3);
		m = mem_build(&(struct zap_fat_plan){ .salt = SALT,
						      .flags = flags,
						      .normflags = 1,
						      .block_size = 16384,
						      .order = o },
			      items, 3);
		z = audit_zap(&m);
		cr_assert_eq(mem_leaf(&m, 1).flags, LEAF_FLAG_CD_SORTED);
		cr_assert_eq(mem_find(&m, &z, keys[0], 16, scratch, &entry), 1);
		cr_assert_eq(entry.value.n, 8192);
		cr_assert_eq(memcmp(entry.value.p, bytes_value, 8192), 0);
		cr_assert_eq(mem_find(&m, &z, keys[1], 16, scratch, &entry), 1);
		cr_assert(entry.number_key);
		cr_assert_eq(get64(entry.name, 0), keys[1][0]);
		cr_assert_eq(zap_entry_int(&entry, 1), 0x01020304);
		cr_assert_eq(mem_find(&m, &z, keys[2], 16, scratch, &entry), 1);
		cr_assert_eq(entry.value.n, 0);
		free(m.p);
	}
}

Test(zap_fat_build, what_no_zap_may_hold_is_refused)
{
	static char	    name[2000];
	struct zap_item	    good = { .name = name, .name_size = 1, .int_size = 8, .value = name };
	struct zap_fat_plan plan = { .salt = 1, .block_size = 1024 };
	struct zap_item	    bad[4] = { good, good, good, good };
	enum err_kind	    kinds[4] = { ERR_USAGE, ERR_USAGE, ERR_USAGE, ERR_NOSPACE };
	uint64_t	    blocks, last;

	bad[0].name_size = 1024;
	bad[1].int_size = 3;
	bad[2].value_count = 1025;
	bad[3].name_size = 1000;
	for (size_t i = 0; i < 4; i++) {
		struct err e = { 0 };

		cr_assert_eq(zap_fat_build(&plan, &bad[i], 1, discard, &last, &blocks, &e), -1);
		cr_assert_eq(e.kind, kinds[i]);
	}
}

static int fail_at(void *ctx, uint64_t blkid, struct bytes block, struct err *e)
{
	(void)block;
	return blkid == *(uint64_t *)ctx ? err_set(e, ERR_IO, "full") : 0;
}

Test(zap_fat_build, each_block_that_cannot_be_emitted_ends_it)
{
	struct many m = many_new(300);
	uint64_t    at = 0, blocks = 0;
	int	    rc = -1;

	zap_items_sort(m.items, m.count);
	for (; rc < 0; at++) {
		struct err e = { 0 };

		rc = zap_fat_build(&(struct zap_fat_plan){ .salt = SALT, .block_size = 512 },
				   m.items, m.count, fail_at, &at, &blocks, &e);
		cr_assert_eq(e.kind, rc < 0 ? ERR_IO : ERR_NONE);
	}
	cr_assert_eq(at - 1, blocks);
	many_free(&m);
}
