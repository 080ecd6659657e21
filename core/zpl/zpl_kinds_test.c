#include "core/zpl/pool_rig_test.h"

#define ROOT "d755 0:0 \n"

static int try_node(struct rig *r, enum entry_kind kind, const char *path, uint32_t major,
		    uint32_t minor)
{
	struct entry in = an_entry(kind, path);

	in.mode = 0640;
	in.major = major;
	in.minor = minor;
	return give(r, &in, NULL);
}

static int try_entry(struct rig *r, const struct entry *in)
{
	return give(r, in, in->kind == ENTRY_FILE ? "x" : NULL);
}

#define put_node(r, kind, path, a, b) \
	cr_assert_eq(try_node(r, kind, path, a, b), 0, "%s", (r)->e.text)
#define put_entry(r, in) cr_assert_eq(try_entry(r, in), 0, "%s", (r)->e.text)

Test(zpl_kinds, what_has_no_contents_comes_back)
{
	struct rig r;

	rig_init(&r);
	rig_create(&r);
	put_node(&r, ENTRY_FIFO, "d/p", 0, 0);
	put_node(&r, ENTRY_SOCKET, "d/s", 0, 0);
	put_node(&r, ENTRY_CHAR, "d/c", 5, 1);
	put_node(&r, ENTRY_BLOCK, "d/b", 4095, 0xfffff);
	put_node(&r, ENTRY_CHAR, "d/large", 4096, 0xffffffff);
	put_node(&r, ENTRY_CHAR, "d/zero", 0, 0);
	put_hardlink(&r, "d/again", "d/c");
	put_hardlink(&r, "d/pipe", "d/p");
	put_symlink(&r, "d/y", "to");
	put_hardlink(&r, "d/z", "d/y");
	cr_assert_eq(zpl_write_counts(r.z).devices, 4);
	cr_assert_eq(zpl_write_counts(r.z).fifos, 1);
	cr_assert_eq(zpl_write_counts(r.z).sockets, 1);
	rig_commit(&r);
	cr_assert_tree(&r, ROOT "d755 0:0 d\n"
				"c640 1000:100 d/again 5,1\n"
				"b640 1000:100 d/b 4095,1048575\n"
				"h640 1000:100 d/c -> d/again\n"
				"c640 1000:100 d/large 4096,4294967295\n"
				"p640 1000:100 d/p\n"
				"h640 1000:100 d/pipe -> d/p\n"
				"s640 1000:100 d/s\n"
				"l777 1000:100 d/y -> to\n"
				"h777 1000:100 d/z -> d/y\n"
				"c640 1000:100 d/zero 0,0\n");
	/* They give way like files. */
	rig_reopen(&r);
	put_file(&r, "d/b", "now a file");
	put_node(&r, ENTRY_FIFO, "d/y", 0, 0);
	rig_commit(&r);
	free(rig_list(&r));
	rig_fini(&r);
}

Test(zpl_kinds, what_no_file_system_holds_is_refused_by_name)
{
	struct rig   r;
	struct entry in = an_entry(ENTRY_FILE, "a/f");

	rig_init(&r);
	rig_create(&r);
	in.size = 1;
	in.uid = UINT32_MAX;
	cr_assert_eq(try_entry(&r, &in), -1);
	cr_assert_str_eq(r.e.text, "a/f: an owner above 4294967294");
	in.uid = UINT32_MAX - 1;
	in.gid = UINT64_C(1) << 32;
	cr_assert_eq(try_entry(&r, &in), -1);
	in.gid = UINT32_MAX - 1;
	in.mode = 010644;
	cr_assert_eq(try_entry(&r, &in), -1);
	cr_assert_str_eq(r.e.text, "a/f: a mode above 07777");
	in.mode = 07777;
	in.mtime = (struct entry_time){ -2208988800, 999999999 };
	put_entry(&r, &in);
	in.path = "a/g";
	in.mode = 04711;
	in.mtime = (struct entry_time){ 32503680000, 1 };
	put_entry(&r, &in);
	cr_assert_eq(try_node(&r, ENTRY_CHAR, "a/c", 0, 1 << 20), -1);
	cr_assert_str_eq(r.e.text, "a/c: device 0,1048576 has no form that can be told apart");
	rig_commit(&r);
	cr_assert_tree(&r, ROOT "d755 0:0 a\nf7777 4294967294:4294967294 a/f: x\n"
				"f4711 4294967294:4294967294 a/g: x\n");
	rig_fini(&r);
}

/* -- extended attributes ----------------------------------------------------------------------- */

static uint8_t big[65536];

static void put_xattrs(struct rig *r, enum entry_kind kind, const char *path, size_t count,
		       size_t size)
{
	static char	   names[200][32];
	struct entry_xattr x[200];
	struct entry	   in = an_entry(kind, path);

	memset(big, 'v', sizeof big);
	for (size_t i = 0; i < count; i++) {
		snprintf(names[i], sizeof names[i], "user.%03zu", i);
		x[i] = (struct entry_xattr){ names[i], big, size };
	}
	in.xattrs = x;
	in.xattr_count = count;
	in.size = kind == ENTRY_FILE ? 1 : 0;
	in.target = "to";
	in.target_size = kind == ENTRY_SYMLINK ? 2 : 0;
	put_entry(r, &in);
}

static size_t count_in(const char *text, const char *word)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, word)) != NULL; p++)
		n++;
	return n;
}

/* Inline, in a spill block, some of each, too large for a list; on every kind of file. */
static void check_xattrs(bool dir)
{
	static const enum entry_kind kinds[] = { ENTRY_FILE, ENTRY_DIR, ENTRY_SYMLINK, ENTRY_FIFO };
	static const size_t	     sizes[][2] = { { 1, 0 },     { 2, 10 },	{ 100, 300 },
						    { 100, 1000 }, { 3, 30000 }, { 2, 40000 } };
	struct rig		     r;
	char			    *list;
	size_t			     want = 0;

	rig_init(&r);
	rig_options.xattr_sa = !dir;
	rig_create(&r);
	for (size_t i = 0; i < 24; i++) {
		char path[32];

		snprintf(path, sizeof path, "%c%zu", kinds[i % 4], i / 4);
		put_xattrs(&r, kinds[i % 4], path, sizes[i / 4][0], sizes[i / 4][1]);
		want += sizes[i / 4][0];
	}
	rig_commit(&r);
	list = rig_list(&r);
	cr_assert_eq(count_in(list, " user."), want, "%s", list);
	cr_assert_eq(count_in(list, "=40000:76"), 8);
	free(list);
	/* What gives way takes its attributes along: every account and the space say so. */
	rig_reopen(&r);
	for (size_t i = 0; i < 12; i++) {
		char path[32];

		snprintf(path, sizeof path, "%c%zu", kinds[i % 4], i % 6);
		put_file(&r, path, "plain");
	}
	rig_commit(&r);
	free(rig_list(&r));
	rig_fini(&r);
}

Test(zpl_kinds, xattrs_in_system_attributes)
{
	check_xattrs(false);
}

Test(zpl_kinds, xattrs_in_directories)
{
	check_xattrs(true);
}

Test(zpl_kinds, xattrs_in_large_dnodes)
{
	rig_dnode_size = 1024;
	check_xattrs(false);
	check_xattrs(true);
	rig_dnode_size = 16384;
	check_xattrs(false);
}

Test(zpl_kinds, what_is_replaced_in_one_go_takes_its_xattrs_along)
{
	for (unsigned dir = 0; dir < 2; dir++) {
		struct rig r;

		rig_init(&r);
		rig_options.xattr_sa = !dir;
		rig_create(&r);
		put_xattrs(&r, ENTRY_FILE, "f", 3, 40000);
		put_file(&r, "f", "second");
		put_xattrs(&r, ENTRY_DIR, "d", 3, 40000);
		put_xattrs(&r, ENTRY_DIR, "d", 1, 5);
		put_xattrs(&r, ENTRY_DIR, "e", 1, 5);
		put_file(&r, "e", "was a directory");
		put_xattrs(&r, ENTRY_FILE, "g", 1, 50000);
		put_hardlink(&r, "h", "g");
		cr_assert_eq(zpl_write_remove(r.z, "g", 1, &r.e), 0);
		rig_commit(&r);
		cr_assert_tree(&r, ROOT "d750 1000:100 d user.000=5:76\n"
					"f640 1000:100 e: was a directory\n"
					"f640 1000:100 f: second\n"
					"f640 1000:100 h user.000=50000:76: x\n");
		rig_fini(&r);
	}
}

Test(zpl_kinds, of_an_xattr_that_comes_twice_the_last_wins)
{
	struct entry_xattr x[] = { { "user.a", "1", 1 }, { "user.a", "22", 2 } };
	struct entry	   in = an_entry(ENTRY_FILE, "f");
	char		   name[300];

	for (unsigned dir = 0; dir < 2; dir++) {
		struct rig r;

		rig_init(&r);
		rig_options.xattr_sa = !dir;
		rig_create(&r);
		in.size = 1;
		in.xattrs = x;
		in.xattr_count = 2;
		put_entry(&r, &in);
		memset(name, 'n', sizeof name);
		memcpy(name, "user.", 5);
		name[256] = '\0';
		in.path = "long";
		in.path_size = 4;
		in.xattrs = &(struct entry_xattr){ name, "", 0 };
		in.xattr_count = 1;
		cr_assert_eq(try_entry(&r, &in), -1);
		cr_assert_eq(strncmp(r.e.text, "long: extended attribute user.nnn", 33), 0, "%s",
			     r.e.text);
		name[255] = '\0';
		put_entry(&r, &in);
		in = an_entry(ENTRY_FILE, "f");
		rig_commit(&r);

		char *list = rig_list(&r);

		cr_assert_not_null(strstr(list, " f user.a=2:32: x\n"), "%s", list);
		free(list);
		rig_fini(&r);
	}
}
