/* The verbs config and datasets. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/items.h"
#include "cmd/pooldump/run.h"
#include "cmd/size.h"
#include "core/dsl/props.h"
#include "cmd/table.h"
#include "formats/words.h"

int verb_config(struct run *r, struct err *e)
{
	struct dump d = run_dump(r);

	if (run_open(r, r->cli.args + 1, r->cli.arg_count - 1, e) < 0)
		return -1;
	return dump_nvlist(&d, 0, pool_config(r->pool)->nv, e);
}

enum kind { KIND_FILESYSTEM = 1, KIND_VOLUME = 2, KIND_SNAPSHOT = 4, KIND_UNKNOWN = 8 };

enum column {
	NAME,
	USED,
	REFER,
	TYPE,
	ORIGIN,
	CREATION,
	CREATETXG,
	GUID,
	OBJSETID,
	UNIQUE,
	RATIO,
	WRITTEN,
	COLUMNS,
	PROPERTY = COLUMNS, /* any other, native or the user's */
};

static const struct column_info {
	struct table_column show;
	const char	   *names[2]; /* as in zfs list -o */
} column_table[COLUMNS] = {
	[NAME] = { { "NAME", false }, { "name" } },
	[USED] = { { "USED", true }, { "used" } },
	[REFER] = { { "REFER", true }, { "refer", "referenced" } },
	[TYPE] = { { "TYPE", false }, { "type" } },
	[ORIGIN] = { { "ORIGIN", false }, { "origin" } },
	[CREATION] = { { "CREATION", false }, { "creation" } },
	[CREATETXG] = { { "CREATETXG", true }, { "createtxg" } },
	[GUID] = { { "GUID", true }, { "guid" } },
	[OBJSETID] = { { "OBJSETID", true }, { "objsetid" } },
	[UNIQUE] = { { "UNIQUE", true }, { "unique" } },
	[RATIO] = { { "REFRATIO", true }, { "refratio", "refcompressratio" } },
	[WRITTEN] = { { "DATASET", true }, { "usedds", "usedbydataset" } },
};

struct listing {
	struct run	   *r;
	struct table	    table;
	struct table_column shown[TABLE_COLUMNS_MAX];
	enum column	    columns[TABLE_COLUMNS_MAX];
	char		    names[TABLE_COLUMNS_MAX][PROPERTY_NAME_MAX + 1]; /* of PROPERTY */
	char		    titles[TABLE_COLUMNS_MAX][PROPERTY_NAME_MAX + 1];
	bool		    properties; /* there is such a column */
	size_t		    count;
	unsigned	    kinds;
};

static int find_column(const char *name)
{
	for (int i = 0; i < COLUMNS; i++)
		for (int k = 0; k < 2; k++)
			if (column_table[i].names[k] != NULL &&
			    strcmp(column_table[i].names[k], name) == 0)
				return i;
	return -1;
}

/* Any property is a column, under its name or the short one; ERR_USAGE: it is none. */
static int take_property(struct listing *l, const char *name, struct err *e)
{
	enum property id = property_by_name(name);
	size_t	      n = l->count;
	const char   *title = id != PROP_NONE ? property_column(id) : name;

	if (id == PROP_NONE && (!property_is_user(name) || strlen(name) > PROPERTY_NAME_MAX))
		return err_set(e, ERR_USAGE, "-o: unknown column '%s'", name);
	snprintf(l->names[n], sizeof l->names[n], "%s", name);
	for (size_t i = 0; i <= strlen(title); i++)
		l->titles[n][i] = (char)toupper((unsigned char)title[i]);
	l->shown[n] =
		(struct table_column){ l->titles[n], id != PROP_NONE && property_table[id].kind ==
										PROPERTY_NUMBER };
	l->columns[n] = PROPERTY;
	l->properties = true;
	l->count++;
	return 0;
}

static int take_column(struct listing *l, const struct item *item, struct err *e)
{
	int c = find_column(item->key);

	if (item->value != NULL)
		return err_set(e, ERR_USAGE, "-o: unknown column '%s'", item->key);
	if (l->count == TABLE_COLUMNS_MAX)
		return err_set(e, ERR_USAGE, "-o: too much at '%s'", item->key);
	if (c < 0)
		return take_property(l, item->key, e);
	l->shown[l->count] = column_table[c].show;
	l->columns[l->count++] = (enum column)c;
	return 0;
}

static int take_columns(struct listing *l, const char *words, struct err *e)
{
	struct items items = { 0 };
	int	     rc = 0;

	if (items_parse(words, strlen(words), &items, e) < 0)
		return err_in(e, "-o");
	for (size_t i = 0; rc == 0 && i < items.count; i++)
		rc = take_column(l, &items.list[i], e);
	items_free(&items);
	return rc;
}

static unsigned kind_by_name(const char *name)
{
	static const struct {
		const char *names[2];
		unsigned    kinds;
	} table[] = {
		{ { "filesystem", "fs" }, KIND_FILESYSTEM },
		{ { "volume", "vol" }, KIND_VOLUME },
		{ { "snapshot", "snap" }, KIND_SNAPSHOT },
		{ { "all", "all" }, KIND_FILESYSTEM | KIND_VOLUME | KIND_SNAPSHOT },
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (strcmp(name, table[i].names[0]) == 0 || strcmp(name, table[i].names[1]) == 0)
			return table[i].kinds;
	return 0;
}

static int take_types(struct listing *l, const char *words, struct err *e)
{
	struct items items = { 0 };
	int	     rc = 0;

	if (items_parse(words, strlen(words), &items, e) < 0)
		return err_in(e, "-t");
	for (size_t i = 0; rc == 0 && i < items.count; i++) {
		unsigned kinds = kind_by_name(items.list[i].key);

		if (kinds == 0 || items.list[i].value != NULL)
			rc = err_set(e, ERR_USAGE, "-t: unknown type '%s'", items.list[i].key);
		l->kinds |= kinds;
	}
	items_free(&items);
	return rc;
}

/*
 * File system or volume is for the object set's own block to say, which is in the clear also where
 * the rest is encrypted; so it is read past dataset_objset and its features. One that cannot be
 * read is trouble.
 */
static unsigned kind_of(struct run *r, struct dataset *ds)
{
	struct objset os;
	struct err    why;

	if (ds->snapshot)
		return KIND_SNAPSHOT;
	if (objset_open(pool_reader(ds->pool), &ds->phys.bp, ds->object, &os, &why) < 0) {
		err_in(&why, "%s", ds->name);
		run_trouble(r, &why);
		return KIND_UNKNOWN;
	}
	return os.phys.type == OBJSET_ZVOL  ? KIND_VOLUME
	       : os.phys.type == OBJSET_ZPL ? KIND_FILESYSTEM
					    : KIND_UNKNOWN;
}

static const char *kind_name(unsigned kind)
{
	return kind == KIND_FILESYSTEM ? "filesystem"
	       : kind == KIND_VOLUME   ? "volume"
	       : kind == KIND_SNAPSHOT ? "snapshot"
				       : "unknown";
}

static void put_origin(struct listing *l, struct dataset *ds, struct text *t)
{
	struct dataset origin;
	struct err     why;

	/* Every file system of a pool of version 11 and later is a clone of $ORIGIN, which nobody
	 * wants to see. */
	if (ds->snapshot || ds->dir.origin == 0) {
		text_put(t, "-");
	} else if (dataset_open_object(ds->pool, ds->dir.origin, &origin, &why) < 0) {
		err_in(&why, "%s: origin", ds->name);
		run_trouble(l->r, &why);
		text_put(t, "?");
	} else if (strchr(origin.name, '$') != NULL) {
		text_put(t, "-");
	} else {
		text_name(t, origin.name, strlen(origin.name));
	}
}

/* As zfs get refcompressratio, in hundredths rounded down. */
static void put_ratio(const struct dsl_dataset *p, struct text *t)
{
	double ratio = p->compressed > 0 ? (double)p->uncompressed / (double)p->compressed : 1;

	text_put(t, "%.2fx", ratio);
}

static void put_cell(struct listing *l, enum column c, struct dataset *ds, unsigned kind,
		     struct text *t)
{
	const struct dsl_dataset *p = &ds->phys;
	bool			  exact = l->r->cli.exact;
	char			  size[SIZE_TEXT];

	switch (c) {
	case NAME:
		text_name(t, ds->name, strlen(ds->name));
		return;
	case USED:
		text_put(t, "%s", size_text(ds->snapshot ? p->unique : ds->dir.used, exact, size));
		return;
	case REFER:
		text_put(t, "%s", size_text(p->used, exact, size));
		return;
	case UNIQUE:
		text_put(t, "%s", size_text(p->unique, exact, size));
		return;
	case WRITTEN:
		if (ds->snapshot)
			text_put(t, "-");
		else
			text_put(t, "%s", size_text(ds->dir.used_by[USED_HEAD], exact, size));
		return;
	case TYPE:
		text_put(t, "%s", kind_name(kind));
		return;
	case ORIGIN:
		put_origin(l, ds, t);
		return;
	case CREATION:
		if (exact)
			text_put(t, "%" PRIu64, p->creation_time);
		else
			text_time(t, p->creation_time);
		return;
	case RATIO:
		put_ratio(p, t);
		return;
	case CREATETXG:
		text_put(t, "%" PRIu64, p->creation_txg);
		return;
	case GUID:
		text_put(t, "%" PRIu64, p->guid);
		return;
	default:
		text_put(t, "%" PRIu64, ds->object);
		return;
	}
}

static void put_property(struct listing *l, const struct dsl_props *p, const char *name,
			 struct text *t)
{
	enum property id = property_by_name(name);

	if (id == PROP_MOUNTPOINT && dsl_props_source(p, id) != DSL_PROP_ABSENT) {
		dsl_props_mountpoint(p, t);
		return;
	}
	if (id != PROP_NONE && dsl_props_source(p, id) != DSL_PROP_ABSENT) {
		property_print(&property_table[id], dsl_props_number(p, id), dsl_props_text(p, id),
			       l->r->cli.exact, t);
		return;
	}
	for (size_t i = 0; id == PROP_NONE && i < dsl_props_users(p); i++) {
		struct dsl_user_property u = dsl_props_user(p, i);

		if (strcmp(u.name, name) == 0) {
			text_name(t, u.text, strlen(u.text));
			return;
		}
	}
	text_put(t, "-");
}

static int list_dataset(void *ctx, struct dataset *ds, const struct err *failed, struct err *e)
{
	enum { CELL = 4 * sizeof ds->name + 1 };
	struct listing	 *l = ctx;
	char		  cells[TABLE_COLUMNS_MAX][CELL];
	const char	 *row[TABLE_COLUMNS_MAX];
	struct dsl_props *p = NULL;

	if (cli_check_interrupt(e) < 0)
		return -1;
	if (failed != NULL) {
		run_trouble(l->r, failed);
		return 0;
	}

	unsigned kind = kind_of(l->r, ds);

	if (kind != KIND_UNKNOWN && (l->kinds & kind) == 0)
		return 0;
	if (l->properties && dsl_props_read(ds, &p, e) < 0)
		return err_in(e, "%s", ds->name);
	if (p != NULL && dsl_props_odd(p) != NULL)
		run_trouble(l->r, dsl_props_odd(p));
	for (size_t i = 0; i < l->count; i++) {
		struct text t = text_in(cells[i], CELL);

		if (l->columns[i] == PROPERTY)
			put_property(l, p, l->names[i], &t);
		else
			put_cell(l, l->columns[i], ds, kind, &t);
		row[i] = cells[i];
	}
	dsl_props_free(p);
	return table_row(&l->table, row, e);
}

int verb_datasets(struct run *r, struct err *e)
{
	struct listing l = { .r = r };

	if (take_columns(&l, r->columns != NULL ? r->columns : "name,used,refer,type", e) < 0 ||
	    take_types(&l, r->types != NULL ? r->types : "filesystem,volume", e) < 0 ||
	    run_open(r, r->cli.args + 1, r->cli.arg_count - 1, e) < 0)
		return -1;
	table_begin(&l.table, stdout, r->cli.tabs, l.shown, l.count);

	struct dsl_walk how = { .snapshots = (l.kinds & KIND_SNAPSHOT) != 0 };
	int		rc = dataset_each(r->pool, &how, list_dataset, &l, e);

	table_end(&l.table);
	return rc;
}
