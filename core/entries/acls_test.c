#include <criterion/criterion.h>

#include <stdlib.h>
#include <unistd.h>

#include "core/entries/archive_in.h"
#include "core/entries/archive_out.h"
#include "core/entries/dirtree_in.h"
#include "core/entries/dirtree_out.h"
#include "core/entries/listing_test.h"
#include "core/zpl/pool_rig_test.h"

static char text[1 << 20], other[1 << 20];

/* A tar with these pax headers, "KEYWORD=VALUE" in each; made by python3. */
static void make_tar(const char *dir, const char *python)
{
	char  path[4200];
	FILE *f;

	snprintf(path, sizeof path, "%s/make.py", dir);
	f = fopen(path, "w");
	cr_assert_not_null(f);
	fprintf(f,
		"import tarfile, io, sys\n"
		"t = tarfile.open(sys.argv[1], 'w', format=tarfile.PAX_FORMAT)\n"
		"def add(name, kind=tarfile.REGTYPE, mode=0o644, data=b'', **k):\n"
		"    i = tarfile.TarInfo(name)\n"
		"    i.type, i.mode, i.size = kind, mode, len(data)\n"
		"    i.uid, i.gid, i.mtime = 7, 8, 1000\n"
		"    i.pax_headers = {n.replace('_', '.'): v for n, v in k.items()}\n"
		"    i.linkname = i.pax_headers.pop('linkname', '')\n"
		"    t.addfile(i, io.BytesIO(data))\n"
		"%s\n"
		"t.close()\n",
		python);
	fclose(f);
	cr_assert_eq(shell("cd %s && python3 make.py t.tar", dir), 0);
}

/* The rig's commit finishes the file system itself. */
static int told_nothing(void *self, struct err *e)
{
	(void)self;
	(void)e;
	return 0;
}

/* Into a pool, and out of it into another archive. */
static void through_a_pool(const char *from, const char *to, struct told *told)
{
	struct archive_out_options o = { .lost = told_lost, .ctx = told };
	struct entry_source	   source;
	struct entry_sink	   sink;
	struct zpl_export	   what = { .report = listing_report };
	struct dataset		   ds;
	struct zpl		  *z;
	struct rig		   r;

	rig_init(&r);
	rig_create(&r);
	cr_assert_eq(archive_in_open(from, NULL, &source, &r.e), 0, "%s", r.e.text);
	sink = r.sink;
	sink.finish = told_nothing;
	cr_assert_eq(entry_copy(&source, &sink, &r.e), 0, "%s", r.e.text);
	source.close(source.self);
	rig_commit(&r);
	rig_pool(&r);
	cr_assert_eq(dataset_open(r.pool, "t", &ds, &r.e), 0, "%s", r.e.text);
	cr_assert_eq(zpl_open(&ds, &z, &r.e), 0, "%s", r.e.text);
	check_all(&ds, z);
	what.object = zpl_root(z);
	cr_assert_eq(archive_out_open(to, &o, &sink, &r.e), 0, "%s", r.e.text);
	cr_assert_eq(zpl_export(z, &what, &sink, &r.e), 0, "%s", r.e.text);
	cr_assert_eq(sink.finish(sink.self, &r.e), 0, "%s", r.e.text);
	sink.close(sink.self);
	zpl_close(z);
	pool_close(r.pool);
	rig_fini(&r);
}

/* What the archive says, and that it still says it behind a pool. */
static void check_tar(const char *python, const char *want)
{
	const char *dir = scratch_new();
	char	    path[4200], back[4200];
	struct told told = { "" };
	struct err  e = { 0 };

	make_tar(dir, python);
	snprintf(path, sizeof path, "%s/t.tar", dir);
	snprintf(back, sizeof back, "%s/back.tar", dir);
	cr_assert_gt(list_archive(path, text, sizeof text, &e), 0, "%s", e.text);
	cr_assert_str_eq(text, want, "%s", text);
	through_a_pool(path, back, &told);
	cr_assert_str_eq(told.what, "");
	cr_assert_gt(list_archive(back, other, sizeof other, &e), 0, "%s", e.text);
	/* The root comes first, and nothing else is new. */
	cr_assert_str_eq(strchr(other, '\n') + 1, text, "%s", other);
	scratch_remove(dir);
}

Test(acls, posix_lists_are_attributes)
{
	check_tar("add('d', tarfile.DIRTYPE, 0o755,\n"
		  "  SCHILY_acl_default='user::rwx,user:99:r-x,group::r-x,mask::r-x,other::---')\n"
		  "add('f', mode=0o674,\n"
		  "  SCHILY_acl_access='user::rw-,user:1000:rwx,group::r--,mask::rwx,other::r--')\n"
		  "add('plain', mode=0o640, SCHILY_acl_access='user::rw-,group::r--,other::---')",
		  "d d 0755 7:8 1000.000000000 system.posix_acl_default="
		  "\\x02\\x00\\x00\\x00\\x01\\x00\\x07\\x00\\xff\\xff\\xff\\xff"
		  "\\x02\\x00\\x05\\x00c\\x00\\x00\\x00\\x04\\x00\\x05\\x00\\xff\\xff\\xff\\xff"
		  "\\x10\\x00\\x05\\x00\\xff\\xff\\xff\\xff \\x00\\x00\\x00\\xff\\xff\\xff\\xff\n"
		  "f f 0674 7:8 1000.000000000 0 system.posix_acl_access="
		  "\\x02\\x00\\x00\\x00\\x01\\x00\\x06\\x00\\xff\\xff\\xff\\xff"
		  "\\x02\\x00\\x07\\x00\\xe8\\x03\\x00\\x00\\x04\\x00\\x04\\x00\\xff\\xff\\xff\\xff"
		  "\\x10\\x00\\x07\\x00\\xff\\xff\\xff\\xff \\x00\\x04\\x00\\xff\\xff\\xff\\xff\n"
		  "f plain 0640 7:8 1000.000000000 0\n");
}

Test(acls, nfsv4_lists_are_entries)
{
	check_tar("add('d', tarfile.DIRTYPE, 0o750,\n"
		  "  SCHILY_acl_ace='owner@:rwxpDdaARWcCos:fd-----:allow,"
		  "group:2147483646:r-x---a-R-c--s:fdn---I:allow:2147483646,"
		  "everyone@:--------------:-------:allow')\n"
		  "add('f', mode=0o644,\n"
		  "  SCHILY_acl_ace='user:1000:-w-p----------:-------:deny:1000,"
		  "owner@:rw-p--aARWcCos:-------:allow,group@:r-----a-R-c--s:-------:allow,"
		  "everyone@:r-----a-R-c--s:-----F-:audit')\n"
		  "add('plain', mode=0o644,\n"
		  "  SCHILY_acl_ace='owner@:rw-p--aARWcCos:-------:allow,"
		  "group@:r-----a-R-c--s:-------:allow,everyone@:r-----a-R-c--s:-------:allow')",
		  "d d 0750 7:8 1000.000000000 owner@:rwxpDdaARWcCos:fd-----:allow "
		  "group:2147483646:r-x---a-R-c--s:fdn---I:allow "
		  "everyone@:--------------:-------:allow\n"
		  "f f 0644 7:8 1000.000000000 0 user:1000:-w-p----------:-------:deny "
		  "owner@:rw-p--aARWcCos:-------:allow group@:r-----a-R-c--s:-------:allow "
		  "everyone@:r-----a-R-c--s:-----F-:audit\n"
		  "f plain 0644 7:8 1000.000000000 0\n");
}

Test(acls, entries_of_names_are_looked_up)
{
	const char *dir = scratch_new();
	char	    path[4200];
	struct err  e = { 0 };

	make_tar(dir, "add('f', SCHILY_acl_access="
		      "'user::rw-,user:root:rwx,group::r--,mask::rwx,other::r--')\n"
		      "add('g', SCHILY_acl_access="
		      "'user::rw-,user:no one by this name:rwx,group::r--,mask::r--,other::r--')");
	snprintf(path, sizeof path, "%s/t.tar", dir);
	cr_assert_eq(list_archive(path, text, sizeof text, &e), -1);
	cr_assert_not_null(strstr(text, "\\x02\\x00\\x07\\x00\\x00\\x00\\x00\\x00"), "%s", text);
	cr_assert_not_null(strstr(e.text, "g: access control list: user no one by this name"), "%s",
			   e.text);
	make_tar(dir, "add('g', SCHILY_acl_access="
		      "'user::rw-,user:4294967294:rwx,group::r--,mask::r--,other::r--')");
	cr_assert_eq(list_archive(path, text, sizeof text, &e), -1);
	cr_assert_not_null(strstr(e.text, "g: access control list: a user above"), "%s", e.text);
	make_tar(dir, "add('g', SCHILY_acl_access='user::rw-,user:1:q,group::r--,other::r--')");
	cr_assert_eq(list_archive(path, text, sizeof text, &e), -1);
	cr_assert_not_null(strstr(e.text, "g: Parse error:  SCHILY.acl.access"), "%s", e.text);
	make_tar(dir, "add('g', SCHILY_acl_ace='owner@:rwx:nobody knows:allow')");
	cr_assert_eq(list_archive(path, text, sizeof text, &e), -1);
	cr_assert_not_null(strstr(e.text, "g: Parse error:  SCHILY.acl.ace"), "%s", e.text);
	scratch_remove(dir);
}

Test(acls, what_archives_and_hosts_cannot_hold_is_counted)
{
	const struct ace   object = { .type = ACE_OBJECT_FIRST }, plain = { .who = 5 };
	const uint8_t	   none[] = { 2, 0, 0, 0 };
	struct entry_xattr x = { "system.posix_acl_access", none, sizeof none };
	struct entry	   n = { .kind = ENTRY_FILE, .path = "f", .path_size = 1, .mode = 0644 };
	const char	  *dir = scratch_new();
	struct told	   told = { "" };
	char		   path[4200];
	struct entry_sink  s;
	struct err	   e = { 0 };

	for (unsigned i = 0; i < 6; i++) {
		struct archive_out_options o = { .lost = told_lost, .ctx = &told };
		struct dirtree_out_options d = { .lost = told_lost, .ctx = &told };

		n.aces = i % 3 == 0 ? &object : i % 3 == 1 ? &plain : NULL;
		n.ace_count = 1;
		n.xattrs = &x;
		n.xattr_count = i % 3 == 2;
		snprintf(path, sizeof path, "%s/%u%s", dir, i, i < 3 ? ".tar" : "");
		if (i < 3)
			cr_assert_eq(archive_out_open(path, &o, &s, &e), 0, "%s", e.text);
		else
			cr_assert_eq(dirtree_out_open(path, &d, &s, &e), 0, "%s", e.text);
		cr_assert_eq(s.begin(s.self, &n, &e), 0, "%s", e.text);
		cr_assert_eq(s.end(s.self, NULL, &e), 0, "%s", e.text);
		cr_assert_eq(s.finish(s.self, &e), 0, "%s", e.text);
		s.close(s.self);
	}
	/* An NFSv4 list of a plain user goes into a tar, and an empty list is none for a host. */
	cr_assert_str_eq(told.what, "access control lists 1;access control lists 1;"
				    "access control lists 1;access control lists 1;");
	scratch_remove(dir);
}

Test(acls, the_host_s_own_go_both_ways)
{
	const char	   *dir = scratch_new();
	char		    tree[4200], back[4200];
	struct entry_source s;
	struct told	    told = { "" };
	struct err	    e = { 0 };

	cr_assert_eq(shell("mkdir %s/s %s/s/d && echo x > %s/s/d/f && echo y > %s/s/g", dir, dir,
			   dir, dir),
		     0);
	if (shell("cd %s/s && python3 -c 'import os,struct\n"
		  "e=lambda *l: struct.pack(\"<I\",2)+b\"\".join(struct.pack(\"<HHI\",*i) for i in "
		  "l)\n"
		  "n=0xffffffff\n"
		  "os.setxattr(\"g\",\"system.posix_acl_access\","
		  "e((1,6,n),(2,7,1234),(4,4,n),(16,7,n),(32,4,n)))\n"
		  "os.setxattr(\"d\",\"system.posix_acl_default\","
		  "e((1,7,n),(2,7,1234),(4,5,n),(16,7,n),(32,0,n)))' 2>/dev/null",
		  dir) != 0)
		cr_skip_test("no ACLs here");
	snprintf(tree, sizeof tree, "%s/s", dir);
	snprintf(back, sizeof back, "%s/back", dir);

	struct dirtree_out_options o = { .lost = told_lost, .ctx = &told };
	struct entry_sink	   sink;

	for (unsigned i = 0; i < 2; i++) {
		struct entry_source from;

		cr_assert_eq(dirtree_in_open(tree, &from, &e), 0, "%s", e.text);
		cr_assert_eq(dirtree_out_open(back, &o, &sink, &e), 0, "%s", e.text);
		cr_assert_eq(entry_copy(&from, &sink, &e), 0, "%s", e.text);
		from.close(from.self);
		sink.close(sink.self);
		cr_assert_eq(dirtree_in_open(i == 0 ? tree : back, &s, &e), 0, "%s", e.text);
		cr_assert_eq(listing(&s, i == 0 ? text : other, sizeof text, &e), 4);
		s.close(s.self);
	}
	cr_assert_str_eq(told.what, "");
	cr_assert_str_eq(other, text);
	cr_assert_not_null(strstr(text, "g 0674 "), "%s", text);
	cr_assert_not_null(strstr(text, "system.posix_acl_default=\\x02"), "%s", text);
	scratch_remove(dir);
}
