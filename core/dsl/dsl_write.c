/*
 * Changes to datasets: whose blocks are freed, what is charged to whom.
 * Making them is dsl_create.c's.
 */
#include "core/dsl/dsl_write_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/dmu/log_read.h"
#include "core/dmu/zap_read.h"
#include "formats/base/limits.h"

struct pool_tx *dataset_write_tx(struct dataset_write *d)
{
	return d->tx;
}

struct objset_write *dataset_write_objset(struct dataset_write *d)
{
	return d->set;
}

struct dataset *dataset_write_old(struct dataset_write *d)
{
	return d->existed ? &d->old : NULL;
}

void dataset_write_free(struct dataset_write *d)
{
	if (d == NULL)
		return;
	objset_write_free(d->set);
	zap_edit_free(d->zap);
	free(d);
}

/*
 * Every file system of newer pools is a clone of $ORIGIN's snapshot, which is
 * empty and older than anything.
 * Source: OpenZFS dsl_dataset.c (dsl_dataset_snapshot_sync_impl).
 */
enum { ORIGIN_TXG = 1 };

/* A block of the dataset as it was. One that a snapshot still shows would go to the deadlist. */
int dataset_freed(void *ctx, const struct blkptr *bp, struct err *e)
{
	struct dataset_write *d = ctx;

	if (bp->birth <= d->phys.prev_snap_txg)
		return err_set(e, ERR_UNSUPPORTED,
			       "%s has snapshots: writing to it is not supported yet", d->name);
	return pool_tx_release(d->tx, bp, e);
}

/* -- charging ---------------------------------------------------------------------------------- */

/* Changes one DSL directory's record in place. */
static int charge_dir(struct pool_tx *tx, uint64_t number, const struct space *s, enum used_by by,
		      uint64_t *parent, struct err *e)
{
	struct objset_write *mos = pool_tx_mos(tx);
	uint8_t		     bonus[DSL_DIR_SIZE];
	struct dnode	     dn;
	struct dsl_dir	     dir;

	if (objset_write_get(mos, number, &dn, e) < 0 || dsl_dir_decode(dn.bonus, &dir, e) < 0)
		return -1;
	if (dir.reserved != 0 ||
	    (dir.flags & DSL_DIR_FLAG_USED_BREAKDOWN && dir.used_by[USED_REFRSRV] != 0))
		return err_set(e, ERR_UNSUPPORTED,
			       "a reservation on the way up to the pool's root");
	dir.used += (uint64_t)s->used;
	dir.compressed += (uint64_t)s->comp;
	dir.uncompressed += (uint64_t)s->uncomp;
	if (dir.flags & DSL_DIR_FLAG_USED_BREAKDOWN)
		dir.used_by[by] += (uint64_t)s->used;
	dsl_dir_encode(&dir, wbytes_of(bonus, sizeof bonus, dn.bonus.order));
	dn.bonus = bytes_of(bonus, sizeof bonus, dn.bonus.order);
	*parent = dir.parent;
	return objset_write_put(mos, number, &dn, e);
}

/* The directory itself, then its parents, whose children have become that much larger. */
int dsl_charge(struct pool_tx *tx, uint64_t dir, const struct space *s, struct err *e)
{
	enum used_by by = USED_HEAD;

	for (int depth = 0; dir != 0; depth++) {
		if (depth > DATASET_DEPTH_MAX + 1)
			return err_set(e, ERR_CORRUPT, "DSL directories form a loop");
		if (charge_dir(tx, dir, s, by, &dir, e) < 0)
			return err_in(e, "DSL directory %llu", (unsigned long long)dir);
		by = USED_CHILD;
	}
	return 0;
}

static int find_mos_dir(struct pool_tx *tx, uint64_t *number, struct err *e)
{
	struct objset *mos = pool_mos(pool_tx_pool(tx));
	struct object  o;
	struct dsl_dir root;
	uint64_t       root_dir;
	int	       rc;

	if (!pool_tx_directory(tx, "root_dataset", &root_dir))
		return err_set(e, ERR_CORRUPT, "the object directory has no root_dataset");
	if (object_open(mos, root_dir, &o, e) < 0)
		return -1;
	rc = dsl_dir_decode(o.dn.bonus, &root, e);
	object_close(&o);
	return rc < 0 ? -1 : zap_u64_at(mos, root.child_map, "$MOS", number, e);
}

/* -- existing datasets ------------------------------------------------------------------------- */

static int no_log(void *ctx, struct dataset *ds, const struct err *failed, struct err *e)
{
	struct pool  *p = ctx;
	struct objset os;
	bool	      pending;

	if (failed != NULL)
		return err_set(e, failed->kind, "%s: %s", ds->name, failed->text);
	if (blkptr_is_hole(&ds->phys.bp))
		return 0;
	if (dataset_objset(ds, &os, e) < 0)
		return -1;
	if (log_pending(pool_reader(p), &os.phys.zil, pool_uberblock(p)->txg, &pending, e) < 0)
		return -1;
	if (pending)
		return err_set(e, ERR_REFUSED,
			       "%s has an intent log that was not replayed: import the pool first",
			       ds->name);
	return 0;
}

int dsl_write_check(struct pool_tx *tx, struct err *e)
{
	struct dsl_walk walk = { .hidden = true };
	struct space	none = { 0 };
	uint64_t	number;

	if (dataset_each(pool_tx_pool(tx), &walk, no_log, pool_tx_pool(tx), e) < 0)
		return -1;
	if (find_mos_dir(tx, &number, e) < 0)
		return -1;
	pool_tx_on_charge(tx, dsl_charge, number);
	/* Its record will change after the freeze: its block must be among those planned. */
	return dsl_charge(tx, number, &none, e);
}

static int open_set(struct dataset_write *d, struct err *e)
{
	struct objset_write_options o = {
		.writer = pool_tx_writer(d->tx),
		.reader = pool_tx_reader(d->tx),
		.old = &d->old_set,
		.policy = pool_tx_mos_policy(d->tx),
		.id = d->object,
		.freed = dataset_freed,
		.freed_ctx = d,
	};

	if (dataset_objset(&d->old, &d->old_set, e) < 0)
		return -1;
	if (d->old_set.phys.type != OBJSET_ZPL)
		return err_set(e, ERR_UNSUPPORTED, "%s is not a file system", d->name);
	o.policy.data_copies = 1;
	o.policy.meta_copies = 2;
	return objset_write_new(&o, &d->set, e);
}

int dataset_write_open(struct pool_tx *tx, const char *name, struct dataset_write **out,
		       struct err *e)
{
	struct dataset_write *d = mem_zero(sizeof *d, e);

	if (d == NULL)
		return -1;
	d->tx = tx;
	d->existed = true;
	if (dataset_open(pool_tx_pool(tx), name, &d->old, e) < 0)
		goto fail;
	snprintf(d->name, sizeof d->name, "%s", d->old.name);
	d->object = d->old.object;
	d->phys = d->old.phys;
	if (d->old.snapshot) {
		err_set(e, ERR_REFUSED, "%s is a snapshot: it cannot be written to", name);
		goto fail;
	}
	if (d->phys.prev_snap_txg > ORIGIN_TXG) {
		err_set(e, ERR_UNSUPPORTED,
			"%s has snapshots or is a clone: writing to it is not supported yet", name);
		goto fail;
	}
	if (open_set(d, e) < 0)
		goto fail;
	*out = d;
	return 0;
fail:
	dataset_write_free(d);
	return -1;
}

/* -- the end ----------------------------------------------------------------------------------- */

/* The record of the dataset, in an object that exists or in one that is made now. */
static int write_record(struct dataset_write *d, struct err *e)
{
	uint8_t	      bonus[DSL_DATASET_SIZE];
	struct wbytes record =
		wbytes_of(bonus, sizeof bonus, block_writer_order(pool_tx_writer(d->tx)));
	struct dnode  dn;

	dsl_dataset_encode(&d->phys, record);
	if (!d->existed)
		return dsl_create_record(d, wbytes_view(record), e);
	if (objset_write_get(pool_tx_mos(d->tx), d->object, &dn, e) < 0)
		return -1;
	dn.bonus = wbytes_view(record);
	return objset_write_put(pool_tx_mos(d->tx), d->object, &dn, e);
}

int dataset_write_finish(struct dataset_write *d, uint64_t *used, struct err *e)
{
	struct space delta;

	if (objset_write_finish(d->set, &d->phys.bp, e) < 0)
		return err_in(e, "%s", d->name);
	delta = *objset_write_space(d->set);
	d->phys.used += (uint64_t)delta.used;
	d->phys.compressed += (uint64_t)delta.comp;
	d->phys.uncompressed += (uint64_t)delta.uncomp;
	/* Without snapshots everything is the dataset's alone. */
	d->phys.unique += (uint64_t)delta.used;
	pool_tx_note_root(d->tx, &d->phys.bp);
	if (!d->existed && dsl_create_stamp(d, e) < 0)
		return err_in(e, "%s", d->name);
	if (write_record(d, e) < 0 || dsl_charge(d->tx, d->phys.dir, &delta, e) < 0)
		return err_in(e, "%s", d->name);
	if (used != NULL)
		*used = d->phys.used;
	return 0;
}
