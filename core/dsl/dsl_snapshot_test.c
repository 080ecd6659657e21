/* Snapshots, made in memory, checked, and read back. */
#include "core/dsl/dsl_rig_test.h"

#include "core/dmu/zap_read.h"

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

Test(dsl_snapshot, snapshots_keep_what_was)
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
Test(dsl_snapshot, births_step)
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

Test(dsl_snapshot, a_head_that_does_not_change_shares_its_root)
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

Test(dsl_snapshot, an_existing_pool_with_snapshots_goes_on)
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

Test(dsl_snapshot, a_refreservation_is_whole_again_after_a_snapshot)
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

Test(dsl_snapshot, snapshots_have_properties_and_count_features)
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

Test(dsl_snapshot, what_cannot_be_a_snapshot_is_refused)
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
Test(dsl_snapshot, snapshots_of_all_names_are_found)
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
Test(dsl_snapshot, empty_lists_are_shared)
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
