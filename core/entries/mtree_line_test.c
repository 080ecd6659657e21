#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "core/entries/mtree_line.h"

static struct mtree_line parse(const char *text, struct mtree_keys *set)
{
	static char	  line[512];
	struct mtree_line l;
	struct err	  e;

	snprintf(line, sizeof line, "%s", text);
	cr_assert_eq(mtree_line_parse(line, set, &l, &e), 0, "%s: %s", text, e.text);
	return l;
}

Test(mtree_line, words_and_defaults)
{
	struct mtree_keys set = { 0 };
	struct mtree_line l;

	cr_assert_eq(parse("", &set).what, MTREE_NOTHING);
	cr_assert_eq(parse("  # x type=tape", &set).what, MTREE_NOTHING);
	cr_assert_eq(parse("/set type=file uid=7 gname=wheel mode=0640", &set).what, MTREE_NOTHING);
	cr_assert_eq(parse("..", &set).what, MTREE_UP);
	l = parse("\ta\\040b\\\\c\tsize=12 time=-5.7 tags=x,y nochange", &set);
	cr_assert_eq(l.what, MTREE_ENTRY);
	cr_assert_str_eq(l.name, "a b\\c");
	cr_assert_eq(l.keys.kind, ENTRY_FILE);
	cr_assert_eq(l.keys.uid, 7);
	cr_assert_eq(l.keys.gid, 0);
	cr_assert_eq(l.keys.mode, 0640);
	cr_assert_eq(l.keys.size, 12);
	cr_assert_eq(l.keys.time.sec, -5);
	cr_assert_eq(l.keys.time.ns, 7);
	parse("/unset mode uname", &set);
	l = parse("x mode=0104755", &set);
	cr_assert_eq(l.keys.mode, 04755);
	cr_assert_not(l.keys.given & MTREE_UID);
	cr_assert(l.keys.given & MTREE_GID);
	parse("/unset all", &set);
	cr_assert_eq(set.given, 0);
}

Test(mtree_line, a_number_wins_over_a_name)
{
	struct mtree_keys set = { 0 };

	cr_assert_eq(parse("x uname=www uid=80 gid=81 gname=www", &set).keys.uid, 80);
	parse("/set uid=5", &set);
	/* The line's own name is not the number of /set. */
	cr_assert_eq(parse("x uname=root", &set).keys.uid, 0);
}

Test(mtree_line, devices)
{
	struct mtree_keys set = { 0 };
	struct mtree_line l = parse("x type=char device=linux,8,0x11", &set);

	cr_assert_eq(l.keys.kind, ENTRY_CHAR);
	cr_assert_eq(l.keys.major, 8);
	cr_assert_eq(l.keys.minor, 17);
}

Test(mtree_line, what_makes_no_sense_is_refused)
{
	static const char *const bad[] = {
		"x type=tape",
		"x mode=8",
		"x mode=",
		"x uid=-1",
		"x uid=4294967295",
		"x time=1.",
		"x time=1.1000000000",
		"x time=--1",
		"x size=1x",
		"x device=a",
		"x device=linux,1",
		"x device=linux,1,2,3",
		"x device=linux,1,4294967296",
		"x link=\\q",
		"\\8",
		"x\\",
		"/bin type=dir",
		"x uname=www",
		"/set uid=x",
	};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct mtree_keys set = { 0 };
		struct mtree_line l;
		struct err	  e = { 0 };
		char		  line[64];

		snprintf(line, sizeof line, "%s", bad[i]);
		cr_assert_eq(mtree_line_parse(line, &set, &l, &e), -1, "%s", bad[i]);
		cr_assert(e.kind == ERR_CORRUPT || e.kind == ERR_UNSUPPORTED, "%s", bad[i]);
	}
}
