/* For tests: the bonus of a genuine dnode kept under testdata/golden/records/. */
#ifndef FORMATS_BONUS_TEST_H
#define FORMATS_BONUS_TEST_H

#include "formats/dnode.h"
#include "formats/golden_test.h"

static inline struct bytes bonus(const char *name, uint8_t buf[512])
{
	char	     path[64];
	struct dnode dn;
	struct err   e;

	snprintf(path, sizeof path, "records/%s", name);
	cr_assert_eq(dnode_decode(golden(path, buf, 512), &dn, &e), 0, "%s", e.text);
	return dn.bonus;
}

#endif
