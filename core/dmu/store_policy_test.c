/* What properties mean for blocks. */
#include <criterion/criterion.h>

#include "core/dmu/store_policy.h"
#include "formats/objtype.h"

Test(store_policy, weak_checksums_are_not_for_metadata)
{
	struct store_policy p = { 0 };

	store_policy_set_checksum(&p, CHECKSUM_FLETCHER_2);
	cr_assert(p.data_checksum == CHECKSUM_FLETCHER_2 && p.meta_checksum == CHECKSUM_FLETCHER_4);
	store_policy_set_checksum(&p, CHECKSUM_OFF);
	cr_assert(p.data_checksum == CHECKSUM_OFF && p.meta_checksum == CHECKSUM_FLETCHER_4);
	store_policy_set_checksum(&p, CHECKSUM_EDONR);
	cr_assert(p.data_checksum == CHECKSUM_EDONR && p.meta_checksum == CHECKSUM_EDONR);
}

Test(store_policy, metadata_has_one_copy_more)
{
	struct store_policy p = { 0 };

	for (unsigned n = 1; n <= 3; n++) {
		store_policy_set_copies(&p, n);
		cr_assert_eq(store_policy_copies(&p, OT_PLAIN_FILE, 0), n);
		cr_assert_eq(store_policy_copies(&p, OT_PLAIN_FILE, 1), n < 3 ? n + 1 : 3);
		cr_assert_eq(store_policy_copies(&p, OT_DIRECTORY, 0), n < 3 ? n + 1 : 3);
	}
}

Test(store_policy, redundant_metadata_says_which)
{
	/* file level 1, file level 2, directory, dnode, dnode level 1, object set */
	static const struct {
		uint8_t redundant, copies[6];
	} all[] = {
		{ REDUNDANT_ALL, { 2, 2, 2, 2, 2, 2 } },
		{ REDUNDANT_MOST, { 1, 2, 2, 2, 2, 2 } },
		{ REDUNDANT_SOME, { 1, 1, 1, 1, 2, 2 } },
		{ REDUNDANT_NONE, { 1, 1, 1, 1, 1, 1 } },
	};
	static const struct {
		uint8_t type, level;
	} what[] = { { OT_PLAIN_FILE, 1 }, { OT_PLAIN_FILE, 2 }, { OT_DIRECTORY, 0 },
		     { OT_DNODE, 0 },	   { OT_DNODE, 1 },	 { OT_OBJSET, 0 } };

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		struct store_policy p = { .redundant = all[i].redundant };

		store_policy_set_copies(&p, 1);
		for (size_t k = 0; k < sizeof what / sizeof what[0]; k++)
			cr_assert_eq(store_policy_copies(&p, what[k].type, what[k].level),
				     all[i].copies[k], "%zu %zu", i, k);
	}
}

Test(store_policy, features_that_a_dataset_needs)
{
	struct store_policy p = { .data_compress.id = COMPRESS_LZ4 };
	const char	   *guids[STORE_FEATURES_MAX] = { 0 };

	store_policy_set_checksum(&p, CHECKSUM_SHA256);
	cr_assert_eq(store_policy_features(&p, 128 << 10, guids, STORE_FEATURES_MAX), 0);
	p.data_compress.id = COMPRESS_ZSTD;
	p.dnode_size = 1024;
	store_policy_set_checksum(&p, CHECKSUM_BLAKE3);
	cr_assert_eq(store_policy_features(&p, 1 << 20, guids, STORE_FEATURES_MAX), 4);
	cr_assert_str_eq(guids[0], "org.openzfs:blake3");
	cr_assert_str_eq(guids[1], "org.freebsd:zstd_compress");
	cr_assert_str_eq(guids[2], "org.open-zfs:large_blocks");
	cr_assert_str_eq(guids[3], "org.zfsonlinux:large_dnode");
	guids[1] = NULL;
	cr_assert_eq(store_policy_features(&p, 1 << 20, guids, 1), 4);
	cr_assert_null(guids[1]);
}
