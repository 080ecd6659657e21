#include <criterion/criterion.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/entries/archive_in.h"
#include "core/entries/archive_out.h"
#include "core/entries/listing_test.h"

static char text[1 << 16];

static struct entry file(const char *path, uint64_t size)
{
	return (struct entry){ .kind = ENTRY_FILE,
			       .path = path,
			       .path_size = strlen(path),
			       .mode = 0644,
			       .uid = 1,
			       .gid = 3000000000,
			       .size = size,
			       .mtime = { 1000, 7 } };
}

static void on_lost(void *ctx, enum lost_kind kind, uint64_t count)
{
	char  *buf = ctx;
	size_t n = strlen(buf);

	snprintf(buf + n, 256 - n, "%s %llu;", lost_name(kind), (unsigned long long)count);
}

static void put(struct entry_sink *s, struct entry n, const char *data)
{
	struct err e;

	cr_assert_eq(s->begin(s->self, &n, &e), 0, "%s", e.text);
	if (data != NULL)
		cr_assert_eq(s->data(s->self, 0, bytes_of(data, strlen(data), ORDER_NATIVE), &e), 0,
			     "%s", e.text);
	cr_assert_eq(s->end(s->self, NULL, &e), 0, "%s", e.text);
}

Test(archive_out, suffixes)
{
	static const char *const yes[] = { "a.tar",    "a.tar.zst", "x/a.tgz",	"a.tar.gz",
					   "a.tar.xz", "a.tar.bz2", "a.cpio",	"a.cpio.gz",
					   "a.zip",    "a.7z",	    "a.tar.lz4" };
	static const char *const no[] = { "a",	   "tar",     "a.gz", "a.zst", "atar", "a.zip.gz",
					  "a.pax", "a.tar/b", "",     ".",     "a.xz" };

	for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
		cr_assert(archive_out_suffix(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
		cr_assert_not(archive_out_suffix(no[i]), "%s", no[i]);
	cr_assert(archive_out_format("pax"));
	cr_assert(archive_out_format("tar.zst"));
	cr_assert(archive_out_format("tgz"));
	cr_assert(archive_out_format("newc"));
	cr_assert_not(archive_out_format("tar.foo"));
	cr_assert_not(archive_out_format(""));
	cr_assert_not(archive_out_format("averylongnameofnoformat"));
}

Test(archive_out, names_that_are_not_text)
{
	const char	 *dir = scratch_new();
	char		  path[4200];
	struct entry_sink s;
	struct err	  e;

	snprintf(path, sizeof path, "%s/t.tar", dir);
	cr_assert_eq(archive_out_open(path, NULL, &s, &e), 0);
	put(&s, file("latin-\xe9", 1), "x");
	put(&s, file("nfd-e\xcc\x81", 1), "x");
	put(&s,
	    (struct entry){ .kind = ENTRY_SYMLINK,
			    .path = "l",
			    .path_size = 1,
			    .mode = 0777,
			    .target = "\xff/..",
			    .target_size = 4 },
	    NULL);
	put(&s,
	    (struct entry){ .kind = ENTRY_HARDLINK,
			    .path = "h",
			    .path_size = 1,
			    .target = "latin-\xe9",
			    .target_size = 7 },
	    NULL);
	put(&s, (struct entry){ .kind = ENTRY_DIR, .path = "", .mode = 0711 }, NULL);
	put(&s,
	    (struct entry){ .kind = ENTRY_CHAR,
			    .path = "c",
			    .path_size = 1,
			    .major = 5000,
			    .minor = 300000 },
	    NULL);
	cr_assert_eq(s.finish(s.self, &e), 0);
	s.close(s.self);
	cr_assert_eq(list_archive(path, text, sizeof text, &e), 6, "%s", e.text);
	cr_assert_str_eq(text, "f latin-\\xe9 0644 1:3000000000 1000.000000007 1 0:x ..1\n"
			       "f nfd-e\\xcc\\x81 0644 1:3000000000 1000.000000007 1 0:x ..1\n"
			       "l l 0777 0:0 0.000000000 -> \\xff/..\n"
			       "h h -> latin-\\xe9\n"
			       "d  0711 0:0 0.000000000\n"
			       "c c 0000 0:0 0.000000000 5000,300000\n");
	scratch_remove(dir);
}

Test(archive_out, contents_that_fail_are_filled_up)
{
	const char	  *dir = scratch_new();
	char		   path[4200];
	struct entry_sink  s;
	struct err	   e, why = { .kind = ERR_CORRUPT };
	struct entry	   n = file("torn", 10), map = file("holey", 1 << 20);
	struct entry_range runs[] = { { 4096, 4 }, { 500000, 4 } };

	snprintf(path, sizeof path, "%s/t.tar", dir);
	cr_assert_eq(archive_out_open(path, NULL, &s, &e), 0);
	cr_assert_eq(s.begin(s.self, &n, &e), 0);
	cr_assert_eq(s.data(s.self, 2, bytes_of("abc", 3, ORDER_NATIVE), &e), 0);
	cr_assert_eq(s.end(s.self, &why, &e), 0);
	map.have_ranges = true;
	map.ranges = runs;
	map.range_count = 2;
	cr_assert_eq(s.begin(s.self, &map, &e), 0);
	cr_assert_eq(s.data(s.self, 4096, bytes_of("four", 4, ORDER_NATIVE), &e), 0);
	cr_assert_eq(s.end(s.self, &why, &e), 0);
	map.range_count = 0;
	map.path = "empty";
	put(&s, map, NULL);
	put(&s, file("z", 1), "z");
	cr_assert_eq(s.finish(s.self, &e), 0);
	s.close(s.self);
	cr_assert_eq(list_archive(path, text, sizeof text, &e), 4, "%s", e.text);
	cr_assert_eq(strncmp(text,
			     "f torn 0644 1:3000000000 1000.000000007 10 "
			     "0:\\x00\\x00abc\\x00\\x00\\x00 ..10\n"
			     "f holey 0644 1:3000000000 1000.000000007 1048576 "
			     "4096:four\\x00\\x00\\x00\\x00 "
			     "499712:\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00"
			     " ..500224\n"
			     "f empty 0644 1:3000000000 1000.000000007 1048576",
			     200),
		     0, "%s", text);
	cr_assert_eq(shell("cd %s && test $(stat -c %%s t.tar) -lt 20000 && tar -xf t.tar && test "
			   "$(stat -c %%s empty) = "
			   "1048576",
			   dir),
		     0);
	scratch_remove(dir);
}

Test(archive_out, contents_outside_the_size_are_refused)
{
	struct entry_sink s;
	struct entry	  n = file("f", 4);
	struct err	  e;
	int		  fd = open("/dev/null", O_WRONLY);

	cr_assert_eq(archive_out_open_fd(fd, "null", NULL, &s, &e), 0);
	cr_assert_eq(s.begin(s.self, &n, &e), 0);
	cr_assert_eq(s.data(s.self, 2, bytes_of("abc", 3, ORDER_NATIVE), &e), -1);
	cr_assert_eq(s.data(s.self, 5, bytes_of("abc", 0, ORDER_NATIVE), &e), -1);
	n.path = "../f";
	n.path_size = 4;
	cr_assert_eq(s.begin(s.self, &n, &e), -1);
	cr_assert_eq(e.kind, ERR_REFUSED);
	s.close(s.self);
	close(fd);
}

Test(archive_out, what_a_format_cannot_hold_is_counted)
{
	static const char *const formats[] = { "zip", "newc", "7z", "ustar", "pax" };
	static const char *const losses[] = {
		"extended attributes 1;device nodes 1;sockets 1;fifos 1;hard links 1;"
		"parts of seconds 1;",
		/* newc: the link has no number */
		"extended attributes 1;hard links 1;parts of seconds 1;",
		"owners 1;extended attributes 1;device nodes 1;sockets 1;fifos 1;hard links 1;"
		"parts of seconds 1;",
		"extended attributes 1;sockets 1;parts of seconds 1;",
		"sockets 1;",
	};
	const char *dir = scratch_new();
	char	    path[4200];

	for (size_t i = 0; i < 5; i++) {
		char			   told[256] = "";
		struct archive_out_options o = { .format = formats[i],
						 .lost = on_lost,
						 .ctx = told };
		struct entry_sink	   s;
		struct err		   e;
		struct entry_xattr	   x = { "user.a", "b", 1 };
		struct entry		   n = file("f", 2);

		n.gid = 1;
		n.xattrs = &x;
		n.xattr_count = 1;
		snprintf(path, sizeof path, "%s/t.%s", dir, formats[i]);
		cr_assert_eq(archive_out_open(path, &o, &s, &e), 0, "%s", e.text);
		put(&s, n, "hi");
		put(&s, (struct entry){ .kind = ENTRY_SOCKET, .path = "s", .path_size = 1 }, NULL);
		put(&s, (struct entry){ .kind = ENTRY_FIFO, .path = "p", .path_size = 1 }, NULL);
		put(&s,
		    (struct entry){ .kind = ENTRY_BLOCK, .path = "b", .path_size = 1, .major = 1 },
		    NULL);
		put(&s,
		    (struct entry){ .kind = ENTRY_HARDLINK,
				    .path = "h",
				    .path_size = 1,
				    .target = "f",
				    .target_size = 1 },
		    NULL);
		cr_assert_eq(s.finish(s.self, &e), 0, "%s", e.text);
		s.close(s.self);
		cr_assert_str_eq(told, losses[i], "%s: %s", formats[i], told);
		cr_assert_gt(list_archive(path, text, sizeof text, &e), 0, "%s: %s", formats[i],
			     e.text);
		cr_assert_not_null(strstr(text, "0:hi ..2"), "%s", text);
	}
	scratch_remove(dir);
}

Test(archive_out, numbers_that_would_be_cut_are_refused)
{
	static const struct {
		const char *format;
		uint64_t    id, size;
		int64_t	    sec;
	} bad[] = {
		{ "newc", 0, 0, -1 },
		{ "newc", 0, 0, INT64_C(1) << 32 },
		{ "newc", 0, UINT64_C(1) << 32, 0 },
		{ "odc", 262144, 0, 0 },
		{ "bin", 65536, 0, 0 },
		{ "pwb", 0, 1 << 24, 0 },
		{ "gnutar", 0, 0, -1 },
		{ "ustar", 2097152, 0, 0 },
		{ "ustar", 0, UINT64_C(1) << 33, 0 },
		{ "zip", 0, 0, INT64_C(1) << 31 },
		{ "v7tar", 262144, 0, 0 },
		{ "ar", 1000000, 0, 0 },
		{ "7z", 0, 0, -1 },
		{ "iso", 0, 0, -1 },
	};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct archive_out_options o = { .format = bad[i].format };
		struct entry_sink	   s;
		struct err		   e;
		struct entry		   n = file("f", 0);
		int			   fd = open("/dev/null", O_WRONLY);

		cr_assert_eq(archive_out_open_fd(fd, "null", &o, &s, &e), 0, "%s", e.text);
		n.uid = n.gid = bad[i].id;
		n.size = bad[i].size;
		n.mtime.sec = bad[i].sec;
		cr_assert_eq(s.begin(s.self, &n, &e), -1, "%s", bad[i].format);
		cr_assert_eq(e.kind, ERR_REFUSED);
		cr_assert_not_null(strstr(e.text, bad[i].format), "%s", e.text);
		n.uid = n.gid = n.size = 0;
		n.mtime.sec = 5;
		put(&s, n, NULL);
		cr_assert_eq(s.finish(s.self, &e), 0, "%s", e.text);
		s.close(s.self);
		close(fd);
	}
}

Test(archive_out, cpio_tells_names_of_one_file_by_number)
{
	static const char *const formats[] = { "newc", "odc", "bin" };
	const char		*dir = scratch_new();
	char			 path[4200];

	for (size_t i = 0; i < 3; i++) {
		struct archive_out_options o = { .format = formats[i] };
		struct entry_sink	   s;
		struct err		   e;
		struct entry		   n = file("f", 2);

		snprintf(path, sizeof path, "%s/t.cpio", dir);
		cr_assert_eq(archive_out_open(path, &o, &s, &e), 0, "%s", e.text);
		n.uid = n.gid = 0;
		n.links = 2;
		n.serial = UINT64_C(1) << 49 | 77;
		put(&s, n, "hi");
		n.serial = 77; /* of another dataset */
		n.path = "g";
		put(&s, n, "ho");
		n.kind = ENTRY_HARDLINK;
		n.path = "h";
		n.target = "g";
		n.target_size = 1;
		put(&s, n, NULL);
		cr_assert_eq(s.finish(s.self, &e), 0, "%s", e.text);
		s.close(s.self);
		cr_assert_eq(list_archive(path, text, sizeof text, &e), 3, "%s", e.text);
		cr_assert_not_null(strstr(text, "0:hi ..2"), "%s", text);
		cr_assert_not_null(strstr(text, "h h -> g\n"), "%s", text);
	}
	scratch_remove(dir);
}

Test(archive_out, devices_of_several_names_stay_apart_in_cpio)
{
	const char	 *dir = scratch_new();
	char		  path[4200];
	struct entry_sink s;
	struct err	  e;

	snprintf(path, sizeof path, "%s/t.cpio", dir);
	cr_assert_eq(archive_out_open(path, NULL, &s, &e), 0, "%s", e.text);
	for (uint32_t i = 0; i < 3; i++)
		put(&s,
		    (struct entry){ .kind = i < 2 ? ENTRY_CHAR : ENTRY_SOCKET,
				    .path = i == 0 ? "a" : i == 1 ? "b" : "c",
				    .path_size = 1,
				    .links = 2,
				    .serial = 5 + i,
				    .major = 1,
				    .minor = i },
		    NULL);
	cr_assert_eq(s.finish(s.self, &e), 0, "%s", e.text);
	s.close(s.self);
	cr_assert_eq(list_archive(path, text, sizeof text, &e), 3, "%s", e.text);
	cr_assert_str_eq(text, "c a 0000 0:0 0.000000000 1,0\nc b 0000 0:0 0.000000000 1,1\n"
			       "s c 0000 0:0 0.000000000\n");
	scratch_remove(dir);
}

Test(archive_out, an_archive_not_finished_goes)
{
	const char	 *dir = scratch_new();
	char		  path[4200];
	struct entry_sink s;
	struct err	  e;

	snprintf(path, sizeof path, "%s/t.tar.gz", dir);
	cr_assert_eq(archive_out_open(path, NULL, &s, &e), 0);
	put(&s, file("f", 2), "hi");
	s.close(s.self);
	cr_assert_neq(access(path, F_OK), 0);
	cr_assert_eq(
		archive_out_open(path, &(struct archive_out_options){ .format = "foo" }, &s, &e),
		-1);
	cr_assert_eq(e.kind, ERR_USAGE);
	cr_assert_neq(access(path, F_OK), 0);
	scratch_remove(dir);
}

Test(archive_out, a_full_disk_is_no_space)
{
	struct entry_sink s;
	struct err	  e;
	struct entry	  n = file("f", 3 << 20);
	int		  r;

	if (access("/dev/full", W_OK) != 0)
		cr_skip_test("no /dev/full here");
	cr_assert_eq(archive_out_open("/dev/full", NULL, &s, &e), 0);
	r = s.begin(s.self, &n, &e);
	if (r == 0)
		r = s.end(s.self, NULL, &e);
	if (r == 0)
		r = s.finish(s.self, &e);
	cr_assert_eq(r, -1);
	cr_assert_eq(e.kind, ERR_NOSPACE, "%s", e.text);
	s.close(s.self);
	cr_assert_eq(access("/dev/full", F_OK), 0);
}
