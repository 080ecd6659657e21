/* Pools from the labels of their members. */
#include "core/dump/pools.h"

#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

enum { TOPS_MAX = 4096 /* ours: top-level vdevs that a label may claim */ };

const struct pool_config *member_config(const struct member *m)
{
	return m->best < 0 ? NULL : m->labels[m->best].config;
}

static bool in_pool(const struct pool_config *c, uint64_t guid)
{
	return c != NULL && c->name != NULL && c->state != POOL_SPARE && c->state != POOL_L2CACHE &&
	       c->pool_guid == guid;
}

static const struct member *find_leaf(const struct members *m, uint64_t pool, uint64_t guid)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct pool_config *c = member_config(&m->list[i]);

		if (in_pool(c, pool) && c->guid == guid)
			return &m->list[i];
	}
	return NULL;
}

/* The newest description of top-level vdev `id`. */
static const struct vdev_config *find_top(const struct members *m, uint64_t pool, uint64_t id)
{
	const struct pool_config *best = NULL;

	for (size_t i = 0; i < m->count; i++) {
		const struct pool_config *c = member_config(&m->list[i]);

		if (in_pool(c, pool) && c->tree != NULL && c->tree->id == id &&
		    (best == NULL || c->txg > best->txg))
			best = c;
	}
	return best == NULL ? NULL : best->tree;
}

static enum vdev_health leaf_health(const struct pool_row *row)
{
	const struct vdev_config *v = row->vdev;

	if (v == NULL)
		return HEALTH_UNAVAIL;
	/* What was given up on purpose, or is only noted as having been there. */
	if (v->kind == VDEV_HOLE || v->kind == VDEV_INDIRECT)
		return HEALTH_ONLINE;
	if (v->offline)
		return HEALTH_OFFLINE;
	if (v->faulted)
		return HEALTH_FAULTED;
	return row->member != NULL ? HEALTH_ONLINE : HEALTH_UNAVAIL;
}

static int add_row(struct pool_view *p, size_t *cap, const struct members *m, struct pool_row row,
		   struct err *e)
{
	if (mem_grow(&p->rows, cap, p->count + 1, sizeof *p->rows, e) < 0)
		return -1;
	if (row.vdev != NULL && row.vdev->child_count == 0)
		row.member = find_leaf(m, p->config->pool_guid, row.vdev->guid);
	row.stale = row.member != NULL && member_config(row.member)->txg < p->config->txg;
	row.health = leaf_health(&row);
	p->rows[p->count++] = row;
	return 0;
}

/* Adds a top-level vdev and what lies below it; a stack instead of recursion, as deep as lists may
 * nest. */
static int add_tree(struct pool_view *p, size_t *cap, const struct members *m, uint64_t id,
		    struct err *e)
{
	struct {
		size_t row, next;
	} stack[NVLIST_DEPTH_MAX];
	size_t depth = 0;

	if (add_row(p, cap, m,
		    (struct pool_row){ .vdev = find_top(m, p->config->pool_guid, id),
				       .top = id,
				       .parent = SIZE_MAX },
		    e) < 0)
		return -1;
	stack[depth].row = p->count - 1;
	stack[depth++].next = 0;
	while (depth > 0) {
		size_t			  parent = stack[depth - 1].row;
		const struct vdev_config *v = p->rows[parent].vdev;

		if (v == NULL || stack[depth - 1].next == v->child_count ||
		    depth == NVLIST_DEPTH_MAX) {
			depth--;
			continue;
		}

		struct pool_row row = { .vdev = v->children[stack[depth - 1].next++],
					.top = id,
					.parent = parent,
					.depth = (unsigned)depth };

		if (add_row(p, cap, m, row, e) < 0)
			return -1;
		stack[depth].row = p->count - 1;
		stack[depth++].next = 0;
	}
	return 0;
}

/* How many of a vdev's children may be gone before its data are. */
static uint64_t may_miss(const struct vdev_config *v)
{
	return v->kind == VDEV_RAIDZ || v->kind == VDEV_DRAID ? v->nparity : v->child_count - 1;
}

/* Children come after their parent, so one walk from the end settles every row before it is
 * counted. */
static void settle_health(struct pool_view *p)
{
	size_t top_bad = 0, top_gone = 0;

	for (size_t i = p->count; i-- > 0;) {
		struct pool_row *row = &p->rows[i];
		size_t		 gone = 0, bad = 0;

		for (size_t k = i + 1; row->vdev != NULL && k < p->count; k++)
			if (p->rows[k].parent == i) {
				bad += p->rows[k].health != HEALTH_ONLINE;
				gone += p->rows[k].health > HEALTH_DEGRADED;
			}
		if (row->vdev != NULL && row->vdev->child_count > 0)
			row->health = gone > may_miss(row->vdev) ? HEALTH_UNAVAIL
				      : bad > 0			 ? HEALTH_DEGRADED
								 : HEALTH_ONLINE;
		if (row->depth == 0) {
			top_bad += row->health != HEALTH_ONLINE;
			/* Without its log a pool still opens. */
			top_gone += row->health > HEALTH_DEGRADED &&
				    (row->vdev == NULL || !row->vdev->is_log);
		}
	}
	p->health = top_gone > 0 ? HEALTH_UNAVAIL : top_bad > 0 ? HEALTH_DEGRADED : HEALTH_ONLINE;
}

static int view_fill(struct pool_view *p, const struct members *m, struct err *e)
{
	size_t	 cap = 0;
	uint64_t tops = min64(max64(p->config->vdev_children, 1), TOPS_MAX);

	for (uint64_t id = 0; id < tops; id++)
		if (add_tree(p, &cap, m, id, e) < 0)
			return -1;
	settle_health(p);
	return 0;
}

static struct pool_view *find_view(struct pool_views *v, uint64_t guid)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->list[i].config->pool_guid == guid)
			return &v->list[i];
	return NULL;
}

int pool_views_of(const struct members *m, struct pool_views *out, struct err *e)
{
	struct pool_views v = { .list = mem_array(m->count, sizeof *v.list, e) };

	if (v.list == NULL)
		return -1;
	for (size_t i = 0; i < m->count; i++) {
		const struct pool_config *c = member_config(&m->list[i]);
		struct pool_view	 *p;

		if (c == NULL || !in_pool(c, c->pool_guid))
			continue;
		p = find_view(&v, c->pool_guid);
		if (p == NULL)
			p = &v.list[v.count++];
		if (p->config == NULL || c->txg > p->config->txg)
			p->config = c;
	}
	for (size_t i = 0; i < v.count; i++)
		if (view_fill(&v.list[i], m, e) < 0) {
			pool_views_free(&v);
			return -1;
		}
	*out = v;
	return 0;
}

void pool_views_free(struct pool_views *v)
{
	for (size_t i = 0; i < v->count; i++)
		free(v->list[i].rows);
	free(v->list);
	*v = (struct pool_views){ 0 };
}

const char *vdev_health_name(enum vdev_health h)
{
	switch (h) {
	case HEALTH_ONLINE:
		return "ONLINE";
	case HEALTH_DEGRADED:
		return "DEGRADED";
	case HEALTH_OFFLINE:
		return "OFFLINE";
	case HEALTH_FAULTED:
		return "FAULTED";
	default:
		return "UNAVAIL";
	}
}
