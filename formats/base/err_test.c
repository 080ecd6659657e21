#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "formats/base/err.h"

Test(err, a_sentence_is_built_from_the_inside_out)
{
	struct err e;

	cr_assert_eq(err_set(&e, ERR_CORRUPT, "needs %d bytes, has %d", 16, 15), -1);
	cr_assert_eq(err_in(&e, "copy %d", 0), -1);
	err_in(&e, "tank.img");
	cr_assert_str_eq(e.text, "tank.img: copy 0: needs 16 bytes, has 15");
	cr_assert_eq(e.kind, ERR_CORRUPT);
}

Test(err, null_is_for_callers_who_do_not_care)
{
	cr_assert_eq(err_set(NULL, ERR_IO, "x"), -1);
	cr_assert_eq(err_in(NULL, "x"), -1);
	cr_assert_eq(err_errno(NULL, ENOSPC, "x"), -1);
	cr_assert_eq(err_nomem(NULL), -1);
}

Test(err, a_long_sentence_is_cut_at_its_end)
{
	struct err e;
	char	   word[2000];

	memset(word, 'w', sizeof word - 1);
	word[sizeof word - 1] = '\0';
	err_set(&e, ERR_IO, "%s", word);
	cr_assert_eq(strlen(e.text), sizeof e.text - 1);
	err_in(&e, "here");
	cr_assert_eq(strlen(e.text), sizeof e.text - 1);
	cr_assert_eq(strncmp(e.text, "here: www", 9), 0);
}

Test(err, errno_gives_kind_and_reason)
{
	struct err e;

	err_errno(&e, ENOSPC, "write %s", "a.img");
	cr_assert_eq(e.kind, ERR_NOSPACE);
	cr_assert_str_eq(e.text, "write a.img: No space left on device");
	err_errno(&e, EACCES, "open");
	cr_assert_eq(e.kind, ERR_IO);
}
