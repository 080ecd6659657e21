#include "core/zpl/pool_rig_test.h"
#include "formats/znode.h"

#define ROOT "d755 0:0 \n"

Test(zpl_write, parents_that_no_entry_names_are_root_s)
{
	struct rig r;

	rig_init(&r);
	rig_create(&r);
	put_file(&r, "a/b/c", "hello");
	rig_commit(&r);
	cr_assert_tree(&r, ROOT "d755 0:0 a\nd755 0:0 a/b\nf640 1000:100 a/b/c: hello\n");
	rig_fini(&r);
}

Test(zpl_write, an_old_pool_takes_files_in_several_directories, .timeout = 20)
{
	struct rig r;

	rig_init(&r);
	rig_create(&r);
	put_file(&r, "a/x", "1");
	put_file(&r, "b/x", "2");
	rig_commit(&r);
	rig_reopen(&r);
	put_file(&r, "a/y", "3");
	put_file(&r, "b/y", "4");
	put_file(&r, "y", "5");
	rig_commit(&r);
	cr_assert_tree(&r, ROOT "d755 0:0 a\nf640 1000:100 a/x: 1\nf640 1000:100 a/y: 3\n"
				"d755 0:0 b\nf640 1000:100 b/x: 2\nf640 1000:100 b/y: 4\n"
				"f640 1000:100 y: 5\n");
	rig_fini(&r);
}

Test(zpl_write, entries_in_odd_orders)
{
	struct rig r;

	rig_init(&r);
	rig_create(&r);
	put_file(&r, "d/f", "one");
	put_dir(&r, "d");
	put_file(&r, "d/f", "two");
	put_symlink(&r, "l", "d/f");
	put_file(&r, "l", "a file now");
	put_file(&r, "g", "a link soon");
	put_symlink(&r, "g", "d");
	put_dir(&r, "");
	put_dir(&r, "d");
	rig_commit(&r);
	cr_assert_tree(&r, "d750 1000:100 \nd750 1000:100 d\nf640 1000:100 d/f: two\n"
			   "l777 1000:100 g -> d\nf640 1000:100 l: a file now\n");
	rig_fini(&r);
}

Test(zpl_write, hard_links_follow_the_file_not_the_name)
{
	struct rig r;

	rig_init(&r);
	rig_create(&r);
	put_file(&r, "a", "first");
	put_hardlink(&r, "b", "a");
	put_hardlink(&r, "x/c", "b");
	put_hardlink(&r, "b", "a"); /* again */
	put_file(&r, "a", "second");
	put_hardlink(&r, "d", "a");
	put_hardlink(&r, "d", "b"); /* d leaves the second file */
	put_file(&r, "e", "gone");
	put_hardlink(&r, "e", "x/c");
	rig_commit(&r);
	cr_assert_tree(&r, ROOT
		       "f640 1000:100 a: second\nf640 1000:100 b: first\nh640 1000:100 d -> b\n"
		       "h640 1000:100 e -> b\nd755 0:0 x\nh640 1000:100 x/c -> b\n");
	rig_fini(&r);
}

Test(zpl_write, a_hard_link_to_itself_changes_nothing)
{
	struct rig r;

	rig_init(&r);
	rig_create(&r);
	put_file(&r, "a", "text");
	put_hardlink(&r, "a", "a");
	put_hardlink(&r, "b", "a");
	put_hardlink(&r, "b", "b");
	rig_commit(&r);
	cr_assert_tree(&r, ROOT "f640 1000:100 a: text\nh640 1000:100 b -> a\n");
	rig_fini(&r);
}

Test(zpl_write, a_directory_takes_the_place_of_what_is_none)
{
	struct rig r;

	rig_init(&r);
	rig_create(&r);
	put_file(&r, "f", "text");
	put_dir(&r, "f");
	put_file(&r, "f/x", "inside");
	put_symlink(&r, "l", "f");
	put_dir(&r, "l");
	rig_commit(&r);
	cr_assert_tree(&r, ROOT "d750 1000:100 f\nf640 1000:100 f/x: inside\nd750 1000:100 l\n");
	/* Nobody asked for the symlink to go. */
	rig_reopen(&r);
	put_symlink(&r, "to", "f");
	cr_assert_eq(try_file(&r, "to/y", "lost"), -1);
	cr_assert_eq(r.e.kind, ERR_EXISTS);
	cr_assert_str_eq(r.e.text, "to: not a directory");
	rig_drop(&r);
	rig_fini(&r);
}

Test(zpl_write, only_an_empty_directory_gives_way_to_a_file)
{
	struct rig r;

	rig_init(&r);
	rig_create(&r);
	put_dir(&r, "old");
	put_dir(&r, "a/b");
	put_file(&r, "a/b", "now a file");
	put_file(&r, "full/x", "");
	cr_assert_eq(try_file(&r, "full", ""), -1);
	cr_assert_eq(r.e.kind, ERR_EXISTS);
	cr_assert_str_eq(r.e.text, "full: is a directory that is not empty");
	rig_commit(&r);
	rig_reopen(&r);
	put_symlink(&r, "old", "a");
	rig_commit(&r);
	cr_assert_tree(&r, ROOT "d755 0:0 a\nf640 1000:100 a/b: now a file\nd755 0:0 full\n"
				"f640 1000:100 full/x: \nl777 1000:100 old -> a\n");
	rig_fini(&r);
}

Test(zpl_write, files_are_removed_and_links_counted_in_an_old_pool)
{
	struct rig r;

	rig_init(&r);
	rig_create(&r);
	put_file(&r, "a", "both");
	put_hardlink(&r, "b", "a");
	put_file(&r, "c", "one");
	put_dir(&r, "d");
	rig_commit(&r);
	rig_reopen(&r);
	cr_assert_eq(zpl_write_remove(r.z, "a", 1, &r.e), 0, "%s", r.e.text);
	cr_assert_eq(zpl_write_remove(r.z, "c", 1, &r.e), 0, "%s", r.e.text);
	cr_assert_eq(zpl_write_remove(r.z, "c", 1, &r.e), -1);
	cr_assert_eq(r.e.kind, ERR_NOTFOUND);
	cr_assert_eq(zpl_write_remove(r.z, "d", 1, &r.e), -1);
	cr_assert_eq(r.e.kind, ERR_REFUSED);
	cr_assert_eq(zpl_write_remove(r.z, "x/y", 3, &r.e), -1);
	cr_assert_eq(r.e.kind, ERR_NOTFOUND);
	put_hardlink(&r, "e", "b");
	rig_commit(&r);
	cr_assert_tree(&r, ROOT "f640 1000:100 b: both\nd750 1000:100 d\nh640 1000:100 e -> b\n");
	rig_fini(&r);
}

/* Symlinks move from the bonus to a spill block as they grow; names have up to 255 bytes. */
Test(zpl_write, symlinks_of_every_length_and_long_names)
{
	static const size_t lengths[] = { 1, 7, 8, 127, 128, 129, 136, 137, 200, 1000, 4095 };
	struct rig	    r;
	char		    target[4096], name[256], *list, *p;

	rig_init(&r);
	rig_create(&r);
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		memset(target, 'a' + (int)i, sizeof target);
		memset(name, 'a' + (int)i, sizeof name);
		target[lengths[i]] = name[255 - i] = '\0';
		put_symlink(&r, name, target);
	}
	memset(name, 'z', sizeof name);
	name[255] = '\0';
	put_file(&r, name, "long");
	rig_commit(&r);
	p = list = rig_list(&r);
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		p = strchr(p, '\n') + 1;
		cr_assert_eq(strspn(strstr(p, "-> ") + 3, (char[]){ 'a' + (char)i, '\0' }),
			     lengths[i]);
	}
	free(list);
	rig_fini(&r);
}

static void put_xattrs(struct rig *r, const char *path, size_t size, unsigned count)
{
	static uint8_t	   value[40000];
	struct entry_xattr x[4] = { { "user.one", value, size },
				    { "user.two", value, 1 },
				    { "security.three", value, 0 },
				    { "trusted.four", value, 9 } };
	struct entry	   in = an_entry(ENTRY_FILE, path);

	memset(value, 0x5a, sizeof value);
	in.xattrs = x;
	in.xattr_count = count;
	cr_assert_eq(give(r, &in, ""), 0, "%s", r->e.text);
}

Test(zpl_write, xattrs_in_the_bonus_and_in_spill_blocks)
{
	struct rig   r;
	struct entry dir = an_entry(ENTRY_DIR, "d");

	rig_init(&r);
	rig_create(&r);
	put_xattrs(&r, "a", 1, 1);
	put_xattrs(&r, "b", 100, 4);
	put_xattrs(&r, "c", 30000, 4);
	dir.xattrs = &(struct entry_xattr){ "user.dir", "x", 1 };
	dir.xattr_count = 1;
	cr_assert_eq(give(&r, &dir, NULL), 0);
	put_xattrs(&r, "b", 200, 2); /* the spill block goes with the file */
	rig_commit(&r);
	cr_assert_tree(&r,
		       ROOT "f640 1000:100 a user.one=1:5a: \n"
			    "f640 1000:100 b user.one=200:5a user.two=1:5a: \n"
			    "f640 1000:100 c user.one=30000:5a user.two=1:5a security.three=0:00 "
			    "trusted.four=9:5a: \nd750 1000:100 d user.dir=1:78\n");
	rig_fini(&r);
}

Test(zpl_write, seventy_thousand_entries_in_one_directory, .timeout = 60)
{
	enum { COUNT = 70000 };
	struct rig   r;
	struct entry in = an_entry(ENTRY_SYMLINK, "");
	char	     path[32], *list;
	unsigned     lines = 0;

	rig_init(&r);
	r.threads = 2;
	r.quick = true;
	rig_create(&r);
	in.target = "t";
	in.target_size = 1;
	for (unsigned i = 0; i < COUNT; i++) {
		in.path = path;
		in.path_size = (size_t)snprintf(path, sizeof path, "d/%05u", i * 7919 % COUNT);
		cr_assert_eq(give(&r, &in, NULL), 0, "%s", r.e.text);
	}
	rig_commit(&r);
	list = rig_list(&r);
	for (const char *p = list; *p != '\0'; p++)
		lines += *p == '\n';
	cr_assert_eq(lines, COUNT + 2);
	cr_assert_not_null(strstr(list, "l777 1000:100 d/69999 -> t\n"));
	free(list);
	rig_fini(&r);
}

/* Contents in pieces: holes between them, a tail that is not whole, more than one block. */
Test(zpl_write, contents_in_pieces)
{
	struct rig   r;
	struct entry in = an_entry(ENTRY_FILE, "f");
	char	    *big = malloc(300000);
	char	    *list;

	memset(big, 'x', 300000);
	rig_init(&r);
	rig_create(&r);
	in.size = 1000000;
	cr_assert_eq(r.sink.begin(r.sink.self, &in, &r.e), 0);
	cr_assert_eq(r.sink.data(r.sink.self, 5, bytes_of("abc", 3, ORDER_NATIVE), &r.e), 0);
	cr_assert_eq(r.sink.data(r.sink.self, 300000, bytes_of(big, 300000, ORDER_NATIVE), &r.e),
		     0);
	cr_assert_eq(r.sink.data(r.sink.self, 999999, bytes_of("z", 1, ORDER_NATIVE), &r.e), 0);
	cr_assert_eq(r.sink.end(r.sink.self, NULL, &r.e), 0);
	rig_commit(&r);
	list = rig_list(&r);
	cr_assert_not_null(strstr(list, "f640 1000:100 f: "));
	free(list);
	rig_reopen(&r);
	cr_assert_eq(r.sink.begin(r.sink.self, &in, &r.e), 0);
	cr_assert_eq(r.sink.data(r.sink.self, 600000, bytes_of("z", 1, ORDER_NATIVE), &r.e), 0);
	cr_assert_eq(r.sink.data(r.sink.self, 1000, bytes_of("z", 1, ORDER_NATIVE), &r.e), -1);
	cr_assert_eq(r.e.kind, ERR_CORRUPT);
	rig_drop(&r);
	rig_fini(&r);
	free(big);
}

Test(zpl_write, contents_past_the_announced_size_are_refused)
{
	struct rig   r;
	struct entry in = an_entry(ENTRY_FILE, "f");

	rig_init(&r);
	rig_create(&r);
	in.size = 10;
	cr_assert_eq(r.sink.begin(r.sink.self, &in, &r.e), 0);
	cr_assert_eq(r.sink.data(r.sink.self, 5, bytes_of("abcdef", 6, ORDER_NATIVE), &r.e), -1);
	cr_assert_eq(r.e.kind, ERR_CORRUPT);
	rig_drop(&r);
	rig_fini(&r);
}

/* An entry that was made a hard-linked twin by force: the old pool says the same name twice. */
Test(zpl_write, an_old_directory_that_makes_no_sense_is_refused)
{
	struct rig	r;
	struct zap_item items[2];
	uint64_t	values[2], root = 0;
	struct object	o;
	struct zap_head head;
	struct zpl     *z;
	struct dataset	ds;

	for (unsigned round = 0; round < 2; round++) {
		rig_init(&r);
		rig_create(&r);
		put_file(&r, "a", "1");
		rig_commit(&r);
		rig_reopen(&r);
		cr_assert_eq(dataset_open(r.pool, "t", &ds, &r.e), 0);
		cr_assert_eq(zpl_open(&ds, &z, &r.e), 0);
		root = zpl_root(z);
		cr_assert_eq(object_open(zpl_objset(z), root, &o, NULL), 0);
		cr_assert_eq(zap_head_of(&o, &head, NULL), 0);

		struct object_spec spec = { .number = root,
					    .type = OT_DIRECTORY,
					    .flags = o.dn.flags & ~1,
					    .bonus_type = o.dn.bonus_type,
					    .bonus = o.dn.bonus,
					    .replace = true };

		for (unsigned i = 0; i < 2; i++) {
			values[i] = round == 0 ? dirent_value(8, root) : dirent_value(8, 0);
			items[i] = (struct zap_item){ .cd_new = true,
						      .int_size = 8,
						      .name = "twice",
						      .name_size = 5,
						      .value_count = 1,
						      .value = &values[i] };
		}
		cr_assert_eq(zap_write(dataset_write_objset(r.d), &spec, &head, items, 2 - round,
				       NULL),
			     0);
		object_close(&o);
		zpl_close(z);
		rig_commit(&r);
		rig_reopen(&r);
		cr_assert_eq(try_file(&r, "b", "2"), -1);
		cr_assert_eq(r.e.kind, ERR_CORRUPT);
		rig_drop(&r);
		rig_fini(&r);
	}
}
