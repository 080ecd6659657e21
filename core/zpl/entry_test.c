#include <criterion/criterion.h>

#include <stdlib.h>
#include <sys/stat.h>

#include "core/zpl/entry.h"

static const char *clean(const char *in, size_t n, struct err *e)
{
	static char out[16384];
	size_t	    size;

	if (entry_path_clean(in, n, out, &size, e) < 0)
		return NULL;
	cr_assert_eq(strlen(out), size);
	return out;
}

Test(entry, paths_become_plain)
{
	static const char *const pairs[][2] = {
		{ "a", "a" },
		{ "./a//b/", "a/b" },
		{ "/a", "a" },
		{ ".", "" },
		{ "", "" },
		{ "///", "" },
		{ "a/./b/.", "a/b" },
		{ "...", "..." },
		{ "a..b/..c", "a..b/..c" },
		{ "\xff\n", "\xff\n" },
	};

	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
		cr_assert_str_eq(clean(pairs[i][0], strlen(pairs[i][0]), NULL), pairs[i][1]);
}

Test(entry, paths_that_lead_elsewhere_are_refused)
{
	static const char *const bad[] = { "..", "../x", "a/../b", "a/..", "/../a", "./.." };
	struct err		 e;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		cr_assert_null(clean(bad[i], strlen(bad[i]), &e));
		cr_assert_eq(e.kind, ERR_REFUSED);
		cr_assert_eq(strncmp(e.text, bad[i], strlen(bad[i])), 0);
	}
	cr_assert_null(clean("a\0b", 3, &e));
	cr_assert_str_eq(e.text, "a\\x00b: a zero byte in a name");
}

Test(entry, limits_of_length)
{
	char	   name[5000];
	struct err e;

	memset(name, 'a', sizeof name);
	cr_assert_not_null(clean(name, 1023, &e));
	cr_assert_null(clean(name, 1024, &e));
	cr_assert_eq(e.kind, ERR_REFUSED);
	cr_assert_not_null(strstr(e.text, "longer than 1023"), "%s", e.text);
	for (size_t i = 99; i < sizeof name; i += 100)
		name[i] = '/';
	cr_assert_not_null(clean(name, 4095, &e));
	cr_assert_null(clean(name, 4096, &e));
	cr_assert_not_null(strstr(e.text, "longer than 4095"), "%s", e.text);
	memset(name, '/', sizeof name);
	cr_assert_str_eq(clean(name, 5000, &e), "");
}

Test(entry, kinds_of_modes)
{
	cr_assert_eq(entry_kind_of_mode(S_IFREG | 0644), ENTRY_FILE);
	cr_assert_eq(entry_kind_of_mode(S_IFDIR | 0755), ENTRY_DIR);
	cr_assert_eq(entry_kind_of_mode(S_IFSOCK), ENTRY_SOCKET);
	cr_assert_eq(entry_kind_of_mode(0644), 0);
	cr_assert_eq(entry_kind_of_mode(0xf000), 0);
}
