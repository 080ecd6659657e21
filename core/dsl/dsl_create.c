/*
 * The dataset layer of a new pool: the root directory, and the hidden $MOS, $FREE and $ORIGIN with
 * its one snapshot, of which every dataset is a clone.
 * Source: OpenZFS dsl_pool.c (dsl_pool_create), dsl_dir.c (dsl_dir_create_sync).
 */
#include "core/base/mem.h"
#include "core/dsl/deadlist_write.h"
#include "core/pool/layout.h"

int dsl_make_dir(struct dsl_write *w, uint64_t number, struct dsl_dir *dir, struct err *e)
{
	struct zap_edit *z;

	if (pool_layout_of(pool_tx_version(w->tx)).used_breakdown)
		dir->flags |= DSL_DIR_FLAG_USED_BREAKDOWN;
	if (dsl_zap_new(w, OT_DSL_PROPS, &dir->props, &z, e) < 0 ||
	    dsl_zap_new(w, OT_DSL_DIR_CHILD_MAP, &dir->child_map, &z, e) < 0)
		return -1;
	return dsl_new_dir(w, number, dir, e);
}

static int make_root_dir(struct dsl_write *w, struct err *e)
{
	struct dsl_dir dir = { 0 };

	if (dsl_new_number(w->tx, &w->root_dir, e) < 0 ||
	    pool_tx_set_directory(w->tx, "root_dataset", w->root_dir, e) < 0)
		return -1;
	return dsl_make_dir(w, w->root_dir, &dir, e);
}

/* A directory under the root one that no user sees. */
static int make_hidden(struct dsl_write *w, const char *name, uint64_t *number, struct err *e)
{
	struct dsl_dir	 root, dir = { .parent = w->root_dir };
	struct zap_edit *children;

	if (dsl_new_number(w->tx, number, e) < 0 ||
	    dsl_get_dir(w->tx, w->root_dir, &root, e) < 0 ||
	    dsl_zap(w, root.child_map, &children, e) < 0 ||
	    zap_edit_set(children, name, *number, e) < 0)
		return -1;
	return dsl_make_dir(w, *number, &dir, e);
}

static struct dsl_dataset origin_record(const struct dsl_write *w)
{
	bool accurate = pool_layout_of(pool_tx_version(w->tx)).unique_accurate;

	return (struct dsl_dataset){ .dir = w->origin_dir, .creation_txg = ORIGIN_TXG,
				     .flags = accurate ? DATASET_FLAG_UNIQUE_ACCURATE : 0 };
}

static int make_origin(struct dsl_write *w, struct err *e)
{
	struct dsl_dir	   dir;
	struct dsl_dataset head, snap;
	struct zap_edit	  *names;

	if (make_hidden(w, "$ORIGIN", &w->origin_dir, e) < 0 ||
	    dsl_new_number(w->tx, &w->origin_head, e) < 0 ||
	    dsl_new_number(w->tx, &w->origin_snap, e) < 0)
		return -1;
	head = snap = origin_record(w);
	head.prev_snap = w->origin_snap;
	head.prev_snap_txg = ORIGIN_TXG;
	snap.next_snap = w->origin_head;
	snap.num_children = 1; /* its head; its clones come later */
	if (dsl_zap_new(w, OT_DSL_DS_SNAP_MAP, &head.snapnames, &names, e) < 0 ||
	    zap_edit_set(names, "$ORIGIN", w->origin_snap, e) < 0 ||
	    deadlist_make(w, &head.deadlist, e) < 0 ||
	    deadlist_add_key(w, head.deadlist, 0, true, e) < 0 ||
	    deadlist_make(w, &snap.deadlist, e) < 0 ||
	    dsl_new_dataset(w, w->origin_head, &head, e) < 0 ||
	    dsl_new_dataset(w, w->origin_snap, &snap, e) < 0 ||
	    dsl_get_dir(w->tx, w->origin_dir, &dir, e) < 0)
		return -1;
	dir.head_dataset = w->origin_head;
	return dsl_put_dir(w->tx, w->origin_dir, &dir, e);
}

static int make_all(struct dsl_write *w, struct err *e)
{
	struct pool_layout has = pool_layout_of(pool_tx_version(w->tx));

	if (make_root_dir(w, e) < 0 || make_hidden(w, "$MOS", &w->mos_dir, e) < 0 ||
	    (has.free_dir && make_hidden(w, "$FREE", &w->free_dir, e) < 0))
		return -1;
	return has.origin ? make_origin(w, e) : 0;
}

int dsl_write_new(struct pool_tx *tx, struct dsl_write **out, struct err *e)
{
	struct dsl_write *w = mem_zero(sizeof *w, e);

	if (w == NULL)
		return -1;
	w->tx = tx;
	if (make_all(w, e) < 0) {
		dsl_write_free(w);
		return -1;
	}
	pool_tx_on_charge(tx, dsl_charge_mos, w->mos_dir);
	*out = w;
	return 0;
}
