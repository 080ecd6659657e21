#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/table.h"

static const struct table_column columns[] = { { "NAME", false },
					       { "USED", true },
					       { "TYPE", false } };

static char *printed(bool tabs, size_t rows)
{
	char	    *text = NULL;
	size_t	     n;
	FILE	    *f = open_memstream(&text, &n);
	struct table t;

	table_begin(&t, f, tabs, columns, 3);
	for (size_t i = 0; i < rows; i++)
		cr_assert_eq(table_row(&t,
				       (const char *[]){ i % 2 ? "b" : "tank/a",
							 i % 2 ? "1.50K" : "2M", "x" },
				       NULL),
			     0);
	table_end(&t);
	fclose(f);
	return text;
}

Test(table, columns_fit_their_contents)
{
	char *text = printed(false, 2);

	cr_assert_str_eq(text, "NAME     USED  TYPE\n"
			       "tank/a     2M  x\n"
			       "b       1.50K  x\n");
	free(text);
}

Test(table, tabs_and_no_header)
{
	char *text = printed(true, 2);

	cr_assert_str_eq(text, "tank/a\t2M\tx\nb\t1.50K\tx\n");
	free(text);
}

Test(table, without_rows_there_is_the_header)
{
	char *text = printed(false, 0);

	cr_assert_str_eq(text, "NAME  USED  TYPE\n");
	free(text);
}

Test(table, rows_past_the_lookahead_stream)
{
	char  *text = printed(false, TABLE_LOOKAHEAD * 2 + 1);
	size_t lines = 0;

	for (char *p = text; *p; p++)
		lines += *p == '\n';
	cr_assert_eq(lines, TABLE_LOOKAHEAD * 2 + 2);
	free(text);
}
