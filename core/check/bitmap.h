/* Allocated units of a stretch of a vdev, one bit each. */
#ifndef CORE_CHECK_BITMAP_H
#define CORE_CHECK_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bitmap {
	uint64_t *words;
	uint64_t  count; /* bits */
};

/* Sets or clears [first, past); returns how many of the bits were not the opposite before. */
uint64_t bitmap_change(struct bitmap *b, uint64_t first, uint64_t past, bool value);

/* The first bit >= at that has this value; count when there is none. */
uint64_t bitmap_find(const struct bitmap *b, uint64_t at, bool value);

uint64_t bitmap_total(const struct bitmap *b);

#endif
