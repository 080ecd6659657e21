#include "formats/zap_support_test.h"

static const uint8_t *find(const struct mem_zap *m, const char *name, struct zap_entry *out)
{
	uint8_t	      *scratch = malloc(ZAP_FAT_SCRATCH);
	struct zap_fat z;

	cr_assert_eq(zap_fat_decode(mem_block(m, 0), &z, NULL), 0);
	cr_assert_eq(mem_find(m, &z, name, strlen(name), scratch, out), 1, "%s", name);
	return scratch;
}

Test(zap_fat, a_genuine_directory_reads_as_zdb_shows_it)
{
	struct mem_zap	  m = mem_golden("fat-directory.bin", 16384);
	struct collected *all = collect_all(&m);
	struct zap_entry  entry;

	cr_assert_eq(all->count, 17);
	cr_assert_eq(all->salt, 0xd9a8283);
	free((void *)find(&m, "back\\slash", &entry));
	cr_assert_eq(zap_entry_int(&entry, 0), UINT64_C(8) << 60 | 5121);
	free((void *)find(&m, "tab\there", &entry));
	cr_assert_eq(zap_entry_int(&entry, 0), UINT64_C(8) << 60 | 5119);
	collected_free(all);
	free(m.p);
}

Test(zap_fat, genuine_arrays_of_short_integers_read_as_zdb_shows_them)
{
	static const uint16_t layout[] = { 5, 6, 4, 12, 13, 7, 11, 0, 1, 2, 3, 8, 21, 16, 19 };
	struct mem_zap	      m = mem_golden("fat-sa-layouts.bin", 16384);
	struct zap_entry      entry;
	const uint8_t	     *scratch = find(&m, "2", &entry);

	cr_assert_eq(entry.int_size, 2);
	cr_assert_eq(entry.value.n, sizeof layout);
	for (size_t i = 0; i < 15; i++)
		cr_assert_eq(zap_entry_int(&entry, i), layout[i]);
	free((void *)scratch);
	free(m.p);
}

static void rebuild_and_compare(const char *name, enum order order, size_t block_size)
{
	struct mem_zap	  m = mem_golden(name, 16384);
	struct collected *before = collect_all(&m);
	struct mem_zap	  again = mem_build(&(struct zap_fat_plan){ .salt = before->salt,
								    .flags = before->flags,
								    .block_size = block_size,
								    .order = order },
					    before->items, before->count);
	struct collected *after = collect_all(&again);

	cr_assert_eq(before->count, after->count);
	for (size_t i = 0; i < before->count; i++) {
		const struct zap_item *a = &before->items[i], *b = &after->items[i];

		cr_assert_eq(a->hash, b->hash);
		cr_assert_eq(a->cd, b->cd);
		cr_assert_eq(a->int_size, b->int_size);
		cr_assert_eq(a->name_size, b->name_size);
		cr_assert_eq(memcmp(a->name, b->name, a->name_size), 0);
		cr_assert_eq(a->value_count, b->value_count);
		cr_assert_eq(memcmp(a->value, b->value, (size_t)a->value_count * a->int_size), 0);
	}
	collected_free(before);
	collected_free(after);
	free(m.p);
	free(again.p);
}

Test(zap_fat, genuine_zaps_rebuilt_have_the_same_entries)
{
	static const char *const names[] = { "fat-directory.bin", "fat-sa-layouts.bin" };

	for (size_t i = 0; i < 2; i++)
		for (enum order o = ORDER_LITTLE; o <= ORDER_BIG; o++)
			for (size_t size = 1024; size <= 128 << 10; size *= 2)
				rebuild_and_compare(names[i], o, size);
}

Test(zap_fat, every_other_size_of_header_and_leaf_is_corrupt)
{
	struct mem_zap	m = mem_golden("fat-directory.bin", 16384);
	struct zap_fat	z;
	struct zap_leaf l;
	struct err	e;

	for (size_t n = 0; n < 16384; n++) {
		struct bytes header = bytes_of(m.p, n, ORDER_LITTLE);
		struct bytes leaf = bytes_of(m.p + 16384, n, ORDER_LITTLE);

		if (n >= 512 && (n & (n - 1)) == 0)
			continue;
		cr_assert_eq(zap_fat_decode(header, &z, &e), -1);
		cr_assert_eq(e.kind, ERR_CORRUPT);
		cr_assert_eq(zap_leaf_decode(leaf, &l, &e), -1);
		cr_assert_eq(e.kind, ERR_CORRUPT);
	}
	cr_assert_eq(zap_fat_decode(bytes_of(m.p, 512, ORDER_LITTLE), &z, &e), -1, "shift 10");
	cr_assert_eq(zap_leaf_decode(mem_block(&m, 0), &l, &e), -1);
	cr_assert_eq(zap_fat_decode(mem_block(&m, 1), &z, &e), -1);
	free(m.p);
}

Test(zap_fat, tables_that_do_not_fit_are_corrupt)
{
	static const struct {
		uint64_t block, blocks, shift;
		int	 rc;
	} cases[] = { { 0, 0, 10, 0 },
		      { 0, 0, 11, -1 },
		      { 0, 0, 0, 0 },
		      { 0, 1, 11, -1 },
		      { 5, 0, 10, -1 },
		      { 5, 1, 11, 0 },
		      { 5, 1, 12, -1 },
		      { 5, 2, 12, 0 },
		      { 5, 2, 64, -1 },
		      { UINT64_MAX, 2, 12, -1 },
		      { UINT64_MAX >> 14, 2, 12, -1 } };
	struct mem_zap m = mem_golden("fat-directory.bin", 16384);
	struct wbytes  w = wbytes_of(m.p, 16384, ORDER_LITTLE);

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct zap_fat z;

		put64(w, FAT_TABLE_BLOCK, cases[i].block);
		put64(w, FAT_TABLE_BLOCKS, cases[i].blocks);
		put64(w, FAT_TABLE_SHIFT, cases[i].shift);
		cr_assert_eq(zap_fat_decode(wbytes_view(w), &z, NULL), cases[i].rc, "case %zu", i);
	}
	free(m.p);
}

static int count(void *ctx, const struct zap_entry *entry, struct err *e)
{
	(void)entry;
	(void)e;
	++*(size_t *)ctx;
	return 0;
}

/* A leaf of two entries to be damaged: "a", and a long name whose first array chunk is number 4. */
static struct mem_zap two_entries(void)
{
	static const char name[] = "b name that takes more than one chunk";
	static uint64_t	  value = 7;
	struct zap_item	  items[2] = { { .hash = zap_hash(1, 0, "a", 1),
					 .int_size = 8,
					 .name = "a",
					 .name_size = 1,
					 .value = &value,
					 .value_count = 1 },
				       { .hash = zap_hash(1, 0, name, 37),
					 .int_size = 8,
					 .name = name,
					 .name_size = 37,
					 .value = &value,
					 .value_count = 1 } };

	if (items[0].hash > items[1].hash)
		cr_assert_fail("the test counts on this order");
	return mem_build(&(struct zap_fat_plan){ .salt = 1, .block_size = 1024 }, items, 2);
}

static struct wbytes chunk_in(const struct mem_zap *m, size_t chunk)
{
	return wbytes_of(m->p + 1024 + leaf_chunk_at(1024, chunk), CHUNK_SIZE, m->order);
}

static void expect_damage(const struct mem_zap *m, size_t others)
{
	uint8_t		scratch[ZAP_FAT_SCRATCH];
	struct zap_leaf l = mem_leaf(m, 1);
	struct err	e = { 0 };
	size_t		n = 0;

	cr_assert_eq(zap_leaf_each(&l, 0, scratch, count, &n, &e), -1);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	cr_assert_eq(n, others);
}

Test(zap_fat, an_array_chain_that_leads_into_itself_is_corrupt)
{
	struct mem_zap m = two_entries();

	cr_assert_eq(get8(wbytes_view(chunk_in(&m, 4)), 0), CHUNK_ARRAY);
	put16(chunk_in(&m, 4), CHUNK_NEXT, 4);
	expect_damage(&m, 1);
	put16(chunk_in(&m, 4), CHUNK_NEXT, 0xfffe);
	expect_damage(&m, 1);
	put16(chunk_in(&m, 4), CHUNK_NEXT, CHAIN_END);
	expect_damage(&m, 1);
	free(m.p);
}

Test(zap_fat, odd_entries_are_stepped_over_and_told)
{
	static const struct {
		size_t	 field;
		uint16_t value;
	} cases[] = { { ENTRY_NAME_COUNT, 0 },	    { ENTRY_NAME_COUNT, 1025 },
		      { ENTRY_NAME_COUNT, 37 },	    { ENTRY_NAME_COUNT, 39 },
		      { ENTRY_NAME_CHUNK, 3 },	    { ENTRY_VALUE_COUNT, 1025 },
		      { ENTRY_VALUE_COUNT, 0 },	    { ENTRY_VALUE_CHUNK, CHAIN_END },
		      { ENTRY_VALUE_CHUNK, 30000 }, { ENTRY_INT_SIZE - 1, CHUNK_ENTRY | 3 << 8 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct mem_zap m = two_entries();

		put16(chunk_in(&m, 3), cases[i].field, cases[i].value);
		expect_damage(&m, 1);
		free(m.p);
	}
}

Test(zap_fat, a_wrong_number_of_entries_is_told)
{
	struct mem_zap m = two_entries();

	put16(wbytes_of(m.p + 1024, 1024, ORDER_LITTLE), LEAF_ENTRIES, 1);
	expect_damage(&m, 2);
	free(m.p);
}

Test(zap_fat, a_hash_chain_that_leads_into_itself_is_corrupt)
{
	struct mem_zap	 m = two_entries();
	struct zap_leaf	 l = mem_leaf(&m, 1);
	uint8_t		 scratch[ZAP_FAT_SCRATCH];
	struct zap_entry out;
	struct err	 e = { 0 };
	uint64_t	 hash = zap_hash(1, 0, "a", 1);
	struct bytes	 a = bytes_of("a", 1, ORDER_NATIVE), b = bytes_of("b", 1, ORDER_NATIVE);

	cr_assert_eq(zap_leaf_find(&l, 0, hash, a, scratch, &out, &e), 1);
	cr_assert_eq(zap_leaf_find(&l, 0, hash, b, scratch, &out, &e), 0);
	put16(chunk_in(&m, 0), ENTRY_NEXT, 0);
	cr_assert_eq(zap_leaf_find(&l, 0, hash, b, scratch, &out, &e), -1);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	put16(chunk_in(&m, 0), ENTRY_NEXT, 1);
	cr_assert_eq(zap_leaf_find(&l, 0, hash, b, scratch, &out, &e), -1, "an array in the chain");
	put16(chunk_in(&m, 0), ENTRY_NEXT, 999);
	cr_assert_eq(zap_leaf_find(&l, 0, hash, b, scratch, &out, &e), -1);
	free(m.p);
}

static int stop(void *ctx, const struct zap_entry *entry, struct err *e)
{
	(void)ctx;
	(void)entry;
	return err_set(e, ERR_INTERRUPTED, "enough") - 41;
}

Test(zap_fat, what_the_callback_returns_ends_the_walk)
{
	struct mem_zap	m = two_entries();
	struct zap_leaf l = mem_leaf(&m, 1);
	uint8_t		scratch[ZAP_FAT_SCRATCH];
	struct err	e = { 0 };

	cr_assert_eq(zap_leaf_each(&l, 0, scratch, stop, NULL, &e), -42);
	cr_assert_eq(e.kind, ERR_INTERRUPTED);
	free(m.p);
}
