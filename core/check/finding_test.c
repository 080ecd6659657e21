#include <criterion/criterion.h>
#include <string.h>

#include "core/check/finding.h"

Test(finding, every_code_has_a_name_of_its_own_and_an_explanation)
{
	for (int i = 0; i < FINDING_COUNT; i++) {
		cr_assert_eq((int)finding_by_name(finding_name((enum finding_code)i)), i);
		cr_assert_gt(strlen(finding_explain((enum finding_code)i)), 20);
	}
	cr_assert_eq(finding_by_name("no-such"), FINDING_COUNT);
}
