#include "formats/zap_support_test.h"

Test(zap, the_hash_of_nothing_is_the_salts_upper_bits)
{
	cr_assert_eq(zap_hash(0x123456789abcdef0, 0, "", 0), 0x1234567000000000);
	cr_assert_eq(zap_hash(0x123456789abcdef0, ZAP_FLAG_HASH64, "", 0), 0x123456789abc0000);
}

Test(zap, a_prehashed_key_is_its_own_hash)
{
	uint64_t key[2] = { 0xfedcba9876543210, 7 };
	uint64_t flags = ZAP_FLAG_HASH64 | ZAP_FLAG_UINT64_KEY | ZAP_FLAG_PRE_HASHED_KEY;

	cr_assert_eq(zap_hash(1, flags, key, sizeof key), 0xfedcba9876540000);
	cr_assert_eq(zap_hash(1, flags, key, 3), 0);
}

Test(zap, number_keys_hash_from_the_least_significant_byte)
{
	uint64_t key = 0x0807060504030201;
	uint8_t	 same[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	cr_assert_eq(zap_hash(99, ZAP_FLAG_UINT64_KEY, &key, 8), zap_hash(99, 0, same, 8));
}

static uint64_t micro_value(const struct mem_zap *m, const char *name)
{
	struct zap_micro z;
	struct zap_entry entry;

	cr_assert_eq(zap_micro_decode(mem_block(m, 0), &z, NULL), 0);
	for (size_t i = 0; i < z.slots; i++)
		if (zap_micro_entry(mem_block(m, 0), &z, i, &entry, NULL) == 1 &&
		    entry.name.n == strlen(name) && memcmp(entry.name.p, name, entry.name.n) == 0)
			return zap_entry_int(&entry, 0);
	return 0;
}

Test(zap, a_genuine_directory_reads_as_zdb_shows_it)
{
	struct mem_zap	 m = mem_golden("micro-directory.bin", 1024);
	struct zap_micro z;
	struct zap_entry entry;
	size_t		 used = 0;

	cr_assert_eq(zap_micro_decode(mem_block(&m, 0), &z, NULL), 0);
	cr_assert_eq(z.slots, 15);
	for (size_t i = 0; i < z.slots; i++)
		used += zap_micro_entry(mem_block(&m, 0), &z, i, &entry, NULL) == 1;
	cr_assert_eq(used, 9);
	cr_assert_eq(micro_value(&m, "sub"), UINT64_C(4) << 60 | 3);
	cr_assert_eq(micro_value(&m, "big-text"), UINT64_C(8) << 60 | 11);
	free(m.p);
}

Test(zap, micro_entries_survive_a_round_trip_in_both_orders)
{
	for (enum order o = ORDER_LITTLE; o <= ORDER_BIG; o++) {
		uint8_t		 buf[512];
		struct wbytes	 w = wbytes_of(buf, sizeof buf, o);
		struct zap_micro z;
		struct zap_entry e;
		char		 longest[] = "0123456789012345678901234567890123456789012345678";

		zap_micro_init(w, 0x123456789, 5);
		zap_micro_put(w, 6, longest, ZAP_MICRO_NAME_MAX, 0x1122334455667788, 3);
		cr_assert_eq(get64(wbytes_view(w), 0), ZAP_BLOCK_MICRO);
		cr_assert_eq(zap_micro_decode(wbytes_view(w), &z, NULL), 0);
		cr_assert_eq(z.slots, 7);
		cr_assert_eq(z.salt, 0x123456789);
		cr_assert_eq(z.normflags, 5);
		cr_assert_eq(zap_micro_entry(wbytes_view(w), &z, 0, &e, NULL), 0);
		cr_assert_eq(zap_micro_entry(wbytes_view(w), &z, 6, &e, NULL), 1);
		cr_assert_eq(e.name.n, 49);
		cr_assert_eq(memcmp(e.name.p, longest, 49), 0);
		cr_assert_eq(zap_entry_int(&e, 0), 0x1122334455667788);
		cr_assert_eq(e.cd, 3);
		cr_assert_eq(e.hash, zap_hash(z.salt, 0, longest, 49));
	}
}

Test(zap, a_short_or_foreign_block_is_no_micro_zap)
{
	uint8_t		 buf[512];
	struct zap_micro z;
	struct err	 e = { 0 };

	zap_micro_init(wbytes_of(buf, sizeof buf, ORDER_LITTLE), 1, 0);
	for (size_t n = 0; n < ZAP_MICRO_HEADER; n++) {
		cr_assert_eq(zap_micro_decode(bytes_of(buf, n, ORDER_LITTLE), &z, &e), -1);
		cr_assert_eq(e.kind, ERR_CORRUPT);
	}
	cr_assert_eq(zap_micro_decode(bytes_of(buf, 64, ORDER_LITTLE), &z, NULL), 0);
	cr_assert_eq(z.slots, 0);
	cr_assert_eq(zap_micro_decode(bytes_of(buf, 512, ORDER_BIG), &z, NULL), -1);
}

Test(zap, a_micro_name_without_end_is_corrupt)
{
	uint8_t		 buf[512];
	struct zap_micro z;
	struct zap_entry entry;
	struct err	 e = { 0 };

	zap_micro_init(wbytes_of(buf, sizeof buf, ORDER_LITTLE), 1, 0);
	memset(buf + 64, 'x', 64);
	cr_assert_eq(zap_micro_decode(bytes_of(buf, 512, ORDER_LITTLE), &z, NULL), 0);
	cr_assert_eq(zap_micro_entry(bytes_of(buf, 512, ORDER_LITTLE), &z, 0, &entry, &e), -1);
	cr_assert_eq(e.kind, ERR_CORRUPT);
}
