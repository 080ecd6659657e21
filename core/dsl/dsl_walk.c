/* Every dataset below one: a stack of directories to be done, and a set of those that were. */
#include <stdio.h>

#include "core/base/idmap.h"
#include "core/base/mem.h"
#include "core/dmu/zap_read.h"
#include "core/dsl/dsl_impl.h"

/* Datasets and snapshots of one walk; a guard against ZAPs that make them up. */
enum { WALK_MAX = 4 << 20 };

struct item {
	char	*name; /* full */
	uint64_t object;
	uint64_t order; /* snapshots: creation txg */
};

struct items {
	struct item *list;
	size_t	     count, cap;
};

struct walk {
	struct pool	      *pool;
	const struct dsl_walk *how;
	dataset_fn	      *fn;
	void		      *ctx;
	struct items	       stack; /* directories to be done, the next one last */
	struct idmap	       seen;
	size_t		       given;
};

static void items_fini(struct items *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->list[i].name);
	free(l->list);
	*l = (struct items){ 0 };
}

/* Gathers a ZAP of name -> object number; names become PREFIX SEPARATOR NAME. */
struct gather {
	struct items items;
	const char  *prefix;
	char	     separator;
	bool	     hidden;
};

static int gather_entry(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct gather *g = ctx;
	size_t	       room = strlen(g->prefix) + entry->name.n + 2;
	char	      *name;

	if (entry->int_size != 8 || entry->value.n < 8 || entry->name.n == 0 ||
	    entry->name.n >= DATASET_NAME_MAX || memchr(entry->name.p, 0, entry->name.n) != NULL)
		return 0;
	if (!g->hidden && entry->name.p[0] == '$')
		return 0;
	if (g->items.count == WALK_MAX)
		return err_set(e, ERR_CORRUPT, "%s: too many datasets to be true", g->prefix);
	if (mem_grow(&g->items.list, &g->items.cap, g->items.count + 1, sizeof *g->items.list,
		     e) < 0)
		return -1;
	name = mem_raw(room, e);
	if (name == NULL)
		return -1;
	snprintf(name, room, "%s%c%.*s", g->prefix, g->separator, (int)entry->name.n,
		 (const char *)entry->name.p);
	g->items.list[g->items.count++] = (struct item){ .name = name,
							 .object = zap_entry_int(entry, 0) };
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int by_order(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return by_name(a, b);
}

static int give(struct walk *w, struct dataset *ds, const struct err *failed, struct err *e)
{
	if (++w->given > WALK_MAX)
		return err_set(e, ERR_CORRUPT, "too many datasets to be true");
	return w->fn(w->ctx, ds, failed, e);
}

/* A dataset that could not be read still has a name and a number. */
static int give_failed(struct walk *w, const struct item *i, const struct err *why, struct err *e)
{
	struct dataset ds = { .pool = w->pool, .object = i->object };

	snprintf(ds.name, sizeof ds.name, "%s", i->name);
	ds.snapshot = strchr(i->name, '@') != NULL;
	return give(w, &ds, why, e);
}

static int give_snapshots(struct walk *w, const struct dataset *head, struct err *e)
{
	struct gather  g = { .prefix = head->name, .separator = '@', .hidden = w->how->hidden };
	struct dataset snap;
	struct err     why = { 0 };
	int	       rc = 0;

	if (head->phys.snapnames != 0 &&
	    zap_each_at(pool_mos(w->pool), head->phys.snapnames, gather_entry, &g, &why) < 0) {
		struct item all = { .name = (char *)(uintptr_t)head->name, .object = head->object };

		err_in(&why, "snapshots");
		rc = give_failed(w, &all, &why, e);
	}
	for (size_t i = 0; i < g.items.count; i++) {
		struct item *it = &g.items.list[i];

		if (dsl_dataset_fill(w->pool, it->object, it->name, &snap, NULL) == 0)
			it->order = snap.phys.creation_txg;
	}
	if (g.items.count > 0)
		qsort(g.items.list, g.items.count, sizeof *g.items.list, by_order);
	for (size_t i = 0; rc == 0 && i < g.items.count; i++) {
		struct item *it = &g.items.list[i];

		if (dsl_dataset_fill(w->pool, it->object, it->name, &snap, &why) < 0)
			rc = give_failed(w, it, &why, e);
		else
			rc = give(w, &snap, NULL, e);
	}
	items_fini(&g.items);
	return rc;
}

/* Puts the children on the stack, so that the first by name is done next. */
static int push_children(struct walk *w, const struct item *parent, uint64_t child_map,
			 struct err *e)
{
	struct gather g = { .prefix = parent->name, .separator = '/', .hidden = w->how->hidden };
	struct err    why = { 0 };
	int	      rc = 0;

	if (child_map != 0 &&
	    zap_each_at(pool_mos(w->pool), child_map, gather_entry, &g, &why) < 0) {
		err_in(&why, "children");
		rc = give_failed(w, parent, &why, e);
	}
	if (rc == 0)
		rc = mem_grow(&w->stack.list, &w->stack.cap, w->stack.count + g.items.count,
			      sizeof *w->stack.list, e);
	if (rc == 0 && g.items.count > 0) {
		qsort(g.items.list, g.items.count, sizeof *g.items.list, by_name);
		while (g.items.count > 0)
			w->stack.list[w->stack.count++] = g.items.list[--g.items.count];
	}
	items_fini(&g.items);
	return rc;
}

/* One directory: its dataset, snapshots, then its children onto the stack. */
static int do_directory(struct walk *w, const struct item *i, struct err *e)
{
	struct err     why = { 0 };
	struct dsl_dir dir;
	struct dataset ds;
	int	       rc = idmap_add(&w->seen, i->object, e);

	if (rc < 0)
		return -1;
	if (rc == 0) {
		err_set(&why, ERR_CORRUPT, "this directory was met before under another name");
		return give_failed(w, i, &why, e);
	}
	if (dsl_dir_open(w->pool, i->object, &dir, &why) < 0)
		return give_failed(w, i, &why, e);
	/* $MOS and its like have no dataset. */
	if (dir.head_dataset != 0) {
		if (dsl_dataset_fill(w->pool, dir.head_dataset, i->name, &ds, &why) < 0) {
			rc = give_failed(w, i, &why, e);
		} else {
			rc = give(w, &ds, NULL, e);
			if (rc == 0 && w->how->snapshots)
				rc = give_snapshots(w, &ds, e);
		}
		if (rc != 0)
			return rc;
	}
	return push_children(w, i, dir.child_map, e);
}

/* The first directory: the pool's root, or that of the name. */
static int start(struct walk *w, struct err *e)
{
	const char *name = w->how->name != NULL ? w->how->name : pool_name(w->pool);
	uint64_t    number;

	if (w->how->name == NULL) {
		if (pool_directory_u64(w->pool, "root_dataset", &number, e) < 0)
			return -1;
	} else {
		struct dataset ds;

		if (dataset_open(w->pool, w->how->name, &ds, e) < 0)
			return -1;
		if (ds.snapshot)
			return give(w, &ds, NULL, e);
		number = ds.dir_object;
	}
	if (mem_grow(&w->stack.list, &w->stack.cap, 1, sizeof *w->stack.list, e) < 0)
		return -1;
	w->stack.list[0] = (struct item){ .object = number,
					  .name = mem_copy_text(name, strlen(name), e) };
	if (w->stack.list[0].name == NULL)
		return -1;
	w->stack.count = 1;
	return 0;
}

int dataset_each(struct pool *p, const struct dsl_walk *how, dataset_fn *fn, void *ctx,
		 struct err *e)
{
	struct walk w = { .pool = p, .how = how, .fn = fn, .ctx = ctx };
	int	    rc = start(&w, e);

	while (rc == 0 && w.stack.count > 0) {
		struct item i = w.stack.list[--w.stack.count];

		rc = do_directory(&w, &i, e);
		free(i.name);
	}
	items_fini(&w.stack);
	idmap_fini(&w.seen);
	return rc;
}
