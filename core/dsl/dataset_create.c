/*
 * New datasets: a directory, a record that is a clone of $ORIGIN's snapshot, an empty object set.
 * Source: OpenZFS dsl_dataset.c (dsl_dataset_create_sync, dsl_dataset_create_sync_dd), dmu_objset.c
 * (dmu_objset_create_impl).
 */
#include <string.h>

#include "core/dsl/dsl_layout.h"
#include "core/dsl/dsl_write_impl.h"
#include "formats/base/limits.h"

/* What the object set of a file system does wherever the pool allows it. */
static const struct {
	const char *guid;
	uint64_t    flag;
} accounting[] = {
	{ "org.zfsonlinux:userobj_accounting", OBJSET_FLAG_USEROBJACCOUNTING },
	{ "org.zfsonlinux:project_quota", OBJSET_FLAG_PROJECTQUOTA },
};

/* A deadlist; with `live`, one list for what dies from now on. */
int dsl_new_deadlist(struct dsl_write *w, bool live, uint64_t *number, struct err *e)
{
	uint8_t		    header[DSL_DEADLIST_SIZE], bonus[BPOBJ_V2_SIZE];
	struct dsl_deadlist dl = { 0 };
	struct bpobj	    b = { .size = sizeof bonus };
	struct zap_edit	   *z;
	uint64_t	    list;

	dsl_deadlist_encode(&dl, wbytes_of(header, sizeof header, ORDER_NATIVE));
	bpobj_encode(&b, wbytes_of(bonus, sizeof bonus, ORDER_NATIVE));
	if (dsl_zap_new(w, OT_DEADLIST, number, &z, e) < 0)
		return -1;
	zap_edit_bonus(z, OT_DEADLIST_HDR, bytes_of(header, sizeof header, ORDER_NATIVE));
	if (!live)
		return 0;
	if (pool_tx_object(w->tx, OT_BPOBJ, OT_BPOBJ_HDR,
			   bytes_of(bonus, sizeof bonus, ORDER_NATIVE), BPOBJ_BLOCK_SIZE, &list,
			   e) < 0)
		return -1;
	return zap_edit_set(z, "0", list, e);
}

/* -- the record -------------------------------------------------------------------------------- */

/* A set of objects that is made when the first one comes. */
static int add_to_set(struct dsl_write *w, uint8_t type, uint64_t *set, uint64_t object,
		      struct err *e)
{
	struct zap_edit *z;

	if ((*set == 0 ? dsl_zap_new(w, type, set, &z, e) : dsl_zap(w, *set, &z, e)) < 0)
		return -1;
	return dsl_set_add(z, object, e);
}

int dsl_link_origin(struct dsl_write *w, uint64_t object, struct dsl_dir *dir,
		    struct dsl_dataset *ds, struct err *e)
{
	struct dsl_dataset snap;
	struct dsl_dir	   origin;

	if (w->origin_snap == 0)
		return 0;
	dir->origin = ds->prev_snap = w->origin_snap;
	ds->prev_snap_txg = ORIGIN_TXG;
	if (dsl_get_dataset(w->tx, w->origin_snap, &snap, e) < 0)
		return -1;
	snap.num_children++;
	if (add_to_set(w, OT_NEXT_CLONES, &snap.next_clones, object, e) < 0 ||
	    dsl_put_dataset(w->tx, w->origin_snap, &snap, e) < 0)
		return -1;
	if (!dsl_layout_of(pool_tx_version(w->tx)).dir_clones)
		return 0;
	if (dsl_get_dir(w->tx, w->origin_dir, &origin, e) < 0 ||
	    add_to_set(w, OT_DSL_CLONES, &origin.clones, object, e) < 0)
		return -1;
	return dsl_put_dir(w->tx, w->origin_dir, &origin, e);
}

static int make_record(struct dataset_write *d, struct err *e)
{
	struct dsl_write *w = d->w;
	uint64_t	  txg = pool_tx_txg(w->tx);
	bool		  accurate = dsl_layout_of(pool_tx_version(w->tx)).unique_accurate;
	struct dsl_dir	  dir;
	struct zap_edit	 *names;

	d->phys = (struct dsl_dataset){
		.dir = d->dir, .creation_txg = txg == TXG_INITIAL ? ORIGIN_TXG : txg,
		.flags = accurate ? DATASET_FLAG_UNIQUE_ACCURATE : 0,
	};
	if (dsl_new_number(w->tx, &d->object, e) < 0 || dsl_get_dir(w->tx, d->dir, &dir, e) < 0 ||
	    dsl_zap_new(w, OT_DSL_DS_SNAP_MAP, &d->phys.snapnames, &names, e) < 0 ||
	    dsl_new_deadlist(w, true, &d->phys.deadlist, e) < 0 ||
	    dsl_link_origin(w, d->object, &dir, &d->phys, e) < 0 ||
	    dsl_new_dataset(w, d->object, &d->phys, e) < 0)
		return -1;
	dir.head_dataset = d->object;
	return dsl_put_dir(w->tx, d->dir, &dir, e);
}

/* -- the directory ----------------------------------------------------------------------------- */

static int set_props(struct dsl_write *w, uint64_t number, const struct dataset_spec *spec,
		     struct err *e)
{
	struct zap_edit *z;

	if (dsl_zap(w, number, &z, e) < 0)
		return -1;
	for (size_t i = 0; i < spec->prop_count; i++) {
		const struct dsl_property *p = &spec->props[i];

		if ((p->text == NULL ? zap_edit_set(z, p->name, p->number, e)
				     : zap_edit_set_key(z, p->name, strlen(p->name), 1, p->text,
							strlen(p->text) + 1, e)) < 0)
			return -1;
	}
	return 0;
}

static int find_dir(struct dataset_write *d, struct err *e)
{
	struct dsl_dir dir;

	if (strcmp(d->name, pool_tx_name(d->w->tx)) != 0)
		return err_set(e, ERR_UNSUPPORTED, "%s: datasets below the root", d->name);
	d->dir = d->w->root_dir;
	if (dsl_get_dir(d->w->tx, d->dir, &dir, e) < 0)
		return -1;
	return dir.head_dataset == 0 ? 0 : err_set(e, ERR_EXISTS, "%s is there already", d->name);
}

/* -- the object set ---------------------------------------------------------------------------- */

static int use_features(struct dataset_write *d, const struct dataset_spec *spec, uint64_t *flags,
			struct err *e)
{
	*flags = 0;
	if (spec->type == OBJSET_ZPL) {
		*flags |= OBJSET_FLAG_USERACCOUNTING;
		for (size_t i = 0; i < sizeof accounting / sizeof accounting[0]; i++) {
			if (!pool_tx_has(d->w->tx, accounting[i].guid))
				continue;
			if (dataset_write_feature(d, accounting[i].guid, e) < 0)
				return -1;
			*flags |= accounting[i].flag;
		}
	}
	if (spec->policy.data_compress.id == COMPRESS_ZSTD)
		return dataset_write_feature(d, "org.freebsd:zstd_compress", e);
	return 0;
}

static int open_new_set(struct dataset_write *d, const struct dataset_spec *spec, struct err *e)
{
	struct objset_write_options o = {
		.writer = pool_tx_writer(d->w->tx), .reader = pool_tx_reader(d->w->tx),
		.policy = spec->policy, .id = d->object, .type = spec->type,
		.phys_size = OBJSET_V2_SIZE, .freed = dataset_freed, .freed_ctx = d,
	};

	if (use_features(d, spec, &o.flags, e) < 0)
		return -1;
	if (pool_tx_has(d->w->tx, accounting[1].guid))
		o.phys_size = OBJSET_V3_SIZE;
	return objset_write_new(&o, &d->set, e);
}

int dataset_write_create(struct dsl_write *w, const struct dataset_spec *spec,
			 struct dataset_write **out, struct err *e)
{
	struct dataset_write *d;
	struct dsl_dir	      dir;

	if (dataset_write_new(w, spec->name, &d, e) < 0)
		return -1;
	d->policy = spec->policy;
	if (find_dir(d, e) < 0 || make_record(d, e) < 0 ||
	    dsl_get_dir(w->tx, d->dir, &dir, e) < 0 || set_props(w, dir.props, spec, e) < 0 ||
	    open_new_set(d, spec, e) < 0)
		return -1;
	*out = d;
	return 0;
}
