/* Free space of one vdev as ranges, and a cursor per stream of copies. */
#include "core/block/alloc.h"

#include <assert.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

enum { PIECE_ALLOCATIONS = 4 };
#define PIECE_MAX (UINT64_C(1) << 34) /* vdev.c: no metaslab is larger, but of the largest pools */

struct alloc {
	uint32_t      vdev;
	uint64_t      unit, piece, piece_max;
	struct ranges free;	/* what may be taken, without the cursors' runs */
	struct ranges freed;	/* free after the commit, not before */
	struct ranges touched;	/* taken or freed by the commit */
	struct range  cursor[ALLOC_STREAMS];
	uint64_t      search_from;
	uint64_t      high_water;
};

int alloc_new(uint32_t vdev, uint64_t unit, struct alloc **out, struct err *e)
{
	struct alloc *a = mem_zero(sizeof *a, e);

	if (a == NULL)
		return -1;
	a->vdev = vdev;
	a->unit = unit;
	a->piece = ALLOC_PIECE;
	a->piece_max = PIECE_MAX;
	*out = a;
	return 0;
}

void alloc_free(struct alloc *a)
{
	if (a == NULL)
		return;
	ranges_fini(&a->free);
	ranges_fini(&a->freed);
	ranges_fini(&a->touched);
	free(a);
}

uint32_t alloc_vdev(const struct alloc *a)
{
	return a->vdev;
}

uint64_t alloc_unit(const struct alloc *a)
{
	return a->unit;
}

void alloc_set_piece(struct alloc *a, uint64_t size)
{
	a->piece = min64(size, ALLOC_PIECE);
	a->piece_max = size;
}

uint64_t alloc_piece(const struct alloc *a)
{
	return a->piece;
}

/* A piece shall have room for several of the largest. */
static void grow_piece(struct alloc *a, uint64_t least)
{
	while (a->piece < a->piece_max && a->piece < PIECE_ALLOCATIONS * least)
		a->piece *= 2;
}

int alloc_add_free(struct alloc *a, uint64_t start, uint64_t end, struct err *e)
{
	return ranges_add(&a->free, start, end, NULL, e);
}

static int return_cursor(struct alloc *a, unsigned stream, struct err *e)
{
	struct range c = a->cursor[stream];

	a->cursor[stream] = (struct range){ 0 };
	return ranges_add(&a->free, c.start, c.end, NULL, e);
}

static int return_cursors(struct alloc *a, struct err *e)
{
	for (unsigned s = 0; s < ALLOC_STREAMS; s++) {
		if (return_cursor(a, s, e) < 0)
			return -1;
	}
	return 0;
}

int alloc_limit(struct alloc *a, uint64_t end, struct err *e)
{
	if (a->high_water > end)
		return err_set(e, ERR_NOSPACE, "%llu bytes are taken, the device offers %llu",
			       (unsigned long long)a->high_water, (unsigned long long)end);
	if (return_cursors(a, e) < 0)
		return -1;
	return ranges_remove(&a->free, end, UINT64_MAX, NULL, e);
}

/* Does another stream fill the piece that this offset lies in? */
static bool piece_in_use(const struct alloc *a, unsigned stream, uint64_t offset)
{
	for (unsigned s = 0; s < ALLOC_STREAMS; s++) {
		const struct range *c = &a->cursor[s];

		if (s != stream && c->start < c->end && c->start / a->piece == offset / a->piece)
			return true;
	}
	return false;
}

/* The first free run within one piece, in ranges [from, to), that is long enough. */
static bool find_run(const struct alloc *a, unsigned stream, uint64_t least, bool apart,
		     size_t from, size_t to, struct range *out)
{
	for (size_t i = from; i < to; i++) {
		struct range r = a->free.list[i];

		/*
		 * Each range holds few pieces that can be refused: those
		 * in which other streams are.
		 */
		for (uint64_t at = r.start; at < r.end; at = align_down(at, a->piece) + a->piece) {
			uint64_t end = min64(r.end, align_down(at, a->piece) + a->piece);

			if (end - at < least || (apart && piece_in_use(a, stream, at)))
				continue;
			*out = (struct range){ at, end };
			return true;
		}
	}
	return false;
}

/* A new run for the cursor, by ever smaller wishes. */
static int refill(struct alloc *a, unsigned stream, uint64_t least, struct err *e)
{
	const struct {
		uint64_t least;
		bool	 apart;
	} wishes[] = { { max64(least, MIB), true }, { least, true }, { least, false } };
	struct range found;

	if (return_cursor(a, stream, e) < 0)
		return -1;
	for (int stolen = 0; stolen < 2; stolen++) {
		for (size_t w = 0; w < sizeof wishes / sizeof wishes[0]; w++) {
			size_t mid = ranges_find(&a->free, a->search_from);

			if (!find_run(a, stream, wishes[w].least, wishes[w].apart, mid,
				      a->free.count, &found) &&
			    !find_run(a, stream, wishes[w].least, wishes[w].apart, 0, mid, &found))
				continue;
			a->search_from = found.end;
			a->cursor[stream] = found;
			return ranges_remove(&a->free, found.start, found.end, NULL, e);
		}
		/* What is left may be in the other streams' hands. */
		if (return_cursors(a, e) < 0)
			return -1;
	}
	return err_set(e, ERR_NOSPACE, "no free run of %llu bytes is left in the pool",
		       (unsigned long long)least);
}

int alloc_run(struct alloc *a, unsigned stream, uint64_t least, uint64_t want, uint64_t *offset,
	      uint64_t *got, struct err *e)
{
	struct range *c = &a->cursor[stream];

	assert(stream < ALLOC_STREAMS && least > 0 && least <= want && least % a->unit == 0);
	grow_piece(a, least);
	if (c->end - c->start < least && refill(a, stream, least, e) < 0)
		return -1;

	uint64_t n = min64(want, align_down(c->end - c->start, a->unit));

	if (ranges_add(&a->touched, c->start, c->start + n, NULL, e) < 0)
		return -1;
	*offset = c->start;
	*got = n;
	c->start += n;
	a->high_water = max64(a->high_water, c->start);
	return 0;
}

int alloc_release(struct alloc *a, uint64_t offset, uint64_t size, struct err *e)
{
	return ranges_add(&a->freed, offset, offset + size, NULL, e);
}

int alloc_freed(struct alloc *a, uint64_t offset, uint64_t size, struct err *e)
{
	bool   twice;
	size_t i = ranges_find(&a->free, offset);

	if (i < a->free.count && a->free.list[i].start < offset + size)
		twice = true;
	else if (ranges_add(&a->freed, offset, offset + size, &twice, e) < 0)
		return -1;
	if (twice)
		return err_set(e, ERR_CORRUPT,
			       "vdev %u offset %#llx size %#llx: freed, but its space map has it "
			       "free already",
			       a->vdev, (unsigned long long)offset, (unsigned long long)size);
	return ranges_add(&a->touched, offset, offset + size, NULL, e);
}

uint64_t alloc_high_water(const struct alloc *a)
{
	return a->high_water;
}

bool alloc_touched(const struct alloc *a, uint64_t start, uint64_t end)
{
	size_t i = ranges_find(&a->touched, start);

	return i < a->touched.count && a->touched.list[i].start < end;
}

int alloc_after(struct alloc *a, struct ranges *out, struct err *e)
{
	struct ranges	     all = { 0 };
	const struct ranges *sets[] = { &a->free, &a->freed };

	if (return_cursors(a, e) < 0)
		return -1;
	for (size_t s = 0; s < 2; s++) {
		for (size_t i = 0; i < sets[s]->count; i++) {
			if (ranges_add(&all, sets[s]->list[i].start, sets[s]->list[i].end, NULL,
				       e) < 0) {
				ranges_fini(&all);
				return -1;
			}
		}
	}
	*out = all;
	return 0;
}
