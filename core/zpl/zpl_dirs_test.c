/* Directories that an entry names again, in the same go and in a later one. */
#include "core/zpl/pool_rig_test.h"

#define ROOT "d755 0:0 \n"

static uint8_t value[40000];

/* With as many xattrs of `size` bytes. */
static struct entry owned(const char *path, uint64_t uid, uint32_t mode, size_t count, size_t size)
{
	static char		  names[8][32];
	static struct entry_xattr x[8];
	struct entry		  in = an_entry(ENTRY_DIR, path);

	memset(value, 'v', sizeof value);
	for (size_t i = 0; i < count; i++) {
		snprintf(names[i], sizeof names[i], "user.%zu", i);
		x[i] = (struct entry_xattr){ names[i], value, size };
	}
	in.uid = uid;
	in.gid = uid + 1;
	in.mode = mode;
	in.mtime = (struct entry_time){ 1500000000 + (int64_t)uid, 7 };
	in.xattrs = x;
	in.xattr_count = count;
	return in;
}

static void put_owned(struct rig *r, const char *path, uint64_t uid, uint32_t mode, size_t count,
		      size_t size)
{
	struct entry in = owned(path, uid, mode, count, size);

	cr_assert_eq(give(r, &in, NULL), 0, "%s", r->e.text);
}

static struct zpl_attr attr_of(struct rig *r, const char *path)
{
	struct zpl_attr a;
	struct dataset	ds;
	struct zpl     *z;
	uint64_t	object;

	rig_pool(r);
	cr_assert_eq(dataset_open(r->pool, "t", &ds, &r->e), 0, "%s", r->e.text);
	cr_assert_eq(zpl_open(&ds, &z, &r->e), 0, "%s", r->e.text);
	cr_assert_eq(zpl_lookup(z, path, &object, NULL), 0);
	cr_assert_eq(zpl_getattr(z, object, &a, NULL), 0);
	zpl_close(z);
	pool_close(r->pool);
	r->pool = NULL;
	return a;
}

static void set_mode(unsigned mode)
{
	rig_options.xattr_sa = mode != 1;
	rig_options.version = mode == 3 ? 4 : 0;
	rig_dnode_size = mode == 2 ? 2048 : 0;
}

/* Every place that attributes have: bonus, spill block, directory; large dnodes, the old znode. */
Test(zpl_dirs, an_entry_over_an_old_one_says_all_that_it_is_like)
{
	for (unsigned mode = 0; mode < 4; mode++) {
		struct rig r;

		rig_init(&r);
		set_mode(mode);
		rig_create(&r);
		put_owned(&r, "none", 5, 0700, 0, 0);
		put_owned(&r, "few", 6, 0700, 2, 10);
		put_owned(&r, "spill", 7, 0700, 3, 1000);
		put_owned(&r, "large", 8, 0700, 2, 40000);
		put_file(&r, "none/f", "1");
		put_dir(&r, "spill/d");
		rig_commit(&r);
		free(rig_list(&r));
		rig_reopen(&r);
		put_owned(&r, "none", 6, 0711, 3, 1000);
		put_owned(&r, "few", 9, 0712, 0, 0);
		put_owned(&r, "spill", 7, 01713, 2, 40000);
		put_owned(&r, "large", 10, 0714, 1, 3);
		put_file(&r, "large/g", "2");
		rig_commit(&r);
		cr_assert_tree(&r, ROOT "d712 9:10 few\n"
					"d714 10:11 large user.0=3:76\n"
					"f640 1000:100 large/g: 2\n"
					"d711 6:7 none user.0=1000:76 user.1=1000:76 "
					"user.2=1000:76\n"
					"f640 1000:100 none/f: 1\n"
					"d1713 7:8 spill user.0=40000:76 user.1=40000:76\n"
					"d750 1000:100 spill/d\n");
		cr_assert_eq(attr_of(&r, "spill").links, 3);
		cr_assert_eq(attr_of(&r, "none").size, 3);
		rig_fini(&r);
	}
}

Test(zpl_dirs, it_stays_the_same_directory)
{
	struct zpl_attr before, after;
	struct rig	r;

	rig_init(&r);
	set_mode(0);
	rig_create(&r);
	put_owned(&r, "d", 5, 0700, 0, 0);
	put_owned(&r, "e", 5, 0700, 0, 0);
	rig_commit(&r);
	before = attr_of(&r, "d");
	rig_reopen(&r);
	put_owned(&r, "d", 9, 0755, 0, 0);
	put_file(&r, "e/f", "");
	rig_commit(&r);
	after = attr_of(&r, "d");
	cr_assert_eq(after.object, before.object);
	cr_assert_eq(after.gen, before.gen);
	cr_assert_eq(after.parent, before.parent);
	cr_assert_eq(after.crtime.sec, 1500000005);
	cr_assert_eq(after.mtime.sec, 1500000009);
	cr_assert_eq(after.mtime.ns, 7);
	/* One that is not named changes when an entry of it does. */
	cr_assert_eq(attr_of(&r, "e").mtime.sec, RIG_TIME + 1);
	cr_assert_eq(attr_of(&r, "e").crtime.sec, 1500000005);
	rig_fini(&r);
}

Test(zpl_dirs, named_more_than_once_and_gone_at_last)
{
	for (unsigned mode = 0; mode < 4; mode++) {
		struct rig r;

		rig_init(&r);
		set_mode(mode);
		rig_create(&r);
		put_owned(&r, "twice", 5, 0700, 2, 40000);
		put_owned(&r, "file", 6, 0700, 2, 40000);
		put_owned(&r, "gone", 7, 0700, 2, 40000);
		rig_commit(&r);
		rig_reopen(&r);
		put_owned(&r, "twice", 8, 0701, 3, 40000);
		put_owned(&r, "twice", 9, 0702, 1, 40000);
		put_owned(&r, "file", 9, 0702, 1, 40000);
		put_file(&r, "file", "now");
		put_owned(&r, "gone", 9, 0702, 1, 40000);
		cr_assert_eq(zpl_write_remove_tree(r.z, "gone", 4, NULL, &r.e), 0, "%s", r.e.text);
		rig_commit(&r);
		cr_assert_tree(&r, ROOT "f640 1000:100 file: now\n"
					"d702 9:10 twice user.0=40000:76\n");
		rig_fini(&r);
	}
}

Test(zpl_dirs, the_root_too)
{
	for (unsigned mode = 0; mode < 4; mode++) {
		struct rig r;

		rig_init(&r);
		set_mode(mode);
		rig_create(&r);
		put_file(&r, "f", "1");
		rig_commit(&r);
		rig_reopen(&r);
		put_owned(&r, "", 3, 01777, 1, 40000);
		rig_commit(&r);
		cr_assert_tree(&r, "d1777 3:4  user.0=40000:76\nf640 1000:100 f: 1\n");
		rig_reopen(&r);
		put_owned(&r, "", 0, 0755, 0, 0);
		rig_commit(&r);
		cr_assert_tree(&r, "d755 0:1 \nf640 1000:100 f: 1\n");
		rig_fini(&r);
	}
}

/* Lists of more than three entries are objects before ZPL version 5. */
Test(zpl_dirs, access_control_lists_come_and_go)
{
	static struct ace list[12];

	for (size_t i = 0; i < 12; i++)
		list[i] = (struct ace){ .who = 1000 + i, .mask = 1 };
	for (unsigned mode = 0; mode < 4; mode++) {
		struct entry in = an_entry(ENTRY_DIR, "d");
		struct rig   r;
		char	    *text;

		rig_init(&r);
		set_mode(mode);
		rig_create(&r);
		in.aces = list;
		in.ace_count = 12;
		cr_assert_eq(give(&r, &in, NULL), 0, "%s", r.e.text);
		rig_commit(&r);
		rig_reopen(&r);
		in.ace_count = 9;
		cr_assert_eq(give(&r, &in, NULL), 0, "%s", r.e.text);
		rig_commit(&r);
		text = rig_list(&r);
		cr_assert_not_null(strstr(text, "1008"), "%s", text);
		cr_assert_null(strstr(text, "1009"), "%s", text);
		free(text);
		rig_reopen(&r);
		put_dir(&r, "d");
		rig_commit(&r);
		cr_assert_tree(&r, ROOT "d750 1000:100 d\n");
		rig_fini(&r);
	}
}
