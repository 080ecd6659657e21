#include <criterion/criterion.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/entries/archive_in.h"
#include "core/entries/archive_out.h"
#include "core/entries/dirtree_in.h"
#include "core/entries/dirtree_out.h"
#include "core/entries/listing_test.h"

static char text[1 << 20], other[1 << 20];

static int list_tree(const char *path, char *buf, size_t cap, struct err *e)
{
	struct entry_source s;

	buf[0] = '\0';
	if (dirtree_in_open(path, &s, e) < 0)
		return -1;

	int count = listing(&s, buf, cap, e);

	s.close(s.self);
	return count;
}

/* A tree with one of everything that an ordinary user may make. */
static void plant(const char *dir)
{
	cr_assert_eq(
		shell("umask 022; cd %s && mkdir -p s/d/e s/closed && echo hello > s/d/f && ln "
		      "s/d/f s/d/g && "
		      "ln s/d/f s/a && ln -s ../x s/l && mkfifo s/p && chmod 4751 s/d/f && chmod "
		      "1777 s/d/e && "
		      ": > s/empty && truncate -s 3M s/sparse && "
		      "printf mid | dd of=s/sparse bs=1 seek=1048576 conv=notrunc 2>/dev/null && "
		      "truncate -s 1M s/hole && head -c 2500000 /dev/zero | tr '\\0' x > s/long && "
		      "touch s/A s/b s/$(printf 'z\\351\\n') && echo in > s/closed/in && chmod "
		      "0400 s/closed/in && "
		      "chmod 0500 s/closed && find s | xargs -d '\\n' touch -h -d "
		      "'@1500000000.123456789' 2>/dev/null;"
		      "touch -h -d '@1500000000.123456789' s/z*; true",
		      dir),
		0);
}

Test(dirtree, a_walk_in_byte_order)
{
	const char *dir = scratch_new();
	char	    path[4200], want[4096];
	struct err  e;

	plant(dir);
	snprintf(path, sizeof path, "%s/s", dir);
	cr_assert_eq(list_tree(path, text, sizeof text, &e), 17, "%s\n%s", e.text, text);

	int u = (int)getuid(), g = (int)getgid();

	snprintf(want, sizeof want,
		 "d  0755 %d:%d 1500000000.123456789\n"
		 "f A 0644 %d:%d 1500000000.123456789 0\n"
		 "f a 4751 %d:%d 1500000000.123456789 6 0:hello\\x0a ..6\n"
		 "f b 0644 %d:%d 1500000000.123456789 0\n"
		 "d closed 0500 %d:%d 1500000000.123456789\n"
		 "f closed/in 0400 %d:%d 1500000000.123456789 3 0:in\\x0a ..3\n"
		 "d d 0755 %d:%d 1500000000.123456789\n"
		 "d d/e 1777 %d:%d 1500000000.123456789\n"
		 "h d/f -> a\n"
		 "h d/g -> a\n"
		 "f empty 0644 %d:%d 1500000000.123456789 0\n",
		 u, g, u, g, u, g, u, g, u, g, u, g, u, g, u, g, u, g);
	cr_assert_eq(strncmp(text, want, strlen(want)), 0, "%s", text);
	cr_assert_not_null(strstr(text, " 3145728 1048576:mid"), "%s", text);
	cr_assert_not_null(strstr(text, "l l 0777 "), "%s", text);
	cr_assert_not_null(strstr(text, "f z\\xe9"), "%s", text);
	scratch_remove(dir);
}

static bool skip_a_and_d_e(void *ctx, const char *path, size_t n)
{
	++*(int *)ctx;
	cr_assert_eq(strlen(path), n);
	return strcmp(path, "a") == 0 || strcmp(path, "d/e") == 0;
}

Test(dirtree, what_is_skipped_is_as_if_it_were_not_there)
{
	const char	   *dir = scratch_new();
	char		    text[8192], path[4200];
	int		    asked = 0;
	struct entry_source s;
	struct err	    e;

	plant(dir);
	snprintf(path, sizeof path, "%s/s", dir);
	cr_assert_eq(dirtree_in_open(path, &s, &e), 0, "%s", e.text);
	dirtree_in_skip(&s, skip_a_and_d_e, &asked);
	cr_assert_eq(listing(&s, text, sizeof text, &e), 15, "%s\n%s", e.text, text);
	cr_assert_eq(asked, 16);
	cr_assert_null(strstr(text, "f a "), "%s", text);
	cr_assert_null(strstr(text, "d/e"), "%s", text);
	/* The next name of a file that is skipped is its first one. */
	cr_assert_not_null(strstr(text, "f d/f 4751"), "%s", text);
	cr_assert_not_null(strstr(text, "h d/g -> d/f\n"), "%s", text);
	s.close(s.self);
	scratch_remove(dir);
}

static int copy_out(struct entry_source *s, const char *to, struct told *told, struct err *e)
{
	struct dirtree_out_options o = {
		.same_owner = getuid() == 0, .report = told_report, .lost = told_lost, .ctx = told
	};
	struct entry_sink sink;

	cr_assert_eq(dirtree_out_open(to, &o, &sink, e), 0, "%s", e->text);

	int r = entry_copy(s, &sink, e);

	sink.close(sink.self);
	s->close(s->self);
	return r;
}

static void to_archive(const char *tree, const char *tar)
{
	struct entry_source s;
	struct entry_sink   sink;
	struct err	    e;

	cr_assert_eq(dirtree_in_open(tree, &s, &e), 0, "%s", e.text);
	cr_assert_eq(archive_out_open(tar, NULL, &sink, &e), 0, "%s", e.text);
	cr_assert_eq(entry_copy(&s, &sink, &e), 0, "%s", e.text);
	s.close(s.self);
	sink.close(sink.self);
}

Test(dirtree, there_and_back_through_a_tar)
{
	const char	   *dir = scratch_new();
	char		    tree[4200], tar[4200], back[4200];
	struct entry_source s;
	struct told	    told = { "" };
	struct err	    e = { 0 };

	plant(dir);
	snprintf(tree, sizeof tree, "%s/s", dir);
	snprintf(tar, sizeof tar, "%s/t.tar.zst", dir);
	snprintf(back, sizeof back, "%s/back", dir);
	to_archive(tree, tar);
	cr_assert_eq(archive_in_open(tar, NULL, &s, &e), 0, "%s", e.text);
	cr_assert_eq(copy_out(&s, back, &told, &e), 0, "%s", e.text);
	cr_assert_str_eq(told.what, "");
	list_tree(tree, text, sizeof text, &e);
	list_tree(back, other, sizeof other, &e);
	cr_assert_str_eq(other, text);
	cr_assert_eq(
		shell("cd %s && diff -r --no-dereference s back >/dev/null 2>&1 || test -p s/p",
		      dir),
		0);
	/* Holes stay holes. */
	cr_assert_eq(shell("cd %s && test $(du -k back/hole | cut -f1) -lt 100", dir), 0);
	/* Once more on top of itself. */
	cr_assert_eq(archive_in_open(tar, NULL, &s, &e), 0);
	cr_assert_eq(copy_out(&s, back, &told, &e), 0, "%s", e.text);
	list_tree(back, other, sizeof other, &e);
	cr_assert_str_eq(other, text);
	cr_assert_str_eq(told.what, "");
	/* The same tree gives the same bytes, also compressed with a header that could hold a
	 * clock. */
	cr_assert_eq(shell("cd %s && mv t.tar.zst u.tar.zst", dir), 0);
	to_archive(tree, tar);
	cr_assert_eq(shell("cd %s && cmp t.tar.zst u.tar.zst", dir), 0);
	scratch_remove(dir);
}

Test(dirtree, gnu_tar_reads_what_we_write)
{
	static const char *const names[] = { "t.tar", "t.tgz", "t.tar.xz", "t.tar.bz2" };
	const char		*dir = scratch_new();
	char			 tree[4200], path[4300];
	struct err		 e;

	plant(dir);
	snprintf(tree, sizeof tree, "%s/s", dir);
	list_tree(tree, text, sizeof text, &e);
	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		to_archive(tree, path);
		cr_assert_eq(shell("cd %s && mkdir x && tar -C x -xpf %s 2> said; ! grep -v "
				   "hdrcharset said >&2",
				   dir, names[i]),
			     0);
		snprintf(path, sizeof path, "%s/x", dir);
		list_tree(path, other, sizeof other, &e);
		cr_assert_str_eq(other, text);
		cr_assert_eq(shell("cd %s && chmod -R u+rwx x && rm -rf x", dir), 0);
	}
	scratch_remove(dir);
}

Test(dirtree, xattrs_go_both_ways)
{
	const char	   *dir = scratch_new();
	char		    tree[4200], tar[4200], back[4200];
	struct entry_source s;
	struct told	    told = { "" };
	struct err	    e = { 0 };

	cr_assert_eq(shell("mkdir %s/s && echo x > %s/s/a && mkdir %s/s/d", dir, dir, dir), 0);
	snprintf(tree, sizeof tree, "%s/s", dir);
	if (shell("python3 -c 'import os;os.setxattr(\"%s/a\",\"user.k\",b\"v\\0=1\");"
		  "os.setxattr(\"%s/a\",\"user.z\",b\"\");os.setxattr(\"%s/"
		  "d\",\"user.d\",b\"dir\")' 2>/dev/null",
		  tree, tree, tree) != 0)
		cr_skip_test("no user xattrs here");
	snprintf(tar, sizeof tar, "%s/t.tar", dir);
	snprintf(back, sizeof back, "%s/back", dir);
	to_archive(tree, tar);
	cr_assert_eq(archive_in_open(tar, NULL, &s, &e), 0, "%s", e.text);
	cr_assert_eq(copy_out(&s, back, &told, &e), 0, "%s", e.text);
	cr_assert_str_eq(told.what, "");
	list_tree(tree, text, sizeof text, &e);
	list_tree(back, other, sizeof other, &e);
	cr_assert_not_null(strstr(text, "user.k=v\\x00=1"), "%s", text);
	cr_assert_not_null(strstr(text, "user.d=dir"), "%s", text);
	cr_assert_str_eq(other, text);
	scratch_remove(dir);
}

Test(dirtree, files_that_change_are_errors)
{
	const char	   *dir = scratch_new();
	struct entry_source s;
	struct entry	    n;
	struct bytes	    piece;
	struct err	    e;
	uint64_t	    offset;

	cr_assert_eq(shell("echo hello > %s/f", dir), 0);
	cr_assert_eq(dirtree_in_open(dir, &s, &e), 0);
	cr_assert_eq(s.next(s.self, &n, &e), 1);
	cr_assert_eq(s.next(s.self, &n, &e), 1);
	cr_assert_eq(shell("echo more >> %s/f", dir), 0);
	cr_assert_eq(s.data(s.self, &offset, &piece, &e), 1);
	cr_assert_eq(piece.n, 6);
	cr_assert_eq(s.data(s.self, &offset, &piece, &e), -1);
	cr_assert_not_null(strstr(e.text, "f: changed its size from 6 to 11 bytes"), "%s", e.text);
	s.close(s.self);
	cr_assert_eq(dirtree_in_open(dir, &s, &e), 0);
	cr_assert_eq(s.next(s.self, &n, &e), 1);
	cr_assert_eq(s.next(s.self, &n, &e), 1);
	cr_assert_eq(shell(": > %s/f", dir), 0);
	cr_assert_eq(s.data(s.self, &offset, &piece, &e), -1);
	cr_assert_not_null(strstr(e.text, "f: became shorter than its 11 bytes"), "%s", e.text);
	s.close(s.self);
	scratch_remove(dir);
}

Test(dirtree, deep_trees_need_few_descriptors)
{
	const char *dir = scratch_new();
	struct err  e = { 0 };

	cr_assert_eq(
		shell("cd %s && p=$(printf 'd/%%.0s' $(seq 1500)) && mkdir -p $p && echo x > $p/f",
		      dir),
		0);
	cr_assert_eq(list_tree(dir, text, sizeof text, &e), 1502, "%s", e.text);
	scratch_remove(dir);
}

Test(dirtree, what_is_not_there_is_said)
{
	struct entry_source s;
	struct err	    e;

	cr_assert_eq(dirtree_in_open("/nonexistent", &s, &e), -1);
	cr_assert_eq(e.kind, ERR_NOTFOUND);
	cr_assert_eq(dirtree_in_open("/etc/passwd", &s, &e), -1);
}
