/*
 * Datasets by name and number. Walking them all is dsl_walk.c.
 *
 * Names and numbers lead through ZAPs that are not trusted: the way up from a directory is bounded
 * by how deep datasets may nest.
 */
#include "core/dsl/dsl_read.h"

#include <stdio.h>

#include "core/dmu/zap_read.h"
#include "core/dsl/dsl_impl.h"
#include "formats/feature.h"

/* A record of the dataset layer is its object's bonus, which must be of the kind asked for. */
static int record_open(struct pool *p, uint64_t number, uint8_t bonus_type, const char *kind,
		       struct object *o, struct err *e)
{
	if (object_open(pool_mos(p), number, o, e) < 0)
		return -1;
	if (o->dn.bonus_type == bonus_type)
		return 0;
	object_close(o);
	return err_set(e, ERR_CORRUPT, "MOS object %llu is no %s", (unsigned long long)number,
		       kind);
}

int dsl_dir_open(struct pool *p, uint64_t number, struct dsl_dir *out, struct err *e)
{
	struct object o;
	int	      rc;

	if (record_open(p, number, OT_DSL_DIR, "dataset directory", &o, e) < 0)
		return -1;
	rc = dsl_dir_decode(o.dn.bonus, out, e);
	object_close(&o);
	return rc;
}

static int phys_open(struct pool *p, uint64_t number, struct dsl_dataset *out, struct err *e)
{
	struct object o;
	int	      rc;

	if (record_open(p, number, OT_DSL_DATASET, "dataset", &o, e) < 0)
		return -1;
	rc = dsl_dataset_decode(o.dn.bonus, out, e);
	object_close(&o);
	return rc;
}

int dsl_dataset_fill(struct pool *p, uint64_t object, const char *name, struct dataset *out,
		     struct err *e)
{
	struct dataset ds = { .pool = p, .object = object };

	size_t	       n = strlen(name);

	if (n >= sizeof ds.name)
		return err_set(e, ERR_CORRUPT, "a dataset name that is too long");
	memcpy(ds.name, name, n + 1);
	if (phys_open(p, object, &ds.phys, e) < 0)
		return -1;
	ds.dir_object = ds.phys.dir;
	if (dsl_dir_open(p, ds.dir_object, &ds.dir, e) < 0)
		return -1;
	ds.snapshot = ds.dir.head_dataset != object;
	*out = ds;
	return 0;
}

/* The directory of "pool/a/b" (n bytes), from the pool's root directory down. */
static int find_dir(struct pool *p, const char *name, size_t n, uint64_t *number,
		    struct dsl_dir *dir, struct err *e)
{
	size_t	    pool_n = strlen(pool_name(p)), at = pool_n;
	struct err  why = { 0 };

	if (n < pool_n || memcmp(name, pool_name(p), pool_n) != 0 ||
	    (n > pool_n && name[pool_n] != '/'))
		return err_set(e, ERR_NOTFOUND, "%.*s is not in pool %s", (int)n, name,
			       pool_name(p));
	if (pool_directory_u64(p, "root_dataset", number, e) < 0)
		return -1;
	while (at < n) {
		size_t	    end = at + 1;
		char	    part[DATASET_NAME_MAX];
		uint64_t    child;

		while (end < n && name[end] != '/')
			end++;
		if (end - at - 1 >= sizeof part || end == at + 1)
			return err_set(e, ERR_NOTFOUND, "no dataset %.*s", (int)n, name);
		memcpy(part, name + at + 1, end - at - 1);
		part[end - at - 1] = '\0';
		if (dsl_dir_open(p, *number, dir, e) < 0)
			return -1;
		if (zap_u64_at(pool_mos(p), dir->child_map, part, &child, &why) < 0) {
			if (why.kind == ERR_NOTFOUND)
				return err_set(e, ERR_NOTFOUND, "no dataset %.*s", (int)end, name);
			return err_set(e, why.kind, "%.*s: %s", (int)at, name, why.text);
		}
		*number = child;
		at = end;
	}
	return dsl_dir_open(p, *number, dir, e);
}

int dataset_open(struct pool *p, const char *name, struct dataset *out, struct err *e)
{
	const char	  *at = strchr(name, '@');
	size_t		   n = at != NULL ? (size_t)(at - name) : strlen(name);
	uint64_t	   number, snapshot;
	struct dsl_dir	   dir;
	struct dsl_dataset head;
	struct err	   why = { 0 };

	if (find_dir(p, name, n, &number, &dir, e) < 0)
		return -1;
	if (at == NULL)
		return dsl_dataset_fill(p, dir.head_dataset, name, out, e);
	if (phys_open(p, dir.head_dataset, &head, e) < 0)
		return err_in(e, "%.*s", (int)n, name);
	if (head.snapnames == 0 ||
	    zap_u64_at(pool_mos(p), head.snapnames, at + 1, &snapshot, &why) < 0) {
		if (head.snapnames == 0 || why.kind == ERR_NOTFOUND)
			return err_set(e, ERR_NOTFOUND, "no snapshot %s", name);
		return err_set(e, why.kind, "%s: %s", name, why.text);
	}
	return dsl_dataset_fill(p, snapshot, name, out, e);
}

/* Looks for the name under which a ZAP has a number. */
struct name_of {
	uint64_t number;
	char	 name[DATASET_NAME_MAX];
	bool	 found;
};

static int match(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct name_of *want = ctx;

	(void)e;
	if (entry->int_size != 8 || entry->value.n != 8 ||
	    zap_entry_int(entry, 0) != want->number || entry->name.n >= sizeof want->name ||
	    memchr(entry->name.p, 0, entry->name.n) != NULL)
		return 0;
	memcpy(want->name, entry->name.p, entry->name.n);
	want->name[entry->name.n] = '\0';
	want->found = true;
	return 1;
}

static int find_name(struct pool *p, uint64_t zap, uint64_t number, struct name_of *out,
		     struct err *e)
{
	*out = (struct name_of){ .number = number };
	if (zap != 0 && zap_each_at(pool_mos(p), zap, match, out, e) < 0)
		return -1;
	if (!out->found)
		return err_set(e, ERR_CORRUPT, "MOS object %llu has no name",
			       (unsigned long long)number);
	return 0;
}

/* Puts "word + separator" in front of a name of `room` bytes. */
static int put_front(char *name, size_t room, const char *word, char separator, struct err *e)
{
	size_t n = strlen(name), w = strlen(word), extra = n > 0 ? 1 : 0;

	if (w + extra + n + 1 > room)
		return err_set(e, ERR_CORRUPT, "a dataset name that is too long");
	memmove(name + w + extra, name, n + 1);
	memcpy(name, word, w);
	if (extra > 0)
		name[w] = separator;
	return 0;
}

/* The name of a directory, from below upwards. */
static int dir_name(struct pool *p, uint64_t number, char *name, size_t room, struct err *e)
{
	for (unsigned depth = 0; depth <= DATASET_DEPTH_MAX; depth++) {
		struct dsl_dir dir, parent;
		struct name_of part;

		if (dsl_dir_open(p, number, &dir, e) < 0)
			return -1;
		if (dir.parent == 0)
			return put_front(name, room, pool_name(p), '/', e);
		if (dsl_dir_open(p, dir.parent, &parent, e) < 0 ||
		    find_name(p, parent.child_map, number, &part, e) < 0 ||
		    put_front(name, room, part.name, '/', e) < 0)
			return -1;
		number = dir.parent;
	}
	return err_set(e, ERR_CORRUPT, "dataset directories nest too deep");
}

int dataset_open_object(struct pool *p, uint64_t object, struct dataset *out, struct err *e)
{
	struct dataset	   ds;
	struct dsl_dataset head;
	struct name_of	   snap;
	char		   dir[DATASET_NAME_MAX] = "";

	if (dsl_dataset_fill(p, object, "", &ds, e) < 0 ||
	    dir_name(p, ds.dir_object, dir, sizeof dir, e) < 0)
		return -1;
	if (!ds.snapshot) {
		memcpy(ds.name, dir, sizeof dir);
		*out = ds;
		return 0;
	}
	if (phys_open(p, ds.dir.head_dataset, &head, e) < 0 ||
	    find_name(p, head.snapnames, object, &snap, e) < 0)
		return err_in(e, "%s", dir);
	snprintf(ds.name, sizeof ds.name, "%s@%s", dir, snap.name);
	*out = ds;
	return 0;
}

/*
 * A dataset that uses features is a ZAP with their guids in it, among other things. Unknown ones
 * need no look: the pool's own list would have kept it from being opened.
 * Source: OpenZFS dsl_dataset.c, dsl_dataset_activate_feature.
 */
static int check_feature(void *ctx, const struct zap_entry *entry, struct err *e)
{
	char		      guid[256];
	const struct feature *f;

	(void)ctx;
	if (entry->number_key || entry->name.n >= sizeof guid)
		return 0;
	memcpy(guid, entry->name.p, entry->name.n);
	guid[entry->name.n] = '\0';
	f = feature_by_guid(guid);
	if (f != NULL && f->per_dataset && !f->can_read)
		return err_set(e, ERR_UNSUPPORTED, "the dataset uses feature %s", f->name);
	return 0;
}

static int check_features(const struct dataset *ds, struct err *e)
{
	struct object o;
	int	      rc = 0;

	if (object_open(pool_mos(ds->pool), ds->object, &o, e) < 0)
		return -1;
	if (o.dn.type != OT_DSL_DATASET && objtype_payload(o.dn.type) == PAYLOAD_ZAP)
		rc = zap_each(&o, check_feature, NULL, e);
	object_close(&o);
	return rc;
}

int dataset_objset(struct dataset *ds, struct objset *out, struct err *e)
{
	if (check_features(ds, e) < 0 ||
	    objset_open(pool_reader(ds->pool), &ds->phys.bp, ds->object, out, e) < 0)
		return err_in(e, "%s", ds->name);
	return 0;
}

/* The form without entries by birth is a bpobj, whose record grew with the versions. */
static int decode_sums(struct bytes bonus, uint8_t bonus_type, struct deadlist_sums *out,
		       struct err *e)
{
	struct dsl_deadlist d;
	struct bpobj	    b;

	if (bonus_type == OT_DEADLIST_HDR) {
		if (dsl_deadlist_decode(bonus, &d, e) < 0)
			return -1;
		*out = (struct deadlist_sums){ d.used, d.comp, d.uncomp, true };
		return 0;
	}
	if (bpobj_decode(bonus, &b, e) < 0)
		return -1;
	*out = (struct deadlist_sums){ b.bytes, b.comp, b.uncomp,
				       b.size > BPOBJ_V0_SIZE || b.count == 0 };
	return 0;
}

int deadlist_sums(struct pool *p, uint64_t number, struct deadlist_sums *out, struct err *e)
{
	struct object o;
	int	      rc;

	if (number == 0) {
		*out = (struct deadlist_sums){ .full = true };
		return 0;
	}
	if (object_open(pool_mos(p), number, &o, e) < 0)
		return -1;
	rc = decode_sums(o.dn.bonus, o.dn.bonus_type, out, e);
	object_close(&o);
	return rc;
}
