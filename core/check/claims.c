/* Claimed ranges as sorted words. */
#include "core/check/claims.h"

#include "core/base/mem.h"
#include "formats/base/bytes.h"
#include "formats/base/limits.h"

enum { SIZE_BITS = 18, OFFSET_BITS = 45, FIRST_CAP = 1 << 12 };

static uint64_t offset_of(uint64_t word)
{
	return word >> (SIZE_BITS + 1);
}

static uint64_t size_of(uint64_t word)
{
	return bits(word, 1, SIZE_BITS);
}

static uint64_t word_of(uint64_t offset, uint64_t size, bool shared)
{
	return offset << (SIZE_BITS + 1) | size << 1 | shared;
}

uint64_t claims_limit_max(unsigned shift)
{
	return OFFSET_BITS + shift >= 63 ? INT64_MAX : UINT64_C(1) << (OFFSET_BITS + shift);
}

void claims_bad_fini(struct claims_bad *b)
{
	ranges_fini(&b->list);
	*b = (struct claims_bad){ 0 };
}

void claims_fini(struct claims *c)
{
	free(c->list);
	claims_bad_fini(&c->doubles);
	*c = (struct claims){ 0 };
}

int claims_bad_add(struct claims_bad *b, uint64_t start, uint64_t end, struct err *e)
{
	b->bytes += end - start;
	b->count++;
	if (b->list.count >= CLAIMS_BAD_MAX)
		return 0;
	return ranges_add(&b->list, start, end, NULL, e);
}

static int by_word(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* A claim that begins before the one in front of it ends: what is left of it behind that, 0 for
 * nothing. */
static int settle(struct claims *c, uint64_t before, uint64_t *word, struct err *e)
{
	uint64_t end = offset_of(before) + size_of(before);
	uint64_t start = offset_of(*word), past = start + size_of(*word);

	if (*word == before && (*word & 1) != 0) {
		*word = 0;
		return 0;
	}
	if (!c->quiet &&
	    claims_bad_add(&c->doubles, start << c->shift, min64(end, past) << c->shift, e) < 0)
		return -1;
	*word = past > end ? word_of(end, past - end, *word & 1) : 0;
	return 0;
}

int claims_finish(struct claims *c, struct err *e)
{
	size_t kept = 0;

	if (c->sorted == c->count)
		return 0;
	qsort(c->list, c->count, sizeof *c->list, by_word);
	for (size_t i = 0; i < c->count; i++) {
		uint64_t word = c->list[i];

		if (kept > 0 &&
		    offset_of(c->list[kept - 1]) + size_of(c->list[kept - 1]) > offset_of(word) &&
		    settle(c, c->list[kept - 1], &word, e) < 0)
			return -1;
		if (size_of(word) > 0)
			c->list[kept++] = word;
	}
	c->count = c->sorted = kept;
	return 0;
}

static int make_room(struct claims *c, struct err *e)
{
	if (c->count < c->cap)
		return 0;
	if (claims_finish(c, e) < 0)
		return -1;
	/* Half of it full of disjoint claims: sorting again soon would not pay. */
	if (c->count <= c->cap / 2 && c->cap > 0)
		return 0;
	return mem_grow(&c->list, &c->cap, c->cap == 0 ? FIRST_CAP : c->cap + 1, sizeof *c->list,
			e);
}

int claims_add(struct claims *c, uint64_t offset, uint64_t size, bool shared, struct err *e)
{
	uint64_t unit = UINT64_C(1) << c->shift, max = (UINT64_C(1) << SIZE_BITS) - 1;
	uint64_t at = offset >> c->shift, end = (offset + size + unit - 1) >> c->shift;

	while (at < end) {
		uint64_t n = min64(end - at, max);

		if (make_room(c, e) < 0)
			return -1;
		c->list[c->count++] = word_of(at, n, shared);
		at += n;
	}
	return 0;
}

struct claim claims_at(const struct claims *c, size_t i)
{
	uint64_t word = c->list[i];

	return (struct claim){ offset_of(word) << c->shift, (offset_of(word) + size_of(word))
								    << c->shift };
}
