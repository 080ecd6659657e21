/*
 * Which ranges of one top-level vdev are claimed by blocks: 8 bytes a claim, sorted and made
 * disjoint whenever the array is full, so its size is bounded by the device whatever the pointers
 * say. Units: bytes outside, 1 << shift inside. (Beyond its cap an array could spill to a file: all
 * that users see is add, finish, and the sorted list.)
 */
#ifndef CORE_CHECK_CLAIMS_H
#define CORE_CHECK_CLAIMS_H

#include "core/base/ranges.h"

enum { CLAIMS_BAD_MAX = 1000 }; /* ranges that are kept to be listed */

/* Ranges for the report: the first few in order of discovery, and how much there was. */
struct claims_bad {
	struct ranges list;
	uint64_t      bytes, count;
};

struct claims {
	uint64_t	 *list;		      /* offset 45 bits, size 18, shared 1; in units */
	size_t		  count, cap, sorted; /* the first `sorted` are in order and disjoint */
	unsigned	  shift;
	uint64_t	  limit; /* bytes: offsets end here */
	bool		  quiet; /* overlaps are no fault */
	struct claims_bad doubles;
};

struct claim {
	uint64_t start, end; /* bytes */
};

/* The range is within [0, limit). `shared`: several blocks may claim exactly this range. */
int  claims_add(struct claims *c, uint64_t offset, uint64_t size, bool shared,
		struct err *e) MUST_CHECK;
int  claims_finish(struct claims *c, struct err *e) MUST_CHECK; /* sorts */
void claims_fini(struct claims *c);

struct claim claims_at(const struct claims *c, size_t i);

/* The largest device that claims can describe with this shift. */
uint64_t claims_limit_max(unsigned shift);

int  claims_bad_add(struct claims_bad *b, uint64_t start, uint64_t end, struct err *e) MUST_CHECK;
void claims_bad_fini(struct claims_bad *b);

#endif
