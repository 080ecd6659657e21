/*
 * The commit: everything that is still open is written, the device is flushed, and only then does
 * the uberblock name the new MOS. Every prefix of these writes is the pool as before or as after.
 * Source of the order: OpenZFS vdev_label.c (vdev_config_sync).
 */
#include "core/pool/sizing.h"
#include "core/pool/tx_impl.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"
#include "formats/label.h"

enum {
	/*
	 * What the MOS still has to write when the size is chosen: config, history, features, maps.
	 */
	MOS_RESERVE = 2 << 20,
};

/* -- the new pool's size ----------------------------------------------------------------------- */

/* Of a pool of given size pieces have never grown beyond its metaslabs. */
static unsigned least_shift(const struct pool_tx *tx)
{
	return log2_floor(alloc_piece(tx->alloc));
}

/* Contents that fit are no more than what is allocated: the rest is reserved. */
static int check_reserved(const struct pool_tx *tx, uint64_t used, struct err *e)
{
	const struct pool_size *rule = &tx->create.size;
	uint64_t		room;

	if (rule->rule != POOL_SIZE_GIVEN || used <= alloc_high_water(tx->alloc))
		return 0;
	room = sizing_avail(rule->size, 0, 0);
	if (used <= room)
		return 0;
	return err_set(e, ERR_NOSPACE,
		       "%llu bytes are too small: contents and reservations need %llu, and there "
		       "are %llu for them",
		       (unsigned long long)rule->size, (unsigned long long)used,
		       (unsigned long long)room);
}

/* A new pool's metaslabs: all of them without a space map so far. */
static int size_new_pool(struct pool_tx *tx, uint64_t used, struct err *e)
{
	uint64_t high = alloc_high_water(tx->alloc);
	unsigned least = least_shift(tx);
	uint64_t limit;

	/*
	 * The freeze takes its blocks from pieces that streams have begun, or from a few new ones.
	 */
	if (tx->create.size.rule != POOL_SIZE_GIVEN)
		high = align_up(high + MOS_RESERVE, alloc_piece(tx->alloc));
	if (check_reserved(tx, used, e) < 0 ||
	    sizing_choose(&tx->create.size, used + MOS_RESERVE, high, least, &tx->size, e) < 0)
		return -1;
	tx->metaslab_shift = sizing_metaslab_shift(sizing_asize(tx->size), least);
	tx->maps.size = UINT64_C(1) << tx->metaslab_shift;
	tx->maps.count = sizing_asize(tx->size) >> tx->metaslab_shift;
	tx->maps.list = mem_array(tx->maps.count + 1, sizeof tx->maps.list[0], e);
	if (tx->maps.list == NULL)
		return -1;
	limit = tx->maps.count * tx->maps.size;
	return alloc_limit(tx->alloc, limit, e);
}

static void derive_guids(struct pool_tx *tx)
{
	tx->pool_guid = pool_tx_guid(tx, "pool", 0);
	tx->vdev_guid = pool_tx_guid(tx, "vdev", 0);
}

/* -- uberblocks -------------------------------------------------------------------------------- */

static struct uberblock next_uberblock(const struct pool_tx *tx, const struct blkptr *root)
{
	struct uberblock ub = { .version = tx->version,
				.software_version = tx->layout.software_version,
				.order = ORDER_NATIVE };

	if (tx->pool != NULL)
		ub = *pool_uberblock(tx->pool);
	else
		ub.guid_sum = tx->pool_guid + tx->vdev_guid;
	ub.txg = tx->txg;
	ub.timestamp = tx->time;
	ub.rootbp = *root;
	return ub;
}

/* The last slot of a ring belongs to multihost protection while that is on. */
static unsigned ring_slots(const struct pool_tx *tx, const struct uberblock *ub)
{
	bool multihost = ub->mmp_magic == MMP_MAGIC && ub->mmp_delay != 0;

	return uberblock_slot_count(tx->ashift) - (multihost ? 1 : 0);
}

static int write_uberblocks(struct pool_tx *tx, struct dev *dev, const struct uberblock *ub,
			    struct err *e)
{
	size_t	 n = uberblock_slot_size(tx->ashift);
	uint8_t *slot = mem_raw(n, e);
	int	 rc = slot == NULL ? -1 : 0;

	for (unsigned i = 0; rc == 0 && i < LABEL_COUNT; i++) {
		uint64_t at = label_offset(dev->size, i) + LABEL_RING_OFFSET +
			      ub->txg % ring_slots(tx, ub) * n;

		rc = uberblock_encode(ub, wbytes_of(slot, n, ORDER_NATIVE), at, e);
		if (rc == 0)
			rc = dev_write(dev, at, slot, n, e);
	}
	free(slot);
	return rc < 0 ? err_in(e, "uberblock") : dev_sync(dev, e);
}

/* -- everything in order ----------------------------------------------------------------------- */

/* Of a new pool: an existing one's can shrink. */
static uint64_t mos_used(struct pool_tx *tx)
{
	return (uint64_t)objset_write_space(tx->mos)->used;
}

static int finish_new(struct pool_tx *tx, uint64_t used, struct err *e)
{
	derive_guids(tx);
	if (block_writer_drain(tx->writer, e) < 0 || size_new_pool(tx, used + mos_used(tx), e) < 0)
		return -1;
	if (pool_tx_write_config(tx, e) < 0 || pool_tx_write_history(tx, e) < 0)
		return -1;
	return zap_edit_write(tx->directory, e);
}

static int finish_old(struct pool_tx *tx, struct err *e)
{
	if (pool_tx_append_history(tx, e) < 0 || pool_tx_drop_logs(tx, e) < 0)
		return -1;
	return tx->directory_changed ? zap_edit_write(tx->directory, e) : 0;
}

static int switch_uberblock(struct pool_tx *tx, const struct blkptr *root, struct err *e)
{
	struct uberblock ub = next_uberblock(tx, root);
	struct dev	*dev = vdev_leaf_dev(tx->vdevs, 0);

	if (tx->pool != NULL)
		return dev_sync(dev, e) < 0 ? -1 : write_uberblocks(tx, dev, &ub, e);
	if (dev->size != tx->size && dev_resize(dev, tx->size, e) < 0)
		return -1;
	/* Labels last: until one is there, nothing on the device looks like a pool. */
	if (dev_sync(dev, e) < 0 || write_uberblocks(tx, dev, &ub, e) < 0 ||
	    pool_tx_write_labels(tx, true, e) < 0 || dev_sync(dev, e) < 0 ||
	    pool_tx_write_labels(tx, false, e) < 0)
		return -1;
	return dev_sync(dev, e);
}

int pool_tx_commit(struct pool_tx *tx, uint64_t used, struct pool_made *made, struct err *e)
{
	struct blkptr root;

	if (tx->pool == NULL ? finish_new(tx, used, e) < 0 : finish_old(tx, e) < 0)
		return -1;
	if (tx->properties != NULL && zap_edit_write(tx->properties, e) < 0)
		return -1;
	if (tx->features_read != NULL && (tx->pool == NULL || tx->features_changed) &&
	    zap_edit_write(tx->features_read, e) < 0)
		return -1;
	if (block_writer_drain(tx->writer, e) < 0 || pool_tx_freeze(tx, &root, e) < 0 ||
	    switch_uberblock(tx, &root, e) < 0)
		return -1;
	if (made != NULL) {
		*made = (struct pool_made){ .size = tx->size, .used = used + mos_used(tx),
					    .txg = tx->txg, .pool_guid = tx->pool_guid,
					    .metaslab_shift = tx->metaslab_shift };
		made->own = tx->create.size.own;
		made->avail = sizing_avail(made->size, made->used, least_shift(tx)) + made->own;
	}
	return 0;
}
