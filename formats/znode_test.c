#include "formats/bonus_test.h"
#include "formats/znode.h"

Test(znode, a_file_of_zfs_fuse)
{
	uint8_t	     buf[512];
	struct znode z;

	cr_assert_eq(znode_decode(bonus("dnode-file-sparse-fuse", buf), &z, NULL), 0);
	cr_assert_eq(z.mode, 0100644);
	cr_assert_eq(z.size, UINT64_C(5) << 30);
	cr_assert_eq(z.links, 1);
	cr_assert_eq(z.zap, 0);
	cr_assert_eq(z.flags & ZNODE_ACL_TRIVIAL, ZNODE_ACL_TRIVIAL);
	cr_assert_gt(z.mtime[0], 1700000000);
	cr_assert_lt(z.mtime[1], 1000000000);
	cr_assert_arr_eq(z.acl, buf + 0xc0 + ZNODE_ACL_OFFSET, ZNODE_ACL_SIZE);
}

Test(znode, genuine_ones_survive_the_other_order)
{
	static const char *const names[] = { "dnode-file-fuse", "dnode-file-sparse-fuse",
					     "dnode-root-fuse" };

	for (int i = 0; i < 3; i++) {
		uint8_t	     buf[512], big[ZNODE_SIZE], back[ZNODE_SIZE];
		struct bytes in = bonus(names[i], buf);
		struct znode z;

		cr_assert_eq(in.n, ZNODE_SIZE);
		cr_assert_eq(znode_decode(in, &z, NULL), 0);
		znode_encode(&z, wbytes_of(big, sizeof big, ORDER_BIG));
		cr_assert_eq(znode_decode(bytes_of(big, sizeof big, ORDER_BIG), &z, NULL), 0);
		znode_encode(&z, wbytes_of(back, sizeof back, ORDER_LITTLE));
		cr_assert_arr_eq(back, in.p, ZNODE_SIZE);
	}
}

Test(znode, a_short_buffer_is_corrupt_and_leaves_out_alone)
{
	uint8_t	     raw[ZNODE_SIZE] = { 1 };
	struct znode z = { .mode = 9 };

	for (size_t n = 0; n < ZNODE_SIZE; n++) {
		struct err e = { 0 };

		cr_assert_eq(znode_decode(bytes_of(raw, n, ORDER_LITTLE), &z, &e), -1);
		cr_assert_eq(e.kind, ERR_CORRUPT);
		cr_assert_eq(z.mode, 9);
	}
}

Test(znode, directory_entries)
{
	uint64_t v = dirent_value(4, 0x123456789abc);

	cr_assert_eq(v, UINT64_C(0x4000123456789abc));
	cr_assert_eq(dirent_type(v), 4);
	cr_assert_eq(dirent_object(v), 0x123456789abc);
}
