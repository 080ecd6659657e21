#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/zpl/names.h"

enum { DIRS = 5, NAMES = 400, STEPS = 200000, DT_DIR = 4, DT_REG = 8 };

/* The same, without any cleverness: an object for each of the names there can be. */
struct naive {
	uint64_t object[DIRS][NAMES];
	unsigned type[DIRS][NAMES];
};

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static size_t make_name(char out[300], unsigned i)
{
	size_t n = (size_t)snprintf(out, 300, "%u", i * 7919u);

	/* Some are as long as names get, and equal but for their first bytes. */
	if (i % 10 == 0) {
		memset(out + n, 'x', 255 - n);
		n = 255;
	}
	return n;
}

static void compare(struct names *n, const struct naive *naive)
{
	for (uint32_t d = 0; d < DIRS; d++) {
		uint64_t count = 0, subdirs = 0, listed = 0;

		for (unsigned i = 0; i < NAMES; i++) {
			count += naive->object[d][i] != 0;
			subdirs += naive->object[d][i] != 0 && naive->type[d][i] == DT_DIR;
		}
		cr_assert_eq(names_dir(n, d)->count, count);
		cr_assert_eq(names_dir(n, d)->subdirs, subdirs);
		for (uint32_t at = names_dir(n, d)->first; at != NAMES_NONE;
		     at = names_entry(n, at)->next)
			listed += names_entry(n, at)->object != 0;
		cr_assert_eq(listed, count);
	}
}

Test(names, as_a_naive_table_would_have_it)
{
	static struct naive naive;
	struct names	   *n = names_new(NULL);
	uint32_t	    state = 1, index, entry;
	char		    name[300];

	for (uint32_t d = 0; d < DIRS; d++) {
		cr_assert_eq(names_new_dir(n, &index, NULL), 0);
		cr_assert_eq(index, d);
	}
	for (unsigned step = 1; step <= STEPS; step++) {
		uint32_t  d = next_random(&state) % DIRS, i = next_random(&state) % NAMES;
		size_t	  size = make_name(name, i);
		uint64_t *object = &naive.object[d][i];

		entry = names_find(n, d, name, size);
		cr_assert_eq(entry != NAMES_NONE, *object != 0);
		if (*object != 0) {
			const struct name_entry *x = names_entry(n, entry);

			cr_assert_eq(x->object, *object);
			cr_assert_eq(x->type, naive.type[d][i]);
			cr_assert_eq(x->name_size, size);
			cr_assert_arr_eq(names_text(n, x), name, size);
		}
		if (*object != 0 && next_random(&state) % 3 == 0) {
			names_remove(n, entry);
			*object = 0;
		} else if (*object == 0) {
			naive.type[d][i] = next_random(&state) % 4 == 0 ? DT_DIR : DT_REG;
			*object = step;
			cr_assert_eq(
				names_add(n, d, name, size, step, naive.type[d][i], &entry, NULL),
				0);
			cr_assert_eq(names_entry(n, entry)->subdir, NAMES_NONE);
		}
		if (step % 20000 == 0)
			compare(n, &naive);
	}
	names_free(n);
	names_free(NULL);
}
