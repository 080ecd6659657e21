/* The verb properties: of datasets. Those of the pool are in pool_properties.c. */
#include "cmd/pooldump/properties.h"

#include <stdio.h>
#include <string.h>

#include "cmd/items.h"
#include "core/base/mem.h"

bool property_rows_all(const struct property_rows *rows)
{
	return rows->wanted == NULL || strcmp(rows->wanted, "all") == 0;
}

/* The i'th name of the comma list, into `out`; false past the last. */
static bool nth_name(const char *list, size_t i, char *out, size_t cap)
{
	size_t n;

	for (; i > 0; i--) {
		list += strcspn(list, ",");
		if (*list == '\0')
			return false;
		list++;
	}
	n = strcspn(list, ",");
	if (n >= cap)
		n = cap - 1;
	memcpy(out, list, n);
	out[n] = '\0';
	return true;
}

bool property_wanted(const struct property_rows *rows, const char *name)
{
	char one[PROPERTY_NAME_MAX + 2];

	if (property_rows_all(rows))
		return true;
	for (size_t i = 0; nth_name(rows->wanted, i, one, sizeof one); i++) {
		if (strcmp(one, name) == 0)
			return true;
	}
	return false;
}

int property_row(struct property_rows *rows, const char *name, const char *value,
		 const char *source, struct err *e)
{
	const char *cells[] = { rows->name, name, value, source };

	return table_row(&rows->table, cells, e);
}

/* -- of datasets ------------------------------------------------------------------------------- */

static const char *source_text(enum dsl_prop_source source, const char *from, char *buf, size_t cap)
{
	struct text t = text_in(buf, cap);

	switch (source) {
	case DSL_PROP_DEFAULT:
		return "default";
	case DSL_PROP_LOCAL:
		return "local";
	case DSL_PROP_RECEIVED:
		return "received";
	case DSL_PROP_INHERITED:
		text_put(&t, "inherited from ");
		text_name(&t, from != NULL ? from : "?", from != NULL ? strlen(from) : 1);
		return buf;
	default:
		return "-";
	}
}

static int native_row(struct property_rows *rows, const struct dsl_props *p, enum property id,
		      struct err *e)
{
	const struct property_info *info = &property_table[id];
	enum dsl_prop_source	    source = dsl_props_source(p, id);
	char			    where[4 * DATASET_NAME_MAX + 32];
	struct text		    t = text_in(rows->cell, PROPERTY_CELL);

	if (source == DSL_PROP_ABSENT)
		text_put(&t, "-");
	else if (id == PROP_MOUNTPOINT)
		dsl_props_mountpoint(p, &t);
	else
		property_print(info, dsl_props_number(p, id), dsl_props_text(p, id),
			       rows->r->cli.exact, &t);
	return property_row(rows, info->name, rows->cell,
			    source_text(source, dsl_props_from(p, id), where, sizeof where), e);
}

static int user_row(struct property_rows *rows, struct dsl_user_property u, struct err *e)
{
	char	    where[4 * DATASET_NAME_MAX + 32];
	struct text t = text_in(rows->cell, PROPERTY_CELL);

	text_name(&t, u.text, strlen(u.text));
	return property_row(rows, u.name, rows->cell,
			    source_text(u.source, u.from, where, sizeof where), e);
}

static int all_rows(struct property_rows *rows, const struct dsl_props *p, struct err *e)
{
	for (int i = 0; i < PROP_COUNT; i++) {
		enum property id = (enum property)i;

		if (!property_table[i].hidden && dsl_props_source(p, id) != DSL_PROP_ABSENT &&
		    native_row(rows, p, id, e) < 0)
			return -1;
	}
	for (size_t i = 0; i < dsl_props_users(p); i++) {
		if (user_row(rows, dsl_props_user(p, i), e) < 0)
			return -1;
	}
	return 0;
}

static int named_row(struct property_rows *rows, const struct dsl_props *p, const char *name,
		     struct err *e)
{
	enum property id = property_by_name(name);

	if (id != PROP_NONE)
		return native_row(rows, p, id, e);
	for (size_t i = 0; i < dsl_props_users(p); i++) {
		if (strcmp(dsl_props_user(p, i).name, name) == 0)
			return user_row(rows, dsl_props_user(p, i), e);
	}
	return property_row(rows, name, "-", "-", e);
}

static int dataset_rows(struct property_rows *rows, struct dataset *ds, struct err *e)
{
	char		  quoted[4 * sizeof ds->name + 1], name[PROPERTY_NAME_MAX + 2];
	struct dsl_props *p;
	int		  rc = 0;

	if (dsl_props_read(ds, &p, e) < 0)
		return err_in(e, "%s", ds->name);
	if (dsl_props_odd(p) != NULL)
		run_trouble(rows->r, dsl_props_odd(p));
	rows->name = run_quote(ds->name, strlen(ds->name), quoted, sizeof quoted);
	if (property_rows_all(rows))
		rc = all_rows(rows, p, e);
	else
		for (size_t i = 0; rc == 0 && nth_name(rows->wanted, i, name, sizeof name); i++)
			rc = named_row(rows, p, name, e);
	dsl_props_free(p);
	return rc;
}

static int walk_row(void *ctx, struct dataset *ds, const struct err *failed, struct err *e)
{
	struct property_rows *rows = ctx;

	if (cli_check_interrupt(e) < 0)
		return -1;
	if (failed != NULL) {
		run_trouble(rows->r, failed);
		return 0;
	}
	return dataset_rows(rows, ds, e);
}

static int check_names(const char *list, bool pool, struct err *e)
{
	char name[PROPERTY_NAME_MAX + 2];

	for (size_t i = 0;
	     list != NULL && strcmp(list, "all") != 0 && nth_name(list, i, name, sizeof name);
	     i++) {
		bool known = pool ? pool_property_by_name(name) != POOLPROP_COUNT ||
					     strncmp(name, "feature@", 8) == 0
				  : property_by_name(name) != PROP_NONE;

		if (!known && !property_is_user(name))
			return err_set(e, ERR_USAGE, "invalid property '%s'", name);
	}
	return 0;
}

static int of_dataset(struct property_rows *rows, struct err *e)
{
	struct run     *r = rows->r;
	struct dsl_walk how = { .name = r->dataset.name, .snapshots = true };

	if (r->recursive && !r->dataset.snapshot)
		return dataset_each(r->pool, &how, walk_row, rows, e);
	return dataset_rows(rows, &r->dataset, e);
}

static int open_dataset(struct run *r, struct err *e)
{
	char *name = place_dataset_name(&r->place);
	int   rc;

	if (name == NULL)
		return err_nomem(e);
	rc = dataset_open(r->pool, name, &r->dataset, e);
	free(name);
	return rc;
}

/* A word that is no place is a member: the pool is meant. */
static int open_word(struct run *r, struct err *e)
{
	const char *word = r->cli.args[1];

	if (!place_is(word))
		return run_open(r, r->cli.args + 1, 1, e);
	if (place_parse(word, &r->place, e) < 0)
		return -1;
	return run_open(r, (const char *const *)r->place.members, r->place.member_count, e);
}

int verb_properties(struct run *r, struct err *e)
{
	static const struct table_column columns[] = {
		{ "NAME", false }, { "PROPERTY", false }, { "VALUE", false }, { "SOURCE", false }
	};
	struct property_rows rows = { .r = r };
	bool		     pool;
	int		     rc;

	if (r->columns != NULL || r->types != NULL)
		return err_set(e, ERR_USAGE, "properties takes no -o and no -t");
	if (r->cli.arg_count > 2)
		rows.wanted = r->cli.args[2];
	if (open_word(r, e) < 0)
		return -1;
	pool = r->place.dataset == NULL || r->place.dataset[0] == '\0';
	if (check_names(rows.wanted, pool, e) < 0 || (!pool && open_dataset(r, e) < 0))
		return -1;
	rows.cell = mem_raw(PROPERTY_CELL, e);
	if (rows.cell == NULL)
		return -1;
	table_begin(&rows.table, stdout, r->cli.tabs, columns, 4);
	rc = pool ? pool_property_rows(&rows, e) : of_dataset(&rows, e);
	table_end(&rows.table);
	free(rows.cell);
	return rc;
}
