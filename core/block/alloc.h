/*
 * Free space and who gets it. One commit takes runs from what was free when it began; what it frees
 * stays untouched until the uberblock is switched, so the pool as it was remains whole.
 *
 * There is one stream per copy of a block (first, second, third). Each stream fills a run of its
 * own inside one 16 MiB piece; the pieces of different streams differ while space allows, so that
 * one bad region never has two copies of the same block. No allocation crosses a multiple of
 * ALLOC_PIECE, hence none crosses a metaslab (1 << shift bytes, shift >= 24), whatever shift the
 * pool ends up with. Large allocations would leave much of such a piece behind: pieces then grow to
 * four times the largest, as far as the pool allows, and so must metaslabs (alloc_piece). What was
 * taken before crosses no multiple of the larger piece either.
 * Offsets are bytes on the vdev, as in a DVA.
 */
#ifndef CORE_BLOCK_ALLOC_H
#define CORE_BLOCK_ALLOC_H

#include "core/base/ranges.h"

enum { ALLOC_STREAMS = 3, ALLOC_PIECE = 16 << 20 };

struct alloc;

/* Nothing is free at first. unit: 1 << ashift, which every size and offset is a multiple of. */
int  alloc_new(uint32_t vdev, uint64_t unit, struct alloc **out, struct err *e) MUST_CHECK;
void alloc_free(struct alloc *a);
uint32_t alloc_vdev(const struct alloc *a);
uint64_t alloc_unit(const struct alloc *a);

/*
 * The metaslabs of a pool whose size is known: nothing crosses a multiple of `size` either (a power
 * of two, perhaps smaller than ALLOC_PIECE), and pieces grow no larger.
 */
void alloc_set_piece(struct alloc *a, uint64_t size);

/* What pieces have grown to: metaslabs may not be smaller. A power of two. */
uint64_t alloc_piece(const struct alloc *a);

/* Declares [start, end) free. A pool that may still grow has [0, ALLOC_ENDLESS) free. */
#define ALLOC_ENDLESS (UINT64_C(1) << 62)
int alloc_add_free(struct alloc *a, uint64_t start, uint64_t end, struct err *e) MUST_CHECK;

/* Space past `end` is free no longer. ERR_NOSPACE when something there was taken. */
int alloc_limit(struct alloc *a, uint64_t end, struct err *e) MUST_CHECK;

/*
 * Takes a run for a stream: at least `least`, at most `want` bytes. ERR_NOSPACE when no free run is
 * that long.
 */
int alloc_run(struct alloc *a, unsigned stream, uint64_t least, uint64_t want, uint64_t *offset,
	      uint64_t *got, struct err *e) MUST_CHECK;

/*
 * Gives back what was taken and will not be pointed to. It is free after the commit, not within it.
 */
int alloc_release(struct alloc *a, uint64_t offset, uint64_t size, struct err *e) MUST_CHECK;

/* A block that the pool had and the commit frees. ERR_CORRUPT when it was free already. */
int alloc_freed(struct alloc *a, uint64_t offset, uint64_t size, struct err *e) MUST_CHECK;

/* Where the last byte taken so far ends. */
uint64_t alloc_high_water(const struct alloc *a);

/* Has [start, end) been changed by this commit: taken, or freed? */
bool alloc_touched(const struct alloc *a, uint64_t start, uint64_t end);

/* What is free once the commit is done, as a new set. */
int alloc_after(struct alloc *a, struct ranges *out, struct err *e) MUST_CHECK;

#endif
