/* Verbs that need labels only, no readable pool: pools, labels, uberblocks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/pooldump/run.h"
#include "cmd/table.h"
#include "core/dump/pools.h"
#include "formats/words.h"

/* The members named by words or -m; with --pool only those of that pool. */
static int open_members(struct run *r, struct members *out, struct err *e)
{
	struct pool_options    o = cli_pool_options(&r->cli, r->cli.args + 1, r->cli.arg_count - 1);
	struct members_options m = { .paths = o.paths,
				     .path_count = o.path_count,
				     .offset_given = o.offset_given,
				     .offset = o.offset,
				     .mode = DEV_READ };

	if (m.path_count == 0)
		return err_set(e, ERR_USAGE, "no member is named");
	if (members_open(&m, out, e) < 0)
		return -1;
	if (r->cli.pool == NULL || members_choose(out, r->cli.pool, e) == 0)
		return 0;
	members_close(out);
	return -1;
}

static const char *state_words(const struct pool_config *c)
{
	switch (c->state) {
	case POOL_ACTIVE:
		return "in use, or not exported by its last user";
	case POOL_EXPORTED:
		return "exported";
	case POOL_DESTROYED:
		return "destroyed";
	default:
		return "unknown";
	}
}

/* "mirror-0" for what has children, the member's own name for what is here, the path it had for
 * what is not. */
static void row_name(const struct pool_row *row, char *out, size_t cap)
{
	const struct vdev_config *v = row->vdev;
	struct text		  t = text_in(out, cap);

	if (v == NULL)
		text_put(&t, "missing-%" PRIu64, row->top);
	else if (row->member != NULL)
		text_put(&t, "%s", row->member->dev->name);
	else if (v->path != NULL && v->child_count == 0)
		text_name(&t, v->path, strlen(v->path));
	else if (v->kind == VDEV_RAIDZ || v->kind == VDEV_DRAID)
		text_put(&t, "%s%" PRIu64 "-%" PRIu64, vdev_kind_name(v->kind), v->nparity, v->id);
	else
		text_put(&t, "%s-%" PRIu64, v->type_name != NULL ? v->type_name : "vdev", v->id);
}

static const char *row_note(const struct pool_row *row)
{
	if (row->vdev == NULL)
		return "  no member of it is here";
	if (row->vdev->child_count == 0 && row->member == NULL && row->health == HEALTH_UNAVAIL)
		return "  not found";
	if (row->stale)
		return "  label is older than the pool's newest";
	return row->vdev->is_log && row->depth == 0 ? "  log" : "";
}

static int print_pool(struct dump *d, const struct pool_view *p, struct err *e)
{
	const struct pool_config *c = p->config;
	char			  name[1100], host[1100] = "";

	run_quote(c->name, strlen(c->name), name, sizeof name);
	if (c->hostname != NULL)
		run_quote(c->hostname, strlen(c->hostname), host, sizeof host);
	if (dump_line(d, e,
		      "   pool: %s\n     id: %" PRIu64
		      "\n  state: %s\n    use: %s\nversion: %" PRIu64 "\n    txg: %" PRIu64,
		      name, c->pool_guid, vdev_health_name(p->health), state_words(c), c->version,
		      c->txg) < 0)
		return -1;
	if (host[0] != '\0' &&
	    dump_line(d, e, "   host: %s (hostid %" PRIx64 ")", host, c->hostid) < 0)
		return -1;
	if (dump_line(d, e, "\n\t%-40s  %s", name, vdev_health_name(p->health)) < 0)
		return -1;
	for (size_t i = 0; i < p->count; i++) {
		const struct pool_row *row = &p->rows[i];
		int		       indent = 2 + 2 * (int)row->depth;

		row_name(row, name, sizeof name);
		if (dump_line(d, e, "\t%*s%-*s  %s%s", indent, "", 40 - indent, name,
			      vdev_health_name(row->health), row_note(row)) < 0)
			return -1;
	}
	return 0;
}

static int print_unused(struct dump *d, const struct members *m, struct err *e)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct pool_config *c = member_config(&m->list[i]);

		if (c == NULL || (c->state != POOL_SPARE && c->state != POOL_L2CACHE))
			continue;
		if (dump_line(d, e, "%s: a %s; its label names no pool", m->list[i].dev->name,
			      c->state == POOL_SPARE ? "spare" : "cache device") < 0)
			return -1;
	}
	return 0;
}

int verb_pools(struct run *r, struct err *e)
{
	struct dump	  d = run_dump(r);
	struct members	  m;
	struct pool_views v = { 0 };
	int		  rc = -1;

	if (open_members(r, &m, e) < 0)
		return -1;
	if (pool_views_of(&m, &v, e) < 0)
		goto out;
	for (size_t i = 0; i < v.count; i++) {
		if (i > 0 && dump_line(&d, e, "%s", "") < 0)
			goto out;
		if (print_pool(&d, &v.list[i], e) < 0)
			goto out;
	}
	if (v.count == 0 && m.count == 0) {
		err_set(e, ERR_NOTFOUND, "no member of a pool is here");
		goto out;
	}
	rc = print_unused(&d, &m, e);
out:
	pool_views_free(&v);
	members_close(&m);
	return rc;
}

/* Labels that say the same are printed once. */
static bool same_config(const struct pool_config *a, const struct pool_config *b)
{
	uint8_t *x = NULL, *y = NULL;
	size_t	 nx = 0, ny = 0;
	bool	 same = nvlist_encode(a->nv, &x, &nx, NULL) == 0 &&
		    nvlist_encode(b->nv, &y, &ny, NULL) == 0 && nx == ny && memcmp(x, y, nx) == 0;

	free(x);
	free(y);
	return same;
}

static void report_bad_labels(struct run *r, const struct member *m)
{
	for (unsigned i = 0; i < LABEL_COUNT; i++) {
		struct err why = m->labels[i].why;

		if (m->labels[i].config != NULL)
			continue;
		err_in(&why, "label %u", i);
		err_in(&why, "%s", m->dev->name);
		run_trouble(r, &why);
	}
}

static int print_member_labels(struct dump *d, const struct member *m, struct err *e)
{
	bool done[LABEL_COUNT] = { false };

	for (unsigned i = 0; i < LABEL_COUNT; i++) {
		char	    held[32];
		struct text t = text_in(held, sizeof held);

		if (m->labels[i].config == NULL || done[i])
			continue;
		for (unsigned k = i; k < LABEL_COUNT; k++)
			if (m->labels[k].config != NULL && !done[k] &&
			    (k == i || same_config(m->labels[i].config, m->labels[k].config))) {
				done[k] = true;
				text_put(&t, " %u", k);
			}
		if (dump_line(d, e, "%s: labels%s", m->dev->name, held) < 0 ||
		    dump_nvlist(d, 1, m->labels[i].config->nv, e) < 0)
			return -1;
	}
	return 0;
}

int verb_labels(struct run *r, struct err *e)
{
	struct dump    d = run_dump(r);
	struct members m;
	int	       rc = 0;

	if (open_members(r, &m, e) < 0)
		return -1;
	for (size_t i = 0; rc == 0 && i < m.count; i++) {
		rc = print_member_labels(&d, &m.list[i], e);
		report_bad_labels(r, &m.list[i]);
	}
	members_close(&m);
	return rc;
}

static const struct table_column uberblock_columns[] = {
	{ "TXG", true },     { "TIME", false },	  { "VERSION", true }, { "SLOT", true },
	{ "LABELS", false }, { "MEMBER", false }, { "ROOT", false },
};

struct ring {
	struct uberblock_found *list;
	size_t			count;
	size_t			next;
};

static bool same_uberblock(const struct uberblock_found *a, const struct uberblock_found *b)
{
	return uberblock_compare(&a->ub, &b->ub) == 0 && a->slot == b->slot &&
	       a->ub.guid_sum == b->ub.guid_sum &&
	       digest_equal(&a->ub.rootbp.cksum, &b->ub.rootbp.cksum);
}

/* The newest uberblock that no row has shown yet, over the four rings; NULL at the end. */
static const struct uberblock_found *newest(struct ring rings[LABEL_COUNT])
{
	const struct uberblock_found *best = NULL;

	for (unsigned i = 0; i < LABEL_COUNT; i++) {
		const struct ring *g = &rings[i];

		if (g->next < g->count &&
		    (best == NULL || uberblock_compare(&g->list[g->next].ub, &best->ub) > 0))
			best = &g->list[g->next];
	}
	return best;
}

static int uberblock_row(struct run *r, struct table *t, const struct member *m,
			 const struct uberblock_found *u, const char *labels, struct err *e)
{
	char	    txg[24], version[24], slot[16], time[64], root[1024];
	struct text when = text_in(time, sizeof time), bp = text_in(root, sizeof root);

	if (r->cli.exact)
		text_put(&when, "%" PRIu64, u->ub.timestamp);
	else
		text_time(&when, u->ub.timestamp);
	snprintf(txg, sizeof txg, "%" PRIu64, u->ub.txg);
	snprintf(version, sizeof version, "%" PRIu64, u->ub.version);
	snprintf(slot, sizeof slot, "%u", u->slot);
	if (r->cli.verbose > 0)
		blkptr_describe(&u->ub.rootbp, &bp);
	else
		text_put(&bp, "%" PRIu32 ":%" PRIx64 ":%" PRIx64, u->ub.rootbp.dva[0].vdev,
			 u->ub.rootbp.dva[0].offset, u->ub.rootbp.dva[0].asize);
	return table_row(
		t, (const char *[]){ txg, time, version, slot, labels, m->dev->name, root }, e);
}

static int merge_rings(struct run *r, struct table *t, const struct member *m,
		       struct ring rings[LABEL_COUNT], struct err *e)
{
	const struct uberblock_found *u;

	while ((u = newest(rings)) != NULL) {
		char	    labels[16];
		struct text held = text_in(labels, sizeof labels);

		for (unsigned i = 0; i < LABEL_COUNT; i++) {
			struct ring *g = &rings[i];

			if (g->next < g->count && same_uberblock(&g->list[g->next], u)) {
				text_put(&held, "%u", i);
				g->next++;
			}
		}
		if (cli_check_interrupt(e) < 0 || uberblock_row(r, t, m, u, labels, e) < 0)
			return -1;
	}
	return 0;
}

static int member_rows(struct run *r, struct table *t, const struct member *m, struct err *e)
{
	const struct pool_config *c = member_config(m);
	unsigned		  ashift = c != NULL && c->tree != NULL && c->tree->ashift < 64
						   ? (unsigned)c->tree->ashift
						   : 9;
	struct ring		  rings[LABEL_COUNT] = { 0 };
	struct err		  why;

	for (unsigned i = 0; i < LABEL_COUNT; i++)
		if (member_uberblocks(m->dev, i, ashift, &rings[i].list, &rings[i].count,
				      &why) < 0) {
			err_in(&why, "%s: label %u", m->dev->name, i);
			run_trouble(r, &why);
		}

	int rc = merge_rings(r, t, m, rings, e);

	for (unsigned i = 0; i < LABEL_COUNT; i++)
		free(rings[i].list);
	return rc;
}

int verb_uberblocks(struct run *r, struct err *e)
{
	struct members m;
	struct table   t;
	int	       rc = 0;

	if (open_members(r, &m, e) < 0)
		return -1;
	table_begin(&t, stdout, r->cli.tabs, uberblock_columns,
		    sizeof uberblock_columns / sizeof uberblock_columns[0]);
	for (size_t i = 0; rc == 0 && i < m.count; i++)
		rc = member_rows(r, &t, &m.list[i], e);
	table_end(&t);
	members_close(&m);
	return rc;
}
