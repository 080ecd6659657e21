/*
 * Allocation that says why it failed, and that tests can make fail.
 * Everything here is given back with free().
 */
#ifndef CORE_BASE_MEM_H
#define CORE_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "formats/base/err.h"

/* n zero bytes (n 0: one), NULL with ERR_NOMEM. */
void *mem_zero(size_t n, struct err *e);

/* count * size zero bytes; an overflow is ERR_NOMEM. */
void *mem_array(size_t count, size_t size, struct err *e);

/* n bytes that are not set. */
void *mem_raw(size_t n, struct err *e);

/* A copy of n bytes with a NUL behind them. */
char *mem_copy_text(const char *p, size_t n, struct err *e);

/*
 * Makes room for at least `need` elements of `size` bytes in *array (`*cap` is what there is room
 * for), growing by half or more. The array is as before when it fails.
 */
int mem_grow(void *array, size_t *cap, size_t need, size_t size, struct err *e) MUST_CHECK;

/* For tests: the n'th allocation from now on (1 the next) fails, as do those after it; 0 none. */
void mem_fail_at(uint64_t n);

#endif
