/* Datasets, limits and snapshots, made in memory, checked, and read back. */
#include "core/check/check_rig_test.h"

#include "core/base/idmap.h"
#include "core/base/mem.h"
#include "core/dmu/zap_read.h"

/* -- steps ------------------------------------------------------------------------------------- */

/* What writes to the current dataset is done. */
static int end_files(struct rig *r)
{
	if (r->z == NULL)
		return 0;
	if (r->sink.finish(r->sink.self, &r->e) < 0)
		return -1;
	zpl_write_free(r->z);
	r->z = NULL;
	return 0;
}

static int try_finish(struct rig *r)
{
	return end_files(r) < 0 ? -1 : dataset_write_finish(r->d, &r->e);
}

static int try_make(struct rig *r, const char *name, const struct dataset_spec *like)
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

static int try_snapshot(struct rig *r, const char *name)
{
	if (end_files(r) < 0 || dataset_write_snapshot(r->d, name, NULL, 0, &r->e) < 0 ||
	    zpl_write_open(r->d, rig_zpl_options(), &r->z, &r->e) < 0)
		return -1;
	r->sink = zpl_write_sink(r->z);
	return 0;
}

static int try_commit(struct rig *r)
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

static void commit(struct rig *r)
{
	must(r, try_commit(r));
	rig_drop(r);
}

/* Opens a dataset of the pool on disk for a second commit. */
static void reopen(struct rig *r, const char *name)
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
static void put_big(struct rig *r, const char *path, size_t size, uint32_t seed)
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

static struct dataset record_of(struct rig *r, const char *name)
{
	struct dataset ds;

	rig_pool(r);
	must(r, dataset_open(r->pool, name, &ds, &r->e));
	pool_close(r->pool);
	r->pool = NULL;
	return ds;
}

static uint64_t feature_count_of(struct rig *r, const char *guid)
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

/* Of the blocks: what only `i` shows; what its directory's snapshots show, and its head does not. */
static void audit_sums(struct audit *a, size_t i, uint64_t *unique, uint64_t *snapshots)
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

static int64_t over(uint64_t a, uint64_t b)
{
	return (int64_t)(a > b ? a : b);
}

/* The parts of a directory's space, from what is below it. */
static void audit_children(struct audit *a, const struct dataset *ds)
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
static void audit(struct rig *r)
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

static void judge(struct rig *r)
{
	cr_assert_clean(r);
	audit(r);
}

/* -- child datasets ---------------------------------------------------------------------------- */

static int add_name(void *ctx, struct dataset *ds, const struct err *failed, struct err *e)
{
	(void)e;
	cr_assert_null(failed);
	strcat(ctx, ds->name);
	strcat(ctx, " ");
	return 0;
}

#define cr_assert_names(r, ...)                                                              \
	do {                                                                                 \
		struct dsl_walk walk_ = { .snapshots = true };                               \
		char		names_[4096] = "";                                           \
		rig_pool(r);                                                                 \
		must(r, dataset_each((r)->pool, &walk_, add_name, names_, &(r)->e));         \
		cr_assert_str_eq(names_, __VA_ARGS__);                                       \
		pool_close((r)->pool);                                                       \
		(r)->pool = NULL;                                                            \
	} while (0)

Test(dsl_write, datasets_of_both_types_at_any_depth)
{
	struct rig r;

	rig_init(&r);
	rig_create(&r);
	put_file(&r, "f", "root");
	finish(&r);
	make(&r, "t/a");
	put_file(&r, "f", "a");
	finish(&r);
	make(&r, "t/a/b");
	put_big(&r, "f", 200000, 1);
	finish(&r);
	make(&r, "t/a/v", .type = OBJSET_ZVOL);
	finish(&r);
	make(&r, "t/0");
	finish(&r);
	commit(&r);
	judge(&r);
	cr_assert_names(&r, "t t/0 t/a t/a/b t/a/v ");
	cr_assert_holds(&r, "t/a", "d755 0:0 \nf640 1000:100 f: a\n");
	cr_assert_eq(record_of(&r, "t/a").phys.creation_txg, 1);
	/* One more in an existing pool, below one that was there. */
	reopen(&r, "t/0");
	put_file(&r, "g", "0");
	finish(&r);
	make(&r, "t/a/b/c");
	put_file(&r, "f", "c");
	finish(&r);
	commit(&r);
	judge(&r);
	cr_assert_names(&r, "t t/0 t/a t/a/b t/a/b/c t/a/v ");
	cr_assert_holds(&r, "t/a/b/c", "d755 0:0 \nf640 1000:100 f: c\n");
	cr_assert_eq(record_of(&r, "t/a/b/c").phys.creation_txg, 5);
	rig_fini(&r);
}

Test(dsl_write, what_cannot_be_a_dataset_is_refused)
{
	static const struct {
		const char    *name;
		enum err_kind  kind;
		enum objset_type type;
	} bad[] = {
		{ "t", ERR_EXISTS, 0 },	     { "t/v/a", ERR_USAGE, 0 },	 { "t/a", ERR_EXISTS, 0 },
		{ "t/x/y", ERR_NOTFOUND, 0 }, { "u/a", ERR_NOTFOUND, 0 }, { "t/", ERR_USAGE, 0 },
		{ "t//a", ERR_USAGE, 0 },     { "t/a@s", ERR_USAGE, 0 },  { "t/..", ERR_USAGE, 0 },
		{ "t/a%", ERR_USAGE, 0 },     { "", ERR_USAGE, 0 },	  { "u", ERR_USAGE, 0 },
		{ "t/a\x80", ERR_USAGE, 0 },  { "t/q", ERR_USAGE, OBJSET_META },
	};
	struct rig r;
	char	   deep[256] = "t";

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct dataset_spec spec = { .type = bad[i].type };

		rig_init(&r);
		rig_create(&r);
		finish(&r);
		make(&r, "t/a");
		finish(&r);
		make(&r, "t/v", .type = OBJSET_ZVOL);
		cr_assert_eq(try_make(&r, bad[i].name, &spec), -1, "%s", bad[i].name);
		cr_assert_eq(r.e.kind, bad[i].kind, "%s: %s", bad[i].name, r.e.text);
		rig_drop(&r);
		rig_fini(&r);
	}
	rig_init(&r);
	rig_create(&r);
	finish(&r);
	for (unsigned depth = 1; depth <= 50; depth++) {
		strcat(deep, "/d");
		make(&r, deep);
		finish(&r);
	}
	strcat(deep, "/d");
	cr_assert_eq(try_make(&r, deep, &(struct dataset_spec){ 0 }), -1);
	cr_assert_eq(r.e.kind, ERR_USAGE);
	rig_drop(&r);
	rig_fini(&r);
}

Test(dsl_write, what_is_set_aside_is_charged_upwards)
{
	struct rig     r;
	struct dataset a, b, root;
	struct dsl_property props[] = { { "refreservation", 2 << 20, NULL } };

	rig_init(&r);
	rig_create(&r);
	finish(&r);
	make(&r, "t/a", .quota = 9 << 20, .reservation = 5 << 20);
	put_big(&r, "f", 300000, 1);
	finish(&r);
	make(&r, "t/a/b", .refreservation = 2 << 20, .props = props, .prop_count = 1);
	put_big(&r, "f", 300000, 2);
	finish(&r);
	make(&r, "t/c", .reservation = 4096);
	put_big(&r, "f", 100000, 3);
	finish(&r);
	commit(&r);
	judge(&r);
	a = record_of(&r, "t/a");
	b = record_of(&r, "t/a/b");
	root = record_of(&r, "t");
	cr_assert_eq(a.dir.quota, 9 << 20);
	cr_assert_eq(b.dir.used, 2 << 20);
	cr_assert_eq(b.dir.used_by[USED_REFRSRV], (2 << 20) - b.phys.unique);
	cr_assert_lt(a.dir.used, 5 << 20);
	cr_assert_eq(root.dir.used_by[USED_CHILD_RSRV], (5 << 20) - a.dir.used);
	/* Now it outgrows both. */
	reopen(&r, "t/a/b");
	put_big(&r, "g", 6 << 20, 4);
	finish(&r);
	commit(&r);
	judge(&r);
	b = record_of(&r, "t/a/b");
	cr_assert_eq(b.dir.used, b.phys.unique);
	cr_assert_eq(record_of(&r, "t").dir.used_by[USED_CHILD_RSRV], 0);
	rig_fini(&r);
}

/* -- snapshots --------------------------------------------------------------------------------- */

static void fill_three(struct rig *r)
{
	put_file(r, "kept", "kept");
	put_big(r, "changed", 300000, 1);
	put_big(r, "gone", 150000, 2);
	snapshot(r, "one");
	put_file(r, "changed", "second");
	remove_file(r, "gone");
	snapshot(r, "two");
	put_file(r, "changed", "third");
	put_big(r, "new", 200000, 3);
}

#define KEPT "f640 1000:100 kept: kept\n"

Test(dsl_write, snapshots_keep_what_was)
{
	struct rig r;
	char	  *list;

	rig_init(&r);
	rig_create(&r);
	fill_three(&r);
	finish(&r);
	commit(&r);
	judge(&r);
	cr_assert_names(&r, "t t@one t@two ");
	cr_assert_holds(&r, "t@two", "d755 0:0 \nf640 1000:100 changed: second\n" KEPT);
	list = rig_list_of(&r, "t@one");
	cr_assert_not_null(strstr(list, "gone: "), "%s", list);
	cr_assert_null(strstr(list, "second"), "%s", list);
	free(list);
	list = rig_list(&r);
	cr_assert_not_null(strstr(list, "changed: third\n" KEPT "f640 1000:100 new: "), "%s", list);
	free(list);
	rig_fini(&r);
}

/* Each snapshot ends a txg, for the whole pool. */
Test(dsl_write, births_step)
{
	struct rig     r;
	struct dataset one, two, head, child;

	rig_init(&r);
	rig_create(&r);
	fill_three(&r);
	finish(&r);
	make(&r, "t/a");
	put_file(&r, "f", "a");
	snapshot(&r, "s");
	finish(&r);
	commit(&r);
	judge(&r);
	one = record_of(&r, "t@one");
	two = record_of(&r, "t@two");
	head = record_of(&r, "t");
	child = record_of(&r, "t/a");
	cr_assert_eq(one.phys.creation_txg, 4);
	cr_assert_eq(one.phys.bp.birth, 4);
	cr_assert_eq(two.phys.creation_txg, 5);
	cr_assert_eq(two.phys.prev_snap_txg, 4);
	cr_assert_eq(two.phys.bp.birth, 5);
	cr_assert_eq(head.phys.prev_snap_txg, 5);
	cr_assert_eq(head.phys.bp.birth, 6);
	cr_assert_eq(child.phys.creation_txg, 6);
	cr_assert_eq(child.phys.prev_snap_txg, 6);
	rig_pool(&r);
	cr_assert_eq(pool_uberblock(r.pool)->txg, 7);
	pool_close(r.pool);
	r.pool = NULL;
	rig_fini(&r);
}

Test(dsl_write, a_head_that_does_not_change_shares_its_root)
{
	struct rig     r;
	struct dataset head, two;

	rig_init(&r);
	rig_create(&r);
	put_file(&r, "f", "1");
	snapshot(&r, "one");
	snapshot(&r, "two");
	finish(&r);
	commit(&r);
	judge(&r);
	head = record_of(&r, "t");
	two = record_of(&r, "t@two");
	cr_assert_eq(head.phys.bp.birth, 4);
	cr_assert_eq(head.phys.bp.dva[0].offset, two.phys.bp.dva[0].offset);
	cr_assert_eq(head.phys.unique, 0);
	/* Nor does one that is opened and left. */
	reopen(&r, "t");
	finish(&r);
	commit(&r);
	judge(&r);
	cr_assert_eq(record_of(&r, "t").phys.bp.birth, 4);
	rig_fini(&r);
}

Test(dsl_write, an_existing_pool_with_snapshots_goes_on)
{
	struct rig r;

	rig_init(&r);
	rig_create(&r);
	fill_three(&r);
	finish(&r);
	commit(&r);
	reopen(&r, "t");
	put_file(&r, "changed", "fourth");
	remove_file(&r, "new");
	snapshot(&r, "three");
	remove_file(&r, "kept");
	finish(&r);
	commit(&r);
	judge(&r);
	cr_assert_names(&r, "t t@one t@two t@three ");
	cr_assert_holds(&r, "t@three", "d755 0:0 \nf640 1000:100 changed: fourth\n" KEPT);
	cr_assert_holds(&r, "t", "d755 0:0 \nf640 1000:100 changed: fourth\n");
	/* A deadlist that has entries gets more of them. */
	reopen(&r, "t");
	put_big(&r, "changed", 1000, 5);
	finish(&r);
	commit(&r);
	judge(&r);
	rig_fini(&r);
}

Test(dsl_write, a_refreservation_is_whole_again_after_a_snapshot)
{
	struct rig     r;
	struct dataset a;

	rig_init(&r);
	rig_create(&r);
	finish(&r);
	make(&r, "t/a", .refreservation = 1 << 20);
	put_big(&r, "f", 300000, 1);
	snapshot(&r, "s");
	put_big(&r, "f", 200000, 2);
	finish(&r);
	commit(&r);
	judge(&r);
	a = record_of(&r, "t/a");
	cr_assert_eq(a.dir.used_by[USED_HEAD] + a.dir.used_by[USED_REFRSRV] +
			     a.dir.used_by[USED_SNAP],
		     a.dir.used);
	cr_assert_eq(a.dir.used_by[USED_REFRSRV] + a.phys.unique, 1 << 20);
	rig_fini(&r);
}

Test(dsl_write, snapshots_have_properties_and_count_features)
{
	static const char   userobj[] = "org.zfsonlinux:userobj_accounting";
	struct dsl_property props[] = { { "user:note", 0, "hello" } };
	struct rig	    r;
	struct dataset	    ds;
	struct object	    o;
	unsigned	    int_size;
	char		    value[16];
	size_t		    n;

	rig_init(&r);
	rig_create(&r);
	must(&r, end_files(&r));
	must(&r, dataset_write_snapshot(r.d, "s", props, 1, &r.e));
	must(&r, dataset_write_feature(r.d, "org.open-zfs:large_blocks", &r.e));
	must(&r, dataset_write_feature(r.d, "org.open-zfs:large_blocks", &r.e));
	must(&r, dataset_write_snapshot(r.d, "u", NULL, 0, &r.e));
	cr_assert_eq(dataset_write_feature(r.d, "com.example:unknown", &r.e), -1);
	cr_assert_eq(r.e.kind, ERR_UNSUPPORTED);
	finish(&r);
	commit(&r);
	judge(&r);
	cr_assert_eq(feature_count_of(&r, userobj), 3);
	cr_assert_eq(feature_count_of(&r, "org.open-zfs:large_blocks"), 2);
	cr_assert_eq(feature_count_of(&r, "com.delphix:extensible_dataset"), 3);
	ds = record_of(&r, "t@s");
	rig_pool(&r);
	must(&r, object_open(pool_mos(r.pool), ds.phys.props, &o, &r.e));
	must(&r, zap_lookup(&o, "user:note", &int_size, value, sizeof value, &n, &r.e));
	cr_assert_str_eq(value, "hello");
	object_close(&o);
	pool_close(r.pool);
	r.pool = NULL;
	rig_fini(&r);
}

Test(dsl_write, what_cannot_be_a_snapshot_is_refused)
{
	static const struct {
		const char   *name;
		enum err_kind kind;
	} bad[] = { { "s", ERR_EXISTS }, { "", ERR_USAGE }, { "a/b", ERR_USAGE },
		    { "a@b", ERR_USAGE } };
	struct rig r;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		rig_init(&r);
		rig_create(&r);
		snapshot(&r, "s");
		cr_assert_eq(try_snapshot(&r, bad[i].name), -1, "%s", bad[i].name);
		cr_assert_eq(r.e.kind, bad[i].kind, "%s", r.e.text);
		rig_drop(&r);
		rig_fini(&r);
	}
}

/* Long names need a fat ZAP, where names that differ in case alone have one hash. */
Test(dsl_write, snapshots_of_all_names_are_found)
{
	struct rig r;
	char	   name[120];

	rig_init(&r);
	rig_create(&r);
	for (unsigned i = 0; i < 20; i++) {
		snprintf(name, sizeof name, "%s-name-that-is-longer-than-a-micro-ZAP-takes-%u",
			 i % 2 == 0 ? "a" : "A", i / 2);
		snapshot(&r, name);
	}
	finish(&r);
	commit(&r);
	judge(&r);
	cr_assert_eq(record_of(&r, "t@A-name-that-is-longer-than-a-micro-ZAP-takes-9")
			     .phys.creation_txg, 23);
	rig_fini(&r);
}

/* The pool's empty list is counted, and goes when nothing refers to it. */
Test(dsl_write, empty_lists_are_shared)
{
	static const char guid[] = "com.delphix:empty_bpobj";
	struct rig	  r;
	uint64_t	  object;

	rig_init(&r);
	rig_create(&r);
	put_file(&r, "f", "1");
	snapshot(&r, "s");
	finish(&r);
	commit(&r);
	cr_assert_eq(feature_count_of(&r, guid), 2);
	reopen(&r, "t");
	put_file(&r, "f", "2");
	finish(&r);
	commit(&r);
	judge(&r);
	/* What s was made of died; nothing older did. */
	cr_assert_eq(feature_count_of(&r, guid), 1);
	rig_pool(&r);
	must(&r, pool_directory_u64(r.pool, "empty_bpobj", &object, &r.e));
	pool_close(r.pool);
	r.pool = NULL;
	rig_fini(&r);
}

/* -- things that go wrong ---------------------------------------------------------------------- */

static int everything(struct rig *r)
{
	struct dataset_spec spec = { .reservation = 1 << 20 };
	struct dsl_property note = { "user:note", 0, "x" };

	if (rig_try_create(r) < 0 || try_file(r, "f", "1") < 0 || try_snapshot(r, "s") < 0 ||
	    try_file(r, "f", "2") < 0 || try_finish(r) < 0 || try_make(r, "t/a", &spec) < 0 ||
	    end_files(r) < 0 || dataset_write_snapshot(r->d, "n", &note, 1, &r->e) < 0 ||
	    try_finish(r) < 0)
		return -1;
	return try_commit(r);
}

Test(dsl_write, an_allocation_that_fails_leaves_nothing_behind, .timeout = 120)
{
	struct rig r;
	uint64_t   n = 0;
	int	   rc;

	do {
		n += 1 + n / 60;
		rig_init(&r);
		mem_fail_at(n);
		rc = everything(&r);
		mem_fail_at(0);
		if (rc < 0)
			cr_assert_eq(r.e.kind, ERR_NOMEM, "%s", r.e.text);
		rig_drop(&r);
		if (rc == 0)
			judge(&r);
		rig_fini(&r);
	} while (rc < 0);
	cr_assert_gt(n, 100);
}
