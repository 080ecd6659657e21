#include <criterion/criterion.h>

#include <string.h>

#include "formats/posix_acl.h"

/* What a kernel showed of a directory in a pool of OpenZFS 2.3: u::rwx u:1234:rwx g::r-x g:55:rwx
 * m::rwx o::r-x. */
static const uint8_t genuine[] = {
	2,    0, 0,    0, 0x01, 0,   7,	  0,   255,  255, 255,	255, 0x02, 0,	7,   0,	  0xd2, 4,
	0,    0, 0x04, 0, 5,	0,   255, 255, 255,  255, 0x08, 0,   4,	   0,	55,  0,	  0,	0,
	0x10, 0, 7,    0, 255,	255, 255, 255, 0x20, 0,	  5,	0,   255,  255, 255, 255,
};

static struct bytes view(const uint8_t *p, size_t n)
{
	return bytes_of(p, n, ORDER_BIG); /* the order does not matter */
}

Test(posix_acl, as_openzfs_stores_it)
{
	struct posix_ace list[6];
	uint8_t		 out[sizeof genuine];
	size_t		 count;

	cr_assert_eq(posix_acl_check(view(genuine, sizeof genuine), NULL), 0);
	cr_assert_eq(posix_acl_decode(view(genuine, sizeof genuine), &count, NULL), 0);
	cr_assert_eq(count, 6);
	/* In any order they are put into the kernel's. */
	for (size_t i = 0; i < 6; i++)
		list[5 - i] = posix_acl_entry(view(genuine, sizeof genuine), i);
	cr_assert_eq(list[4].id, 1234);
	posix_acl_encode(list, 6, out);
	cr_assert_arr_eq(out, genuine, sizeof genuine);
}

Test(posix_acl, every_shorter_value_is_corrupt)
{
	for (size_t n = 0; n < sizeof genuine; n++)
		cr_assert_eq(posix_acl_check(view(genuine, n), NULL), -1, "%zu", n);
}

Test(posix_acl, lists_that_no_kernel_takes)
{
	static const uint8_t tags[][7] = {
		{ 0x01, 0x04 },
		{ 0x01, 0x02, 0x04, 0x20 },
		{ 0x01, 0x01, 0x04, 0x20 },
		{ 0x04, 0x01, 0x20 },
		{ 0x01, 0x03, 0x04, 0x10, 0x20 },
		{ 0x01, 0x04, 0x40 },
		{ 0x01, 0x04, 0x20, 0x10 },
	};

	for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
		uint8_t buf[64] = { 2 };
		size_t	n = 0;

		for (; tags[i][n] != 0; n++)
			buf[4 + n * 8] = tags[i][n];
		cr_assert_eq(posix_acl_check(view(buf, 4 + n * 8), NULL), -1, "%zu", i);
	}
	uint8_t buf[] = { 2, 0, 0, 0, 1, 0, 8,	  0, 0, 0, 0, 0, 4, 0,
			  0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0 };

	cr_assert_eq(posix_acl_check(view(buf, sizeof buf), NULL), -1);
	buf[6] = 7;
	cr_assert_eq(posix_acl_check(view(buf, sizeof buf), NULL), 0);
}
