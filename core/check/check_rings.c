/*
 * Uberblock rings: the one the pool was opened with must be in every label, and nothing newer may
 * be damaged. Slots that look odd and are older are notes.
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/base/mem.h"
#include "core/check/check_impl.h"
#include "core/vdev/members.h"
#include "formats/base/limits.h"
#include "formats/label.h"

enum { UBER_TXG = 0x10, TXG_AHEAD_MAX = 1 << 20 };

struct ring {
	struct check *c;
	struct dev   *dev;
	unsigned      label, ashift;
	uint8_t	     *raw;
	unsigned      odd; /* slots with a magic and no valid checksum, not newer than the pool */
	bool	      newest; /* the pool's uberblock is here */
};

/* The txg that a slot claims, whatever its checksum says; false without a magic. */
static bool claimed_txg(const uint8_t *slot, uint64_t *txg)
{
	struct bytes little = bytes_of(slot, UBERBLOCK_SIZE, ORDER_LITTLE);
	struct bytes big = bytes_of(slot, UBERBLOCK_SIZE, ORDER_BIG);

	if (get64(little, 0) == UBERBLOCK_MAGIC)
		*txg = get64(little, UBER_TXG);
	else if (get64(big, 0) == UBERBLOCK_MAGIC)
		*txg = get64(big, UBER_TXG);
	else
		return false;
	return true;
}

static void look_at_slot(struct ring *r, unsigned i, uint64_t start)
{
	const struct uberblock *now = pool_uberblock(r->c->pool);
	size_t			size = uberblock_slot_size(r->ashift);
	const uint8_t	       *slot = r->raw + i * size;
	struct uberblock	ub;
	uint64_t		txg;

	if (uberblock_decode(bytes_of(slot, size, ORDER_NATIVE), start + i * size, &ub, NULL) ==
	    0) {
		r->newest |= uberblock_compare(&ub, now) == 0;
		return;
	}
	if (!claimed_txg(slot, &txg))
		return;
	if (txg < now->txg || txg - now->txg > TXG_AHEAD_MAX ||
	    (r->c->o->earlier && txg > now->txg)) {
		r->odd++;
		return;
	}
	check_found(r->c, FINDING_UBER_DAMAGED, r->dev->name,
		    "label %u slot %u: the uberblock of txg %" PRIu64 " fails its checksum",
		    r->label, i, txg);
}

static int check_ring(struct ring *r, struct err *e)
{
	uint64_t start = label_offset(r->dev->size, r->label) + LABEL_RING_OFFSET;

	r->raw = mem_raw(UBERBLOCK_RING_SIZE, e);
	if (r->raw == NULL)
		return -1;
	/* That it cannot be read, the label's finding has said. */
	if (dev_read(r->dev, start, r->raw, UBERBLOCK_RING_SIZE, NULL) == 0) {
		for (unsigned i = 0; i < uberblock_slot_count(r->ashift); i++)
			look_at_slot(r, i, start);
	}
	free(r->raw);
	if (r->odd > 0)
		check_found(r->c, FINDING_UBER_SLOT, r->dev->name,
			    "label %u: %u slots with an uberblock's magic and no valid checksum",
			    r->label, r->odd);
	return 0;
}

static int check_member(struct check *c, struct dev *dev, unsigned ashift, struct err *e)
{
	for (unsigned i = 0; i < LABEL_COUNT; i++) {
		struct ring r = { .c = c, .dev = dev, .label = i, .ashift = ashift };

		if (check_ring(&r, e) < 0)
			return -1;
		if (!r.newest)
			check_found(c, FINDING_UBER_MISSING, dev->name,
				    "label %u: the uberblock of txg %" PRIu64 " is not in its ring",
				    i, pool_uberblock(c->pool)->txg);
	}
	return 0;
}

int check_rings(struct check *c, struct err *e)
{
	uint64_t txg = pool_uberblock(c->pool)->txg;

	for (unsigned i = 0; i < vdev_leaf_count(c->vdevs); i++) {
		const struct vdev_top *top =
			vdev_tree_top(c->vdevs, i); /* a leaf is a top-level vdev today */

		if (vdev_leaf_dev(c->vdevs, i) != NULL && top != NULL &&
		    check_member(c, vdev_leaf_dev(c->vdevs, i),
				 (unsigned)min64(top->ashift, ASHIFT_MAX), e) < 0)
			return -1;
	}
	if (pool_config(c->pool)->txg > txg && !c->o->earlier)
		check_found(c, FINDING_UBER_OLD, pool_name(c->pool),
			    "the labels are of txg %" PRIu64
			    ", the newest readable uberblock of txg %" PRIu64,
			    pool_config(c->pool)->txg, txg);
	return 0;
}
