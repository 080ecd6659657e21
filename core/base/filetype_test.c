#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "core/base/filetype.h"

static const char *told(const void *p, size_t n)
{
	static char buf[512];
	struct text t = text_in(buf, sizeof buf);

	buf[0] = '\0';
	return filetype_text(bytes_of(p, n, ORDER_NATIVE), &t) ? buf : NULL;
}

Test(filetype, names_what_it_knows)
{
	static uint8_t disk[1 << 16];

	cr_assert_not_null(strstr(told("\x1f\x8b\x08\0\0\0\0\0\0\3", 10), "gzip"));
	/* an ext2 superblock's magic number, and a revision */
	disk[1080] = 0x53;
	disk[1081] = 0xef;
	disk[1100] = 1;
	cr_assert_not_null(strstr(told(disk, sizeof disk), "ext2"));
}

Test(filetype, says_nothing_of_plain_bytes)
{
	cr_assert_null(told("\0\1\2\3\4\5\6\7", 8));
	cr_assert_null(told("", 0));
}

Test(filetype, does_without_a_database)
{
	setenv("MAGIC", "/nonexistent", 1);
	cr_assert_null(told("\x1f\x8b\x08\0\0\0\0\0\0\3", 10));
}
