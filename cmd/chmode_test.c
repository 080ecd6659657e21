#include <criterion/criterion.h>

#include "cmd/chmode.h"

Test(chmode, takes_what_chmod_takes)
{
	static const struct {
		const char *word;
		uint32_t    mode;
		bool	    dir;
		uint32_t    out;
	} cases[] = {
		{ "0644", 0777, false, 0644 },	     { "7", 0777, true, 7 },
		{ "u+w", 0444, false, 0644 },	     { "go-w", 0666, false, 0644 },
		{ "a=r", 04755, false, 0444 },	     { "=rx", 02700, true, 02555 },
		{ "u+rwX,go-w", 0466, false, 0644 }, { "a+X", 0644, true, 0755 },
		{ "a+X", 0644, false, 0644 },	     { "a+X", 0744, false, 0755 },
		{ "u+s", 0755, false, 04755 },	     { "+t", 0755, true, 01755 },
		{ "ug+s", 0755, false, 06755 },	     { "o+s", 0755, false, 0755 },
		{ "u=rwx,g=rx,o=", 0, false, 0750 }, { "u+r-w", 0200, false, 0400 },
	};
	static const char *const bad[] = { "",	  "8",	"77777", "17777", "u",
					   "u+q", "rw", "u+r,",	 "u+r;",  ",u+r" };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		cr_assert_eq(chmode_check(cases[i].word, NULL), 0, "%s", cases[i].word);
		cr_assert_eq(chmode_apply(cases[i].word, cases[i].mode, cases[i].dir), cases[i].out,
			     "%s: %o", cases[i].word,
			     chmode_apply(cases[i].word, cases[i].mode, cases[i].dir));
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_assert_eq(chmode_check(bad[i], NULL), -1, "%s", bad[i]);
}
