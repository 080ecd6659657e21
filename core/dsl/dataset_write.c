/*
 * Datasets being written: opened, their features counted, their blocks born and freed, finished.
 * Making new ones is dataset_create.c's, snapshots are dataset_snapshot.c's.
 *
 * A block that dies was born after the last snapshot, then its space is free; or before, then the
 * snapshot still shows it, and it goes to the deadlist. Both are no longer referenced; the first
 * was the dataset's alone (unique), the second perhaps becomes the snapshot's alone.
 * Source: OpenZFS dsl_dataset.c (dsl_dataset_block_born, dsl_dataset_block_kill).
 */
#include <string.h>

#include "core/base/mem.h"
#include "core/dmu/zap_read.h"
#include "core/dsl/bookmark_write.h"
#include "core/dsl/deadlist_write.h"
#include "formats/base/limits.h"

struct pool_tx *dataset_write_tx(struct dataset_write *d)
{
	return d->w->tx;
}

uint64_t dataset_write_object(const struct dataset_write *d)
{
	return d->object;
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
		return err_set(e, ERR_USAGE, "the name is too long");
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

/* -- features ---------------------------------------------------------------------------------- */

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

/* Large records are counted by whoever writes the first one. */
int dataset_use_policy(struct dataset_write *d, const struct store_policy *p, struct err *e)
{
	const char *guids[STORE_FEATURES_MAX];
	size_t	    n = store_policy_features(p, 0, guids, STORE_FEATURES_MAX);

	for (size_t i = 0; i < n; i++) {
		if (dataset_write_feature(d, guids[i], e) < 0)
			return -1;
	}
	return 0;
}

/* -- blocks that die --------------------------------------------------------------------------- */

/* One that the last snapshot shows. */
static int bury(struct dataset_write *d, const struct blkptr *bp, struct err *e)
{
	struct space s = space_of(bp);

	if (d->dead == NULL && deadlist_open(d->w, d->phys.deadlist, &d->dead, e) < 0)
		return -1;
	space_add(&d->died, s);
	if (d->prev_is_ours && bp->birth > d->prev_prev_txg)
		d->died_unique += s.used;
	if (bp->birth > d->origin_txg)
		d->died_here += s.used;
	return deadlist_insert(d->dead, bp, e);
}

int dataset_freed(void *ctx, const struct blkptr *bp, struct err *e)
{
	struct dataset_write *d = ctx;
	int		      rc;

	bookmarks_freed(d->bookmarks, bp);
	if (bp->birth > d->phys.prev_snap_txg)
		rc = pool_tx_release(d->w->tx, bp, e);
	else
		rc = bury(d, bp, e);
	return rc < 0 ? err_in(e, "%s", d->name) : 0;
}

/* -- opening ----------------------------------------------------------------------------------- */

int dataset_open_set(struct dataset_write *d, struct err *e)
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

	return objset_write_new(&o, &d->set, e);
}

int dataset_look_back(struct dataset_write *d, struct err *e)
{
	struct dsl_dataset prev;

	d->prev_is_ours = false;
	if (d->phys.prev_snap == 0)
		return 0;
	if (dsl_get_dataset(d->w->tx, d->phys.prev_snap, &prev, e) < 0)
		return -1;
	d->prev_is_ours = prev.next_snap == d->object;
	d->prev_prev_txg = prev.prev_snap_txg;
	return 0;
}

/* Local, or received; it is not inherited. Source: dsl_prop.c, dsl_prop_get_dd. */
static int load_refreservation(struct dataset_write *d, uint64_t props, struct err *e)
{
	static const char *const names[] = { "refreservation", "refreservation$inherit",
					     "refreservation$recvd" };

	for (size_t i = 0; props != 0 && i < sizeof names / sizeof names[0]; i++) {
		struct err why = { 0 };
		uint64_t   value;
		int	   rc = dsl_zap_get(d->w, props, names[i], &value, &why);

		if (rc == 0 && i != 1)
			d->refreservation = value;
		if (rc == 0)
			return 0;
		if (why.kind != ERR_NOTFOUND)
			return err_set(e, why.kind, "%s: %s", names[i], why.text);
	}
	return 0;
}

static int look_around(struct dataset_write *d, const struct dsl_dir *dir, struct err *e)
{
	struct dsl_dataset origin;

	if (dir->origin != 0) {
		if (dsl_get_dataset(d->w->tx, dir->origin, &origin, e) < 0)
			return -1;
		d->origin_txg = origin.creation_txg;
	}
	if (load_refreservation(d, dir->props, e) < 0 ||
	    bookmarks_open(d->w, d->object, d->phys.prev_snap_txg, &d->bookmarks, e) < 0)
		return -1;
	return dataset_look_back(d, e);
}

static int check_open(struct dsl_write *w, const struct dataset *ds, struct err *e)
{
	if (ds->snapshot)
		return err_set(e, ERR_REFUSED, "it is a snapshot: it cannot be written to");
	if (ds->phys.flags & DATASET_FLAG_INCONSISTENT)
		return err_set(e, ERR_REFUSED, "it was not received to its end");
	if (ds->phys.prev_snap_txg >= pool_tx_txg(w->tx))
		return err_set(e, ERR_CORRUPT, "its last snapshot is of txg %llu",
			       (unsigned long long)ds->phys.prev_snap_txg);
	for (const struct dataset_write *d = w->datasets; d != NULL; d = d->next) {
		if (d->object == ds->object)
			return err_set(e, ERR_EXISTS, "it is open already");
	}
	return 0;
}

int dataset_write_open(struct dsl_write *w, const char *name, struct dataset_write **out,
		       struct err *e)
{
	struct dataset_write *d;
	struct dataset	      ds;

	if (dataset_open(pool_tx_pool(w->tx), name, &ds, e) < 0)
		return -1;
	if (check_open(w, &ds, e) < 0 || dataset_write_new(w, ds.name, &d, e) < 0)
		return err_in(e, "%s", ds.name);
	d->object = ds.object;
	d->dir = ds.dir_object;
	d->phys = ds.phys;
	d->policy = pool_tx_mos_policy(w->tx);
	d->policy.data_copies = 1;
	d->policy.meta_copies = 2;
	if (look_around(d, &ds.dir, e) < 0)
		return err_in(e, "%s", ds.name);
	if (dataset_objset(&ds, &d->old_set, e) < 0 || dataset_open_set(d, e) < 0)
		return -1;
	*out = d;
	return 0;
}

/* -- the end ----------------------------------------------------------------------------------- */

static int charge(struct dataset_write *d, const struct space *s, struct err *e)
{
	/* What died but is shown by a snapshot was not the dataset's alone. */
	int64_t	 own = s->used + d->died.used;
	uint64_t before = max64(d->phys.unique, d->refreservation);

	d->phys.used += (uint64_t)s->used;
	d->phys.compressed += (uint64_t)s->comp;
	d->phys.uncompressed += (uint64_t)s->uncomp;
	d->phys.unique += (uint64_t)own;

	int64_t		  more = (int64_t)(max64(d->phys.unique, d->refreservation) - before);
	struct dsl_change c = {
		.used = more,
		.comp = s->comp + d->died.comp,
		.uncomp = s->uncomp + d->died.uncomp,
		.by = { [USED_HEAD] = own - d->died_here, [USED_SNAP] = d->died_here,
			[USED_REFRSRV] = more - own },
	};

	return dsl_charge(d->w->tx, d->dir, &c, e);
}

/* What nobody but the last snapshot shows any more. */
static int charge_snapshot(struct dataset_write *d, struct err *e)
{
	struct dsl_dataset snap;

	if (d->died_unique == 0)
		return 0;
	if (dsl_get_dataset(d->w->tx, d->phys.prev_snap, &snap, e) < 0)
		return -1;
	snap.unique += (uint64_t)d->died_unique;
	return dsl_put_dataset(d->w->tx, d->phys.prev_snap, &snap, e);
}

/*
 * OpenZFS keeps the list only while it helps to destroy the clone sooner, and goes without when
 * most of it is no longer shared: so do we when we write to it.
 * Source: dsl_dir.c, dsl_dir_remove_livelist.
 */
int dataset_drop_livelist(struct dataset_write *d, struct err *e)
{
	static const char livelist[] = "com.delphix:livelist"; /* the entry, and the feature */
	struct zap_edit	 *z;
	uint64_t	  number;
	int		  got = dsl_record_entry(d->w, d->dir, livelist, &number, e);

	if (got <= 0)
		return got;
	if (dsl_record_zap(d->w, d->dir, &z, e) < 0 ||
	    zap_edit_remove(z, livelist, strlen(livelist), e) < 0 ||
	    deadlist_drop(d->w, number, e) < 0)
		return err_in(e, "its list of blocks");
	return pool_tx_feature(d->w->tx, livelist, -1, e);
}

int dataset_settle(struct dataset_write *d, struct err *e)
{
	struct space s;
	uint64_t     before = d->phys.bp.birth;

	if (objset_write_finish(d->set, &d->phys.bp, e) < 0 ||
	    (d->dead != NULL && deadlist_finish(d->dead, e) < 0) ||
	    bookmarks_write(d->bookmarks, e) < 0 ||
	    (d->phys.bp.birth != before && dataset_drop_livelist(d, e) < 0))
		return -1;
	s = *objset_write_space(d->set);
	if (charge(d, &s, e) < 0 || charge_snapshot(d, e) < 0)
		return -1;
	objset_write_free(d->set);
	d->set = NULL;
	deadlist_free(d->dead);
	d->dead = NULL;
	d->died = (struct space){ 0 };
	d->died_unique = d->died_here = 0;
	pool_tx_note_root(d->w->tx, &d->phys.bp);
	return 0;
}

int dataset_write_cost(struct dataset_write *d, struct dataset_cost *out, struct err *e)
{
	struct dsl_dir dir;

	if (dsl_get_dir(d->w->tx, d->dir, &dir, e) < 0)
		return err_in(e, "%s", d->name);
	*out = (struct dataset_cost){
		.used = dir.used,
		.set_aside = (dir.reserved > dir.used ? dir.reserved - dir.used : 0) +
			     (d->refreservation > d->phys.unique
				      ? d->refreservation - d->phys.unique
				      : 0),
		.referenced = d->phys.used,
		.unique = d->phys.unique,
	};
	return 0;
}

int dataset_write_finish(struct dataset_write *d, struct err *e)
{
	if (dataset_settle(d, e) < 0 || dsl_put_dataset(d->w->tx, d->object, &d->phys, e) < 0)
		return err_in(e, "%s", d->name);
	return 0;
}
