/* Sizes, metaslabs, slop: OpenZFS's arithmetic for one disk. */
#include "core/pool/sizing.h"

#include "formats/base/limits.h"
#include "formats/label.h"

enum {
	MS_SHIFT_DEFAULT = 29, /* vdev.c, zfs_vdev_default_ms_shift ... */
	MS_SHIFT_MAX = 34,
	MS_COUNT_MIN = 16,
	MS_COUNT_DEFAULT = 200,
	MS_COUNT_LIMIT = 1 << 17,
	EMBEDDED_LOG_MIN_COUNT = 64,
	SLOP_SHIFT = 5, /* spa_misc.c, spa_slop_shift */
};
#define SLOP_MIN (128 * MIB) /* spa_min_slop */
#define SLOP_MAX (128 * GIB) /* spa_max_slop */

uint64_t sizing_asize(uint64_t size)
{
	uint64_t whole = align_down(size, LABEL_SIZE), around = VDEV_DATA_START + VDEV_END_SIZE;

	return whole > around ? whole - around : 0;
}

/* Index of the highest bit, counted from 1, as the kernel's highbit64. */
static unsigned highbit(uint64_t v)
{
	return v == 0 ? 0 : log2_floor(v) + 1;
}

static unsigned metaslab_shift(uint64_t asize)
{
	uint64_t count = asize >> MS_SHIFT_DEFAULT;
	unsigned shift = MS_SHIFT_DEFAULT;

	if (count < MS_COUNT_MIN)
		shift = highbit(asize / MS_COUNT_MIN);
	else if (count > MS_COUNT_DEFAULT)
		shift = highbit(asize / MS_COUNT_DEFAULT);
	if (shift < METASLAB_SHIFT_MIN)
		return METASLAB_SHIFT_MIN;
	if (shift <= MS_SHIFT_MAX)
		return shift;
	return asize >> MS_SHIFT_MAX > MS_COUNT_LIMIT ? highbit(asize / MS_COUNT_LIMIT)
						      : MS_SHIFT_MAX;
}

unsigned sizing_metaslab_shift(uint64_t asize, unsigned least)
{
	unsigned shift = metaslab_shift(asize);

	return shift < least ? least : shift;
}

/* Bytes in metaslabs that serve ordinary allocations, and in the one that serves the intent log. */
static uint64_t normal_space(uint64_t size, unsigned least, uint64_t *log)
{
	uint64_t asize = sizing_asize(size);
	unsigned shift = sizing_metaslab_shift(asize, least);
	uint64_t count = asize >> shift;

	*log = count > EMBEDDED_LOG_MIN_COUNT ? UINT64_C(1) << shift : 0;
	return (count << shift) - *log;
}

uint64_t sizing_avail(uint64_t size, uint64_t used, unsigned least_shift)
{
	uint64_t log, space = normal_space(size, least_shift, &log);
	uint64_t slop = min64(space >> SLOP_SHIFT, SLOP_MAX);

	slop -= min64(log, slop >> 1);
	slop = max64(slop, min64(space >> 1, SLOP_MIN));
	return space - slop > used ? space - slop - used : 0;
}

/* Rounded up: what is promised is at least that much. */
static uint64_t percent_of(uint64_t used, unsigned percent)
{
	return used / 100 * percent + (used % 100 * percent + 99) / 100;
}

/* Room for what is there and, with it, what the rule asks for? */
static bool enough(const struct pool_size *rule, uint64_t used, uint64_t high_water, unsigned least,
		   uint64_t size)
{
	uint64_t asize = sizing_asize(size);
	unsigned shift = sizing_metaslab_shift(asize, least);
	uint64_t want = max64(rule->avail, percent_of(used, rule->avail_percent));

	/* AVAIL is cut off at 0: what the contents need is asked for apart. */
	return asize >> shift << shift >= high_water &&
	       sizing_avail(size, 0, least) >= max64(used, rule->least) &&
	       sizing_avail(size, used, least) >= want - min64(want, rule->own);
}

int sizing_choose(const struct pool_size *rule, uint64_t used, uint64_t high_water,
		  unsigned least_shift, uint64_t *size, struct err *e)
{
	uint64_t low = VDEV_MIN_SIZE, high = VDEV_MIN_SIZE;

	if (rule->rule == POOL_SIZE_GIVEN) {
		uint64_t asize = sizing_asize(rule->size);
		unsigned shift = sizing_metaslab_shift(asize, 0);

		if (asize >> shift << shift < high_water)
			return err_set(
				e, ERR_NOSPACE,
				"%llu bytes are too small: the contents need %llu and reserve",
				(unsigned long long)rule->size, (unsigned long long)high_water);
		*size = rule->size;
		return 0;
	}
	while (!enough(rule, used, high_water, least_shift, high)) {
		low = high;
		if (!mul_ok(high, 2, &high) || high > ALLOC_ENDLESS)
			return err_set(e, ERR_NOSPACE, "no size is large enough");
	}
	/*
	 * `enough` is not monotonic where the metaslab size doubles, so the search ends
	 * with a size that satisfies it and whose predecessor does not: small, though
	 * perhaps not the very smallest.
	 */
	while (high - low > LABEL_SIZE) {
		uint64_t mid = align_down(low + (high - low) / 2, LABEL_SIZE);

		if (enough(rule, used, high_water, least_shift, mid))
			high = mid;
		else
			low = mid;
	}
	*size = high;
	return 0;
}
