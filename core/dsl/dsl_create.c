/*
 * The dataset layer of a new pool: $MOS, $FREE, $ORIGIN with its one snapshot, of which every file
 * system is a clone, and the root dataset.
 * Source: OpenZFS dsl_pool.c (dsl_pool_create), dsl_dir.c (dsl_dir_create_sync), dsl_dataset.c
 * (dsl_dataset_create_sync_dd), dsl_deadlist.c.
 */
#include "core/dsl/dsl_write_impl.h"

#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

enum {
	/* the snapshot that everything is a clone of was "taken" before the first txg */
	ORIGIN_TXG = 1,
	BPOBJ_BLOCK_SIZE = 128 << 10,
};
#define FSID_MASK ((UINT64_C(1) << 56) - 1) /* unique.c: fsid guids have 56 bits */

/* Features that a dataset has an entry for, and what they are to its object set. */
static const struct {
	const char *guid;
	uint64_t    flag;
} dataset_features[] = {
	{ "org.zfsonlinux:userobj_accounting", OBJSET_FLAG_USEROBJACCOUNTING },
	{ "org.zfsonlinux:project_quota", OBJSET_FLAG_PROJECTQUOTA },
	{ "org.freebsd:zstd_compress", 0 },
};
enum { DATASET_FEATURES = sizeof dataset_features / sizeof dataset_features[0], ZSTD_FEATURE = 2 };

static struct bytes bonus_view(const uint8_t *p, size_t n)
{
	return bytes_of(p, n, ORDER_NATIVE);
}

/* A ZAP of the MOS that gets its entries at once: names to numbers. */
struct pair {
	char	 name[32];
	uint64_t value;
};

static int fill_zap(struct pool_tx *tx, uint64_t number, uint8_t type, const struct pair *pairs,
		    size_t count, struct err *e)
{
	struct zap_edit *z;
	int		 rc = zap_edit_new(pool_tx_mos(tx), number, type,
					   pool_tx_salt(tx, "zap", number) | 1, &z, e);

	if (rc < 0)
		return -1;
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = zap_edit_set(z, pairs[i].name, pairs[i].value, e);
	if (rc == 0)
		rc = zap_edit_write(z, e);
	zap_edit_free(z);
	return rc;
}

static int new_number(struct pool_tx *tx, uint64_t *number, struct err *e)
{
	return objset_write_alloc(pool_tx_mos(tx), OBJECT_SETTLES_SOON, number, e);
}

static int new_zap(struct pool_tx *tx, uint8_t type, const struct pair *pairs, size_t count,
		   uint64_t *number, struct err *e)
{
	if (new_number(tx, number, e) < 0)
		return -1;
	return fill_zap(tx, *number, type, pairs, count, e);
}

/* Names that are numbers in hex: how a ZAP keeps a set of objects. */
static struct pair member(uint64_t object)
{
	struct pair p = { .value = object };

	snprintf(p.name, sizeof p.name, "%llx", (unsigned long long)object);
	return p;
}

static int write_dir(struct pool_tx *tx, uint64_t number, const struct dsl_dir *dir, struct err *e)
{
	uint8_t		   bonus[DSL_DIR_SIZE];
	struct object_spec spec = { .number = number,
				    .type = OT_DSL_DIR,
				    .bonus_type = OT_DSL_DIR,
				    .block_size = BLOCK_MIN };

	dsl_dir_encode(dir, wbytes_of(bonus, sizeof bonus, ORDER_NATIVE));
	spec.bonus = bonus_view(bonus, sizeof bonus);
	return object_write_bytes(pool_tx_mos(tx), &spec, NULL, 0, e);
}

/* A directory without children; `dir` says the rest. */
static int make_leaf_dir(struct pool_tx *tx, uint64_t number, struct dsl_dir *dir, struct err *e)
{
	dir->flags = DSL_DIR_FLAG_USED_BREAKDOWN;
	if (new_zap(tx, OT_DSL_PROPS, NULL, 0, &dir->props, e) < 0 ||
	    new_zap(tx, OT_DSL_DIR_CHILD_MAP, NULL, 0, &dir->child_map, e) < 0)
		return -1;
	return write_dir(tx, number, dir, e);
}

/* A deadlist; with `live`, one list for what dies from now on. */
static int make_deadlist(struct pool_tx *tx, bool live, uint64_t *number, struct err *e)
{
	uint8_t		    header[DSL_DEADLIST_SIZE], bonus[BPOBJ_V2_SIZE];
	struct dsl_deadlist dl = { 0 };
	struct bpobj	    b = { .size = sizeof bonus };
	struct zap_edit	   *z = NULL;
	uint64_t	    list;
	int		    rc = -1;

	dsl_deadlist_encode(&dl, wbytes_of(header, sizeof header, ORDER_NATIVE));
	bpobj_encode(&b, wbytes_of(bonus, sizeof bonus, ORDER_NATIVE));
	if (new_number(tx, number, e) < 0 ||
	    zap_edit_new(pool_tx_mos(tx), *number, OT_DEADLIST,
			 pool_tx_salt(tx, "zap", *number) | 1, &z, e) < 0)
		return -1;
	zap_edit_bonus(z, OT_DEADLIST_HDR, bonus_view(header, sizeof header));
	if (live && (pool_tx_object(tx, OT_BPOBJ, OT_BPOBJ_HDR, bonus_view(bonus, sizeof bonus),
				    BPOBJ_BLOCK_SIZE, &list, e) < 0 ||
		     zap_edit_set(z, "0", list, e) < 0))
		goto out;
	rc = zap_edit_write(z, e);
out:
	zap_edit_free(z);
	return rc;
}

static int write_dataset(struct pool_tx *tx, uint64_t number, const struct dsl_dataset *ds,
			 struct err *e)
{
	uint8_t		   bonus[DSL_DATASET_SIZE];
	struct object_spec spec = { .number = number,
				    .type = OT_DSL_DATASET,
				    .bonus_type = OT_DSL_DATASET,
				    .block_size = BLOCK_MIN };

	dsl_dataset_encode(ds, wbytes_of(bonus, sizeof bonus, ORDER_NATIVE));
	spec.bonus = bonus_view(bonus, sizeof bonus);
	return object_write_bytes(pool_tx_mos(tx), &spec, NULL, 0, e);
}

static struct dsl_dataset plain_dataset(uint64_t dir)
{
	return (struct dsl_dataset){ .dir = dir, .creation_txg = ORIGIN_TXG,
				     .flags = DATASET_FLAG_UNIQUE_ACCURATE };
}

static int take_numbers(struct pool_tx *tx, struct dsl_plan *p, struct err *e)
{
	uint64_t *const all[] = { &p->root_dir,	   &p->mos_dir,	    &p->free_dir, &p->origin_dir,
				  &p->origin_head, &p->origin_snap, &p->root_head };

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		if (new_number(tx, all[i], e) < 0)
			return -1;
	}
	return 0;
}

static int make_origin(struct pool_tx *tx, const struct dsl_plan *p, struct err *e)
{
	struct dsl_dir	   dir = { .parent = p->root_dir, .head_dataset = p->origin_head };
	struct dsl_dataset head = plain_dataset(p->origin_dir);
	struct dsl_dataset snap = plain_dataset(p->origin_dir);
	struct pair	   clone = member(p->root_head), name = { "$ORIGIN", p->origin_snap };

	head.prev_snap = p->origin_snap;
	head.prev_snap_txg = ORIGIN_TXG;
	snap.next_snap = p->origin_head;
	snap.num_children = 2; /* its head and the root dataset */
	if (new_zap(tx, OT_DSL_CLONES, &clone, 1, &dir.clones, e) < 0 ||
	    make_leaf_dir(tx, p->origin_dir, &dir, e) < 0 ||
	    new_zap(tx, OT_DSL_DS_SNAP_MAP, &name, 1, &head.snapnames, e) < 0 ||
	    make_deadlist(tx, true, &head.deadlist, e) < 0 ||
	    make_deadlist(tx, false, &snap.deadlist, e) < 0 ||
	    new_zap(tx, OT_NEXT_CLONES, &clone, 1, &snap.next_clones, e) < 0)
		return -1;
	if (write_dataset(tx, p->origin_head, &head, e) < 0)
		return -1;
	return write_dataset(tx, p->origin_snap, &snap, e);
}

static int write_props(struct pool_tx *tx, uint64_t number, const struct dsl_property *props,
		       size_t count, struct err *e)
{
	struct zap_edit *z;
	int		 rc = zap_edit_new(pool_tx_mos(tx), number, OT_DSL_PROPS,
					   pool_tx_salt(tx, "zap", number) | 1, &z, e);

	if (rc < 0)
		return -1;
	for (size_t i = 0; rc == 0 && i < count; i++) {
		const struct dsl_property *p = &props[i];

		if (p->text == NULL)
			rc = zap_edit_set(z, p->name, p->number, e);
		else
			rc = zap_edit_set_key(z, p->name, strlen(p->name), 1, p->text,
					      strlen(p->text) + 1, e);
	}
	if (rc == 0)
		rc = zap_edit_write(z, e);
	zap_edit_free(z);
	return rc;
}

static int make_root_dir(struct pool_tx *tx, const struct dsl_plan *p,
			 const struct dsl_property *props, size_t count, struct err *e)
{
	struct pair    children[] = { { "$MOS", p->mos_dir },
				      { "$FREE", p->free_dir },
				      { "$ORIGIN", p->origin_dir } };
	struct dsl_dir dir = { .head_dataset = p->root_head, .origin = p->origin_snap,
			       .flags = DSL_DIR_FLAG_USED_BREAKDOWN };

	if (new_number(tx, &dir.props, e) < 0 || write_props(tx, dir.props, props, count, e) < 0 ||
	    new_zap(tx, OT_DSL_DIR_CHILD_MAP, children, 3, &dir.child_map, e) < 0)
		return -1;
	return write_dir(tx, p->root_dir, &dir, e);
}

/* One feature of its own makes the dataset's object a ZAP, with an entry for each. */
static int use_feature(struct dataset_write *d, const char *guid, struct err *e)
{
	if (d->zap == NULL &&
	    (pool_tx_feature(d->tx, "com.delphix:extensible_dataset", 1, e) < 0 ||
	     zap_edit_new(pool_tx_mos(d->tx), d->object, OTN_ZAP_METADATA,
			  pool_tx_salt(d->tx, "zap", d->object) | 1, &d->zap, e) < 0))
		return -1;
	if (pool_tx_feature(d->tx, guid, 1, e) < 0)
		return -1;
	return zap_edit_set(d->zap, guid, 0, e);
}

/* Accounting is on wherever the pool allows it, zstd where the policy asks for it. */
static int use_features(struct dataset_write *d, const struct store_policy *policy, uint64_t *flags,
			struct err *e)
{
	*flags = OBJSET_FLAG_USERACCOUNTING;
	for (size_t i = 0; i < DATASET_FEATURES; i++) {
		const char *guid = dataset_features[i].guid;
		bool	    use = i == ZSTD_FEATURE ? policy->data_compress.id == COMPRESS_ZSTD
						    : pool_tx_has(d->tx, guid);

		if (use && use_feature(d, guid, e) < 0)
			return -1;
		*flags |= use ? dataset_features[i].flag : 0;
	}
	return 0;
}

static int open_root_set(struct dataset_write *d, const struct store_policy *policy, struct err *e)
{
	struct objset_write_options o = {
		.writer = pool_tx_writer(d->tx), .reader = pool_tx_reader(d->tx), .policy = *policy,
		.id = d->object, .type = OBJSET_ZPL, .phys_size = OBJSET_V2_SIZE,
		.freed = dataset_freed, .freed_ctx = d,
	};

	if (use_features(d, policy, &o.flags, e) < 0)
		return -1;
	if (o.flags & OBJSET_FLAG_PROJECTQUOTA)
		o.phys_size = OBJSET_V3_SIZE;
	return objset_write_new(&o, &d->set, e);
}

static int make_root_dataset(struct dataset_write *d, const struct dsl_plan *p, struct err *e)
{
	d->object = p->root_head;
	d->phys = plain_dataset(p->root_dir);
	d->phys.prev_snap = p->origin_snap;
	d->phys.prev_snap_txg = ORIGIN_TXG;
	if (new_zap(d->tx, OT_DSL_DS_SNAP_MAP, NULL, 0, &d->phys.snapnames, e) < 0)
		return -1;
	return make_deadlist(d->tx, true, &d->phys.deadlist, e);
}

int dsl_create(struct pool_tx *tx, const struct dsl_property *props, size_t count,
	       const struct store_policy *policy, struct dataset_write **out, struct err *e)
{
	struct dataset_write *d = mem_zero(sizeof *d, e);
	struct dsl_plan	      p;
	struct dsl_dir	      mos = { 0 }, free_dir = { 0 };

	if (d == NULL)
		return -1;
	d->tx = tx;
	snprintf(d->name, sizeof d->name, "%s", pool_tx_name(tx));
	if (take_numbers(tx, &p, e) < 0)
		goto fail;
	mos.parent = free_dir.parent = p.root_dir;
	if (make_root_dir(tx, &p, props, count, e) < 0 ||
	    make_leaf_dir(tx, p.mos_dir, &mos, e) < 0 ||
	    make_leaf_dir(tx, p.free_dir, &free_dir, e) < 0 || make_origin(tx, &p, e) < 0 ||
	    make_root_dataset(d, &p, e) < 0 || open_root_set(d, policy, e) < 0 ||
	    pool_tx_set_directory(tx, "root_dataset", p.root_dir, e) < 0)
		goto fail;
	pool_tx_on_charge(tx, dsl_charge, p.mos_dir);
	d->plan = p;
	*out = d;
	return 0;
fail:
	dataset_write_free(d);
	return -1;
}

static void stamp(struct pool_tx *tx, uint64_t number, struct dsl_dataset *ds)
{
	ds->creation_time = pool_tx_time(tx);
	ds->guid = pool_tx_guid(tx, "dataset", number);
	ds->fsid_guid = pool_tx_guid(tx, "fsid", number) & FSID_MASK;
}

static int stamp_dir(struct pool_tx *tx, uint64_t number, struct err *e)
{
	uint8_t	       bonus[DSL_DIR_SIZE];
	struct dnode   dn;
	struct dsl_dir dir;

	if (objset_write_get(pool_tx_mos(tx), number, &dn, e) < 0 ||
	    dsl_dir_decode(dn.bonus, &dir, e) < 0)
		return -1;
	dir.creation_time = pool_tx_time(tx);
	dsl_dir_encode(&dir, wbytes_of(bonus, sizeof bonus, ORDER_NATIVE));
	dn.bonus = bonus_view(bonus, sizeof bonus);
	return objset_write_put(pool_tx_mos(tx), number, &dn, e);
}

static int stamp_dataset(struct pool_tx *tx, uint64_t number, struct err *e)
{
	uint8_t		   bonus[DSL_DATASET_SIZE];
	struct dnode	   dn;
	struct dsl_dataset ds;

	if (objset_write_get(pool_tx_mos(tx), number, &dn, e) < 0 ||
	    dsl_dataset_decode(dn.bonus, &ds, e) < 0)
		return -1;
	stamp(tx, number, &ds);
	dsl_dataset_encode(&ds, wbytes_of(bonus, sizeof bonus, ORDER_NATIVE));
	dn.bonus = bonus_view(bonus, sizeof bonus);
	return objset_write_put(pool_tx_mos(tx), number, &dn, e);
}

int dsl_create_stamp(struct dataset_write *d, struct err *e)
{
	const struct dsl_plan *p = &d->plan;
	const uint64_t	       dirs[] = { p->root_dir, p->mos_dir, p->free_dir, p->origin_dir };

	for (size_t i = 0; i < sizeof dirs / sizeof dirs[0]; i++) {
		if (stamp_dir(d->tx, dirs[i], e) < 0)
			return -1;
	}
	stamp(d->tx, d->object, &d->phys);
	if (stamp_dataset(d->tx, p->origin_head, e) < 0)
		return -1;
	return stamp_dataset(d->tx, p->origin_snap, e);
}

int dsl_create_record(struct dataset_write *d, struct bytes record, struct err *e)
{
	struct object_spec spec = { .number = d->object, .type = OT_DSL_DATASET,
				    .bonus_type = OT_DSL_DATASET, .bonus = record,
				    .block_size = BLOCK_MIN };

	if (d->zap == NULL)
		return object_write_bytes(pool_tx_mos(d->tx), &spec, NULL, 0, e);
	zap_edit_bonus(d->zap, OT_DSL_DATASET, record);
	return zap_edit_write(d->zap, e);
}
