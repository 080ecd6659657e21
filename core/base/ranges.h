/*
 * A set of byte ranges [start, end), kept sorted and merged in one array. For sets that are built
 * mostly in order and stay small next to what they describe.
 */
#ifndef CORE_BASE_RANGES_H
#define CORE_BASE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/err.h"

struct range {
	uint64_t start, end;
};

struct ranges {
	struct range *list;
	size_t	      count, cap;
};

void ranges_fini(struct ranges *r);

/* Adds a range that may touch but not overlap others; *overlap (when not NULL) says whether it did:
 * then the union is kept. */
int ranges_add(struct ranges *r, uint64_t start, uint64_t end, bool *overlap,
	       struct err *e) MUST_CHECK;

/* Takes a range out; parts that were not in the set are ignored and reported as *missing. */
int ranges_remove(struct ranges *r, uint64_t start, uint64_t end, bool *missing,
		  struct err *e) MUST_CHECK;

/* Index of the first range whose end is > at (r->count when none). */
size_t ranges_find(const struct ranges *r, uint64_t at);

uint64_t ranges_bytes(const struct ranges *r);

#endif
