/*
 * A transaction for a new pool: its one vdev, its free space, an empty MOS with the objects of
 * create.c.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/pool/sizing.h"
#include "core/pool/tx_impl.h"
#include "formats/base/limits.h"

static int copy_options(struct pool_tx *tx, const struct pool_create_options *o, struct err *e)
{
	const char     **own[] = { &tx->create.seed, &tx->create.history, &tx->create.vdev_path,
				   &tx->create.vdev_type };
	const char *const from[] = { o->seed, o->history, o->vdev_path, o->vdev_type };

	/* Nothing of the caller's may be among ours when this fails half way. */
	tx->create = *o;
	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
		*own[i] = NULL;
	tx->name = mem_copy_text(o->name, strlen(o->name), e);
	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
		const char *text = from[i] == NULL ? "" : from[i];

		*own[i] = mem_copy_text(text, strlen(text), e);
		if (*own[i] == NULL)
			return -1;
	}
	return tx->name == NULL ? -1 : 0;
}

/* A tree over the one device, as large as addresses go: the size is decided last. */
static int own_vdevs(struct pool_tx *tx, struct err *e)
{
	struct vdev_config	   *top = vdev_config_new(VDEV_DISK, e);
	struct vdev_config root = { .kind = VDEV_ROOT, .children = &top, .child_count = 1 };
	struct vdev_member	    member = { .guid = 1, .dev = tx->dev };
	struct block_reader_options ro = { 0 };
	int			    rc = -1;

	if (top == NULL) {
		dev_close(tx->dev);
		return -1;
	}
	top->guid = 1;
	top->ashift = tx->ashift;
	top->asize = ALLOC_ENDLESS;
	if (vdev_tree_open(&root, &member, 1, &tx->own_vdevs, e) < 0)
		goto out;
	tx->vdevs = ro.vdevs = tx->own_vdevs;
	if (block_reader_new(&ro, &tx->own_reader, e) < 0)
		goto out;
	tx->reader = tx->own_reader;
	rc = 0;
out:
	vdev_config_free(top);
	return rc;
}

/* A given size limits what is allocated and in which pieces; otherwise the device grows with it. */
static int first_space(struct pool_tx *tx, struct err *e)
{
	uint64_t asize = sizing_asize(tx->create.size.size);
	unsigned shift = sizing_metaslab_shift(asize, 0);

	if (alloc_new(0, UINT64_C(1) << tx->ashift, &tx->alloc, e) < 0)
		return -1;
	if (tx->create.size.rule != POOL_SIZE_GIVEN)
		return alloc_add_free(tx->alloc, 0, ALLOC_ENDLESS, e);
	alloc_set_piece(tx->alloc, UINT64_C(1) << shift);
	return alloc_add_free(tx->alloc, 0, asize >> shift << shift, e);
}

static int check_version(const struct pool_create_options *o, struct err *e)
{
	if (o->version != 0 && !pool_layout_made(o->version))
		return err_set(e, ERR_UNSUPPORTED,
			       "a new pool of version %llu: it can be " POOL_VERSIONS,
			       (unsigned long long)o->version);
	if (o->features.bits != 0 && o->version != 0 && !pool_layout_of(o->version).features)
		return err_set(e, ERR_USAGE, "a pool of version %llu has no features",
			       (unsigned long long)o->version);
	return 0;
}

int pool_tx_create(struct dev *dev, const struct pool_create_options *o, struct pool_tx **out,
		   struct err *e)
{
	struct pool_tx *tx;

	tx = mem_zero(sizeof *tx, e);
	if (tx == NULL || checksum_init(e) < 0 || check_version(o, e) < 0) {
		free(tx);
		dev_close(dev);
		return -1;
	}
	tx->version = o->version != 0 ? o->version : POOL_VERSION_FEATURES;
	tx->layout = pool_layout_of(tx->version);
	tx->txg = TXG_INITIAL;
	tx->time = o->tx.time;
	tx->ashift = o->ashift;
	tx->dev = dev;
	if (own_vdevs(tx, e) < 0 || copy_options(tx, o, e) < 0 || pool_tx_wipe_labels(dev, e) < 0 ||
	    first_space(tx, e) < 0 ||
	    pool_tx_make_pipeline(tx, o->tx.threads,
			  feature_set_has(o->features, feature_by_name("embedded_data")), e) < 0 ||
	    pool_tx_open_mos(tx, e) < 0 || pool_tx_make_objects(tx, e) < 0) {
		pool_tx_free(tx);
		return -1;
	}
	objset_write_set_policy(tx->mos, pool_tx_mos_policy(tx));
	*out = tx;
	return 0;
}
