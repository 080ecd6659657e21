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

/* Who may do what by the list: entries in order, the first that names a permission decides. */
static unsigned allowed(const struct ace *list, unsigned n, bool owner, bool group)
{
	static const uint32_t rwx[] = { 0x20, 0x2, 0x1 }; /* execute, write, read: bits 0, 1, 2 */
	unsigned	      got = 0;

	for (unsigned bit = 0; bit < 3; bit++) {
		for (unsigned i = 0; i < n; i++) {
			if ((list[i].flags == 0x1000 && !owner) ||
			    (list[i].flags == 0x2040 && !group))
				continue;
			if (list[i].mask & rwx[bit]) {
				got |= list[i].type == 0 ? 1u << bit : 0;
				break;
			}
		}
	}
	return got;
}

Test(znode, a_trivial_acl_says_what_its_mode_says)
{
	for (unsigned mode = 0; mode < 01000; mode++) {
		struct ace list[6];
		unsigned   n = acl_trivial(0100000 | mode, false, list);

		cr_assert(n >= 3 && n <= 6);
		cr_assert_eq(allowed(list, n, true, false), mode >> 6, "%o", mode);
		cr_assert_eq(allowed(list, n, true, true), mode >> 6, "%o", mode);
		cr_assert_eq(allowed(list, n, false, true), mode >> 3 & 7, "%o", mode);
		cr_assert_eq(allowed(list, n, false, false), mode & 7, "%o", mode);
	}
}

Test(znode, modes_that_need_denials_get_them_in_order)
{
	struct ace a[6];

	cr_assert_eq(acl_trivial(0644, false, a), 3);
	cr_assert_eq(acl_trivial(0077, false, a), 4);
	cr_assert(a[0].type == 1 && a[0].flags == 0x1000 && a[0].mask == 0x27);
	cr_assert_eq(acl_trivial(0707, true, a), 5);
	cr_assert(a[0].type == 0 && a[0].flags == 0x1000 && a[0].mask == 0x67);
	cr_assert(a[1].type == 1 && a[1].flags == 0x2040 && a[1].mask == 0x67);
	cr_assert_eq(acl_trivial(0406, false, a), 6);
}

Test(znode, aces_in_both_orders)
{
	struct ace a = { .mask = 0x11223344, .flags = 0x5566, .type = 0x7788 };
	uint8_t	   le[8], be[8];

	ace_encode(&a, wbytes_of(le, 8, ORDER_LITTLE));
	ace_encode(&a, wbytes_of(be, 8, ORDER_BIG));
	cr_assert_arr_eq(le, "\x88\x77\x66\x55\x44\x33\x22\x11", 8);
	cr_assert_arr_eq(be, "\x77\x88\x55\x66\x11\x22\x33\x44", 8);
}
