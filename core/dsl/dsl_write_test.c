/* Datasets and what is set aside for them, made in memory, checked, and read back. */
#include "core/dsl/dsl_rig_test.h"

#include "core/base/mem.h"

/* -- child datasets ---------------------------------------------------------------------------- */

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
