#include <criterion/criterion.h>

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/entries/archive_in.h"
#include "core/entries/listing_test.h"

static char text[1 << 20];

static int list_memory(const void *p, size_t n, struct err *e)
{
	struct entry_source s;

	text[0] = '\0';
	if (archive_in_open_memory(bytes_of(p, n, ORDER_NATIVE), "mem", NULL, &s, e) < 0)
		return -1;

	int count = listing(&s, text, sizeof text, e);

	s.close(s.self);
	return count;
}

/* One archive with the names given, each a file that holds "data\n". */
static size_t make(int (*format)(struct archive *), const char *const *names, uint8_t *out,
		   size_t cap)
{
	struct archive	     *a = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	size_t		      used = 0;

	cr_assert_eq(format(a), ARCHIVE_OK);
	cr_assert_eq(archive_write_open_memory(a, out, cap, &used), ARCHIVE_OK);
	for (; *names != NULL; names++) {
		archive_entry_clear(entry);
		archive_entry_copy_pathname(entry, *names);
		archive_entry_set_filetype(entry, AE_IFREG);
		archive_entry_set_perm(entry, 0644);
		archive_entry_set_size(entry, 5);
		cr_assert(archive_write_header(a, entry) >= ARCHIVE_WARN);
		archive_write_data(a, "data\n", 5);
	}
	archive_entry_free(entry);
	cr_assert_eq(archive_write_close(a), ARCHIVE_OK);
	archive_write_free(a);
	return used;
}

static uint8_t space[1 << 20];

Test(archive_in, names_stay_bytes_in_every_tar_and_locale)
{
	/* Latin-1, decomposed UTF-8 (which libarchive composes when it converts), composed UTF-8.
	 */
	static const char *const names[] = { "latin-\xe9", "nfd-e\xcc\x81", "nfc-\xc3\xa9", NULL };
	int (*const formats[])(struct archive *) = {
		archive_write_set_format_ustar,
		archive_write_set_format_gnutar,
		archive_write_set_format_pax,
		archive_write_set_format_cpio_newc,
	};
	static const char *const locales[] = { "C", "C.UTF-8" };
	struct err		 e = { 0 };

	for (size_t l = 0; l < 2; l++) {
		setlocale(LC_ALL, locales[l]);
		for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
			size_t n = make(formats[i], names, space, sizeof space);

			cr_assert_eq(list_memory(space, n, &e), 3, "%s", e.text);
			cr_assert_not_null(strstr(text, "f latin-\\xe9 0644 "), "%zu: %s", i, text);
			cr_assert_not_null(strstr(text, "f nfd-e\\xcc\\x81 0644 "), "%zu: %s", i,
					   text);
			cr_assert_not_null(strstr(text, "f nfc-\\xc3\\xa9 0644 "), "%zu: %s", i,
					   text);
		}
	}
}

Test(archive_in, names_that_lead_elsewhere_are_refused_by_name)
{
	static char	  deep[4200];
	const char *const bad[] = { "../x", "a/../../x", "/../x", deep };
	struct err	  e;

	memset(deep, 'd', sizeof deep - 1);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		const char *const names[] = { "fine", bad[i], "after", NULL };
		size_t n = make(archive_write_set_format_pax, names, space, sizeof space);

		cr_assert_eq(list_memory(space, n, &e), -1);
		cr_assert_eq(e.kind, ERR_REFUSED);
		cr_assert_not_null(strstr(text, "f fine"));
		cr_assert_eq(strncmp(e.text, "mem: ", 5), 0, "%s", e.text);
		cr_assert_eq(
			strncmp(e.text + 5, bad[i], strlen(bad[i]) < 200 ? strlen(bad[i]) : 200), 0,
			"%s", e.text);
	}
}

Test(archive_in, absolute_names_lose_their_slash)
{
	const char *const names[] = { "/etc/passwd", ".//./a", NULL };
	size_t		  n = make(archive_write_set_format_pax, names, space, sizeof space);

	cr_assert_eq(list_memory(space, n, NULL), 2);
	cr_assert_not_null(strstr(text, "f etc/passwd 0644"));
	cr_assert_not_null(strstr(text, "f a 0644"));
}

Test(archive_in, what_is_no_archive_is_said_to_be_none)
{
	struct err e;

	cr_assert_eq(list_memory("", 0, &e), -1);
	cr_assert_str_eq(e.text, "mem: the file is empty, no archive format");
	memset(space, 'x', 4096);
	cr_assert_eq(list_memory(space, 4096, &e), -1);
	cr_assert_str_eq(e.text, "mem: no archive format is recognised");
	cr_assert_eq(list_archive("/nonexistent/a.tar", text, sizeof text, &e), -1);
	cr_assert_eq(e.kind, ERR_NOTFOUND);
	cr_assert_eq(list_archive("/", text, sizeof text, &e), -1);
	cr_assert_not_null(strstr(e.text, "irectory"), "%s", e.text);
}

Test(archive_in, an_mtree_does_not_read_files_of_the_host)
{
	static const char mtree[] = "#mtree\n./x type=file mode=0644 contents=/etc/passwd\n";

	cr_assert_eq(list_memory(mtree, sizeof mtree - 1, NULL), -1);
}

/* Every cut of a tar, also at an entry's border, fails or still has everything. */
Test(archive_in, a_tar_cut_anywhere_is_an_error)
{
	const char *const names[] = { "one", "two", NULL };
	size_t		  n = make(archive_write_set_format_ustar, names, space, sizeof space);
	struct err	  e;

	for (size_t cut = 1; cut < 2048 + 512; cut += 1) {
		int got = list_memory(space, cut, &e);

		if (cut < 4 * 512)
			cr_assert_eq(got, -1, "cut at %zu: %s", cut, text);
		else
			cr_assert(got == -1 || got == 2, "cut at %zu: %s", cut, text);
	}
	cr_assert_eq(list_memory(space, 1024, &e), -1);
	cr_assert_str_eq(
		e.text,
		"mem: one: the archive ends after this entry without an end mark: it is cut short");
	cr_assert_eq(list_memory(space, n, &e), 2);
}

static void cut_everywhere(const char *dir, const char *filter)
{
	char	   path[4200];
	struct err e;

	if (shell("cd %s && %s -c < t.tar > t.cmp 2>/dev/null", dir, filter) != 0)
		return; /* not installed */
	snprintf(path, sizeof path, "%s/t.cmp", dir);
	cr_assert_eq(list_archive(path, text, sizeof text, &e), 3, "%s: %s", filter, e.text);

	char *whole = strdup(text);
	int   fd = open(path, O_RDWR);
	off_t size = lseek(fd, 0, SEEK_END);

	for (off_t cut = size - 1; cut > 0; cut -= 1 + size / 97) {
		cr_assert_eq(ftruncate(fd, cut), 0);

		int got = list_archive(path, text, sizeof text, &e);

		cr_assert(got == -1 || strcmp(whole, text) == 0, "%s at %ld: %d %s", filter,
			  (long)cut, got, text);
		cr_assert(cut > size * 9 / 10 || got == -1, "%s at %ld", filter, (long)cut);
	}
	close(fd);
	free(whole);
}

Test(archive_in, compressed_tars_cut_anywhere_are_errors)
{
	const char *dir = scratch_new();

	cr_assert_eq(shell("cd %s && head -c 40000 /dev/urandom > a && cp a b && cp a c && "
			   "tar -b1 --format=ustar -cf t.tar a b c",
			   dir),
		     0);
	cut_everywhere(dir, "gzip");
	cut_everywhere(dir, "zstd");
	cut_everywhere(dir, "xz");
	cut_everywhere(dir, "bzip2");
	scratch_remove(dir);
}

static const char *const things =
	"umask 022; mkdir -p s/d/e && echo hello > s/d/f && ln s/d/f s/d/g && ln s/d/f s/d/h &&"
	"ln -s ../x s/l && mkfifo s/p && chmod 4751 s/d/f && chmod 1777 s/d/e && : > s/empty &&"
	"truncate -s 1M s/sparse && printf tail | dd of=s/sparse bs=1 seek=500000 conv=notrunc "
	"2>/dev/null &&"
	"find s | xargs touch -h -d '@1500000000.123456789'";

Test(archive_in, gnu_tar_in_its_formats)
{
	static const char *const formats[] = { "gnu", "pax" };
	const char		*dir = scratch_new();
	char			 path[4200];
	struct err		 e;

	cr_assert_eq(shell("cd %s && %s", dir, things), 0);
	snprintf(path, sizeof path, "%s/t.tar", dir);
	for (size_t i = 0; i < 2; i++) {
		cr_assert_eq(
			shell("cd %s/s && tar -S --sort=name --owner=7 --group=3000000 --format=%s "
			      "-cf ../t.tar .",
			      dir, formats[i]),
			0);
		cr_assert_eq(list_archive(path, text, sizeof text, &e), 10, "%s", e.text);

		const char *ns = i == 0 ? "000000000" : "123456789";
		char	    want[2048];

		snprintf(want, sizeof want,
			 "d  0755 7:3000000 1500000000.%s\n"
			 "d d 0755 7:3000000 1500000000.%s\n"
			 "d d/e 1777 7:3000000 1500000000.%s\n"
			 "f d/f 4751 7:3000000 1500000000.%s 6 0:hello\\x0a ..6\n"
			 "h d/g -> d/f\n"
			 "h d/h -> d/f\n"
			 "f empty 0644 7:3000000 1500000000.%s 0\n"
			 "l l 0777 7:3000000 1500000000.%s -> ../x\n"
			 "p p 0644 7:3000000 1500000000.%s\n",
			 ns, ns, ns, ns, ns, ns, ns);
		cr_assert_eq(strncmp(text, want, strlen(want)), 0, "%s", text);
		cr_assert_not_null(strstr(text, "1048576 499712:"), "%s", text);
	}
	scratch_remove(dir);
}

/* GNU cpio's newc has the contents with the last name of a file; its other formats with every name.
 */
Test(archive_in, cpio_links)
{
	static const char *const formats[] = { "newc", "crc", "odc" };
	const char		*dir = scratch_new();
	char			 path[4200];
	struct err		 e;

	if (shell("cpio --version > /dev/null 2>&1") != 0)
		cr_skip_test("cpio is not installed");
	cr_assert_eq(shell("cd %s && %s && ln s/empty s/void", dir, things), 0);
	snprintf(path, sizeof path, "%s/t.cpio", dir);
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(shell("cd %s/s && find . | LC_ALL=C sort | cpio --quiet -H %s -o > "
				   "../t.cpio",
				   dir, formats[i]),
			     0);
		cr_assert_eq(list_archive(path, text, sizeof text, &e), 11, "%s: %s", formats[i],
			     e.text);
		if (i < 2)
			cr_assert_not_null(strstr(text, "f d/h 4751 "), "%s", text);
		cr_assert_not_null(strstr(text, " 6 0:hello\\x0a ..6\n"), "%s", text);
		cr_assert_not_null(strstr(text, i < 2 ? "h d/g -> d/h\n" : "h d/g -> d/f\n"), "%s",
				   text);
		cr_assert_not_null(strstr(text, i < 2 ? "h d/f -> d/h\n" : "h d/h -> d/f\n"), "%s",
				   text);
		cr_assert_not_null(strstr(text, "f empty 0644 "), "%s", text);
		cr_assert_not_null(strstr(text, "h void -> empty\n"), "%s", text);
	}
	scratch_remove(dir);
}

/* libarchive finds the header after the next in a long archive; in a short one, the end mark. */
Test(archive_in, a_cpio_with_a_header_lost_is_an_error)
{
	static const char *const few[] = { "first", "second", "third", NULL };
	const char		*many[201] = { "first", "second" };
	int (*const formats[])(struct archive *) = { archive_write_set_format_cpio_newc,
						     archive_write_set_format_cpio_odc };
	static const char *const magic[] = { "070701", "070707" };
	struct err		 e = { 0 };

	for (int i = 2; i < 200; i++)
		many[i] = "another";
	for (int i = 0; i < 4; i++) {
		size_t n = make(formats[i % 2], i < 2 ? few : many, space, sizeof space), at = 1;

		cr_assert_eq(list_memory(space, n, &e), i < 2 ? 3 : 200, "%s", e.text);
		while (memcmp(space + at, magic[i % 2], 6) != 0)
			at++;
		space[at] = 'x';
		cr_expect_eq(list_memory(space, n, &e), -1, "%d: %s", i, text);
		cr_expect_not_null(strstr(e.text, "mem: "), "%s", e.text);
	}
}

Test(archive_in, xattrs_devices_and_odd_kinds)
{
	struct archive	     *a = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	size_t		      used = 0;
	struct err	      e = { 0 };

	archive_write_set_format_pax(a);
	archive_write_open_memory(a, space, sizeof space, &used);
	archive_entry_copy_pathname(entry, "dev");
	archive_entry_set_filetype(entry, AE_IFCHR);
	archive_entry_set_rdevmajor(entry, 4);
	archive_entry_set_rdevminor(entry, 300);
	archive_entry_set_mtime(entry, -5, 7);
	archive_entry_set_uid(entry, 4294967294);
	archive_entry_xattr_add_entry(entry, "user.a", "1\0002", 3);
	archive_write_header(a, entry);
	archive_entry_free(entry);
	archive_write_close(a);
	archive_write_free(a);
	cr_assert_eq(list_memory(space, used, &e), 1, "%s", e.text);
	cr_assert_eq(strncmp(text, "c dev 0000 4294967294:0 -5.000000007 4,300 user.a=1\\x002", 53),
		     0, "%s", text);
}

Test(archive_in, zip_with_names_and_without_sizes)
{
	const char *dir = scratch_new();
	char	    path[4200];
	struct err  e;

	if (shell("zip -h > /dev/null 2>&1") != 0)
		cr_skip_test("zip is not installed");
	cr_assert_eq(shell("cd %s && mkdir s && echo hello > s/a && zip -qr t.zip s && cat s/a | "
			   "zip -q u.zip -",
			   dir),
		     0);
	snprintf(path, sizeof path, "%s/t.zip", dir);
	cr_assert_eq(list_archive(path, text, sizeof text, &e), 2, "%s", e.text);
	cr_assert_not_null(strstr(text, "f s/a 0644 "), "%s", text);
	cr_assert_not_null(strstr(text, " 6 0:hello\\x0a ..6\n"), "%s", text);
	/* Damage to contents is found by the checksum. */
	cr_assert_eq(shell("cd %s && zip -q0 v.zip s/a && sed s/hello/jello/ v.zip > w.zip", dir),
		     0);
	snprintf(path, sizeof path, "%s/w.zip", dir);
	cr_assert_eq(list_archive(path, text, sizeof text, &e), -1, "%s", text);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	scratch_remove(dir);
}
