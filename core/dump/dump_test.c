#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "core/dump/dump.h"

struct sink {
	char	 text[4096];
	size_t	 n, puts_left; /* puts_left 0: no limit */
	char	 trouble[sizeof((struct err *)0)->text];
	unsigned troubles;
};

static int put(void *ctx, const char *text, size_t n, struct err *e)
{
	struct sink *s = ctx;

	if (s->puts_left == 1)
		return err_set(e, ERR_IO, "full");
	if (s->puts_left > 0)
		s->puts_left--;
	if (n > sizeof s->text - 1 - s->n)
		n = sizeof s->text - 1 - s->n;
	memcpy(s->text + s->n, text, n);
	s->n += n;
	return 0;
}

static void trouble(void *ctx, const struct err *why)
{
	struct sink *s = ctx;

	s->troubles++;
	snprintf(s->trouble, sizeof s->trouble, "%s", why->text);
}

static struct dump dump_into(struct sink *s)
{
	return (struct dump){ .ctx = s, .put = put, .trouble = trouble };
}

Test(dump, lines_are_indented)
{
	struct sink s = { 0 };
	struct dump d = dump_into(&s);
	struct err  e;

	cr_assert_eq(dump_line(&d, &e, "a %d", 1), 0);
	cr_assert_eq(dump_lines(&d, 2, "b\nc", &e), 0);
	cr_assert_str_eq(s.text, "a 1\n\t\tb\n\t\tc\n");
}

Test(dump, a_long_line_is_whole)
{
	struct sink s = { 0 };
	struct dump d = dump_into(&s);
	char	    word[3001];

	memset(word, 'w', 3000);
	word[3000] = '\0';
	cr_assert_eq(dump_line(&d, NULL, "%s", word), 0);
	cr_assert_eq(s.n, 3001);
	cr_assert_eq(s.text[3000], '\n');
}

static void long_description(const void *what, struct text *t)
{
	for (int i = 0; i < *(const int *)what; i++)
		text_put(t, "0123456789abcdef\n");
}

Test(dump, a_description_that_does_not_fit_is_taken_again_in_more_room)
{
	struct sink s = { 0 };
	struct dump d = dump_into(&s);
	int	    lines = 10000;

	cr_assert_eq(dump_described(&d, 0, long_description, &lines, NULL), 0);
	cr_assert_eq(s.n, sizeof s.text - 1);
}

Test(dump, an_endless_description_is_refused)
{
	struct sink s = { 0 };
	struct dump d = dump_into(&s);
	struct err  e;
	int	    lines = 5000000;

	cr_assert_eq(dump_described(&d, 0, long_description, &lines, &e), -1);
	cr_assert_eq(e.kind, ERR_NOMEM);
	cr_assert_not(d.stopped);
}

Test(dump, hex_with_what_is_printable)
{
	struct sink   s = { 0 };
	struct dump   d = dump_into(&s);
	const uint8_t b[18] = { 'A', 0, 0x7f, ' ', 'z', [16] = 0xff, [17] = '~' };

	cr_assert_eq(dump_hex(&d, 1, 0x400, bytes_of(b, sizeof b, ORDER_LITTLE), NULL), 0);
	cr_assert_str_eq(s.text,
			 "\t000000000400  41 00 7f 20 7a 00 00 00  00 00 00 00 00 00 00 00  A.. "
			 "z...........\n"
			 "\t000000000410  ff 7e                                             .~\n");
}

Test(dump, damage_is_trouble_and_a_failing_put_is_the_end)
{
	struct sink s = { .puts_left = 2 };
	struct dump d = dump_into(&s);
	struct err  why, e = { 0 };

	err_set(&why, ERR_CORRUPT, "bad");
	cr_assert_eq(dump_go_on(&d, 0, NULL, &e), 0);
	cr_assert_eq(s.troubles, 0);
	cr_assert_eq(dump_go_on(&d, -1, &why, &e), 0);
	cr_assert_eq(s.troubles, 1);
	cr_assert_str_eq(s.trouble, "bad");
	cr_assert_eq(dump_line(&d, &why, "fits"), 0);
	cr_assert_eq(dump_line(&d, &why, "does not"), -1);
	cr_assert(d.stopped);
	cr_assert_eq(dump_go_on(&d, -1, &why, &e), -1);
	cr_assert_str_eq(e.text, "full");
	cr_assert_eq(s.troubles, 1);
}
