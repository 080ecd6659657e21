/*
 * Space maps: the header, and the entries one at a time. Which ranges are allocated in the end, and
 * how entries are laid over blocks, is left to those who replay and write whole maps.
 */
#include "formats/spacemap.h"

#include "formats/base/limits.h"

enum {
	H_OBJECT = 0x00,
	H_LENGTH = 0x08,
	H_ALLOC = 0x10,
	H_HISTOGRAM = 0x40,

	PREFIX_DEBUG = 2,
	PREFIX_TWO_WORDS = 3,
	PREFIX_AT = 62,

	/* Debug word. */
	ACTION_AT = 60,
	PASS_AT = 50,
	PASS_BITS = 10,
	TXG_BITS = 50,

	/* One-word entry. */
	ONE_OFFSET_AT = 16,
	ONE_OFFSET_BITS = 47,
	ONE_TYPE_AT = 15,
	ONE_RUN_BITS = 15,

	/* Two-word entry: run and vdev, then type and offset. */
	TWO_RUN_AT = 24,
	TWO_RUN_BITS = 36,
	TWO_VDEV_BITS = 24,
	TWO_TYPE_AT = 63,
	TWO_OFFSET_BITS = 63,
};

#define ONE_RUN_MAX (UINT64_C(1) << ONE_RUN_BITS)
#define TWO_RUN_MAX (UINT64_C(1) << TWO_RUN_BITS)

int spacemap_decode(struct bytes in, struct spacemap *out, struct err *e)
{
	if (in.n < SPACEMAP_V0_SIZE)
		return err_set(e, ERR_CORRUPT, "space map header needs %d bytes, has %zu",
			       SPACEMAP_V0_SIZE, in.n);

	struct spacemap s = {
		.size = in.n < SPACEMAP_SIZE ? SPACEMAP_V0_SIZE : SPACEMAP_SIZE,
		.object = get64(in, H_OBJECT),
		.length = get64(in, H_LENGTH),
		.alloc = (int64_t)get64(in, H_ALLOC),
	};

	if (s.size == SPACEMAP_SIZE) {
		for (size_t i = 0; i < SPACEMAP_BUCKETS; i++)
			s.histogram[i] = get64(in, H_HISTOGRAM + 8 * i);
	}
	*out = s;
	return 0;
}

void spacemap_encode(const struct spacemap *s, struct wbytes out)
{
	assert((s->size == SPACEMAP_V0_SIZE || s->size == SPACEMAP_SIZE) && out.n >= s->size);
	memset(out.p, 0, s->size);
	put64(out, H_OBJECT, s->object);
	put64(out, H_LENGTH, s->length);
	put64(out, H_ALLOC, (uint64_t)s->alloc);
	if (s->size == SPACEMAP_SIZE) {
		for (size_t i = 0; i < SPACEMAP_BUCKETS; i++)
			put64(out, H_HISTOGRAM + 8 * i, s->histogram[i]);
	}
}

void spacemap_describe(const struct spacemap *s, struct text *t)
{
	text_put(t, "object = %llu\n", (unsigned long long)s->object);
	text_put(t, "smp_length = 0x%llx\n", (unsigned long long)s->length);
	if (s->alloc < 0)
		text_put(t, "smp_alloc = -0x%llx\n", 0 - (unsigned long long)s->alloc);
	else
		text_put(t, "smp_alloc = 0x%llx\n", (unsigned long long)s->alloc);
	if (s->size < SPACEMAP_SIZE)
		return;
	for (unsigned i = 0; i < SPACEMAP_BUCKETS; i++) {
		if (s->histogram[i] != 0)
			text_put(t, "histogram[%u] = %llu\n", i,
				 (unsigned long long)s->histogram[i]);
	}
}

static struct spacemap_entry debug_entry(uint64_t w)
{
	return (struct spacemap_entry){
		.debug = true,
		.is_free = bits(w, ACTION_AT, 2) == 1,
		.vdev = SPACEMAP_NO_VDEV,
		.txg = bits(w, 0, TXG_BITS),
		.pass = (unsigned)bits(w, PASS_AT, PASS_BITS),
	};
}

int spacemap_next(struct cursor *c, uint64_t start, unsigned shift, struct spacemap_entry *out,
		  struct err *e)
{
	if (cursor_left(c) == 0)
		return 0;

	uint64_t	      w = cursor_64(c), offset, run;
	unsigned	      prefix = (unsigned)bits(w, PREFIX_AT, 2);
	struct spacemap_entry entry = { .vdev = SPACEMAP_NO_VDEV };

	if (prefix == PREFIX_TWO_WORDS) {
		uint64_t w2 = cursor_64(c);

		entry.vdev = (uint32_t)bits(w, 0, TWO_VDEV_BITS);
		entry.is_free = bits(w2, TWO_TYPE_AT, 1);
		run = bits(w, TWO_RUN_AT, TWO_RUN_BITS) + 1;
		offset = bits(w2, 0, TWO_OFFSET_BITS);
	} else {
		entry.is_free = bits(w, ONE_TYPE_AT, 1);
		run = bits(w, 0, ONE_RUN_BITS) + 1;
		offset = bits(w, ONE_OFFSET_AT, ONE_OFFSET_BITS);
	}
	if (c->spent)
		return 0;
	if (prefix == PREFIX_DEBUG) {
		*out = debug_entry(w);
		return 1;
	}

	uint64_t end;

	if (shift > 63 || offset > UINT64_MAX >> shift || run > UINT64_MAX >> shift ||
	    !add_ok(offset << shift, start, &entry.offset) ||
	    !add_ok(entry.offset, run << shift, &end))
		return err_set(e, ERR_CORRUPT,
			       "space map entry of %llu units at %llu ends past 2^64 bytes",
			       (unsigned long long)run, (unsigned long long)offset);
	entry.size = run << shift;
	*out = entry;
	return 1;
}

/* The first unit and the number of units; the range must be whole units within what can be said. */
static void in_units(uint64_t start, unsigned shift, uint64_t offset, uint64_t size,
		     uint64_t *first, uint64_t *count)
{
	assert(shift < 64 && offset >= start && size > 0);
	assert(((offset - start) & ((UINT64_C(1) << shift) - 1)) == 0);
	assert((size & ((UINT64_C(1) << shift) - 1)) == 0);
	*first = (offset - start) >> shift;
	*count = size >> shift;
}

/* OpenZFS space_map.c, space_map_write_impl: two words only where one will not do. */
static bool wants_two_words(uint64_t first, uint64_t count, bool v2)
{
	return v2 && (first >> ONE_OFFSET_BITS != 0 || count > ONE_RUN_MAX);
}

size_t spacemap_entry_size(uint64_t start, unsigned shift, uint64_t offset, uint64_t size, bool v2)
{
	uint64_t first, count;

	in_units(start, shift, offset, size, &first, &count);
	if (wants_two_words(first, count, v2))
		return (size_t)(1 + (count - 1) / TWO_RUN_MAX) * 16;
	return (size_t)(1 + (count - 1) / ONE_RUN_MAX) * 8;
}

void spacemap_put(struct wbytes out, size_t *at, uint64_t start, unsigned shift, uint64_t offset,
		  uint64_t size, bool is_free, bool v2)
{
	uint64_t first, count;

	in_units(start, shift, offset, size, &first, &count);

	bool two = wants_two_words(first, count, v2);

	while (count > 0) {
		uint64_t run = min64(count, two ? TWO_RUN_MAX : ONE_RUN_MAX);

		if (two) {
			/* No vdev: OpenZFS cuts its "none" (1 << 24) down to the field, 0. */
			put64(out, *at,
			      bits_put(PREFIX_TWO_WORDS, PREFIX_AT, 2) |
				      bits_put(run - 1, TWO_RUN_AT, TWO_RUN_BITS));
			put64(out, *at + 8,
			      bits_put(is_free, TWO_TYPE_AT, 1) |
				      bits_put(first, 0, TWO_OFFSET_BITS));
		} else {
			put64(out, *at,
			      bits_put(first, ONE_OFFSET_AT, ONE_OFFSET_BITS) |
				      bits_put(is_free, ONE_TYPE_AT, 1) |
				      bits_put(run - 1, 0, ONE_RUN_BITS));
		}
		*at += two ? 16 : 8;
		first += run;
		count -= run;
	}
}

void spacemap_put_debug(struct wbytes out, size_t *at, uint64_t txg, unsigned pass, bool is_free)
{
	put64(out, *at,
	      bits_put(PREFIX_DEBUG, PREFIX_AT, 2) | bits_put(is_free, ACTION_AT, 2) |
		      bits_put(pass, PASS_AT, PASS_BITS) | bits_put(txg, 0, TXG_BITS));
	*at += 8;
}
