/* Pools of versions before feature flags: made, read back, written to again. */
#include "core/dmu/zap_read.h"
#include "core/zpl/pool_rig_test.h"

enum { LONG_TARGET = 300, USERS = 20 };

static const uint64_t versions[] = { 23, 28 };

static void begin(struct rig *r, uint64_t version)
{
	rig_version = version;
	rig_init(r);
	rig_create(r);
}

static void put_acl(struct rig *r, enum entry_kind kind, const char *path, size_t users)
{
	struct ace   list[USERS];
	struct entry in = an_entry(kind, path);

	for (size_t i = 0; i < users; i++)
		list[i] = (struct ace){ .type = ACE_ALLOW, .mask = ACE_READ_DATA, .who = 500 + i };
	in.aces = list;
	in.ace_count = users;
	in.size = kind == ENTRY_FILE ? 1 : 0;
	cr_assert_eq(give(r, &in, "x"), 0, "%s", r->e.text);
}

static void put_device(struct rig *r, const char *path, uint32_t major, uint32_t minor)
{
	struct entry in = an_entry(ENTRY_CHAR, path);

	in.major = major;
	in.minor = minor;
	cr_assert_eq(give(r, &in, NULL), 0, "%s", r->e.text);
}

/* Objects of a type in the root file system. */
static unsigned count_objects(struct rig *r, uint8_t type)
{
	struct dataset ds;
	struct objset  os;
	unsigned       count = 0;

	rig_pool(r);
	cr_assert_eq(dataset_open(r->pool, "t", &ds, NULL), 0);
	cr_assert_eq(dataset_objset(&ds, &os, NULL), 0);
	for (uint64_t n = 1; objset_next(&os, &n, NULL) == 0; n++) {
		struct object o;

		cr_assert_eq(object_open(&os, n, &o, NULL), 0);
		count += o.dn.type == type;
		object_close(&o);
	}
	pool_close(r->pool);
	r->pool = NULL;
	return count;
}

static unsigned users_in(const char *list)
{
	unsigned n = 0;

	for (const char *p = list; (p = strstr(p, " user:5")) != NULL; p++)
		n++;
	return n;
}

Test(zpl_old, every_kind_comes_back)
{
	char target[LONG_TARGET + 1];

	memset(target, 't', LONG_TARGET);
	target[LONG_TARGET] = '\0';
	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
		struct rig r;
		char	  *list;

		begin(&r, versions[i]);
		put_file(&r, "d/f", "hello");
		put_hardlink(&r, "d/g", "d/f");
		put_symlink(&r, "d/short", "to");
		put_symlink(&r, "d/at", target + LONG_TARGET - 56);
		put_symlink(&r, "d/past", target + LONG_TARGET - 57);
		put_symlink(&r, "d/long", target);
		put_device(&r, "d/c", 259, 300);
		rig_commit(&r);
		list = rig_list(&r);
		cr_assert_not_null(strstr(list, "d/c 259,300\n"), "%s", list);
		cr_assert_not_null(strstr(list, "d/f: hello\n"), "%s", list);
		cr_assert_not_null(strstr(list, target), "%s", list);
		cr_assert_not_null(strstr(list, "d/short -> to\n"), "%s", list);
		free(list);
		rig_reopen(&r);
		put_file(&r, "d/long", "a file");
		put_symlink(&r, "d/f", target);
		put_device(&r, "e/c", 8, 17);
		rig_commit(&r);
		list = rig_list(&r);
		cr_assert_not_null(strstr(list, "e/c 8,17\n"), "%s", list);
		cr_assert_not_null(strstr(list, "d/long: a file\n"), "%s", list);
		cr_assert_not_null(strstr(list, "d/g: hello\n"), "%s", list);
		free(list);
		rig_fini(&r);
	}
}

Test(zpl_old, a_long_acl_is_an_object_that_goes_with_its_file)
{
	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
		bool	   old = versions[i] == 23;
		struct rig r;
		char	  *list;

		begin(&r, versions[i]);
		put_acl(&r, ENTRY_FILE, "few", 4); /* 64 of 72 bytes */
		put_acl(&r, ENTRY_FILE, "many", USERS);
		put_acl(&r, ENTRY_DIR, "dir", USERS);
		put_acl(&r, ENTRY_DIR, "dir", 5);
		put_acl(&r, ENTRY_FILE, "goes", USERS);
		put_file(&r, "goes", "without one");
		rig_commit(&r);
		cr_assert_eq(count_objects(&r, OT_ACL), old ? 2 : 0);
		list = rig_list(&r);
		cr_assert_eq(users_in(list), 4 + USERS + 5, "%s", list);
		free(list);
		rig_reopen(&r);
		put_file(&r, "many", "without one");
		put_file(&r, "dir", "a file");
		put_acl(&r, ENTRY_FILE, "new", USERS);
		rig_commit(&r);
		cr_assert_eq(count_objects(&r, OT_ACL), old ? 1 : 0);
		free(rig_list(&r));
		rig_fini(&r);
	}
}

Test(zpl_old, xattrs_are_in_directories)
{
	struct entry_xattr x = { "user.a", "value", 5 };
	struct entry	   in = an_entry(ENTRY_DIR, "d");
	struct rig	   r;

	begin(&r, 23);
	rig_options.xattr_sa = true;
	in.xattrs = &x;
	in.xattr_count = 1;
	cr_assert_eq(give(&r, &in, NULL), 0, "%s", r.e.text);
	rig_commit(&r);
	cr_assert_tree(&r, "d755 0:0 \nd750 1000:100 d user.a=5:76\n");
	rig_fini(&r);
}

Test(zpl_old, devices_that_zfs_fuse_has_no_number_for_are_refused)
{
	struct entry in = an_entry(ENTRY_BLOCK, "b");
	struct rig   r;

	begin(&r, 23);
	in.major = 4096;
	cr_assert_eq(give(&r, &in, NULL), -1);
	cr_assert_eq(r.e.kind, ERR_UNSUPPORTED);
	rig_drop(&r);
	rig_fini(&r);
}

Test(zpl_old, the_mos_is_what_the_version_had)
{
	static const char *const names[] = { "features_for_read", "feature_descriptions",
					     "free_bpobj", "sync_bplist", "deflate", "history" };
	static const bool	 there[][6] = { { false, false, false, true, true, true },
						{ false, false, true, true, true, true } };

	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
		struct rig r;

		begin(&r, versions[i]);
		rig_commit(&r);
		rig_pool(&r);
		cr_assert_eq(pool_version(r.pool), versions[i]);
		cr_assert_eq(pool_mos(r.pool)->phys.size, OBJSET_V2_SIZE);
		for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
			uint64_t number;

			cr_assert_eq(pool_directory_u64(r.pool, names[k], &number, NULL) == 0,
				     there[i][k], "%s", names[k]);
		}
		pool_close(r.pool);
		r.pool = NULL;
		rig_fini(&r);
	}
}

Test(zpl_old, no_other_version_is_made)
{
	struct rig r;

	rig_init(&r);
	rig_version = 27;
	cr_assert_eq(rig_try_create(&r), -1);
	cr_assert_eq(r.e.kind, ERR_UNSUPPORTED);
	cr_assert_str_eq(r.e.text, "a new pool of version 27: it can be 23, 28 or 5000");
	rig_fini(&r);
}

/* What a snapshot shows goes to the plain deadlist, the rest is free. rig_list checks the sums. */
Test(zpl_old, snapshots_keep_what_they_show)
{
	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
		struct rig r;

		begin(&r, versions[i]);
		put_file(&r, "stays", "one");
		put_file(&r, "goes", "two");
		cr_assert_eq(r.sink.finish(r.sink.self, &r.e), 0, "%s", r.e.text);
		zpl_write_free(r.z);
		r.z = NULL;
		cr_assert_eq(dataset_write_snapshot(r.d, "s", NULL, 0, &r.e), 0, "%s", r.e.text);
		cr_assert_eq(zpl_write_open(r.d, rig_zpl_options(), &r.z, &r.e), 0, "%s", r.e.text);
		r.sink = zpl_write_sink(r.z);
		put_file(&r, "goes", "three");
		rig_commit(&r);
		rig_reopen(&r);
		put_file(&r, "stays", "four");
		rig_commit(&r);
		cr_assert_tree(&r, "d755 0:0 \nf640 1000:100 goes: three\n"
				   "f640 1000:100 stays: four\n");
		rig_fini(&r);
	}
}
