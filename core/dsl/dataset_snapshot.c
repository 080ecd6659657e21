/*
 * Snapshots: the record takes over what the head holds, and its deadlist; the head goes on with a
 * new one, in the next txg.
 * Source: OpenZFS dsl_dataset.c (dsl_dataset_snapshot_sync_impl), dsl_deadlist.c
 * (dsl_deadlist_regenerate).
 */
#include <string.h>

#include "core/base/mem.h"
#include "core/dsl/bookmark_write.h"
#include "core/dsl/deadlist_write.h"
#include "core/pool/layout.h"
#include "core/dsl/dsl_names.h"
#include "formats/base/limits.h"
#include "formats/feature.h"

/* -- the head's next deadlist ------------------------------------------------------------------ */

/* One list gets keys when the pool has been upgraded: the snapshots' own txgs. */
static int regenerate(struct dataset_write *d, uint64_t number, struct err *e)
{
	struct dsl_dataset snap;

	/* Each was taken before the next: txgs fall, and the chain ends. */
	for (uint64_t at = d->phys.prev_snap, txg = UINT64_MAX; at != 0; at = snap.prev_snap) {
		if (dsl_get_dataset(d->w->tx, at, &snap, e) < 0)
			return -1;
		if (snap.prev_snap_txg >= txg)
			return err_set(e, ERR_CORRUPT, "its snapshots are not in order");
		txg = snap.prev_snap_txg;
		if (deadlist_add_key(d->w, number, txg, false, e) < 0)
			return -1;
	}
	return 0;
}

static int next_deadlist(struct dataset_write *d, uint64_t *number, struct err *e)
{
	struct deadlist *dl;
	int		 rc;

	if (deadlist_open(d->w, d->phys.deadlist, &dl, e) < 0)
		return -1;
	rc = deadlist_clone(dl, number, e);
	if (rc == 0 && deadlist_is_old(dl))
		rc = regenerate(d, *number, e);
	deadlist_free(dl);
	if (rc < 0)
		return -1;
	if (deadlist_add_key(d->w, *number, d->phys.prev_snap_txg, false, e) < 0)
		return -1;
	return bookmarks_add_keys(d->bookmarks, *number, d->phys.prev_snap_txg, e);
}

/* -- what the record is linked to -------------------------------------------------------------- */

/* The snapshot before is followed by the new one now; an origin has it for a clone. */
static int link_previous(struct dataset_write *d, uint64_t snapshot, struct err *e)
{
	struct dsl_dataset prev;
	struct zap_edit	  *clones;

	if (d->phys.prev_snap == 0)
		return 0;
	if (dsl_get_dataset(d->w->tx, d->phys.prev_snap, &prev, e) < 0)
		return -1;
	if (prev.next_snap == d->object) {
		prev.next_snap = snapshot;
		return dsl_put_dataset(d->w->tx, d->phys.prev_snap, &prev, e);
	}
	if (prev.next_clones == 0)
		return 0;
	if (dsl_zap(d->w, prev.next_clones, &clones, e) < 0 ||
	    dsl_set_remove(clones, d->object, e) < 0)
		return -1;
	return dsl_set_add(clones, snapshot, e);
}

/* The snapshot's blocks use what the head's use. */
static int copy_features(struct dataset_write *d, uint64_t snapshot, struct err *e)
{
	struct zap_edit *from, *to;
	bool		 has;

	if (dsl_has_record_zap(d->w, d->object, &has, e) < 0)
		return -1;
	if (!has)
		return 0;
	if (dsl_record_zap(d->w, d->object, &from, e) < 0)
		return -1;
	for (size_t i = 0; i < zap_edit_count(from); i++) {
		const struct zap_item *item = zap_edit_item(from, i);
		char		       guid[64];
		const struct feature  *f;

		if (item->name_size >= sizeof guid)
			continue;
		memcpy(guid, item->name, item->name_size);
		guid[item->name_size] = '\0';
		f = feature_by_guid(guid);
		if (f == NULL || !f->per_dataset)
			continue;
		if (dsl_record_zap(d->w, snapshot, &to, e) < 0 ||
		    pool_tx_feature(d->w->tx, guid, 1, e) < 0 ||
		    zap_edit_set_key(to, guid, item->name_size, item->int_size, item->value,
				     item->value_count, e) < 0)
			return -1;
	}
	return 0;
}

/*
 * When a directory keeps the time of its last snapshot, it is kept. It is not made one that does:
 * that would make its object a ZAP, which GRUB does not take for a directory.
 * Source: dsl_dir.c, dsl_dir_snap_cmtime_update.
 */
static int note_change(struct dataset_write *d, struct err *e)
{
	static const char changed[] = "com.ixsystems:snapshots_changed"; /* DD_FIELD_... */
	uint64_t	  time[2] = { pool_tx_time(d->w->tx), 0 }, there;
	struct zap_edit	 *z;
	struct err	  why = { 0 };
	bool		  has;

	if (dsl_has_record_zap(d->w, d->dir, &has, e) < 0)
		return -1;
	if (!has || (dsl_zap_get(d->w, d->dir, changed, &there, &why) < 0 &&
		     why.kind == ERR_NOTFOUND))
		return 0;
	if (dsl_record_zap(d->w, d->dir, &z, e) < 0)
		return -1;
	return zap_edit_set_key(z, changed, strlen(changed), 8, time, 2, e);
}

/* -- the record -------------------------------------------------------------------------------- */

static int make_record(struct dataset_write *d, uint64_t number, struct err *e)
{
	struct dsl_dataset snap = d->phys;

	/* It begins with nothing of its own: the head shows all of it. */
	snap.next_snap = d->object;
	snap.num_children = 1;
	snap.snapnames = snap.next_clones = snap.props = snap.userrefs = 0;
	snap.unique = 0;
	snap.creation_txg = pool_tx_txg(d->w->tx);
	return dsl_new_dataset(d->w, number, &snap, e);
}

static int set_props(struct dataset_write *d, uint64_t snapshot, const struct dsl_property *props,
		     size_t count, struct err *e)
{
	struct dsl_dataset snap;
	struct zap_edit	  *z;

	if (count == 0)
		return 0;
	if (!pool_layout_of(pool_tx_version(d->w->tx)).snapshot_props)
		return err_set(e, ERR_UNSUPPORTED, "the pool's version has no snapshot properties");
	if (dsl_get_dataset(d->w->tx, snapshot, &snap, e) < 0 ||
	    dsl_zap_new(d->w, OT_DSL_PROPS, &snap.props, &z, e) < 0 ||
	    dsl_add_props(d->w, snap.props, props, count, e) < 0)
		return -1;
	return dsl_put_dataset(d->w->tx, snapshot, &snap, e);
}

/* What is the head's alone becomes the snapshot's too: a refreservation is whole again. */
static int charge_reservation(struct dataset_write *d, struct err *e)
{
	int64_t		  more = (int64_t)min64(d->phys.unique, d->refreservation);
	struct dsl_change c = { .used = more, .by = { [USED_REFRSRV] = more } };

	return more != 0 ? dsl_charge(d->w->tx, d->dir, &c, e) : 0;
}

static int name_it(struct dataset_write *d, const char *name, uint64_t number, struct err *e)
{
	struct zap_edit *names;
	uint64_t	 there;

	if (dsl_check_snapshot_name(d->name, name, e) < 0 ||
	    dsl_zap(d->w, d->phys.snapnames, &names, e) < 0)
		return -1;
	if (zap_edit_get(names, name, &there))
		return err_set(e, ERR_EXISTS, "there is one already");
	return zap_edit_set(names, name, number, e);
}

static int take(struct dataset_write *d, const char *name, const struct dsl_property *props,
		size_t count, struct err *e)
{
	uint64_t number, deadlist;

	if (dsl_new_number(d->w->tx, &number, e) < 0 || name_it(d, name, number, e) < 0 ||
	    make_record(d, number, e) < 0 || copy_features(d, number, e) < 0 ||
	    set_props(d, number, props, count, e) < 0 || link_previous(d, number, e) < 0 ||
	    charge_reservation(d, e) < 0 || next_deadlist(d, &deadlist, e) < 0 ||
	    dsl_count_snapshot(d->w, d->dir, e) < 0 || note_change(d, e) < 0)
		return -1;
	d->phys.deadlist = deadlist;
	d->phys.prev_snap = number;
	d->phys.prev_snap_txg = pool_tx_txg(d->w->tx);
	d->phys.unique = 0;
	if (pool_layout_of(pool_tx_version(d->w->tx)).unique_accurate)
		d->phys.flags |= DATASET_FLAG_UNIQUE_ACCURATE;
	return dsl_put_dataset(d->w->tx, d->object, &d->phys, e);
}

/* The dataset as it is now, to be changed. */
static int go_on(struct dataset_write *d, struct err *e)
{
	if (pool_tx_step(d->w->tx, e) < 0 ||
	    objset_open(pool_tx_reader(d->w->tx), &d->phys.bp, d->object, &d->old_set, e) < 0)
		return -1;
	return dataset_look_back(d, e) < 0 ? -1 : dataset_open_set(d, e);
}

int dataset_write_snapshot(struct dataset_write *d, const char *name,
			   const struct dsl_property *props, size_t count, struct err *e)
{
	if (dataset_settle(d, e) < 0 || take(d, name, props, count, e) < 0 || go_on(d, e) < 0)
		return err_in(e, "%s@%s", d->name, name);
	return 0;
}
