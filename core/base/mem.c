/* Allocation with reasons. Leaves budgets to those who know what they hold. */
#include "core/base/mem.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

/* Counts down to the allocation that fails; 0 is off. Set by tests only. */
static _Atomic uint64_t fail_at;

static bool made_to_fail(void)
{
	if (atomic_load_explicit(&fail_at, memory_order_relaxed) == 0)
		return false;
	/* Stays at 1, so that what follows the first failure fails too. */
	if (atomic_load(&fail_at) == 1)
		return true;
	atomic_fetch_sub(&fail_at, 1);
	return false;
}

void mem_fail_at(uint64_t n)
{
	atomic_store(&fail_at, n);
}

void *mem_raw(size_t n, struct err *e)
{
	void *p = made_to_fail() ? NULL : malloc(n == 0 ? 1 : n);

	if (p == NULL)
		err_nomem(e);
	return p;
}

void *mem_zero(size_t n, struct err *e)
{
	return mem_array(n == 0 ? 1 : n, 1, e);
}

void *mem_array(size_t count, size_t size, struct err *e)
{
	void *p = made_to_fail() ? NULL : calloc(count == 0 ? 1 : count, size);

	if (p == NULL)
		err_nomem(e);
	return p;
}

char *mem_copy_text(const char *p, size_t n, struct err *e)
{
	char *copy = mem_raw(n + 1, e);

	if (copy == NULL)
		return NULL;
	if (n > 0)
		memcpy(copy, p, n);
	copy[n] = '\0';
	return copy;
}

int mem_grow(void *array, size_t *cap, size_t need, size_t size, struct err *e)
{
	if (need <= *cap)
		return 0;

	size_t want = *cap + *cap / 2;
	void  *old;
	void  *grown = NULL;

	if (want < need)
		want = need;
	if (want < 8)
		want = 8;
	/* Through memcpy: *array is some other pointer type than void *. */
	memcpy(&old, array, sizeof old);
	if (!made_to_fail() && want <= SIZE_MAX / size)
		grown = realloc(old, want * size);
	if (grown == NULL)
		return err_nomem(e);
	memcpy(array, &grown, sizeof grown);
	*cap = want;
	return 0;
}
