#include <criterion/criterion.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/entries/dirtree_out.h"
#include "core/entries/file_out.h"
#include "core/entries/listing_test.h"

/* Entries as the test says, with no source to check them. */
static int put(struct entry_sink *sink, enum entry_kind kind, const char *path, const char *target,
	       const char *data, struct err *e)
{
	struct entry n = { .kind = kind,
			   .path = path,
			   .path_size = strlen(path),
			   .mode = 0755,
			   .uid = getuid(),
			   .gid = getgid(),
			   .target = target,
			   .target_size = target != NULL ? strlen(target) : 0,
			   .size = data != NULL ? strlen(data) : 0 };

	if (sink->begin(sink->self, &n, e) < 0)
		return -1;
	if (data != NULL &&
	    sink->data(sink->self, 0, bytes_of(data, strlen(data), ORDER_NATIVE), e) < 0)
		return -1;
	return sink->end(sink->self, NULL, e);
}

Test(dirtree_out, nothing_gets_out_through_a_link)
{
	const char		  *dir = scratch_new();
	struct told		   told = { "" };
	struct dirtree_out_options o = { .report = told_report, .ctx = &told };
	struct entry_sink	   sink;
	struct err		   e;
	char			   to[4200], outside[4200];

	snprintf(to, sizeof to, "%s/to", dir);
	snprintf(outside, sizeof outside, "%s/outside", dir);
	cr_assert_eq(shell("mkdir %s %s && ln -s ../outside %s/there", to, outside, to), 0);
	cr_assert_eq(dirtree_out_open(to, &o, &sink, &e), 0);
	cr_assert_eq(put(&sink, ENTRY_SYMLINK, "link", "../outside", NULL, &e), 0);
	cr_assert_eq(put(&sink, ENTRY_FILE, "link/a", NULL, "x", &e), 0);
	cr_assert_eq(put(&sink, ENTRY_FILE, "there/b", NULL, "x", &e), 0);
	cr_assert_eq(put(&sink, ENTRY_FILE, "../outside/c", NULL, "x", &e), 0);
	cr_assert_eq(put(&sink, ENTRY_FILE, "/tmp/d", NULL, "x", &e), 0);
	cr_assert_eq(put(&sink, ENTRY_HARDLINK, "h", "link/../../outside", NULL, &e), 0);
	cr_assert_eq(put(&sink, ENTRY_HARDLINK, "h", "there/x", NULL, &e), 0);
	cr_assert_eq(put(&sink, ENTRY_FILE, "", NULL, "x", &e), 0);
	cr_assert_eq(shell("test -z \"$(ls -A %s)\" && test ! -e /tmp/d/x", outside), 0);
	cr_assert_not_null(strstr(told.what, "link/a: a part of the path is not a directory;"),
			   "%s", told.what);
	/* A link in the way of a directory or a file is replaced, not followed. */
	told.what[0] = '\0';
	cr_assert_eq(put(&sink, ENTRY_DIR, "there", NULL, NULL, &e), 0);
	cr_assert_eq(put(&sink, ENTRY_FILE, "link", NULL, "file", &e), 0);
	cr_assert_eq(put(&sink, ENTRY_FILE, "there/b", NULL, "x", &e), 0);
	cr_assert_eq(put(&sink, ENTRY_HARDLINK, "there/b", "there/b", NULL, &e), 0);
	cr_assert_eq(sink.finish(sink.self, &e), 0);
	sink.close(sink.self);
	cr_assert_str_eq(told.what, "");
	cr_assert_eq(shell("cd %s && test -d there -a ! -L there -a -f link -a ! -L link && test "
			   "-s there/b",
			   to),
		     0);
	cr_assert_eq(shell("test -z \"$(ls -A %s)\"", outside), 0);
	scratch_remove(dir);
}

Test(dirtree_out, without_a_report_an_entry_that_fails_ends_the_copy)
{
	const char		  *dir = scratch_new();
	struct dirtree_out_options o = { 0 };
	struct entry_sink	   sink;
	struct err		   e;

	cr_assert_eq(shell("mkdir -p %s/d/full", dir), 0);
	cr_assert_eq(dirtree_out_open(dir, &o, &sink, &e), 0);
	cr_assert_eq(put(&sink, ENTRY_FILE, "d", NULL, "x", &e), -1);
	cr_assert_eq(strncmp(e.text, "d: cannot be replaced: ", 23), 0, "%s", e.text);
	sink.close(sink.self);
	scratch_remove(dir);
}

Test(dirtree_out, a_file_left_open_is_taken_away)
{
	const char		  *dir = scratch_new();
	struct dirtree_out_options o = { 0 };
	struct entry_sink	   sink;
	struct err		   e;
	struct entry n = { .kind = ENTRY_FILE, .path = "half", .path_size = 4, .size = 9 };

	cr_assert_eq(dirtree_out_open(dir, &o, &sink, &e), 0);
	cr_assert_eq(sink.begin(sink.self, &n, &e), 0);
	cr_assert_eq(sink.data(sink.self, 0, bytes_of("four", 4, ORDER_NATIVE), &e), 0);
	sink.close(sink.self);
	cr_assert_eq(shell("test ! -e %s/half", dir), 0);
	scratch_remove(dir);
}

Test(dirtree_out, set_id_bits_need_the_right_owner)
{
	const char		  *dir = scratch_new();
	struct dirtree_out_options o = { 0 };
	struct entry_sink	   sink;
	struct err		   e;
	struct stat		   st;
	char			   path[4200];
	struct entry		   n = { .kind = ENTRY_FILE, .path = "su", .path_size = 2 };

	n.mode = 06755;
	n.uid = 77777;

	cr_assert_eq(dirtree_out_open(dir, &o, &sink, &e), 0);
	cr_assert_eq(sink.begin(sink.self, &n, &e), 0);
	cr_assert_eq(sink.end(sink.self, NULL, &e), 0);
	sink.close(sink.self);
	snprintf(path, sizeof path, "%s/su", dir);
	cr_assert_eq(stat(path, &st), 0);
	cr_assert_eq(st.st_mode & 07777, 0755);
	cr_assert_eq(st.st_uid, getuid());
	scratch_remove(dir);
}

Test(dirtree_out, a_file_too_large_for_the_host_is_one_files_trouble)
{
	const char		  *dir = scratch_new();
	struct told		   told = { "" };
	struct dirtree_out_options o = { .report = told_report, .ctx = &told };
	struct entry_sink	   sink;
	struct err		   e;
	struct entry		   n = { .kind = ENTRY_FILE, .path = "max", .path_size = 3 };

	n.size = INT64_MAX;
	cr_assert_eq(dirtree_out_open(dir, &o, &sink, &e), 0);
	cr_assert_eq(sink.begin(sink.self, &n, &e), 0);
	cr_assert_eq(sink.data(sink.self, INT64_MAX - 4, bytes_of("four", 4, ORDER_NATIVE), &e), 0);
	cr_assert_eq(sink.data(sink.self, INT64_MAX - 4, bytes_of("four", 4, ORDER_NATIVE), &e), 0);
	cr_assert_eq(sink.end(sink.self, NULL, &e), 0);
	cr_assert_eq(strncmp(told.what, "max: cannot be written: ", 24), 0, "%s", told.what);
	cr_assert_eq(shell("test ! -e %s/max", dir), 0);
	cr_assert_eq(put(&sink, ENTRY_FILE, "next", NULL, "x", &e), 0);
	cr_assert_eq(sink.finish(sink.self, &e), 0);
	sink.close(sink.self);
	scratch_remove(dir);
}

Test(dirtree_out, a_single_file_with_holes_and_without)
{
	const char		     *dir = scratch_new();
	const struct file_out_options o = { 0 };
	struct entry_sink	      sink;
	struct err		      e;
	struct entry n = { .kind = ENTRY_FILE, .mode = 0640, .size = 100000, .mtime = { 5, 6 } };
	char	     path[4200];
	struct stat  st;
	int	     p[2];

	snprintf(path, sizeof path, "%s/f", dir);
	cr_assert_eq(file_out_open(path, &o, &sink, &e), 0);
	cr_assert_eq(sink.begin(sink.self, &n, &e), 0);
	cr_assert_eq(sink.data(sink.self, 50000, bytes_of("x", 1, ORDER_NATIVE), &e), 0);
	cr_assert_eq(sink.end(sink.self, NULL, &e), 0);
	cr_assert_eq(sink.begin(sink.self, &n, &e), -1);
	cr_assert_eq(sink.finish(sink.self, &e), 0);
	sink.close(sink.self);
	cr_assert_eq(stat(path, &st), 0);
	cr_assert_eq(st.st_size, 100000);
	cr_assert_eq(st.st_mode & 07777, 0640);
	cr_assert_eq(st.st_mtim.tv_nsec, 6);
	/* Not finished: gone. */
	cr_assert_eq(file_out_open(path, &o, &sink, &e), 0);
	cr_assert_eq(sink.begin(sink.self, &n, &e), 0);
	sink.close(sink.self);
	cr_assert_neq(access(path, F_OK), 0);
	cr_assert_eq(pipe(p), 0);
	n.size = 10;
	cr_assert_eq(file_out_open_fd(p[1], "pipe", &sink, &e), 0);
	cr_assert_eq(sink.begin(sink.self, &n, &e), 0);
	cr_assert_eq(sink.data(sink.self, 5, bytes_of("x", 1, ORDER_NATIVE), &e), 0);
	cr_assert_eq(sink.end(sink.self, NULL, &e), 0);
	cr_assert_eq(sink.finish(sink.self, &e), 0);
	sink.close(sink.self);
	cr_assert_eq(read(p[0], path, 99), 10);
	cr_assert_eq(memcmp(path, "\0\0\0\0\0x\0\0\0\0", 10), 0);
	close(p[0]);
	close(p[1]);
	scratch_remove(dir);
}
