/*
 * New datasets: a directory, a record that is a clone of $ORIGIN's snapshot, an empty object set.
 * Source: OpenZFS dsl_dataset.c (dsl_dataset_create_sync, dsl_dataset_create_sync_dd), dsl_dir.c
 * (dsl_dir_set_quota_sync, dsl_dir_set_reservation_sync_impl), dmu_objset.c
 * (dmu_objset_create_impl).
 */
#include <string.h>

#include "core/dsl/deadlist_write.h"
#include "core/pool/layout.h"
#include "core/dsl/dsl_names.h"
#include "formats/base/limits.h"

/* What the object set of a file system does wherever the pool allows it. */
static const struct {
	const char *guid;
	uint64_t    flag;
} accounting[] = {
	{ "org.zfsonlinux:userobj_accounting", OBJSET_FLAG_USEROBJACCOUNTING },
	{ "org.zfsonlinux:project_quota", OBJSET_FLAG_PROJECTQUOTA },
};

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

/* Every dataset is a clone of $ORIGIN's snapshot, where the pool has one. */
static int link_origin(struct dataset_write *d, struct dsl_dir *dir, struct err *e)
{
	struct dsl_write  *w = d->w;
	struct dsl_dataset snap;
	struct dsl_dir	   origin;

	if (w->origin_snap == 0)
		return 0;
	dir->origin = d->phys.prev_snap = w->origin_snap;
	d->phys.prev_snap_txg = d->origin_txg = ORIGIN_TXG;
	if (dsl_get_dataset(w->tx, w->origin_snap, &snap, e) < 0)
		return -1;
	snap.num_children++;
	if (add_to_set(w, OT_NEXT_CLONES, &snap.next_clones, d->object, e) < 0 ||
	    dsl_put_dataset(w->tx, w->origin_snap, &snap, e) < 0)
		return -1;
	if (!pool_layout_of(pool_tx_version(w->tx)).dir_clones)
		return 0;
	if (dsl_get_dir(w->tx, w->origin_dir, &origin, e) < 0 ||
	    add_to_set(w, OT_DSL_CLONES, &origin.clones, d->object, e) < 0)
		return -1;
	return dsl_put_dir(w->tx, w->origin_dir, &origin, e);
}

/*
 * OpenZFS makes the root dataset before there are features: its deadlist's one list is its own.
 */
static int make_record(struct dataset_write *d, const struct dataset_spec *spec, struct err *e)
{
	struct dsl_write *w = d->w;
	uint64_t	  txg = pool_tx_txg(w->tx);
	struct dsl_dir	  dir;
	struct zap_edit	 *names;

	d->phys = (struct dsl_dataset){ .dir = d->dir,
					.creation_txg = txg == TXG_INITIAL ? ORIGIN_TXG : txg };
	if (pool_layout_of(pool_tx_version(w->tx)).unique_accurate)
		d->phys.flags |= DATASET_FLAG_UNIQUE_ACCURATE;
	if (spec->case_insensitive)
		d->phys.flags |= DATASET_FLAG_CASE_INSENSITIVE;
	if (dsl_new_number(w->tx, &d->object, e) < 0 || dsl_get_dir(w->tx, d->dir, &dir, e) < 0 ||
	    dsl_zap_new(w, OT_DSL_DS_SNAP_MAP, &d->phys.snapnames, &names, e) < 0 ||
	    deadlist_make(w, &d->phys.deadlist, e) < 0 ||
	    deadlist_add_key(w, d->phys.deadlist, 0, d->dir == w->root_dir, e) < 0 ||
	    link_origin(d, &dir, e) < 0 || dsl_new_dataset(w, d->object, &d->phys, e) < 0)
		return -1;
	zap_edit_normalise(names, ZAP_NORM_UPPER);
	dir.head_dataset = d->object;
	return dsl_put_dir(w->tx, d->dir, &dir, e);
}

/* -- the directory ----------------------------------------------------------------------------- */

int dsl_add_props(struct dsl_write *w, uint64_t number, const struct dsl_property *props,
		  size_t count, struct err *e)
{
	struct zap_edit *z;

	if (dsl_zap(w, number, &z, e) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const struct dsl_property *p = &props[i];

		if ((p->text == NULL ? zap_edit_set(z, p->name, p->number, e)
				     : zap_edit_set_key(z, p->name, strlen(p->name), 1, p->text,
							strlen(p->text) + 1, e)) < 0)
			return -1;
	}
	return 0;
}

/* Volumes have no datasets below them. */
static int check_parent(struct dsl_write *w, const struct dsl_dir *parent, struct err *e)
{
	struct dsl_dataset head;
	struct objset	   os;

	for (const struct dataset_write *d = w->datasets; d != NULL; d = d->next) {
		if (d->object == parent->head_dataset && d->set != NULL)
			return objset_write_phys(d->set)->type == OBJSET_ZPL
				       ? 0
				       : err_set(e, ERR_USAGE, "the parent is a volume");
	}
	if (dsl_get_dataset(w->tx, parent->head_dataset, &head, e) < 0 ||
	    objset_open(pool_tx_reader(w->tx), &head.bp, parent->head_dataset, &os, e) < 0)
		return -1;
	return os.phys.type == OBJSET_ZPL ? 0 : err_set(e, ERR_USAGE, "the parent is a volume");
}

static int make_child_dir(struct dataset_write *d, const char *slash, struct err *e)
{
	struct dsl_write *w = d->w;
	struct dsl_dir	  parent, dir = { 0 };
	struct zap_edit	 *children;
	struct err	  why = { 0 };
	uint64_t	  there;

	if (dsl_find_dir(w, d->name, (size_t)(slash - d->name), &dir.parent, e) < 0 ||
	    dsl_get_dir(w->tx, dir.parent, &parent, e) < 0 || check_parent(w, &parent, e) < 0)
		return -1;
	if (dsl_zap_get(w, parent.child_map, slash + 1, &there, &why) == 0)
		return err_set(e, ERR_EXISTS, "there is one already");
	if (why.kind != ERR_NOTFOUND)
		return err_set(e, why.kind, "%s", why.text);
	if (dsl_new_number(w->tx, &d->dir, e) < 0 ||
	    dsl_zap(w, parent.child_map, &children, e) < 0 ||
	    zap_edit_set(children, slash + 1, d->dir, e) < 0 ||
	    dsl_make_dir(w, d->dir, &dir, e) < 0)
		return -1;
	return dsl_count_dataset(w, d->dir, e);
}

static int make_dir(struct dataset_write *d, const struct dataset_spec *spec, struct err *e)
{
	const char    *slash = strrchr(d->name, '/');
	struct dsl_dir root;

	if (slash != NULL)
		return make_child_dir(d, slash, e);
	if (strcmp(d->name, pool_tx_name(d->w->tx)) != 0 || spec->type != OBJSET_ZPL)
		return err_set(e, ERR_USAGE, "the root dataset is a file system called %s",
			       pool_tx_name(d->w->tx));
	d->dir = d->w->root_dir;
	if (dsl_get_dir(d->w->tx, d->dir, &root, e) < 0)
		return -1;
	return root.head_dataset == 0 ? 0 : err_set(e, ERR_EXISTS, "there is one already");
}

/* What is set aside is charged at once: to the directory above, or as the dataset's own. */
static int set_limits(struct dataset_write *d, const struct dataset_spec *spec, struct err *e)
{
	int64_t		  own = (int64_t)spec->refreservation, all = (int64_t)spec->reservation;
	struct dsl_change below = { .used = all, .by = { [USED_CHILD_RSRV] = all } };
	struct dsl_change ref = { .used = own, .by = { [USED_REFRSRV] = own } };
	struct dsl_dir	  dir;

	if (own < 0 || all < 0)
		return err_set(e, ERR_USAGE, "a reservation of 2^63 bytes or more");
	d->refreservation = spec->refreservation;
	if (dsl_get_dir(d->w->tx, d->dir, &dir, e) < 0 ||
	    dsl_add_props(d->w, dir.props, spec->props, spec->prop_count, e) < 0 ||
	    (spec->limited && dsl_count_from(d->w, d->dir, e) < 0))
		return -1;
	dir.quota = spec->quota;
	dir.reserved = spec->reservation;
	if (dsl_put_dir(d->w->tx, d->dir, &dir, e) < 0 ||
	    (dir.parent != 0 && all != 0 && dsl_charge(d->w->tx, dir.parent, &below, e) < 0))
		return -1;
	return own != 0 ? dsl_charge(d->w->tx, d->dir, &ref, e) : 0;
}

/* -- the object set ---------------------------------------------------------------------------- */

static int use_features(struct dataset_write *d, const struct dataset_spec *spec, uint64_t *flags,
			struct err *e)
{
	*flags = 0;
	if (spec->type == OBJSET_ZPL &&
	    pool_layout_of(pool_tx_version(d->w->tx)).user_accounting) {
		*flags |= OBJSET_FLAG_USERACCOUNTING;
		for (size_t i = 0; i < sizeof accounting / sizeof accounting[0]; i++) {
			if (!pool_tx_has(d->w->tx, accounting[i].guid))
				continue;
			if (dataset_write_feature(d, accounting[i].guid, e) < 0)
				return -1;
			*flags |= accounting[i].flag;
		}
	}
	return dataset_use_policy(d, &spec->policy, e);
}

static int open_new_set(struct dataset_write *d, const struct dataset_spec *spec, struct err *e)
{
	struct objset_write_options o = {
		.writer = pool_tx_writer(d->w->tx), .reader = pool_tx_reader(d->w->tx),
		.policy = spec->policy, .id = d->object, .type = spec->type,
		.phys_size = pool_layout_of(pool_tx_version(d->w->tx)).objset_size,
		.freed = dataset_freed, .freed_ctx = d,
	};

	if (use_features(d, spec, &o.flags, e) < 0)
		return -1;
	if (pool_tx_has(d->w->tx, "org.zfsonlinux:project_quota"))
		o.phys_size = OBJSET_V3_SIZE;
	return objset_write_new(&o, &d->set, e);
}

static int check_spec(const struct dataset_spec *spec, struct err *e)
{
	if (spec->type != OBJSET_ZPL && spec->type != OBJSET_ZVOL)
		return err_set(e, ERR_USAGE, "%s: datasets of type %s cannot be made", spec->name,
			       objset_type_name(spec->type));
	return dsl_check_name(spec->name, e);
}

int dataset_write_create(struct dsl_write *w, const struct dataset_spec *spec,
			 struct dataset_write **out, struct err *e)
{
	struct dataset_write *d;

	if (check_spec(spec, e) < 0 || dataset_write_new(w, spec->name, &d, e) < 0)
		return -1;
	d->policy = spec->policy;
	if (make_dir(d, spec, e) < 0 || make_record(d, spec, e) < 0 ||
	    set_limits(d, spec, e) < 0 || open_new_set(d, spec, e) < 0)
		return err_in(e, "%s", spec->name);
	*out = d;
	return 0;
}
