/* Sorted, merged ranges in an array. */
#include "core/base/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

void ranges_fini(struct ranges *r)
{
	free(r->list);
	*r = (struct ranges){ 0 };
}

size_t ranges_find(const struct ranges *r, uint64_t at)
{
	size_t low = 0, high = r->count;

	/* Appending is the common case. */
	if (high > 0 && r->list[high - 1].end <= at)
		return high;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (r->list[mid].end > at)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static int make_room(struct ranges *r, struct err *e)
{
	return mem_grow(&r->list, &r->cap, r->count + 1, sizeof r->list[0], e);
}

/* Replaces `gone` ranges at index i by one. */
static void splice(struct ranges *r, size_t i, size_t gone, struct range with)
{
	memmove(&r->list[i + 1], &r->list[i + gone], (r->count - i - gone) * sizeof r->list[0]);
	r->list[i] = with;
	r->count = r->count + 1 - gone;
}

int ranges_add(struct ranges *r, uint64_t start, uint64_t end, bool *overlap, struct err *e)
{
	if (overlap != NULL)
		*overlap = false;
	if (start >= end)
		return 0;
	if (make_room(r, e) < 0)
		return -1;

	/* The first range that touches or overlaps: its end is >= start. */
	size_t	     i = start == 0 ? 0 : ranges_find(r, start - 1), last = i;
	struct range with = { start, end };

	for (; last < r->count && r->list[last].start <= end; last++) {
		if (overlap != NULL && r->list[last].start < end && r->list[last].end > start)
			*overlap = true;
		with.start = min64(with.start, r->list[last].start);
		with.end = max64(with.end, r->list[last].end);
	}
	splice(r, i, last - i, with);
	return 0;
}

int ranges_remove(struct ranges *r, uint64_t start, uint64_t end, bool *missing, struct err *e)
{
	uint64_t found = 0;
	size_t	 i = ranges_find(r, start);

	if (make_room(r, e) < 0)
		return -1;
	while (i < r->count && r->list[i].start < end) {
		struct range was = r->list[i];
		struct range low = { was.start, max64(was.start, start) };
		struct range high = { min64(was.end, end), was.end };

		found += high.start - low.end;
		if (low.start < low.end && high.start < high.end) {
			/* In the middle: one becomes two, and there is room for it. */
			memmove(&r->list[i + 1], &r->list[i], (r->count - i) * sizeof r->list[0]);
			r->list[i] = low;
			r->list[i + 1] = high;
			r->count++;
			break;
		}
		if (low.start < low.end || high.start < high.end) {
			r->list[i] = low.start < low.end ? low : high;
			i++;
		} else {
			memmove(&r->list[i], &r->list[i + 1],
				(r->count - i - 1) * sizeof r->list[0]);
			r->count--;
		}
	}
	if (missing != NULL)
		*missing = found != (start < end ? end - start : 0);
	return 0;
}

uint64_t ranges_bytes(const struct ranges *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->count; i++)
		sum += r->list[i].end - r->list[i].start;
	return sum;
}
