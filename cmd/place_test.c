#include <criterion/criterion.h>
#include <string.h>

#include "cmd/place.h"

static struct place parse(const char *word)
{
	struct place p;
	struct err   e = { 0 };

	cr_assert_eq(place_parse(word, &p, &e), 0, "%s: %s", word, e.text);
	return p;
}

static void refused(const char *word, const char *why)
{
	struct place p = { .at = true };
	struct err   e;

	cr_assert_eq(place_parse(word, &p, &e), -1, "%s", word);
	cr_assert_eq(e.kind, ERR_USAGE);
	cr_assert_str_eq(e.text, why);
	cr_assert(p.at, "the output was touched");
}

Test(place, a_dataset)
{
	struct place p = parse("disk.img:tank/home");

	cr_assert_eq(p.member_count, 1);
	cr_assert_str_eq(p.members[0], "disk.img");
	cr_assert_str_eq(p.dataset, "tank/home");
	cr_assert_null(p.snapshot);
	cr_assert_null(p.path);
	cr_assert_not(p.at);
	place_free(&p);
}

Test(place, a_path_in_the_live_dataset_of_two_members)
{
	struct place p = parse("a.img,b.img:tank@/boot");

	cr_assert_eq(p.member_count, 2);
	cr_assert_str_eq(p.members[1], "b.img");
	cr_assert_str_eq(p.dataset, "tank");
	cr_assert_null(p.snapshot);
	cr_assert_str_eq(p.path, "boot");
	place_free(&p);
}

Test(place, a_path_in_a_snapshot_is_taken_as_it_is)
{
	struct place p = parse("d:tank/home@monday/a:b@c,d=e\\f//");

	cr_assert_str_eq(p.snapshot, "monday");
	cr_assert_str_eq(p.path, "a:b@c,d=e\\f//");

	char *name = place_dataset_name(&p);

	cr_assert_str_eq(name, "tank/home@monday");
	free(name);
	place_free(&p);
}

Test(place, the_at_alone_means_the_root_directory)
{
	struct place p = parse("d:tank@");

	cr_assert(p.at);
	cr_assert_null(p.snapshot);
	cr_assert_null(p.path);
	place_free(&p);
	p = parse("d:tank@mon");
	cr_assert_str_eq(p.snapshot, "mon");
	cr_assert_null(p.path);
	place_free(&p);
	p = parse("d:tank@/");
	cr_assert_str_eq(p.path, "");
	place_free(&p);
}

Test(place, empty_members_come_from_elsewhere)
{
	struct place p = parse(":tank@/etc");

	cr_assert_eq(p.member_count, 0);
	cr_assert_str_eq(p.path, "etc");
	place_free(&p);
}

Test(place, an_empty_name_is_the_pool_itself)
{
	struct place p = parse("disk.img:");

	cr_assert_str_eq(p.dataset, "");
	cr_assert_not(p.at);
	place_free(&p);
}

Test(place, a_backslash_takes_the_special_meaning_away)
{
	struct place p = parse("pci-0000\\:00\\:1f.2,a\\,b,c\\=d,e\\\\,f\\g:tank");

	cr_assert_eq(p.member_count, 5);
	cr_assert_str_eq(p.members[0], "pci-0000:00:1f.2");
	cr_assert_str_eq(p.members[1], "a,b");
	cr_assert_str_eq(p.members[2], "c=d");
	cr_assert_str_eq(p.members[3], "e\\");
	cr_assert_str_eq(p.members[4], "f\\g");
	place_free(&p);
	/* An escaped backslash does not escape the colon after it. */
	p = parse("a\\\\:tank");
	cr_assert_str_eq(p.members[0], "a\\");
	cr_assert_str_eq(p.dataset, "tank");
	place_free(&p);
}

Test(place, what_is_no_place_is_refused_by_name)
{
	refused("disk.img", "'disk.img' is no place: it has no ':' after its members");
	refused("a\\:b", "'a\\:b' is no place: it has no ':' after its members");
	refused("a,,b:tank", "'a,,b:tank': '' has an empty name in its comma list");
	refused("a,:tank", "'a,:tank': '' has an empty name in its comma list");
	refused("d:@mon", "'d:@mon': there is no dataset before the @");
	refused("d,geli-key=k:tank",
		"'d,geli-key=k:tank': unknown member option 'geli-key' (a name with = needs \\=)");
}

Test(place, a_bare_colon_makes_a_place_unless_the_word_begins_with_dot_slash)
{
	cr_assert(place_is("disk.img:tank"));
	cr_assert(place_is("/dev/sda:tank"));
	cr_assert(place_is("../a:b"));
	cr_assert(place_is(":tank@/etc"));
	cr_assert(place_is("a\\:b:tank"));
	cr_assert_not(place_is("./a:b"));
	cr_assert_not(place_is("a\\:b"));
	cr_assert_not(place_is("/tmp/out.tar"));
	cr_assert_not(place_is("-"));
	cr_assert_not(place_is(""));
}
