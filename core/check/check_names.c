/*
 * Where something is, in words: datasets, paths of files, blocks as byte ranges. Paths are looked
 * up only for what is damaged, so nothing is kept for them.
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/base/mem.h"
#include "core/check/check_impl.h"
#include "core/dmu/zap_read.h"
#include "core/zpl/zpl_read.h"
#include "formats/base/limits.h"

enum { PATH_DEPTH_MAX = 200, PATH_TEXT = 4096, ENTRIES_MAX = 50000000 };

static void put_bytes(uint64_t first, uint64_t count, uint64_t size, struct text *t)
{
	uint64_t start, n, end;

	if (mul_ok(first, size, &start) && mul_ok(count, size, &n) && add_ok(start, n, &end))
		text_put(t, " (bytes %" PRIu64 "-%" PRIu64 ")", start, end - 1);
}

/* What lies below an indirect block, when the object can still be opened. */
static void put_span(struct check *c, const struct block_where *where, struct text *t)
{
	struct dataset ds;
	struct objset  os;
	struct object  o;

	if (dataset_open_object(c->pool, where->objset, &ds, NULL) < 0 ||
	    dataset_objset(&ds, &os, NULL) < 0 || object_open(&os, where->object, &o, NULL) < 0)
		return;

	uint64_t span = dnode_span(&o.dn, where->level), first, last;

	if (mul_ok(where->blkid, span, &first) && add_ok(first, span - 1, &last) &&
	    first <= o.dn.max_blkid)
		put_bytes(first, min64(last, o.dn.max_blkid) - first + 1, o.dn.block_size, t);
	object_close(&o);
}

void check_block_text(struct check *c, const struct block_where *where, uint64_t lsize,
		      struct text *t)
{
	if (where->level == LEVEL_OBJSET) {
		text_put(t, "object set block");
	} else if (where->level == LEVEL_LOG) {
		text_put(t, "intent log block %" PRIu64, where->blkid);
	} else if (where->blkid == BLKID_SPILL) {
		text_put(t, "spill block");
	} else if (where->level > 0) {
		text_put(t, "level %u block %" PRIu64, where->level, where->blkid);
		if (where->objset != 0 && where->object != 0)
			put_span(c, where, t);
	} else {
		text_put(t, "block %" PRIu64, where->blkid);
		if (lsize > 0)
			put_bytes(where->blkid, 1, lsize, t);
	}
}

/* Looks through a directory for the name of an object. */
struct lookup {
	struct check *c;
	uint64_t      object;
	char	      name[ENTRY_NAME_MAX + 1];
	size_t	      size;
};

enum { FOUND = 1, TOO_MUCH = 2 };

static int match_entry(void *ctx, const struct zpl_dirent *d, struct err *e)
{
	struct lookup *l = ctx;

	(void)e;
	if (l->c->entries_looked_at++ >= ENTRIES_MAX)
		return TOO_MUCH;
	if (d->object != l->object || d->name_size > sizeof l->name)
		return 0;
	memcpy(l->name, d->name, d->name_size);
	l->size = d->name_size;
	return FOUND;
}

/* The path below the root, built from its end; false when it cannot be had. */
static bool path_of(struct check *c, struct zpl *z, uint64_t object, char *buf, size_t cap,
		    size_t *start)
{
	*start = cap;
	for (unsigned depth = 0; object != zpl_root(z); depth++) {
		struct lookup	l = { .c = c, .object = object };
		struct zpl_attr a;

		if (depth == PATH_DEPTH_MAX || zpl_getattr(z, object, &a, NULL) < 0 ||
		    zpl_readdir(z, a.parent, match_entry, &l, NULL) != FOUND || *start < l.size + 1)
			return false;
		*start -= l.size;
		memcpy(buf + *start, l.name, l.size);
		buf[--*start] = '/';
		object = a.parent;
	}
	if (*start == cap)
		buf[--*start] = '/';
	return true;
}

void check_names_fini(struct check *c)
{
	zpl_close(c->names.zpl);
	free(c->names.path);
	c->names = (struct check_names){ 0 };
}

/* Makes `names` that of this dataset; findings come dataset by dataset. */
static void names_open(struct check *c, const struct check_dataset *ds)
{
	struct check_names *n = &c->names;

	if (n->object == ds->object)
		return;
	check_names_fini(c);
	n->object = ds->object;
	n->path = mem_raw(PATH_TEXT, NULL);
	if (n->path != NULL && (dataset_open_object(c->pool, ds->object, &n->dataset, NULL) < 0 ||
				zpl_open(&n->dataset, &n->zpl, NULL) < 0))
		n->zpl = NULL;
}

static bool put_path(struct check *c, const struct check_dataset *ds, uint64_t object,
		     struct text *t)
{
	struct check_names *n = &c->names;

	names_open(c, ds);
	if (n->zpl == NULL)
		return false;
	/* Several blocks of one file follow each other. */
	if (n->file != object || n->file == 0) {
		n->file = object;
		n->found = path_of(c, n->zpl, object, n->path, PATH_TEXT, &n->start);
	}
	if (!n->found)
		return false;
	if (!ds->snapshot)
		text_put(t, "@");
	text_name(t, n->path + n->start, PATH_TEXT - n->start);
	return true;
}

/* The type of an object, when nobody told. */
static unsigned type_of(struct check *c, uint64_t object)
{
	struct object o;
	unsigned      type;

	if (object_open(pool_mos(c->pool), object, &o, NULL) < 0)
		return OT_NONE;
	type = o.dn.type;
	object_close(&o);
	return type;
}

static void put_object(uint64_t object, unsigned type, struct text *t)
{
	if (object == 0)
		text_put(t, " dnodes");
	else if (object == OBJECT_USERUSED || object == OBJECT_GROUPUSED ||
		 object == OBJECT_PROJECTUSED)
		text_put(t, " space accounting of %s",
			 object == OBJECT_USERUSED    ? "users"
			 : object == OBJECT_GROUPUSED ? "groups"
						      : "projects");
	else
		text_put(t, " object %" PRIu64, object);
	if (object != 0 && type != OT_NONE && object < OBJECT_PROJECTUSED)
		text_put(t, " (%s)", objtype_name(type));
}

void check_where(struct check *c, const struct check_dataset *ds, uint64_t object, unsigned type,
		 struct text *t)
{
	if (ds == NULL) {
		text_put(t, "MOS");
		put_object(object, type != OT_NONE ? type : type_of(c, object), t);
		return;
	}
	text_name(t, ds->name, strlen(ds->name));
	if (object == 0 || object >= OBJECT_PROJECTUSED || !put_path(c, ds, object, t))
		put_object(object, type, t);
}
