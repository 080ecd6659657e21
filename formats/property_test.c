#include <criterion/criterion.h>
#include <string.h>

#include "formats/feature.h"
#include "formats/property.h"

static const struct property_info *info(const char *name)
{
	enum property id = property_by_name(name);

	cr_assert_neq(id, PROP_COUNT, "%s", name);
	return &property_table[id];
}

static unsigned kind_for(const struct property_info *p)
{
	return (p->applies & PROPERTY_FS) != 0 ? PROPERTY_FS : PROPERTY_VOL;
}

static uint64_t number_of(const char *name, const char *value)
{
	const struct property_info *p = info(name);
	uint64_t		    n = 4711;
	struct err		    e = { 0 };

	cr_assert_eq(property_parse(p, kind_for(p), value, &n, &e), 0, "%s=%s: %s", name, value,
		     e.text);
	return n;
}

static void refused(const char *name, unsigned kind, const char *value, const char *why)
{
	uint64_t   n = 4711;
	struct err e = { 0 };

	cr_expect_eq(property_parse(info(name), kind, value, &n, &e), -1, "%s=%s", name, value);
	cr_expect_eq(e.kind, ERR_USAGE);
	cr_expect(strstr(e.text, why) != NULL, "%s=%s: %s", name, value, e.text);
	cr_expect_eq(n, 4711);
}

static const char *shown(const char *name, uint64_t number, bool exact)
{
	static char buf[64];
	struct text t = text_in(buf, sizeof buf);

	property_print(info(name), number, NULL, exact, &t);
	return buf;
}

Test(property, tables_are_whole_and_names_unique)
{
	for (int i = 0; i < PROP_COUNT; i++) {
		const struct property_info *p = &property_table[i];

		cr_assert_eq((int)property_by_name(p->name), i, "%s", p->name);
		cr_assert_eq(p->kind == PROPERTY_NAMED, p->values != NULL, "%s", p->name);
		cr_assert_neq(p->applies & PROPERTY_ALL, 0);
		if (p->kind == PROPERTY_NAMED && i != PROP_VERSION)
			cr_assert_not_null(property_value_name(p, p->number), "%s", p->name);
	}
	for (int i = 0; i < POOLPROP_COUNT; i++)
		cr_assert_eq((int)pool_property_by_name(pool_property_table[i].name), i);
	cr_assert_eq(property_by_name("nosuch"), PROP_COUNT);
	cr_assert_eq(property_by_name("refer"), PROP_REFERENCED);
	cr_assert_eq(pool_property_by_name("cap"), POOLPROP_CAPACITY);
}

#define STORED(name, value, number) { name, value, number, 'n' },
#define STORED_TEXT(name, value) { name, value, 0, 't' },
#define STORED_NOWHERE(name, value) { name, value, 0, '-' },
static const struct {
	const char *name, *value;
	uint64_t    number;
	char	    how;
} stored[] = {
#include "formats/property_stored_test.def"
};

Test(property, values_are_the_numbers_that_openzfs_stored)
{
	size_t count = sizeof stored / sizeof stored[0];

	cr_assert_geq(count, 180);
	for (size_t i = 0; i < count; i++) {
		if (property_is_account(stored[i].name))
			continue;

		uint64_t n = number_of(stored[i].name, stored[i].value);

		if (stored[i].how == 'n')
			cr_expect_eq(n, stored[i].number, "%s=%s: %llu", stored[i].name,
				     stored[i].value, (unsigned long long)n);
		cr_expect_eq(stored[i].how == 't', info(stored[i].name)->kind == PROPERTY_TEXT);
	}
}

Test(property, what_was_set_is_what_is_printed)
{
	for (int i = 0; i < PROP_COUNT; i++) {
		const struct property_info *p = &property_table[i];

		if (p->kind != PROPERTY_NAMED || p->how == PROPERTY_READONLY)
			continue;
		for (const struct property_value *v = p->values; v->name != NULL; v++) {
			const char *name = property_value_name(p, v->number);

			cr_expect_eq(number_of(p->name, name), v->number);
		}
	}
	cr_expect_str_eq(shown("compression", 10, false), "gzip");
	cr_expect_str_eq(shown("compression", 13200, false), "zstd-fast");
	cr_expect_str_eq(shown("compression", 144, false), "zstd-1");
	cr_expect_str_eq(shown("xattr", 2, false), "sa");
	cr_expect_str_eq(shown("compression", 99, false), "99");
}

Test(property, numbers_are_read_as_zfs_reads_them)
{
	static const struct {
		const char *word;
		uint64_t    n;
	} good[] = {
		{ "0", 0 },
		{ "17", 17 },
		{ "5B", 5 },
		{ "1K", 1024 },
		{ "1kb", 1024 },
		{ "1KiB", 1024 },
		{ "1.5M", 1572864 },
		{ "1.1K", 1126 },
		{ ".5K", 512 },
		{ "1.", 1 },
		{ "15E", 15ULL << 60 },
		{ "18446744073709551615", UINT64_MAX },
		{ "2P", 2ULL << 50 },
		{ "0Z", 0 },
	};
	static const char *const bad[] = { "",
					   "x",
					   "-1",
					   "1Q",
					   "1BB",
					   "1BiB",
					   "1Kx",
					   "1 K",
					   "1Z",
					   "16E",
					   "18446744073709551616",
					   "1KiBB",
					   "+1" };

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		uint64_t n = 4711;

		cr_expect_eq(property_parse_number(good[i].word, &n, NULL), 0, "%s", good[i].word);
		cr_expect_eq(n, good[i].n, "%s: %llu", good[i].word, (unsigned long long)n);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		uint64_t n = 4711;

		cr_expect_eq(property_parse_number(bad[i], &n, NULL), -1, "%s", bad[i]);
		cr_expect_eq(n, 4711);
	}
}

/* The words of OpenZFS 2.3.9, as far as they are ours, too. */
Test(property, what_zfs_refuses_is_refused)
{
	refused("recordsize", PROPERTY_FS, "1000", "must be power of 2 from 512B to 16M");
	refused("recordsize", PROPERTY_FS, "none", "must be power of 2 from 512B to 16M");
	refused("recordsize", PROPERTY_FS, "256", "must be power of 2");
	refused("recordsize", PROPERTY_FS, "32M", "must be power of 2");
	refused("recordsize", PROPERTY_FS, "auto", "'auto' is invalid value for 'recordsize'");
	refused("recordsize", PROPERTY_VOL, "4k", "does not apply to datasets of this type");
	refused("volsize", PROPERTY_FS, "1M", "does not apply to datasets of this type");
	refused("special_small_blocks", PROPERTY_FS, "17M", "must be between zero and 16M");
	refused("quota", PROPERTY_FS, "0", "use 'none' to disable quota/refquota");
	refused("refquota", PROPERTY_FS, "0", "use 'none' to disable quota/refquota");
	refused("quota", PROPERTY_FS, "auto", "use 'none' to disable quota/refquota");
	refused("quota", PROPERTY_FS, "1Q", "invalid numeric suffix 'Q'");
	refused("refreservation", PROPERTY_FS, "auto", "only allowed on volumes");
	refused("mlslabel", PROPERTY_FS, "none", "mlslabels are unsupported");
	refused("keylocation", PROPERTY_FS, "file://x", "invalid keylocation");
	refused("pbkdf2iters", PROPERTY_FS, "5", "minimum pbkdf2 iterations is 100000");
	refused("used", PROPERTY_FS, "1", "'used' is readonly");
	refused("name", PROPERTY_FS, "x", "'name' is readonly");
	refused("iscsioptions", PROPERTY_FS, "x", "does not apply to datasets of this type");
	refused("mountpoint", PROPERTY_FS, "x/y", "must be an absolute path, 'none', or 'legacy'");
	refused("copies", PROPERTY_FS, "4", "'copies' must be one of '1 | 2 | 3'");
	refused("compression", PROPERTY_FS, "gzip-10", "'compression' must be one of 'on | off");
	refused("snapdev", PROPERTY_FS, "disabled", "must be one of 'hidden | visible'");
	refused("sharesmb", PROPERTY_FS, "rw=@10.0.0.0/8", "cannot be set to invalid options");
	refused("sharenfs", PROPERTY_FS, "nosuch", "cannot be set to invalid options");
	refused("sharenfs", PROPERTY_FS, "", "cannot be set to invalid options");
	refused("sharenfs", PROPERTY_FS, "rw=[::1", "cannot be set to invalid options");
	refused("context", PROPERTY_POOL, "x", "does not apply");
}

Test(property, mountpoints_are_checked_part_by_part)
{
	char path[600];

	memset(path, 'a', sizeof path);
	path[0] = '/';
	path[256] = '\0';
	cr_expect_eq(number_of("mountpoint", path), 0);
	path[256] = 'a';
	path[257] = '\0';
	refused("mountpoint", PROPERTY_FS, path, "component of 'mountpoint' is too long");
	path[200] = '/';
	cr_expect_eq(number_of("mountpoint", path), 0);
	cr_expect_eq(number_of("mountpoint", "//a//b/"), 0);
	cr_expect_eq(number_of("sharenfs", "rw=@10.0.0.0/8:[::1]/64,ro=host,sec=sys,anonuid=5"), 0);
	cr_expect_eq(number_of("keylocation", "file:///k"), 0);
}

Test(property, texts_have_a_limit)
{
	static char long_text[PROPERTY_TEXT_MAX + 2];

	memset(long_text, 'x', sizeof long_text - 1);
	refused("context", PROPERTY_FS, long_text, "'context' is too long");
	long_text[PROPERTY_TEXT_MAX] = '\0';
	cr_expect_eq(number_of("context", long_text), 0);
}

Test(property, numbers_are_printed_as_zfs_get_does)
{
	cr_expect_str_eq(shown("used", 0, false), "0B");
	cr_expect_str_eq(shown("used", 512, false), "512B");
	cr_expect_str_eq(shown("used", 1536, false), "1.50K");
	cr_expect_str_eq(shown("used", 1536, true), "1536");
	cr_expect_str_eq(shown("used", 104857600, false), "100M");
	cr_expect_str_eq(shown("used", UINT64_MAX, false), "16.0E");
	cr_expect_str_eq(shown("recordsize", 512, false), "512");
	cr_expect_str_eq(shown("recordsize", 131072, false), "128K");
	cr_expect_str_eq(shown("quota", 0, false), "none");
	cr_expect_str_eq(shown("quota", 0, true), "0");
	cr_expect_str_eq(shown("quota", 5, false), "5B");
	cr_expect_str_eq(shown("filesystem_limit", UINT64_MAX, true), "none");
	cr_expect_str_eq(shown("filesystem_limit", 5, true), "5");
	cr_expect_str_eq(shown("compressratio", 132, false), "1.32x");
	cr_expect_str_eq(shown("compressratio", 100, true), "1.00");
	cr_expect_str_eq(shown("guid", 17014676754246244567u, false), "17014676754246244567");
	cr_expect_str_eq(shown("creation", 1796026692, false), "Mon Nov 30  8:18 2026");
	cr_expect_str_eq(shown("creation", 1796026692, true), "1796026692");
	cr_expect_str_eq(shown("snapshots_changed", 1796026692, false), "Mon Nov 30  8:18:12 2026");
	cr_expect_str_eq(shown("creation", UINT64_MAX, false), "18446744073709551615");
	cr_expect_str_eq(shown("origin", 0, false), "-");
}

Test(property, user_properties_have_a_colon)
{
	cr_expect(property_is_user("a:b"));
	cr_expect(property_is_user(":"));
	cr_expect(property_is_user("org.x:y-z_0"));
	cr_expect_not(property_is_user("ab"));
	cr_expect_not(property_is_user("A:b"));
	cr_expect_not(property_is_user("a:b c"));
	cr_expect_not(property_is_user(""));
}

Test(property, accounts_are_told_by_prefix_and_number)
{
	enum property_account kind;
	uint64_t	      id;

	cr_assert(property_is_account("userquota@1000"));
	cr_assert_not(property_is_account("userquota1000"));
	cr_assert_eq(property_parse_account("userquota@1000", &kind, &id, NULL), 0);
	cr_expect(kind == ACCOUNT_USER_QUOTA && id == 1000);
	cr_assert_eq(property_parse_account("groupobjquota@root", &kind, &id, NULL), 0);
	cr_expect(kind == ACCOUNT_GROUP_OBJECTS_QUOTA && id == 0);
	cr_assert_eq(property_parse_account("projectquota@77", &kind, &id, NULL), 0);
	cr_expect_str_eq(property_account_feature(kind), "project_quota");
	cr_expect_eq(property_parse_account("projectquota@root", &kind, &id, NULL), -1);
	cr_expect_eq(property_parse_account("userquota@", &kind, &id, NULL), -1);
	cr_expect_eq(property_parse_account("userquota@joe", &kind, &id, NULL), -1);
	cr_expect_eq(property_parse_account("userquota@4294967295", &kind, &id, NULL), -1);
	cr_expect_eq(property_parse_account("userquota@99999999999", &kind, &id, NULL), -1);
}

Test(property, needs_name_features_that_exist)
{
	for (int i = 0; i < PROP_COUNT; i++) {
		const struct property_info *p = &property_table[i];

		for (const struct property_value *v = p->values; v != NULL && v->name != NULL;
		     v++) {
			struct property_needs n = property_needs((enum property)i, v->number);

			if (n.feature != NULL)
				cr_expect_not_null(feature_by_name(n.feature), "%s", n.feature);
		}
	}
	cr_expect_str_eq(property_needs(PROP_COMPRESSION, 13200).feature, "zstd_compress");
	cr_expect_str_eq(property_needs(PROP_DEDUP, 269).feature, "edonr");
	cr_expect_str_eq(property_needs(PROP_RECORDSIZE, 1 << 20).feature, "large_blocks");
	cr_expect_null(property_needs(PROP_RECORDSIZE, 1 << 17).feature);
	cr_expect_eq(property_needs(PROP_VERSION, 5).pool_version, 24);
	cr_expect_eq(property_needs(PROP_COMPRESSION, 14).pool_version, 20);
}
