#include <criterion/criterion.h>

#include "cmd/size.h"

static void is(const char *word, uint64_t bytes)
{
	struct err e = { 0 };
	uint64_t   v = 0;

	cr_assert_eq(parse_size(word, &v, &e), 0, "%s: %s", word, e.text);
	cr_assert_eq(v, bytes, "%s: %llu", word, (unsigned long long)v);
}

static void is_not(const char *word)
{
	struct err e = { 0 };
	uint64_t   v = 77;

	cr_assert_eq(parse_size(word, &v, &e), -1, "%s", word);
	cr_assert_eq(e.kind, ERR_USAGE);
	cr_assert_eq(v, 77);
}

Test(size, suffixes_are_powers_of_1024_in_either_case)
{
	is("0", 0);
	is("65536", 65536);
	is("512B", 512);
	is("64k", 64 << 10);
	is("64K", 64 << 10);
	is("64KB", 64 << 10);
	is("64KiB", 64 << 10);
	is("64kib", 64 << 10);
	is("1M", 1 << 20);
	is("1g", 1 << 30);
	is("1T", UINT64_C(1) << 40);
	is("1P", UINT64_C(1) << 50);
	is("15E", UINT64_C(15) << 60);
	is("18446744073709551615", UINT64_MAX);
}

Test(size, decimals_are_exact)
{
	is("1.5G", UINT64_C(3) << 29);
	is("0.5K", 512);
	is("1.0M", 1 << 20);
	is("0.001K", 1);
	is("0.9999999999999999999999K", 1023);
	is("15.999E",
	   (UINT64_C(15) << 60) + (uint64_t)((unsigned __int128)999 * (UINT64_C(1) << 60) / 1000));
}

Test(size, what_is_no_size)
{
	is_not("");
	is_not("K");
	is_not("-1");
	is_not("+1");
	is_not(" 1");
	is_not("1 ");
	is_not("1X");
	is_not("1iB");
	is_not("1Ki");
	is_not("1KBB");
	is_not("1.5");
	is_not("1.5B");
	is_not("1.K");
	is_not(".5K");
	is_not("0x10");
	is_not("16E");
	is_not("18446744073709551616");
}

Test(size, numbers_are_decimal_or_hex)
{
	uint64_t   v;
	struct err e;

	cr_assert_eq(parse_number("123", &v, &e), 0);
	cr_assert_eq(v, 123);
	cr_assert_eq(parse_number("0xfF", &v, &e), 0);
	cr_assert_eq(v, 255);
	cr_assert_eq(parse_number("0x", &v, &e), -1);
	cr_assert_eq(parse_number("12a", &v, &e), -1);
	cr_assert_str_eq(e.text, "'12a' is no number");
}

Test(size, text_as_zfs_prints_it)
{
	char b[SIZE_TEXT];

	cr_assert_str_eq(size_text(0, 0, b), "0B");
	cr_assert_str_eq(size_text(512, 0, b), "512B");
	cr_assert_str_eq(size_text(1023, 0, b), "1023B");
	cr_assert_str_eq(size_text(1024, 0, b), "1K");
	cr_assert_str_eq(size_text(24576, 0, b), "24K");
	cr_assert_str_eq(size_text(1536, 0, b), "1.50K");
	cr_assert_str_eq(size_text(42496, 0, b), "41.5K");
	cr_assert_str_eq(size_text(150000, 0, b), "146K");
	cr_assert_str_eq(size_text(UINT64_MAX, 0, b), "16.0E");
	cr_assert_str_eq(size_text(1536, 1, b), "1536");
}
