/*
 * What `zfs get` computes: space, times, names, numbers, and what the master node or the volume
 * says.
 * Source: OpenZFS dsl_dataset.c (dsl_dataset_stats, dsl_get_available, dsl_dataset_space_written),
 * dsl_dir.c (dsl_dir_stats, dsl_dir_space_available), zvol.c (zvol_get_stats), zfs_ioctl.c
 * (nvl_add_zplprop), libzfs_dataset.c (get_numeric_property).
 */
#include <string.h>

#include "core/base/mem.h"
#include "core/dmu/zap_read.h"
#include "core/dsl/dsl_impl.h"
#include "core/dsl/props_impl.h"
#include "core/pool/capacity.h"

enum { MASTER_NODE = 1, VOLUME_DATA = 1, VOLUME_ZAP = 2, CLONES_MAX = 4096 };

void props_fact(struct dsl_props *p, enum property id, uint64_t number)
{
	if (!props_applies(p, id))
		return;
	p->slots[id].number = number;
	p->slots[id].source = DSL_PROP_NONE;
}

int props_fact_text(struct dsl_props *p, enum property id, const char *text, struct err *e)
{
	char *copy;

	if (!props_applies(p, id))
		return 0;
	copy = mem_copy_text(text, strlen(text), e);
	if (copy == NULL)
		return -1;
	free(p->slots[id].text);
	p->slots[id].text = copy;
	p->slots[id].source = DSL_PROP_NONE;
	return 0;
}

/* A setting whose number is kept elsewhere, too: that one counts. */
static void setting(struct dsl_props *p, enum property id, uint64_t number)
{
	struct props_slot *s = &p->slots[id];

	if (!props_applies(p, id))
		return;
	s->number = number;
	if (s->source <= DSL_PROP_DEFAULT)
		s->source = number == property_table[id].number ? DSL_PROP_DEFAULT : DSL_PROP_LOCAL;
}

/* -- space ------------------------------------------------------------------------------------- */

static uint64_t ratio(uint64_t uncompressed, uint64_t compressed)
{
	return compressed == 0 ? 100
			       : (uint64_t)((unsigned __int128)uncompressed * 100 / compressed);
}

/* What a directory can still grow by, given what its parent can. */
static uint64_t room(const struct dsl_dir *d, uint64_t above, uint64_t limit)
{
	uint64_t quota = d->quota != 0 ? min64(d->quota, limit) : limit;

	if (d->reserved > d->used && above != UINT64_MAX &&
	    !add_ok(above, d->reserved - d->used, &above))
		above = UINT64_MAX;
	return d->used > quota ? 0 : min64(above, quota - d->used);
}

static int available(struct dataset *ds, const struct dsl_props *p, uint64_t *out, struct err *e)
{
	struct dsl_dir	     dirs[DATASET_DEPTH_MAX + 1];
	struct pool_capacity c = pool_capacity(ds->pool);
	uint64_t	     n = UINT64_MAX, limit = c.data > c.slop ? c.data - c.slop : 0;
	uint64_t	     refquota = p->slots[PROP_REFQUOTA].number;
	uint64_t	     refreserved = p->slots[PROP_REFRESERVATION].number;
	size_t		     count = 1;

	dirs[0] = ds->dir;
	for (; dirs[count - 1].parent != 0; count++) {
		if (count == sizeof dirs / sizeof dirs[0])
			return err_set(e, ERR_CORRUPT, "dataset directories nest too deep");
		if (dsl_dir_open(ds->pool, dirs[count - 1].parent, &dirs[count], e) < 0)
			return -1;
	}
	while (count-- > 0) {
		n = room(&dirs[count], n, limit);
		limit = UINT64_MAX;
	}
	if (refreserved > ds->phys.unique && !add_ok(n, refreserved - ds->phys.unique, &n))
		n = UINT64_MAX;
	if (refquota != 0)
		n = ds->phys.used < refquota ? min64(n, refquota - ds->phys.used) : 0;
	*out = n;
	return 0;
}

static int written(struct dataset *ds, uint64_t *out, struct err *e)
{
	struct dataset	     before;
	struct deadlist_sums dead;

	if (dsl_dataset_fill(ds->pool, ds->phys.prev_snap, "", &before, e) < 0 ||
	    deadlist_sums(ds->pool, ds->phys.deadlist, &dead, e) < 0)
		return -1;
	*out = ds->phys.used - before.phys.used + dead.used;
	return 0;
}

static void dir_space(struct dataset *ds, struct dsl_props *p)
{
	const struct dsl_dir *d = &ds->dir;

	setting(p, PROP_QUOTA, d->quota);
	setting(p, PROP_RESERVATION, d->reserved);
	props_fact(p, PROP_LOGICALUSED, d->uncompressed);
	if ((d->flags & DSL_DIR_FLAG_USED_BREAKDOWN) == 0)
		return;
	props_fact(p, PROP_USEDBYSNAPSHOTS, d->used_by[USED_SNAP]);
	props_fact(p, PROP_USEDBYDATASET, d->used_by[USED_HEAD]);
	props_fact(p, PROP_USEDBYREFRESERVATION, d->used_by[USED_REFRSRV]);
	props_fact(p, PROP_USEDBYCHILDREN, d->used_by[USED_CHILD] + d->used_by[USED_CHILD_RSRV]);
}

static void space(struct dataset *ds, struct dsl_props *p)
{
	const struct dsl_dataset *d = &ds->phys;
	struct err		  why = { 0 };
	uint64_t		  n = 0;

	props_fact(p, PROP_USED, ds->snapshot ? d->unique : ds->dir.used);
	props_fact(p, PROP_REFERENCED, d->used);
	props_fact(p, PROP_REFCOMPRESSRATIO, ratio(d->uncompressed, d->compressed));
	props_fact(p, PROP_COMPRESSRATIO,
		   ds->snapshot ? ratio(d->uncompressed, d->compressed)
				: ratio(ds->dir.uncompressed, ds->dir.compressed));
	props_fact(p, PROP_LOGICALREFERENCED, d->uncompressed);
	props_fact(p, PROP_UNIQUE, d->unique);
	if (d->prev_snap != 0) {
		if (written(ds, &n, &why) < 0)
			props_set_odd(p, &why);
		else
			props_fact(p, PROP_WRITTEN, n);
	}
	if (ds->snapshot)
		return;
	dir_space(ds, p);
	if (available(ds, p, &n, &why) < 0)
		props_set_odd(p, &why);
	else
		props_fact(p, PROP_AVAILABLE, n);
}

/* -- what extensible directories say ----------------------------------------------------------- */

static void dir_counts(struct dataset *ds, struct dsl_props *p)
{
	static const struct {
		enum property id;
		const char   *name;
	} counts[] = { { PROP_FILESYSTEM_COUNT, "com.joyent:filesystem_count" },
		       { PROP_SNAPSHOT_COUNT, "com.joyent:snapshot_count" } };
	uint64_t n;

	for (size_t i = 0; i < 2; i++) {
		if (!props_applies(p, counts[i].id))
			continue;
		n = UINT64_MAX;
		(void)!zap_u64_at(pool_mos(ds->pool), ds->dir_object, counts[i].name, &n, NULL);
		p->slots[counts[i].id].number = n;
		p->slots[counts[i].id].source = n == UINT64_MAX ? DSL_PROP_DEFAULT : DSL_PROP_LOCAL;
	}
}

/* Seconds and nanoseconds. */
static void snapshots_changed(struct dataset *ds, struct dsl_props *p)
{
	struct object o;
	uint64_t      at[2] = { 0, 0 };
	unsigned      size;
	size_t	      n;

	if (ds->snapshot || object_open(pool_mos(ds->pool), ds->dir_object, &o, NULL) < 0)
		return;
	if (objtype_payload(o.dn.type) == PAYLOAD_ZAP &&
	    zap_lookup(&o, "com.ixsystems:snapshots_changed", &size, at, sizeof at, &n, NULL) ==
		    0 &&
	    size == 8 && n >= 8 && at[0] != 0)
		props_fact(p, PROP_SNAPSHOTS_CHANGED, at[0]);
	object_close(&o);
}

/* -- names ------------------------------------------------------------------------------------- */

/* Every file system of a pool of version 11 and later is a clone of $ORIGIN, which nobody sees. */
static int origin(struct dataset *ds, struct dsl_props *p, struct err *e)
{
	struct dataset from;
	struct err     why = { 0 };

	if (ds->snapshot || ds->dir.origin == 0)
		return 0;
	if (dataset_open_object(ds->pool, ds->dir.origin, &from, &why) < 0) {
		err_in(&why, "%s: origin", ds->name);
		props_set_odd(p, &why);
		return 0;
	}
	return strchr(from.name, '$') != NULL ? 0 : props_fact_text(p, PROP_ORIGIN, from.name, e);
}

struct clones {
	struct dataset *ds;
	struct text	t;
	size_t		count;
};

static int add_clone(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct clones *c = ctx;
	struct dataset clone;

	if (entry->int_size != 8 || entry->value.n < 8)
		return 0;
	if (++c->count > CLONES_MAX)
		return 1;
	if (dataset_open_object(c->ds->pool, zap_entry_int(entry, 0), &clone, e) < 0)
		return -1;
	/* The clone itself is meant, also where its first snapshot stands in the list. */
	text_put(&c->t, "%s%.*s", c->t.n > 0 ? "," : "", (int)strcspn(clone.name, "@"), clone.name);
	return 0;
}

/* Shown only when the list has as many as the snapshot counts. */
static int clones(struct dataset *ds, struct dsl_props *p, struct err *e)
{
	char	      buf[PROPERTY_TEXT_MAX + 1];
	struct clones c = { .ds = ds, .t = text_in(buf, sizeof buf) };
	struct err    why = { 0 };

	if (!ds->snapshot || ds->phys.next_clones == 0)
		return 0;
	if (zap_each_at(pool_mos(ds->pool), ds->phys.next_clones, add_clone, &c, &why) < 0) {
		props_set_odd(p, &why);
		return 0;
	}
	if (c.count == 0 || c.count != ds->phys.num_children - 1)
		return 0;
	return props_fact_text(p, PROP_CLONES, buf, e);
}

static int count_entry(void *ctx, const struct zap_entry *entry, struct err *e)
{
	(void)entry;
	(void)e;
	++*(uint64_t *)ctx;
	return 0;
}

static void holds(struct dataset *ds, struct dsl_props *p)
{
	uint64_t n = 0;

	if (ds->phys.userrefs != 0)
		(void)!zap_each_at(pool_mos(ds->pool), ds->phys.userrefs, count_entry, &n, NULL);
	props_fact(p, PROP_USERREFS, n);
}

/* -- inside the object set --------------------------------------------------------------------- */

static void master_node(struct objset *os, struct dsl_props *p)
{
	static const struct {
		enum property id;
		const char   *name;
	} facts[] = {
		{ PROP_VERSION, "VERSION" },
		{ PROP_UTF8ONLY, "utf8only" },
		{ PROP_NORMALIZATION, "normalization" },
		{ PROP_CASESENSITIVITY, "casesensitivity" },
		{ PROP_DEFAULTUSERQUOTA, "defaultuserquota" },
		{ PROP_DEFAULTGROUPQUOTA, "defaultgroupquota" },
		{ PROP_DEFAULTPROJECTQUOTA, "defaultprojectquota" },
		{ PROP_DEFAULTUSEROBJQUOTA, "defaultuserobjquota" },
		{ PROP_DEFAULTGROUPOBJQUOTA, "defaultgroupobjquota" },
		{ PROP_DEFAULTPROJECTOBJQUOTA, "defaultprojectobjquota" },
	};

	for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
		uint64_t n = 0;

		(void)!zap_u64_at(os, MASTER_NODE, facts[i].name, &n, NULL);
		props_fact(p, facts[i].id, n);
	}
}

static void volume(struct objset *os, struct dsl_props *p)
{
	struct object o;
	uint64_t      n;

	if (zap_u64_at(os, VOLUME_ZAP, "size", &n, NULL) == 0)
		setting(p, PROP_VOLSIZE, n);
	if (!p->snapshot && object_open(os, VOLUME_DATA, &o, NULL) == 0) {
		props_fact(p, PROP_VOLBLOCKSIZE, o.dn.block_size);
		if (o.dn.block_size == property_table[PROP_VOLBLOCKSIZE].number)
			p->slots[PROP_VOLBLOCKSIZE].source = DSL_PROP_DEFAULT;
		object_close(&o);
	}
}

static void inside(struct dataset *ds, struct dsl_props *p)
{
	struct objset os;
	struct err    why = { 0 };

	if (dataset_objset(ds, &os, &why) < 0) {
		for (int i = 0; i < PROP_COUNT; i++) {
			if (i == PROP_VERSION || i == PROP_UTF8ONLY || i == PROP_NORMALIZATION ||
			    i == PROP_CASESENSITIVITY || i >= PROP_DEFAULTUSERQUOTA)
				p->slots[i].source = DSL_PROP_ABSENT;
		}
		if (why.kind != ERR_UNSUPPORTED) {
			err_in(&why, "%s", ds->name);
			props_set_odd(p, &why);
		}
	} else if (p->kind == PROPERTY_VOL) {
		volume(&os, p);
	} else {
		master_node(&os, p);
	}
}

int props_facts(struct dataset *ds, struct dsl_props *p, struct err *e)
{
	const struct dsl_dataset *d = &ds->phys;
	const char		 *type = ds->snapshot		   ? "snapshot"
					 : p->kind == PROPERTY_VOL ? "volume"
								   : "filesystem";

	space(ds, p);
	dir_counts(ds, p);
	snapshots_changed(ds, p);
	inside(ds, p);
	holds(ds, p);
	props_fact(p, PROP_CREATION, d->creation_time);
	props_fact(p, PROP_CREATETXG, d->creation_txg);
	props_fact(p, PROP_GUID, d->guid);
	props_fact(p, PROP_OBJSETID, ds->object);
	props_fact(p, PROP_MOUNTED, 0);
	props_fact(p, PROP_DEFER_DESTROY, (d->flags & DATASET_FLAG_DEFER_DESTROY) != 0);
	props_fact(p, PROP_INCONSISTENT, (d->flags & DATASET_FLAG_INCONSISTENT) != 0);
	if (props_fact_text(p, PROP_TYPE, type, e) < 0 ||
	    props_fact_text(p, PROP_NAME, ds->name, e) < 0)
		return -1;
	if (props_crypt(ds, p, e) < 0 || origin(ds, p, e) < 0)
		return -1;
	return clones(ds, p, e);
}
