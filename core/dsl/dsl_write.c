/*
 * The dataset layer under change: opening it in an existing pool, and its end, when times and
 * identifiers are known.
 */
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/dmu/log_read.h"
#include "core/dmu/zap_read.h"
#include "core/dsl/bookmark_write.h"
#include "core/dsl/deadlist_write.h"

#define FSID_MASK ((UINT64_C(1) << 56) - 1) /* unique.c: fsid guids have 56 bits */

void dsl_write_free(struct dsl_write *w)
{
	if (w == NULL)
		return;
	while (w->datasets != NULL) {
		struct dataset_write *d = w->datasets;

		w->datasets = d->next;
		objset_write_free(d->set);
		deadlist_free(d->dead);
		bookmarks_free(d->bookmarks);
		free(d);
	}
	dsl_zaps_fini(w);
	free(w->made);
	free(w);
}

/* -- an existing pool -------------------------------------------------------------------------- */

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

/* 0 where there is none. */
static int find_hidden(struct dsl_write *w, uint64_t children, const char *name, uint64_t *number,
		       struct err *e)
{
	struct err why = { 0 };

	if (zap_u64_at(pool_mos(pool_tx_pool(w->tx)), children, name, number, &why) == 0)
		return 0;
	*number = 0;
	return why.kind == ERR_NOTFOUND ? 0 : err_set(e, why.kind, "%s: %s", name, why.text);
}

static int find_all_hidden(struct dsl_write *w, struct err *e)
{
	struct dsl_dir	   root, dir;
	struct dsl_dataset head;

	if (!pool_tx_directory(w->tx, "root_dataset", &w->root_dir))
		return err_set(e, ERR_CORRUPT, "the object directory has no root_dataset");
	if (dsl_get_dir(w->tx, w->root_dir, &root, e) < 0 ||
	    find_hidden(w, root.child_map, "$MOS", &w->mos_dir, e) < 0 ||
	    find_hidden(w, root.child_map, "$FREE", &w->free_dir, e) < 0 ||
	    find_hidden(w, root.child_map, "$ORIGIN", &w->origin_dir, e) < 0)
		return -1;
	if (w->mos_dir == 0)
		return err_set(e, ERR_CORRUPT, "no $MOS under the root directory");
	if (w->origin_dir == 0)
		return 0;
	if (dsl_get_dir(w->tx, w->origin_dir, &dir, e) < 0 ||
	    dsl_get_dataset(w->tx, dir.head_dataset, &head, e) < 0)
		return -1;
	w->origin_head = dir.head_dataset;
	w->origin_snap = head.prev_snap;
	return 0;
}

int dsl_write_open(struct pool_tx *tx, struct dsl_write **out, struct err *e)
{
	struct dsl_walk	  walk = { .hidden = true };
	struct space	  none = { 0 };
	struct dsl_write *w;

	if (dataset_each(pool_tx_pool(tx), &walk, no_log, pool_tx_pool(tx), e) < 0)
		return -1;
	w = mem_zero(sizeof *w, e);
	if (w == NULL)
		return -1;
	w->tx = tx;
	/* $MOS's record will change after the freeze: its block must be among those planned. */
	if (find_all_hidden(w, e) < 0 || dsl_charge_mos(tx, w->mos_dir, &none, e) < 0) {
		dsl_write_free(w);
		return -1;
	}
	pool_tx_on_charge(tx, dsl_charge_mos, w->mos_dir);
	*out = w;
	return 0;
}

/* -- the end ----------------------------------------------------------------------------------- */

static int stamp_dataset(struct pool_tx *tx, uint64_t number, struct err *e)
{
	struct dsl_dataset ds;

	if (dsl_get_dataset(tx, number, &ds, e) < 0)
		return -1;
	ds.creation_time = pool_tx_time(tx);
	ds.guid = pool_tx_guid(tx, "dataset", number);
	ds.fsid_guid = pool_tx_guid(tx, "fsid", number) & FSID_MASK;
	return dsl_put_dataset(tx, number, &ds, e);
}

static int stamp(struct dsl_write *w, uint64_t number, struct err *e)
{
	struct dnode   dn;
	struct dsl_dir dir;

	if (objset_write_get(pool_tx_mos(w->tx), number, &dn, e) < 0)
		return -1;
	if (dn.bonus_type == OT_DSL_DATASET)
		return stamp_dataset(w->tx, number, e);
	if (dsl_get_dir(w->tx, number, &dir, e) < 0)
		return -1;
	dir.creation_time = pool_tx_time(w->tx);
	return dsl_put_dir(w->tx, number, &dir, e);
}

int dsl_write_finish(struct dsl_write *w, uint64_t *used, struct err *e)
{
	struct dsl_dir root;

	for (size_t i = 0; i < w->made_count; i++) {
		if (stamp(w, w->made[i], e) < 0)
			return -1;
	}
	if (deadlist_settle_empty(w, e) < 0 || dsl_zaps_write(w, e) < 0 ||
	    dsl_get_dir(w->tx, w->root_dir, &root, e) < 0)
		return -1;
	if (used != NULL)
		*used = root.used;
	return 0;
}
