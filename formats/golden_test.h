/* For tests: the genuine bytes kept under testdata/golden/. Tests run in the root of the tree. */
#ifndef FORMATS_GOLDEN_TEST_H
#define FORMATS_GOLDEN_TEST_H

#include <criterion/criterion.h>
#include <stdio.h>

#include "formats/base/bytes.h"

/* The file's bytes, all of them, in buf; the view lives as long as buf does. */
static inline struct bytes golden(const char *name, uint8_t *buf, size_t cap)
{
	char path[256];

	snprintf(path, sizeof path, "testdata/golden/%s", name);

	FILE *f = fopen(path, "rb");

	cr_assert_not_null(f, "%s", path);

	size_t n = fread(buf, 1, cap, f);

	cr_assert_eq(fgetc(f), EOF, "%s is larger than %zu bytes", path, cap);
	fclose(f);
	cr_assert_gt(n, 0, "%s", path);
	return bytes_of(buf, n, ORDER_LITTLE);
}

#endif
