/*
 * For tests: several datasets and snapshots in one rig, step by step; and an audit of what a check
 * does not recompute, from the blocks themselves.
 */
#ifndef CORE_DSL_DSL_RIG_TEST_H
#define CORE_DSL_DSL_RIG_TEST_H

#include "core/base/idmap.h"
#include "core/check/check_rig_test.h"

/* -- steps ------------------------------------------------------------------------------------- */

/* What writes to the current dataset is done. */
static inline int end_files(struct rig *r)
{
	if (r->z == NULL)
		return 0;
	if (r->sink.finish(r->sink.self, &r->e) < 0)
		return -1;
	zpl_write_free(r->z);
	r->z = NULL;
	return 0;
}

static inline int try_finish(struct rig *r)
{
	return end_files(r) < 0 ? -1 : dataset_write_finish(r->d, &r->e);
}

static inline int try_make(struct rig *r, const char *name, const struct dataset_spec *like)
{
	struct dataset_spec spec = *like;

	spec.name = name;
	spec.type = spec.type == OBJSET_NONE ? OBJSET_ZPL : spec.type;
	spec.policy = pool_tx_mos_policy(r->tx);
	spec.policy.data_copies = 1;
	spec.policy.meta_copies = 2;
	if (dataset_write_create(r->dsl, &spec, &r->d, &r->e) < 0)
		return -1;
	if (spec.type != OBJSET_ZPL)
		return 0;
	if (zpl_write_create(r->d, rig_zpl_options(), &r->z, &r->e) < 0)
		return -1;
	r->sink = zpl_write_sink(r->z);
	return 0;
}

static inline int try_snapshot(struct rig *r, const char *name)
{
	if (end_files(r) < 0 || dataset_write_snapshot(r->d, name, NULL, 0, &r->e) < 0 ||
	    zpl_write_open(r->d, rig_zpl_options(), &r->z, &r->e) < 0)
		return -1;
	r->sink = zpl_write_sink(r->z);
	return 0;
}

static inline int try_commit(struct rig *r)
{
	uint64_t used;

	return dsl_write_finish(r->dsl, &used, &r->e) < 0
		       ? -1
		       : pool_tx_commit(r->tx, used, NULL, &r->e);
}

#define must(r, what) cr_assert_eq(what, 0, "%s", (r)->e.text)
#define make(r, name, ...) must(r, try_make(r, name, &(struct dataset_spec){ __VA_ARGS__ }))
#define snapshot(r, name) must(r, try_snapshot(r, name))
#define finish(r) must(r, try_finish(r))
#define remove_file(r, path) must(r, zpl_write_remove((r)->z, path, strlen(path), &(r)->e))

static inline void commit(struct rig *r)
{
	must(r, try_commit(r));
	rig_drop(r);
}

/* Opens a dataset of the pool on disk for a second commit. */
static inline void reopen(struct rig *r, const char *name)
{
	rig_reopen(r);
	if (strcmp(name, "t") == 0)
		return;
	zpl_write_free(r->z);
	r->z = NULL;
	must(r, dataset_write_finish(r->d, &r->e));
	must(r, dataset_write_open(r->dsl, name, &r->d, &r->e));
	must(r, zpl_write_open(r->d, rig_zpl_options(), &r->z, &r->e));
	r->sink = zpl_write_sink(r->z);
}

/* A file of `size` bytes that compress little; `seed` decides them. */
static inline void put_big(struct rig *r, const char *path, size_t size, uint32_t seed)
{
	char *text = malloc(size + 1);

	for (size_t i = 0; i < size; i++) {
		seed = seed * 1664525 + 1013904223;
		text[i] = (char)(' ' + (seed >> 16) % 90);
	}
	text[size] = '\0';
	put_file(r, path, text);
	free(text);
}

/* -- reading back ------------------------------------------------------------------------------ */

static inline struct dataset record_of(struct rig *r, const char *name)
{
	struct dataset ds;

	rig_pool(r);
	must(r, dataset_open(r->pool, name, &ds, &r->e));
	pool_close(r->pool);
	r->pool = NULL;
	return ds;
}

static inline uint64_t feature_count_of(struct rig *r, const char *guid)
{
	uint64_t count;

	rig_pool(r);
	must(r, pool_feature(r->pool, guid, &count, &r->e));
	pool_close(r->pool);
	r->pool = NULL;
	return count;
}

#define cr_assert_holds(r, name, expected)                      \
	do {                                                    \
		char *list_ = rig_list_of(r, name);             \
		cr_assert_str_eq(list_, expected, "%s", list_); \
		free(list_);                                    \
	} while (0)

/* Who shows which block: a bit for each dataset, by where the block is. */
enum { AUDIT_MAX = 60 };
struct audit {
	struct dataset list[AUDIT_MAX];
	size_t	       count;
	struct idmap   seen, size;
	struct objset  os;
};

static int audit_block(void *ctx, const struct block_where *where, const struct blkptr *bp,
		       const struct err *failed, struct err *e)
{
	struct audit *a = ctx;
	uint64_t      bits = 0;

	(void)where;
	cr_assert_null(failed);
	if (blkptr_is_hole(bp) || bp->embedded)
		return 0;
	idmap_get(&a->seen, bp->dva[0].offset + 1, &bits);
	cr_assert_eq(idmap_put(&a->seen, bp->dva[0].offset + 1,
			       bits | UINT64_C(1) << (a->count - 1), e), 0);
	return idmap_put(&a->size, bp->dva[0].offset + 1, blkptr_asize(bp), e);
}

static int audit_dataset(void *ctx, struct dataset *ds, const struct err *failed, struct err *e)
{
	struct audit *a = ctx;

	cr_assert_null(failed);
	cr_assert_lt(a->count, AUDIT_MAX);
	a->list[a->count++] = *ds;
	if (dataset_objset(ds, &a->os, e) < 0)
		return -1;
	return blkptr_is_hole(&ds->phys.bp) ? 0 : objset_visit(&a->os, audit_block, a, e);
}

/* Of the blocks: what only `i` shows; what its directory's snapshots show and its head does not. */
static inline void audit_sums(struct audit *a, size_t i, uint64_t *unique, uint64_t *snapshots)
{
	size_t	 at = 0;
	uint64_t key, bits, size = 0, dir = 0;

	for (size_t k = 0; k < a->count; k++)
		dir |= (uint64_t)(a->list[k].dir_object == a->list[i].dir_object) << k;
	*unique = *snapshots = 0;
	while (idmap_next(&a->seen, &at, &key, &bits)) {
		idmap_get(&a->size, key, &size);
		*unique += bits == UINT64_C(1) << i ? size : 0;
		*snapshots += (bits & dir) != 0 && (bits >> i & 1) == 0 ? size : 0;
	}
}

static inline int64_t over(uint64_t a, uint64_t b)
{
	return (int64_t)(a > b ? a : b);
}

/* The parts of a directory's space, from what is below it. */
static inline void audit_children(struct audit *a, const struct dataset *ds)
{
	uint64_t child = 0, reserved = 0;

	for (size_t k = 0; k < a->count; k++) {
		const struct dsl_dir *d = &a->list[k].dir;

		if (a->list[k].snapshot || d->parent != ds->dir_object)
			continue;
		child += d->used;
		reserved += (uint64_t)over(d->used, d->reserved) - d->used;
	}
	/* $MOS is among the root's children, and no dataset. */
	if (ds->dir.parent != 0)
		cr_assert_eq(ds->dir.used_by[USED_CHILD], child, "%s", ds->name);
	cr_assert_eq(ds->dir.used_by[USED_CHILD_RSRV], reserved, "%s", ds->name);
}

/* Everything that a check does not look at, from the blocks themselves. */
static inline void audit(struct rig *r)
{
	struct dsl_walk walk = { .snapshots = true };
	struct audit   *a = calloc(1, sizeof *a);
	uint64_t	unique, snapshots;

	rig_pool(r);
	must(r, dataset_each(r->pool, &walk, audit_dataset, a, &r->e));
	for (size_t i = 0; i < a->count; i++) {
		const struct dataset *ds = &a->list[i];

		audit_sums(a, i, &unique, &snapshots);
		cr_assert_eq(ds->phys.unique, unique, "%s: unique %llu, counted %llu", ds->name,
			     (unsigned long long)ds->phys.unique, (unsigned long long)unique);
		if (ds->snapshot)
			continue;
		cr_assert_eq(ds->dir.used_by[USED_SNAP], snapshots, "%s", ds->name);
		audit_children(a, ds);
	}
	idmap_fini(&a->seen);
	idmap_fini(&a->size);
	free(a);
	pool_close(r->pool);
	r->pool = NULL;
}

static inline void judge(struct rig *r)
{
	cr_assert_clean(r);
	audit(r);
}

static int add_name(void *ctx, struct dataset *ds, const struct err *failed, struct err *e)
{
	(void)e;
	cr_assert_null(failed);
	text_put(ctx, "%s ", ds->name);
	return 0;
}

#define cr_assert_names(r, ...)                                                              \
	do {                                                                                 \
		struct dsl_walk walk_ = { .snapshots = true };                               \
		char		names_[4096] = "";                                           \
		struct text	text_ = text_in(names_, sizeof names_);                      \
		rig_pool(r);                                                                 \
		must(r, dataset_each((r)->pool, &walk_, add_name, &text_, &(r)->e));         \
		cr_assert_str_eq(names_, __VA_ARGS__);                                       \
		pool_close((r)->pool);                                                       \
		(r)->pool = NULL;                                                            \
	} while (0)

#endif
