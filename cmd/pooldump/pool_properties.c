/*
 * Properties of the pool, as `zpool get` shows them for one that is imported for writing. What only
 * an import decides (load_guid), and what is not counted here yet (fragmentation, the size of dedup
 * tables and of a checkpoint), is left out.
 * Source: OpenZFS spa.c (spa_prop_get), libzfs_pool.c (zpool_get_prop).
 */
#include <stdio.h>
#include <string.h>

#include "cmd/pooldump/properties.h"
#include "core/base/mem.h"
#include "core/dmu/zap_read.h"
#include "core/pool/capacity.h"
#include "core/pool/savings.h"
#include "core/pool/spacemaps.h"

struct value {
	enum dsl_prop_source source; /* DSL_PROP_ABSENT: left out */
	uint64_t	     number;
	char		     text[PROPERTY_TEXT_MAX + 1]; /* of texts; "": none */
};

static void put_text(struct value *v, enum dsl_prop_source source, const char *text)
{
	struct text t = text_in(v->text, sizeof v->text);

	v->source = source;
	text_put(&t, "%s", text);
}

static void put_number(struct value *v, enum dsl_prop_source source, uint64_t n)
{
	v->source = source;
	v->number = n;
}

/* -- space ------------------------------------------------------------------------------------- */

static int free_in(struct pool *p, unsigned vdev, uint64_t *bytes, struct err *e)
{
	struct alloc	*a = NULL;
	struct ranges	 list = { 0 };
	struct spacemaps maps = { 0 };
	unsigned	 ashift = vdev_tree_top(pool_vdevs(p), vdev)->ashift;
	int		 rc = -1;

	if (alloc_new(vdev, UINT64_C(1) << ashift, &a, e) == 0 &&
	    spacemaps_load(p, vdev, a, &maps, e) == 0 && alloc_after(a, &list, e) == 0) {
		*bytes += ranges_bytes(&list);
		rc = 0;
	}
	ranges_fini(&list);
	spacemaps_fini(&maps);
	alloc_free(a);
	return rc;
}

static bool holds_data(struct pool *p, unsigned vdev)
{
	const struct vdev_config *root = pool_config(p)->tree;

	if (root == NULL || root->kind != VDEV_ROOT)
		return true;
	return vdev < root->child_count && !root->children[vdev]->is_log;
}

/* Which of size, free, allocated and capacity it is; false when the space maps cannot be read. */
static bool space_value(struct run *r, enum pool_property id, struct value *v)
{
	uint64_t   size = pool_capacity(r->pool).raw, free_bytes = 0;
	struct err why = { 0 };

	if (id == POOLPROP_SIZE) {
		put_number(v, DSL_PROP_NONE, size);
		return true;
	}
	for (unsigned i = 0; i < vdev_tree_count(pool_vdevs(r->pool)); i++) {
		if (!holds_data(r->pool, i) || vdev_tree_top(pool_vdevs(r->pool), i) == NULL)
			continue;
		if (free_in(r->pool, i, &free_bytes, &why) < 0) {
			err_in(&why, "%s", pool_property_table[id].name);
			run_trouble(r, &why);
			return false;
		}
	}
	if (free_bytes > size)
		free_bytes = size;
	if (id == POOLPROP_FREE)
		put_number(v, DSL_PROP_NONE, free_bytes);
	else if (id == POOLPROP_ALLOCATED)
		put_number(v, DSL_PROP_NONE, size - free_bytes);
	else
		put_number(v, DSL_PROP_NONE, size == 0 ? 0 : (size - free_bytes) * 100 / size);
	return true;
}

/* -- the rest ---------------------------------------------------------------------------------- */

static const char *health(struct pool *p)
{
	for (unsigned i = 0; i < vdev_leaf_count(pool_vdevs(p)); i++) {
		if (vdev_leaf_dev(pool_vdevs(p), i) == NULL)
			return "DEGRADED";
	}
	return "ONLINE";
}

static void bootfs_value(struct pool *p, uint64_t object, struct value *v)
{
	struct dataset ds;

	put_text(v, DSL_PROP_LOCAL, dataset_open_object(p, object, &ds, NULL) < 0 ? "?" : ds.name);
}

/* What the pool's list of properties says; else the default. */
static void stored_value(struct pool *p, enum pool_property id, struct value *v)
{
	const struct property_info *info = &pool_property_table[id];
	uint64_t		    list, n;

	put_number(v, DSL_PROP_DEFAULT, info->number);
	put_text(v, DSL_PROP_DEFAULT, info->text != NULL ? info->text : "");
	if (pool_directory_u64(p, "pool_props", &list, NULL) < 0 ||
	    zap_u64_at(pool_mos(p), list, info->name, &n, NULL) < 0)
		return;
	if (id == POOLPROP_BOOTFS)
		bootfs_value(p, n, v);
	else
		put_number(v, n == info->number ? DSL_PROP_DEFAULT : DSL_PROP_LOCAL, n);
}

static void config_value(struct pool *p, const char *name, const char *otherwise, struct value *v)
{
	const char *text;

	if (nvlist_string(pool_config(p)->nv, name, &text))
		put_text(v, DSL_PROP_LOCAL, text);
	else
		put_text(v, DSL_PROP_DEFAULT, otherwise);
}

/* What destroyed datasets still hold: $FREE's charge. Old pools have none. */
static uint64_t freeing(struct pool *p)
{
	char	       name[DATASET_NAME_MAX + 8];
	struct dataset ds;

	snprintf(name, sizeof name, "%.*s/$FREE", DATASET_NAME_MAX, pool_name(p));
	return dataset_open(p, name, &ds, NULL) < 0 ? 0 : ds.dir.used;
}

static uint64_t hundredths(uint64_t n, uint64_t of)
{
	return of == 0 ? 100 : (uint64_t)((unsigned __int128)n * 100 / of);
}

static void savings_value(struct pool *p, enum pool_property id, struct value *v)
{
	struct pool_savings s = pool_savings(p);
	uint64_t	    n;

	if (id == POOLPROP_DEDUPRATIO)
		n = hundredths(s.dedup_used, s.dedup_stored);
	else if (id == POOLPROP_BCLONERATIO)
		n = hundredths(s.clone_stored + s.clone_saved, s.clone_stored);
	else
		n = id == POOLPROP_BCLONEUSED ? s.clone_stored : s.clone_saved;
	put_number(v, DSL_PROP_NONE, n);
}

/* In a pool that never had a checkpoint, or dedup, there is nothing to count. */
static void unused_value(struct pool *p, const char *directory, struct value *v)
{
	struct err why = { 0 };
	uint64_t   n;

	if (pool_directory_u64(p, directory, &n, &why) < 0 && why.kind == ERR_NOTFOUND)
		put_number(v, DSL_PROP_NONE, 0);
}

static void fact_value(struct run *r, enum pool_property id, struct value *v)
{
	struct pool *p = r->pool;
	uint64_t     n = 0;

	switch (id) {
	case POOLPROP_HEALTH:
		put_text(v, DSL_PROP_NONE, health(p));
		return;
	case POOLPROP_GUID:
		put_number(v, DSL_PROP_NONE, pool_guid(p));
		return;
	case POOLPROP_FREEING:
		put_number(v, DSL_PROP_NONE, freeing(p));
		return;
	case POOLPROP_LEAKED:
	case POOLPROP_EXPANDSIZE:
		put_number(v, DSL_PROP_NONE, 0);
		return;
	case POOLPROP_CHECKPOINT:
		unused_value(p, "com.delphix:zpool_checkpoint", v);
		return;
	case POOLPROP_DEDUP_TABLE_SIZE:
		unused_value(p, "DDT-statistics", v);
		return;
	case POOLPROP_DEDUPRATIO:
	case POOLPROP_BCLONEUSED:
	case POOLPROP_BCLONESAVED:
	case POOLPROP_BCLONERATIO:
		savings_value(p, id, v);
		return;
	case POOLPROP_LAST_SCRUBBED_TXG:
		(void)!pool_directory_u64(p, "last_scrubbed_txg", &n, NULL);
		put_number(v, DSL_PROP_NONE, n);
		return;
	default:
		return;
	}
}

static void value_of(struct run *r, enum pool_property id, struct value *v)
{
	switch (id) {
	case POOLPROP_SIZE:
	case POOLPROP_FREE:
	case POOLPROP_ALLOCATED:
	case POOLPROP_CAPACITY:
		(void)!space_value(r, id, v);
		return;
	case POOLPROP_VERSION:
		put_number(v, pool_version(r->pool) == 5000 ? DSL_PROP_DEFAULT : DSL_PROP_LOCAL,
			   pool_version(r->pool));
		return;
	case POOLPROP_COMMENT:
		config_value(r->pool, "comment", "", v);
		return;
	case POOLPROP_COMPATIBILITY:
		config_value(r->pool, "compatibility", "off", v);
		return;
	case POOLPROP_READONLY:
		put_number(v, DSL_PROP_NONE, 0);
		return;
	default:
		if (pool_property_table[id].how == PROPERTY_READONLY)
			fact_value(r, id, v);
		else
			stored_value(r->pool, id, v);
	}
}

static const char *source_name(enum dsl_prop_source s)
{
	return s == DSL_PROP_DEFAULT ? "default" : s == DSL_PROP_LOCAL ? "local" : "-";
}

static int native_row(struct property_rows *rows, enum pool_property id, struct value *v,
		      struct err *e)
{
	struct text t = text_in(rows->cell, PROPERTY_CELL);

	*v = (struct value){ .source = DSL_PROP_ABSENT };
	value_of(rows->r, id, v);
	if (v->source == DSL_PROP_ABSENT && property_rows_all(rows))
		return 0;
	if (v->source == DSL_PROP_ABSENT)
		text_put(&t, "-");
	else
		property_print(&pool_property_table[id], v->number,
			       v->text[0] == '\0' ? NULL : v->text, rows->r->cli.exact, &t);
	return property_row(rows, pool_property_table[id].name, rows->cell, source_name(v->source),
			    e);
}

static int feature_rows(struct property_rows *rows, struct err *e)
{
	for (size_t i = 0; i < feature_count(); i++) {
		char	 name[64];
		uint64_t count;

		snprintf(name, sizeof name, "feature@%s", feature_table[i].name);
		if (property_wanted(rows, name) &&
		    property_row(rows, name,
				 feature_state(rows->r->pool, &feature_table[i], &count), "local",
				 e) < 0)
			return -1;
	}
	return 0;
}

struct users {
	struct property_rows *rows;
	struct value	     *v;
};

static int user_row(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct users *u = ctx;
	char	      name[PROPERTY_NAME_MAX + 1];
	struct text   t = text_in(u->v->text, sizeof u->v->text);
	const char   *end;

	if (entry->name.n >= sizeof name || entry->int_size != 1 || entry->value.n == 0)
		return 0;
	memcpy(name, entry->name.p, entry->name.n);
	name[entry->name.n] = '\0';
	end = memchr(entry->value.p, 0, entry->value.n);
	if (end == NULL || !property_is_user(name) || !property_wanted(u->rows, name))
		return 0;
	text_name(&t, entry->value.p, (size_t)(end - (const char *)entry->value.p));
	return property_row(u->rows, name, u->v->text, "local", e);
}

static int user_rows(struct property_rows *rows, struct value *v, struct err *e)
{
	struct users u = { .rows = rows, .v = v };
	uint64_t     list;

	if (pool_directory_u64(rows->r->pool, "pool_props", &list, NULL) < 0)
		return 0;
	return zap_each_at(pool_mos(rows->r->pool), list, user_row, &u, e) < 0 ? -1 : 0;
}

int pool_property_rows(struct property_rows *rows, struct err *e)
{
	char	      quoted[4 * DATASET_NAME_MAX + 1];
	const char   *name = pool_name(rows->r->pool);
	struct value *v = mem_zero(sizeof *v, e);
	int	      rc = 0;

	if (v == NULL)
		return -1;
	rows->name = run_quote(name, strlen(name), quoted, sizeof quoted);
	for (int id = 0; rc == 0 && id < POOLPROP_COUNT; id++) {
		const struct property_info *info = &pool_property_table[id];

		if (property_wanted(rows, info->name) && !(info->hidden && property_rows_all(rows)))
			rc = native_row(rows, (enum pool_property)id, v, e);
	}
	if (rc == 0)
		rc = user_rows(rows, v, e);
	if (rc == 0)
		rc = feature_rows(rows, e);
	free(v);
	return rc;
}
