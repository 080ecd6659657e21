/* Leaks, double claims and blocks in free space as findings, with the owners' names. */
#include <inttypes.h>
#include <stdio.h>

#include "core/check/check_impl.h"

struct report {
	struct check		*c;
	unsigned		 vdev;
	enum finding_code	 code;
	const struct claims_bad *bad;
	uint64_t		 lines;
};

/* The first of the ranges that the block lies in. */
static bool first_hit(const struct report *r, const struct blkptr *bp, struct range *out)
{
	for (unsigned i = 0; i < BLKPTR_DVAS; i++) {
		const struct dva *d = &bp->dva[i];
		size_t		  at = ranges_find(&r->bad->list, d->offset);

		if (d->asize == 0 || d->vdev != r->vdev || at == r->bad->list.count ||
		    r->bad->list.list[at].start >= d->offset + d->asize)
			continue;
		*out = (struct range){ d->offset, d->offset + d->asize };
		return true;
	}
	return false;
}

static int say_owner(void *ctx, const struct check_dataset *ds, const struct blkptr *bp,
		     const struct block_where *where, struct err *e)
{
	struct report *r = ctx;
	char	       name[WHERE_TEXT], block[FINDING_TEXT / 4];
	struct text    n = text_in(name, sizeof name), b = text_in(block, sizeof block);
	struct range   hit;
	char	       place[64] = "in a gang";

	(void)e;
	if (r->lines++ >= LINES_MAX)
		return 0;
	if (first_hit(r, bp, &hit))
		snprintf(place, sizeof place, "vdev %u offset %" PRIx64 " size %" PRIx64, r->vdev,
			 hit.start, hit.end - hit.start);
	check_where(r->c, ds, where->level >= LEVEL_LOG ? 0 : where->object, bp->type, &n);
	check_block_text(r->c, where, bp->lsize, &b);
	check_found(r->c, r->code, name, "%s at %s, born in txg %" PRIu64, block, place, bp->birth);
	return 0;
}

static int say_owners(struct check *c, unsigned vdev, enum finding_code code,
		      const struct claims_bad *bad, const char *what, struct err *e)
{
	struct report r = { .c = c, .vdev = vdev, .code = code, .bad = bad };
	char	      where[64];

	if (bad->count == 0)
		return 0;
	snprintf(where, sizeof where, "vdev %u", vdev);
	check_found(c, code, where, "%" PRIu64 " bytes in %" PRIu64 " ranges %s", bad->bytes,
		    bad->count, what);
	if (check_owners(c, vdev, &bad->list, say_owner, &r, e) < 0)
		return -1;
	if (r.lines > LINES_MAX || bad->count > CLAIMS_BAD_MAX)
		check_found(c, FINDING_UNLISTED, where,
			    "not every block that is concerned is listed");
	return 0;
}

static void say_leaks(struct check *c, unsigned vdev, const struct claims_bad *leaks)
{
	char where[64];

	if (leaks->count == 0)
		return;
	snprintf(where, sizeof where, "vdev %u", vdev);
	if (c->unvisited > 0) {
		check_found(c, FINDING_LEAK_UNKNOWN, where,
			    "%" PRIu64 " bytes in %" PRIu64
			    " ranges are allocated, and nothing that could be "
			    "visited refers to them",
			    leaks->bytes, leaks->count);
		return;
	}
	check_found(c, FINDING_SPACE_LEAK, where,
		    "%" PRIu64 " bytes in %" PRIu64
		    " ranges are allocated, and nothing refers to them",
		    leaks->bytes, leaks->count);
	for (size_t i = 0; i < leaks->list.count; i++)
		check_found(c, FINDING_SPACE_LEAK, where, "offset %" PRIx64 " size %" PRIx64,
			    leaks->list.list[i].start,
			    leaks->list.list[i].end - leaks->list.list[i].start);
	if (leaks->count > CLAIMS_BAD_MAX)
		check_found(c, FINDING_UNLISTED, where, "not every leak is listed");
}

int check_space_report(struct check *c, unsigned vdev, const struct claims_bad *leaks,
		       const struct claims_bad *free, struct err *e)
{
	say_leaks(c, vdev, leaks);
	if (say_owners(c, vdev, FINDING_SPACE_DOUBLE, &c->claims[vdev].doubles,
		       "are claimed by more than one block", e) < 0)
		return -1;
	return say_owners(c, vdev, FINDING_SPACE_FREE, free,
			  "hold blocks but are free by the space maps", e);
}
