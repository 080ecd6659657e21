#include "core/dmu/zap_read.h"
#include "core/zpl/pool_rig_test.h"
#include "core/zpl/zpl_write_impl.h"

#define ROOT "d755 0:0 \n"

Test(zpl_names, utf8_as_openzfs_checks_it)
{
	static const char *const good[] = { "",
					    "a",
					    "\xc3\xa9",
					    "\xe2\x82\xac",
					    "\xf0\x9f\x98\x80",
					    "\xf4\x8f\xbf\xbf",
					    "\xed\x9f\xbf",
					    "\xee\x80\x80" };
	static const char *const bad[] = { "\x80",
					   "\xc3",
					   "\xc0\xaf",
					   "\xe0\x80\x80",
					   "\xed\xa0\x80",
					   "\xf4\x90\x80\x80",
					   "\xf0\x80\x80\x80",
					   "a\xff",
					   "\xe2\x82",
					   "\xc3\x28",
					   "\xf5\x80\x80\x80" };

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		cr_assert(zpl_name_is_utf8(good[i], strlen(good[i])), "%zu", i);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_assert_not(zpl_name_is_utf8(bad[i], strlen(bad[i])), "%zu", i);
}

Test(zpl_names, hard_links_before_and_after_what_they_link_to)
{
	struct rig r;

	rig_init(&r);
	rig_create(&r);
	put_hardlink(&r, "a", "d/f");
	put_hardlink(&r, "b", "a");
	put_hardlink(&r, "z/c", "b");
	put_hardlink(&r, "gone", "d/f");
	put_hardlink(&r, "e", "l");
	put_file(&r, "gone", "an entry of its own");
	put_file(&r, "d/f", "hello");
	put_symlink(&r, "l", "to");
	put_hardlink(&r, "n", "d/f");
	rig_commit(&r);
	cr_assert_tree(&r, ROOT "f640 1000:100 a: hello\n"
				"h640 1000:100 b -> a\n"
				"d755 0:0 d\n"
				"h640 1000:100 d/f -> a\n"
				"l777 1000:100 e -> to\n"
				"f640 1000:100 gone: an entry of its own\n"
				"h777 1000:100 l -> e\n"
				"h640 1000:100 n -> a\n"
				"d755 0:0 z\n"
				"h640 1000:100 z/c -> a\n");
	rig_fini(&r);
}

Test(zpl_names, a_link_that_comes_late_takes_the_place_of_what_is_there)
{
	struct rig r;

	rig_init(&r);
	rig_create(&r);
	put_file(&r, "a", "first");
	put_hardlink(&r, "a", "b");
	put_file(&r, "b", "second");
	put_hardlink(&r, "c", "b");
	put_hardlink(&r, "c", "b");
	rig_commit(&r);
	cr_assert_tree(&r, ROOT "f640 1000:100 a: second\nh640 1000:100 b -> a\n"
				"h640 1000:100 c -> a\n");
	rig_fini(&r);
}

Test(zpl_names, links_that_lead_nowhere_are_refused_by_name)
{
	static const char *const links[][2] = { { "a", "b" }, { "d/a", "d/none/b" } };

	for (size_t i = 0; i < 3; i++) {
		struct rig r;

		rig_init(&r);
		rig_create(&r);
		put_hardlink(&r, links[i % 2][0], links[i % 2][1]);
		if (i == 2)
			put_hardlink(&r, "b", "a"); /* in a circle */
		cr_assert_eq(r.sink.finish(r.sink.self, &r.e), -1);
		cr_assert_not_null(strstr(r.e.text, "a hard link to a file that is not there"));
		rig_drop(&r);
		rig_fini(&r);
	}
}

/* Every link before its file, in the order that is worst. */
Test(zpl_names, a_long_chain_of_links, .timeout = 20)
{
	struct rig r;
	char	   path[16], target[16];
	char	  *list;

	rig_init(&r);
	rig_create(&r);
	for (unsigned i = 0; i < 20000; i++) {
		snprintf(path, sizeof path, "%06u", i);
		snprintf(target, sizeof target, "%06u", i + 1);
		put_hardlink(&r, path, target);
	}
	put_file(&r, "020000", "x");
	rig_commit(&r);
	list = rig_list(&r);
	cr_assert_eq(strncmp(list, ROOT "f640 1000:100 000000: x\n", strlen(ROOT) + 24), 0);
	free(list);
	rig_fini(&r);
}

Test(zpl_names, of_two_kinds_the_last_wins)
{
	struct rig r;

	rig_init(&r);
	rig_create(&r);
	put_dir(&r, "empty");
	put_file(&r, "empty", "file");
	put_file(&r, "file", "x");
	put_dir(&r, "file");
	put_symlink(&r, "l", "to");
	put_file(&r, "l", "was a link");
	put_dir(&r, "d");
	put_file(&r, "d/x", "x");
	cr_assert_eq(try_dir(&r, "d"), 0);
	rig_commit(&r);
	cr_assert_tree(&r, ROOT "d750 1000:100 d\nf640 1000:100 d/x: x\n"
				"f640 1000:100 empty: file\nd750 1000:100 file\n"
				"f640 1000:100 l: was a link\n");
	rig_reopen(&r);
	cr_assert_eq(try_file(&r, "d", "y"), -1);
	cr_assert_str_eq(r.e.text, "d: is a directory that is not empty");
	rig_drop(&r);
	rig_fini(&r);
}

Test(zpl_names, long_ones_need_the_property_and_the_feature)
{
	static char name[1024], other[1024];
	struct rig  r;
	char	   *list;

	memset(name, 'n', 1023);
	memset(other, 'o', 256);
	rig_init(&r);
	rig_create(&r);
	cr_assert_eq(try_file(&r, other, "x"), -1);
	cr_assert_eq(r.e.kind, ERR_REFUSED);
	cr_assert_not_null(strstr(r.e.text, "longer than 255 bytes, without longname=on"));
	other[255] = '\0';
	put_file(&r, other, "x");
	other[255] = 'o';
	rig_options.longname = true;
	rig_commit(&r);
	/* Without the feature it is no use. */
	rig_reopen(&r);
	cr_assert_eq(try_file(&r, other, "x"), -1);
	cr_assert_not_null(strstr(r.e.text, "longname"), "%s", r.e.text);
	rig_drop(&r);
	rig_fini(&r);
	rig_features = "openzfs-2.4";
	rig_init(&r);
	rig_create(&r);
	put_file(&r, name, "long");
	put_dir(&r, other);
	rig_commit(&r);
	list = rig_list(&r);
	cr_assert_eq(strlen(list), strlen(ROOT "f640 1000:100 : long\nd750 1000:100 \n") + 1279,
		     "%s", list);
	free(list);
	rig_fini(&r);
}

Test(zpl_names, utf8only_refuses_others_by_name)
{
	struct rig r;

	rig_options.utf8only = true;
	rig_init(&r);
	rig_create(&r);
	put_file(&r, "\xc3\xa9", "x");
	cr_assert_eq(try_file(&r, "d\xe9/f", "x"), -1);
	cr_assert_eq(r.e.kind, ERR_REFUSED);
	cr_assert_str_eq(r.e.text, "d\\xe9: a name that is not UTF-8, with utf8only=on");
	rig_commit(&r);
	/* The file system says it itself. */
	rig_options.utf8only = false;
	rig_reopen(&r);
	cr_assert_eq(try_file(&r, "\xff", "x"), -1);
	rig_drop(&r);
	cr_assert_tree(&r, ROOT "f640 1000:100 \xc3\xa9: x\n");
	rig_fini(&r);
}

/* Does each name of the root hash to where it is found? zap_u64_key goes by the hash alone. */
static void check_found(struct rig *r, const char *const *names, const char *const *keys)
{
	struct dataset	ds;
	struct zpl     *z;
	struct object	o;
	struct zap_head head;

	rig_pool(r);
	cr_assert_eq(dataset_open(r->pool, "t", &ds, &r->e), 0, "%s", r->e.text);
	cr_assert_eq(zpl_open(&ds, &z, &r->e), 0, "%s", r->e.text);
	cr_assert_eq(object_open(zpl_objset(z), zpl_root(z), &o, &r->e), 0);
	cr_assert_eq(zap_head_of(&o, &head, &r->e), 0);
	for (size_t i = 0; names[i] != NULL; i++) {
		struct zap_item item = { .name = names[i],
					 .name_size = (uint32_t)strlen(names[i]) };

		cr_assert_eq(zap_hash_items(&head, &item, 1, &r->e), 0);
		cr_assert_eq(item.hash, zap_hash(head.salt, head.flags, keys[i], strlen(keys[i])));
	}
	object_close(&o);
	zpl_close(z);
	pool_close(r->pool);
	r->pool = NULL;
}

Test(zpl_names, case_is_ignored_or_not_as_it_was_made)
{
	static const char *const names[] = { "ReadMe", "a0z_", NULL };
	static const char *const upper[] = { "README", "A0Z_", NULL };
	struct rig		 r;

	rig_options.casesensitivity = ZPL_CASE_INSENSITIVE;
	rig_init(&r);
	rig_create(&r);
	put_file(&r, "ReadMe", "1");
	put_file(&r, "README", "2");
	put_file(&r, "Dir/a", "3");
	put_file(&r, "dir/b", "4");
	cr_assert_eq(try_file(&r, "\xc3\xa9", "x"), -1);
	cr_assert_eq(r.e.kind, ERR_REFUSED);
	rig_commit(&r);
	cr_assert_tree(&r, ROOT "d755 0:0 Dir\nf640 1000:100 Dir/a: 3\nf640 1000:100 Dir/b: 4\n"
				"f640 1000:100 ReadMe: 2\n");
	check_found(&r, names, upper);
	rig_reopen(&r);
	put_file(&r, "DIR/B", "5");
	put_file(&r, "new", "6");
	rig_commit(&r);
	cr_assert_tree(&r, ROOT "d755 0:0 Dir\nf640 1000:100 Dir/a: 3\nf640 1000:100 Dir/b: 5\n"
				"f640 1000:100 ReadMe: 2\nf640 1000:100 new: 6\n");
	rig_fini(&r);

	rig_options.casesensitivity = ZPL_CASE_MIXED;
	rig_init(&r);
	rig_create(&r);
	put_file(&r, "a", "1");
	put_file(&r, "A", "2");
	rig_commit(&r);
	cr_assert_tree(&r, ROOT "f640 1000:100 A: 2\nf640 1000:100 a: 1\n");
	check_found(&r, names, upper);
	rig_fini(&r);

	rig_options.casesensitivity = ZPL_CASE_SENSITIVE;
	rig_options.normalization = 0x50;
	rig_init(&r);
	rig_create(&r);
	put_file(&r, "a", "1");
	put_file(&r, "A", "2");
	rig_commit(&r);
	check_found(&r, names, names);
	rig_fini(&r);
}

Test(zpl_names, quotas_are_named_by_the_master_node)
{
	struct rig     r;
	struct dataset ds;
	struct zpl    *z;
	uint64_t       list, limit;

	rig_init(&r);
	rig_create(&r);
	cr_assert_eq(zpl_write_set_quota(r.z, ZPL_QUOTA_USER, 1000, 5 << 20, &r.e), 0);
	cr_assert_eq(zpl_write_set_quota(r.z, ZPL_QUOTA_USER, 1001, 7, &r.e), 0);
	cr_assert_eq(zpl_write_set_quota(r.z, ZPL_QUOTA_PROJECT_OBJECTS, 16, 9, &r.e), 0);
	cr_assert_eq(zpl_write_set_default_quota(r.z, ZPL_QUOTA_GROUP, 99, &r.e), 0);
	cr_assert_eq(zpl_write_set_default_quota(r.z, ZPL_QUOTA_USER, 98, &r.e), 0);
	rig_commit(&r);
	rig_reopen(&r);
	cr_assert_eq(zpl_write_set_quota(r.z, ZPL_QUOTA_USER, 1001, 0, &r.e), 0, "%s", r.e.text);
	cr_assert_eq(zpl_write_set_quota(r.z, ZPL_QUOTA_USER, 1002, 11, &r.e), 0);
	cr_assert_eq(zpl_write_set_default_quota(r.z, ZPL_QUOTA_USER, 0, &r.e), 0);
	cr_assert_eq(zpl_write_set_quota(r.z, ZPL_QUOTA_GROUP, 100, 12, &r.e), 0);
	rig_commit(&r);
	free(rig_list(&r));
	rig_pool(&r);
	cr_assert_eq(dataset_open(r.pool, "t", &ds, &r.e), 0);
	cr_assert_eq(zpl_open(&ds, &z, &r.e), 0);
	cr_assert_eq(zap_u64_at(zpl_objset(z), 1, "userquota@", &list, &r.e), 0);
	cr_assert_eq(zap_u64_at(zpl_objset(z), list, "3e8", &limit, &r.e), 0);
	cr_assert_eq(limit, 5 << 20);
	cr_assert_eq(zap_u64_at(zpl_objset(z), list, "3e9", &limit, &r.e), -1);
	cr_assert_eq(zap_u64_at(zpl_objset(z), list, "3ea", &limit, &r.e), 0);
	cr_assert_eq(zap_u64_at(zpl_objset(z), 1, "projectobjquota@", &list, &r.e), 0);
	cr_assert_eq(zap_u64_at(zpl_objset(z), list, "10", &limit, &r.e), 0);
	cr_assert_eq(limit, 9);
	cr_assert_eq(zap_u64_at(zpl_objset(z), 1, "groupquota@", &list, &r.e), 0);
	cr_assert_eq(zap_u64_at(zpl_objset(z), 1, "defaultgroupquota", &limit, &r.e), 0);
	cr_assert_eq(limit, 99);
	cr_assert_eq(zap_u64_at(zpl_objset(z), 1, "defaultuserquota", &limit, &r.e), -1);
	zpl_close(z);
	pool_close(r.pool);
	rig_fini(&r);
}
