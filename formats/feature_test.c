#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "formats/feature.h"

static struct feature_set set_of(const char *names)
{
	struct feature_set s = { 0 };
	const char	  *unknown = NULL;

	cr_assert(feature_set_by_name(names, &s, &unknown), "%s", unknown);
	return s;
}

static int size_of(const char *names)
{
	return __builtin_popcountll(set_of(names).bits);
}

Test(feature, names_and_guids_are_found_and_unique)
{
	cr_assert_eq(feature_count(), 48);
	for (size_t i = 0; i < feature_count(); i++) {
		const struct feature *f = &feature_table[i];
		const char	     *colon = strchr(f->guid, ':');

		cr_assert_eq(feature_by_guid(f->guid), f);
		cr_assert_eq(feature_by_name(f->name), f);
		cr_assert_str_eq(colon + 1, f->name);
		for (size_t d = 0; f->depends[d] != NULL; d++)
			cr_assert_not_null(feature_by_name(f->depends[d]), "%s", f->depends[d]);
	}
	cr_assert_null(feature_by_guid("hole_birth"));
	cr_assert_null(feature_by_name("hole_birt"));
}

Test(feature, what_a_reader_need_not_know_can_be_read)
{
	for (size_t i = 0; i < feature_count(); i++)
		cr_assert(feature_table[i].can_read || !feature_table[i].readonly_compatible);
	cr_assert(feature_by_name("zstd_compress")->can_read);
	cr_assert(feature_by_name("vdev_zaps_v2")->can_read);
	cr_assert_not(feature_by_name("encryption")->can_read);
	cr_assert_not(feature_by_name("dynamic_gang_header")->can_read);
}

/* Counts as in OpenZFS's own files. */
Test(feature, sets_have_the_members_that_openzfs_gives_them)
{
	static const struct {
		const char *name;
		int	    count;
	} known[] = {
		{ "legacy", 0 },
		{ "zol-0.6.1", 3 },
		{ "compat-2018", 11 },
		{ "compat-2020", 14 },
		{ "compat-2021", 18 },
		{ "zol-0.7", 17 },
		{ "zol-0.8", 26 },
		{ "grub2-2.06", 14 },
		{ "grub2", 22 },
		{ "openzfs-2.0-freebsd", 32 },
		{ "openzfs-2.1-linux", 34 },
		{ "openzfs-2.2", 39 },
		{ "openzfs-2.3", 44 },
		{ "openzfs-2.4-linux", 47 },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		cr_expect_eq(size_of(known[i].name), known[i].count, "%s: %d", known[i].name,
			     size_of(known[i].name));
	for (size_t i = 0; feature_set_name(i) != NULL; i++)
		set_of(feature_set_name(i));
}

Test(feature, a_list_of_sets_is_what_they_share)
{
	cr_assert_eq(size_of("openzfs-2.4,zol-0.6.1"), 3);
	cr_assert_eq(size_of("openzfs-2.4,legacy"), 0);
	cr_assert_not(feature_set_has(set_of("openzfs-2.1-freebsd"), feature_by_name("edonr")));
	cr_assert(feature_set_has(set_of("openzfs-2.1-linux"), feature_by_name("edonr")));
	cr_assert_eq(set_of("").bits, set_of("off").bits);
	cr_assert_eq(set_of("off,openzfs-2.1-linux").bits, set_of("openzfs-2.1-linux").bits);
}

Test(feature, an_unknown_set_is_named)
{
	struct feature_set s = { 42 };
	const char	  *names = "zol-0.7,zol-0.77,x", *unknown = NULL;

	cr_assert_not(feature_set_by_name(names, &s, &unknown));
	cr_assert_eq(unknown, names + 8);
	cr_assert_eq(s.bits, 42);
	cr_assert_not(feature_set_by_name("zol-0.7,", &s, NULL));
}

Test(feature, sets_are_closed_under_dependencies_or_can_be)
{
	struct feature_set s = { 0 };

	for (size_t i = 0; feature_set_name(i) != NULL; i++) {
		s = set_of(feature_set_name(i));
		cr_assert_eq(feature_set_close(s).bits, s.bits, "%s", feature_set_name(i));
	}
	s.bits = UINT64_C(1) << (feature_by_name("redaction_list_spill") - feature_table);
	s = feature_set_close(s);
	cr_assert_eq(__builtin_popcountll(s.bits), 5);
	cr_assert(feature_set_has(s, feature_by_name("bookmark_v2")));
}

#define SET(name, members) { name, members, NULL },
#define LINK(name, same) { name, NULL, same },
static const struct {
	const char *name, *members, *same;
} defined[] = {
#include "formats/feature_sets_test.def"
};

static uint64_t bits_of_names(const char *names)
{
	uint64_t bits = 0;
	char	 one[64];

	for (size_t n; *names != '\0'; names += n + (names[n] == ' ')) {
		n = strcspn(names, " ");
		snprintf(one, sizeof one, "%.*s", (int)n, names);
		cr_assert_not_null(feature_by_name(one), "%s", one);
		bits |= UINT64_C(1) << (feature_by_name(one) - feature_table);
	}
	return bits;
}

Test(feature, every_set_is_what_openzfs_installs)
{
	size_t count = sizeof defined / sizeof defined[0];

	for (size_t i = 0; i < count; i++) {
		uint64_t want = defined[i].same != NULL ? set_of(defined[i].same).bits
							: bits_of_names(defined[i].members);

		cr_expect_eq(set_of(defined[i].name).bits, want, "%s", defined[i].name);
	}
	/* and "off" and "legacy", which are no files */
	for (size_t i = 0;; i++) {
		if (feature_set_name(i) == NULL) {
			cr_expect_eq(i, count + 2);
			break;
		}
	}
}
