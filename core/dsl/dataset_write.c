/*
 * Datasets being written: opened, their features counted, their blocks born and freed, finished.
 * Making new ones is dataset_create.c's.
 */
#include <string.h>

#include "core/base/mem.h"
#include "core/dsl/dsl_write_impl.h"
#include "formats/base/limits.h"

struct pool_tx *dataset_write_tx(struct dataset_write *d)
{
	return d->w->tx;
}

const char *dataset_write_name(const struct dataset_write *d)
{
	return d->name;
}

struct objset_write *dataset_write_objset(struct dataset_write *d)
{
	return d->set;
}

int dataset_write_new(struct dsl_write *w, const char *name, struct dataset_write **out,
		      struct err *e)
{
	struct dataset_write *d;
	size_t		      n = strlen(name);

	if (n >= sizeof d->name)
		return err_set(e, ERR_USAGE, "%s: a name that is too long", name);
	d = mem_zero(sizeof *d, e);
	if (d == NULL)
		return -1;
	d->w = w;
	memcpy(d->name, name, n + 1);
	d->next = w->datasets;
	w->datasets = d;
	*out = d;
	return 0;
}

/* A block of the dataset as it was. One that a snapshot still shows would go to the deadlist. */
int dataset_freed(void *ctx, const struct blkptr *bp, struct err *e)
{
	struct dataset_write *d = ctx;

	if (bp->birth <= d->phys.prev_snap_txg)
		return err_set(e, ERR_UNSUPPORTED,
			       "%s has snapshots: writing to it is not supported yet", d->name);
	return pool_tx_release(d->w->tx, bp, e);
}

/* Source: OpenZFS dsl_dataset.c, dsl_dataset_activate_feature. */
int dataset_write_feature(struct dataset_write *d, const char *guid, struct err *e)
{
	struct zap_edit *z;
	uint64_t	 there;

	if (!pool_tx_has(d->w->tx, guid))
		return err_set(e, ERR_UNSUPPORTED, "feature %s is not enabled in this pool", guid);
	if (dsl_record_zap(d->w, d->object, &z, e) < 0)
		return -1;
	if (zap_edit_get(z, guid, &there))
		return 0;
	if (pool_tx_feature(d->w->tx, guid, 1, e) < 0)
		return -1;
	return zap_edit_set(z, guid, 0, e);
}

/* -- opening ----------------------------------------------------------------------------------- */

static int open_set(struct dataset_write *d, struct dataset *ds, struct err *e)
{
	struct objset_write_options o = {
		.writer = pool_tx_writer(d->w->tx),
		.reader = pool_tx_reader(d->w->tx),
		.old = &d->old_set,
		.policy = d->policy,
		.id = d->object,
		.freed = dataset_freed,
		.freed_ctx = d,
	};

	if (dataset_objset(ds, &d->old_set, e) < 0)
		return -1;
	if (d->old_set.phys.type != OBJSET_ZPL)
		return err_set(e, ERR_UNSUPPORTED, "%s is not a file system", d->name);
	return objset_write_new(&o, &d->set, e);
}

int dataset_write_open(struct dsl_write *w, const char *name, struct dataset_write **out,
		       struct err *e)
{
	struct dataset_write *d;
	struct dataset	      ds;

	if (dataset_open(pool_tx_pool(w->tx), name, &ds, e) < 0)
		return -1;
	if (ds.snapshot)
		return err_set(e, ERR_REFUSED, "%s is a snapshot: it cannot be written to", name);
	if (ds.phys.prev_snap_txg > ORIGIN_TXG)
		return err_set(e, ERR_UNSUPPORTED,
			       "%s has snapshots or is a clone: writing to it is not supported yet",
			       name);
	if (dataset_write_new(w, ds.name, &d, e) < 0)
		return -1;
	d->object = ds.object;
	d->dir = ds.dir_object;
	d->phys = ds.phys;
	d->policy = pool_tx_mos_policy(w->tx);
	d->policy.data_copies = 1;
	d->policy.meta_copies = 2;
	if (open_set(d, &ds, e) < 0)
		return -1;
	*out = d;
	return 0;
}

int dataset_write_snapshot(struct dataset_write *d, const char *name,
			   const struct dsl_property *props, size_t count, struct err *e)
{
	(void)name;
	(void)props;
	(void)count;
	return err_set(e, ERR_UNSUPPORTED, "%s: snapshots cannot be made yet", d->name);
}

/* -- the end ----------------------------------------------------------------------------------- */

int dataset_write_finish(struct dataset_write *d, struct err *e)
{
	struct pool_tx	 *tx = d->w->tx;
	struct space	  s;
	struct dsl_change c;

	if (objset_write_finish(d->set, &d->phys.bp, e) < 0)
		return err_in(e, "%s", d->name);
	s = *objset_write_space(d->set);
	d->phys.used += (uint64_t)s.used;
	d->phys.compressed += (uint64_t)s.comp;
	d->phys.uncompressed += (uint64_t)s.uncomp;
	/* Without snapshots everything is the dataset's alone. */
	d->phys.unique += (uint64_t)s.used;
	pool_tx_note_root(tx, &d->phys.bp);
	c = (struct dsl_change){ s.used, s.comp, s.uncomp, { [USED_HEAD] = s.used } };
	if (dsl_put_dataset(tx, d->object, &d->phys, e) < 0 || dsl_charge(tx, d->dir, &c, e) < 0)
		return err_in(e, "%s", d->name);
	d->finished = true;
	return 0;
}
