/*
 * Gang blocks: a header of three pointers, each to a piece of the block or to a further gang.
 *
 * The walk keeps its own stack. It ends because pieces are at least a sector, must add up to the
 * block's stored size exactly, and nest no deeper than GANG_DEPTH_MAX.
 * Source: on-disk format, "gang block"; OpenZFS zio.c (zio_gang_tree_assemble), zio_checksum.c
 * (zio_checksum_gang_verifier: always the first address of the pointer, whichever copy is read).
 */
#include "core/block/reader.h"

#include "core/base/mem.h"
#include "formats/base/limits.h"

struct gang_level {
	struct blkptr child[GANG_POINTERS];
	unsigned      next; /* child to be done */
	uint64_t      left; /* bytes that the children from `next` on must add up to */
};

/* The header at one address of the pointer, decoded in its own order. */
static int header_at(struct block_reader *r, const struct read_at *at, struct gang_level *out,
		     struct err *e)
{
	const struct blkptr *bp = at->bp;
	const struct dva    *d = &bp->dva[at->copy];
	struct digest	     verifier = { { bp->dva[0].vdev, bp->dva[0].offset,
					    blkptr_phys_birth(bp), 0 } };
	uint8_t		     raw[GANG_HEADER_SIZE];
	enum order	     order;

	if (vdev_read(r->vdevs, d->vdev, d->offset, at->way, raw, sizeof raw, e) < 0)
		return -1;
	if (checksum_trailer_verify(CHECKSUM_GANG_HEADER, bytes_of(raw, sizeof raw, bp->order),
				    &verifier, &order, e) < 0)
		return -1;
	for (unsigned i = 0; i < GANG_POINTERS; i++) {
		struct bytes in = bytes_of(raw + i * BLKPTR_SIZE, BLKPTR_SIZE, order);

		if (blkptr_decode(in, &out->child[i], e) < 0)
			return err_in(e, "pointer %u", i);
	}
	out->next = 0;
	out->left = bp->psize;
	return 0;
}

/*
 * The header of a gang pointer from whichever address gives it; in `every` mode all are looked at.
 */
static int header_any(struct block_reader *r, const struct read_at *at, struct gang_level *out,
		      struct err *e)
{
	bool	   found = false, failed = false;
	struct err why = { 0 };

	for (unsigned c = 0; c < BLKPTR_DVAS; c++) {
		const struct dva *d = &at->bp->dva[c];

		if (d->asize == 0 || !d->gang)
			continue;
		for (unsigned w = 0; w < vdev_ways(r->vdevs, d->vdev); w++) {
			struct read_at	  one = *at;
			struct gang_level level;

			one.copy = c;
			one.way = w;
			if (header_at(r, &one, &level, &why) < 0) {
				reader_event(r, &one, NULL, GANG_HEADER_SIZE, &why);
				failed = true;
				continue;
			}
			*out = level;
			found = true;
			if (!at->every)
				return 0;
		}
	}
	if (found && !failed)
		return 0;
	return err_set(e, why.kind, "gang header: %s", why.text);
}

/* Every copy of one piece, each verified. The last good one stays in buf. */
static int every_copy(struct block_reader *r, const struct blkptr *bp,
		      const struct block_where *where, uint8_t *buf, struct err *e)
{
	int rc = 0;

	for (unsigned c = 0; c < BLKPTR_DVAS; c++) {
		const struct dva *d = &bp->dva[c];

		for (unsigned w = 0; d->asize != 0 && w < vdev_ways(r->vdevs, d->vdev); w++) {
			if (block_verify_copy(r, bp, where, c, w, buf, e) < 0)
				rc = -1;
		}
	}
	return rc;
}

/* Does the piece fit what is left of its parent? */
static int child_check(const struct blkptr *bp, const struct gang_level *level, struct err *e)
{
	/*
	 * A piece with one address plain and another a gang would make
	 * reading it nest behind our back.
	 */
	for (unsigned c = 1; c < BLKPTR_DVAS; c++) {
		if (bp->dva[c].asize != 0 && bp->dva[c].gang != bp->dva[0].gang)
			return err_set(e, ERR_CORRUPT, "a gang member that is half a gang");
	}
	if (blkptr_check(bp, e) < 0)
		return -1;
	if (bp->embedded)
		return err_set(e, ERR_CORRUPT, "a gang member that is embedded");
	if (bp->psize > level->left)
		return err_set(e, ERR_CORRUPT, "gang members are larger than their block");
	return 0;
}

static bool is_gang(const struct blkptr *bp)
{
	return bp->dva[0].gang && bp->dva[0].asize != 0;
}

/* The walk: pieces in order into buf. `stack` has GANG_DEPTH_MAX levels, the first is filled. */
static int collect(struct block_reader *r, const struct read_at *at, struct gang_level *stack,
		   uint8_t *buf, struct err *e)
{
	unsigned depth = 1;

	while (depth > 0) {
		struct gang_level *level = &stack[depth - 1];

		if (level->left == 0) {
			depth--;
			continue;
		}
		while (level->next < GANG_POINTERS && blkptr_is_hole(&level->child[level->next]))
			level->next++;
		if (level->next == GANG_POINTERS)
			return err_set(e, ERR_CORRUPT, "gang members are smaller than their block");

		const struct blkptr *bp = &level->child[level->next++];

		if (child_check(bp, level, e) < 0)
			return -1;
		level->left -= bp->psize;
		if (is_gang(bp)) {
			struct read_at down = { .bp = bp, .where = at->where, .every = at->every };

			if (depth == GANG_DEPTH_MAX)
				return err_set(e, ERR_CORRUPT, "gang blocks nest too deep");
			if (header_any(r, &down, &stack[depth], e) < 0)
				return -1;
			depth++;
			continue;
		}
		if (at->every ? every_copy(r, bp, at->where, buf, e)
			      : reader_copies(r, bp, at->where, buf, e))
			return -1;
		buf += bp->psize;
	}
	return 0;
}

int gang_read(struct block_reader *r, const struct read_at *at, uint8_t *buf, struct err *e)
{
	struct gang_level *stack = mem_array(GANG_DEPTH_MAX, sizeof *stack, e);
	int		   rc = -1;

	if (stack == NULL)
		return -1;
	if (header_at(r, at, &stack[0], e) < 0)
		err_in(e, "gang header");
	else
		rc = collect(r, at, stack, buf, e);
	free(stack);
	return rc;
}

/* Bytes that a gang header takes at an address. */
static uint64_t header_asize(const struct block_reader *r, uint32_t vdev)
{
	const struct vdev_top *top = vdev_tree_top(r->vdevs, vdev);
	unsigned	       ashift = top != NULL ? top->ashift : ASHIFT_MIN;

	if (ashift < ASHIFT_MIN || ashift > ASHIFT_MAX)
		ashift = ASHIFT_MIN;
	return UINT64_C(1) << ashift;
}

/* The addresses of one pointer itself. */
static int own_ranges(struct block_reader *r, const struct blkptr *bp, block_range_fn *fn,
		      void *ctx)
{
	for (unsigned c = 0; c < BLKPTR_DVAS; c++) {
		const struct dva *d = &bp->dva[c];
		/* A gang's asize counts its members too. */
		uint64_t asize = d->gang ? header_asize(r, d->vdev) : d->asize;
		int	 rc = d->asize == 0 ? 0 : fn(ctx, d->vdev, d->offset, asize, c);

		if (rc != 0)
			return rc;
	}
	return 0;
}

/* Members depth first, headers once each. Same bounds as collect(). */
static int member_ranges(struct block_reader *r, struct gang_level *stack,
			 const struct block_where *where, block_range_fn *fn, void *ctx,
			 struct err *e)
{
	unsigned depth = 1;

	while (depth > 0) {
		struct gang_level *level = &stack[depth - 1];

		if (level->next == GANG_POINTERS) {
			depth--;
			continue;
		}

		const struct blkptr *bp = &level->child[level->next++];
		struct read_at	     down = { .bp = bp, .where = where };
		int		     rc;

		if (blkptr_is_hole(bp))
			continue;
		if (child_check(bp, level, e) < 0)
			return -1;
		level->left -= bp->psize;
		rc = own_ranges(r, bp, fn, ctx);
		if (rc != 0)
			return rc;
		if (!is_gang(bp))
			continue;
		if (depth == GANG_DEPTH_MAX)
			return err_set(e, ERR_CORRUPT, "gang blocks nest too deep");
		if (header_any(r, &down, &stack[depth], e) < 0)
			return -1;
		depth++;
	}
	return 0;
}

int block_ranges(struct block_reader *r, const struct blkptr *bp, const struct block_where *where,
		 block_range_fn *fn, void *ctx, struct err *e)
{
	struct read_at	   at = { .bp = bp, .where = where };
	struct gang_level *stack;
	int		   rc;

	if (blkptr_is_hole(bp) || bp->embedded)
		return 0;
	if (blkptr_check(bp, e) < 0)
		return -1;
	rc = own_ranges(r, bp, fn, ctx);
	if (rc != 0 || !is_gang(bp))
		return rc;
	stack = mem_array(GANG_DEPTH_MAX, sizeof *stack, e);
	if (stack == NULL)
		return -1;
	rc = header_any(r, &at, &stack[0], e);
	if (rc == 0)
		rc = member_ranges(r, stack, where, fn, ctx, e);
	free(stack);
	return rc;
}
