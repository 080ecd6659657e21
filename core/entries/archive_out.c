/*
 * Archives written through libarchive. It formats and compresses; here entries get a form that the
 * format can hold, contents are filled up to the size that the header promised, and a file that is
 * not finished is taken away.
 */
#include "core/entries/archive_out.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/entries/archive_header.h"
#include "formats/base/limits.h"

enum { WRITE_SIZE = 1 << 20, ZEROS_SIZE = 1 << 30 };

struct archive_out {
	struct archive		  *a;
	struct archive_out_options o;
	char			  *name;
	int			   fd;
	bool			   own_fd, remove; /* close it; the file is not to stay as it is */
	locale_t		   utf8;
	struct archive_header	   header;   /* of the current entry */
	uint64_t		   size, at; /* of the current file */
	const uint8_t		  *zeros;    /* ZEROS_SIZE bytes that take no memory */
	int			   failed;   /* errno of the first write that failed */
	bool			   abandoned;
	bool			   skip; /* the current entry cannot be kept */
};

/*
 * libarchive never hears of a failed write: it would give up in a way that leaks its buffers. The
 * number is kept and asked for after every call; what comes later goes nowhere, as when the file is
 * given up.
 */
static la_ssize_t write_out(struct archive *a, void *self, const void *p, size_t n)
{
	struct archive_out *out = self;
	size_t		    done = 0;

	(void)a;
	while (done < n && out->failed == 0 && !out->abandoned) {
		ssize_t wrote = write(out->fd, (const char *)p + done, n - done);

		if (wrote < 0 && errno != EINTR)
			out->failed = errno;
		else if (wrote > 0)
			done += (size_t)wrote;
	}
	return (la_ssize_t)n;
}

static int out_fault(struct archive_out *out, struct err *e)
{
	const char *text = archive_error_string(out->a);

	if (out->failed != 0)
		return err_errno(e, out->failed, "%s", out->name);
	if (archive_errno(out->a) == ENOMEM)
		return err_nomem(e);
	return err_set(e, ERR_IO, "%s: %s", out->name, text != NULL ? text : "cannot be written");
}

/* libarchive counts what it can fit in badly as a warning: the entry is there. */
static bool passed(int r)
{
	return r == ARCHIVE_OK || r == ARCHIVE_WARN;
}

static bool ok(const struct archive_out *out, int r)
{
	return passed(r) && out->failed == 0;
}

/* The entry has no place in the archive: told, when there is someone to tell. */
static int leave_out(struct archive_out *out, const struct entry *n, const struct err *why,
		     struct err *e)
{
	out->skip = true;
	if (out->o.report != NULL && why->kind == ERR_REFUSED) {
		out->o.report(out->o.ctx, n->path, n->path_size, why);
		return 0;
	}
	if (e == NULL)
		return -1;
	*e = *why;
	return entry_err_in(e, n->path, n->path_size);
}

static int out_begin(void *self, const struct entry *n, struct err *e)
{
	struct archive_out *out = self;
	struct err	    why = { 0 };

	out->at = 0;
	out->size = n->kind == ENTRY_FILE ? n->size : 0;
	out->skip = archive_header_loses(&out->header, n);
	if (out->skip)
		return 0;
	if (archive_header_fill(&out->header, n, &why) < 0)
		return leave_out(out, n, &why, e);

	/* Names that are UTF-8 are told as such; the others make libarchive mark the header binary.
	 */
	locale_t before = out->utf8 != (locale_t)0 ? uselocale(out->utf8) : (locale_t)0;
	int	 r = archive_write_header(out->a, out->header.ae);

	if (before != (locale_t)0)
		uselocale(before);
	if (ok(out, r))
		return 0;
	if (r == ARCHIVE_FAILED) {
		err_set(&why, ERR_REFUSED, "%s", archive_error_string(out->a));
		return leave_out(out, n, &why, e);
	}
	out_fault(out, e);
	return entry_err_in(e, n->path, n->path_size);
}

static int put(struct archive_out *out, const void *p, size_t n, struct err *e)
{
	const uint8_t *from = p;

	while (n > 0) {
		la_ssize_t wrote = archive_write_data(out->a, from, n);

		if (wrote <= 0 || out->failed != 0) {
			out_fault(out, e);
			return entry_err_in(e, out->header.path, out->header.path_n);
		}
		from += wrote;
		n -= (size_t)wrote;
		out->at += (uint64_t)wrote;
	}
	return 0;
}

/* libarchive wants holes too, and steps over them: the pieces are large so that large holes are
 * quick. */
static int pad(struct archive_out *out, uint64_t to, struct err *e)
{
	while (out->at < to) {
		if (put(out, out->zeros, (size_t)min64(to - out->at, ZEROS_SIZE), e) < 0)
			return -1;
	}
	return 0;
}

static int out_data(void *self, uint64_t offset, struct bytes piece, struct err *e)
{
	struct archive_out *out = self;

	if (out->skip)
		return 0;
	if (offset < out->at || offset > out->size || piece.n > out->size - offset) {
		err_set(e, ERR_CORRUPT, "contents outside the file's %llu bytes",
			(unsigned long long)out->size);
		return entry_err_in(e, out->header.path, out->header.path_n);
	}
	return pad(out, offset, e) < 0 ? -1 : put(out, piece.p, piece.n, e);
}

/* The header has promised a size, so contents that failed are filled up with zeros too. */
static int out_end(void *self, const struct err *failed, struct err *e)
{
	struct archive_out *out = self;

	(void)failed;
	if (out->skip)
		return 0;
	if (pad(out, out->size, e) < 0)
		return -1;
	if (ok(out, archive_write_finish_entry(out->a)))
		return 0;
	out_fault(out, e);
	return entry_err_in(e, out->header.path, out->header.path_n);
}

static int out_finish(void *self, struct err *e)
{
	struct archive_out *out = self;

	if (!ok(out, archive_write_close(out->a)))
		return out_fault(out, e);
	if (out->own_fd) {
		int fd = out->fd;

		out->own_fd = false;
		if (close(fd) < 0)
			return err_errno(e, errno, "%s", out->name);
	}
	out->remove = false;
	lost_tell(&out->header.lost, out->o.lost, out->o.ctx);
	return 0;
}

static void out_close(void *self)
{
	struct archive_out *out = self;

	/* Nothing more may go out: closing would end the archive so that it looks whole. */
	out->abandoned = true;
	/* It would fill up the file at hand, which can take long; and leaks a little when told not
	 * to. */
	if (out->a != NULL && out->size - out->at > 16 * MIB)
		archive_write_fail(out->a);
	archive_write_free(out->a);
	archive_entry_free(out->header.ae);
	idmap_fini(&out->header.inodes);
	if (out->zeros != NULL && out->zeros != MAP_FAILED)
		munmap((void *)(uintptr_t)out->zeros, ZEROS_SIZE);
	if (out->own_fd)
		close(out->fd);
	if (out->remove)
		unlink(out->name);
	if (out->utf8 != (locale_t)0)
		freelocale(out->utf8);
	free(out->name);
	free(out);
}

static int choose_format(struct archive_out *out, struct err *e)
{
	struct archive_format by_path;
	bool		      known = archive_format_by_suffix(out->name, &by_path);

	if (out->o.format == NULL) {
		if (known)
			out->header.format = by_path;
		else if (!archive_format_by_name("pax", &out->header.format))
			assert(false);
		return 0;
	}
	if (!archive_format_by_name(out->o.format, &out->header.format))
		return err_set(e, ERR_USAGE, "archive format '%s' is unknown", out->o.format);
	/* --format ustar x.tar.gz */
	if (out->header.format.set_filter == NULL && known)
		out->header.format.set_filter = by_path.set_filter;
	return 0;
}

static int set_up(struct archive_out *out, struct err *e)
{
	if (out->header.format.set_format(out->a) != ARCHIVE_OK ||
	    (out->header.format.set_filter != NULL &&
	     !passed(out->header.format.set_filter(out->a))))
		return out_fault(out, e);
	out->header.sockets =
		(archive_format(out->a) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_CPIO;
	/* No clock in the output, and xattr headers that GNU tar knows. These fail where they mean
	 * nothing. */
	archive_write_set_filter_option(out->a, "gzip", "timestamp", NULL);
	archive_write_set_format_option(out->a, "pax", "xattrheader", "SCHILY");
	archive_write_set_format_option(out->a, "iso9660", "rockridge", "strict");
	archive_write_set_format_option(out->a, "mtree", "sha256", "1");
	if (out->utf8 == (locale_t)0)
		archive_write_set_format_option(out->a, "pax", "hdrcharset", "BINARY");
	archive_write_set_bytes_per_block(out->a, WRITE_SIZE);
	archive_write_set_bytes_in_last_block(out->a, 1);
	return archive_write_open(out->a, out, NULL, write_out, NULL) == ARCHIVE_OK
		       ? 0
		       : out_fault(out, e);
}

static int out_new(struct archive_out *out, const char *name, const struct archive_out_options *o,
		   struct err *e)
{
	if (o != NULL)
		out->o = *o;
	out->name = strdup(name);
	out->a = archive_write_new();
	out->header.ae = archive_entry_new();
	out->zeros = mmap(NULL, ZEROS_SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			  -1, 0);
	out->utf8 = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
	if (out->name == NULL || out->a == NULL || out->header.ae == NULL ||
	    out->zeros == MAP_FAILED)
		return err_nomem(e);
	return choose_format(out, e);
}

static void as_sink(struct archive_out *out, struct entry_sink *sink)
{
	*sink = (struct entry_sink){ .self = out,
				     .begin = out_begin,
				     .data = out_data,
				     .end = out_end,
				     .finish = out_finish,
				     .close = out_close };
}

int archive_out_open_fd(int fd, const char *name, const struct archive_out_options *o,
			struct entry_sink *sink, struct err *e)
{
	struct archive_out *out = calloc(1, sizeof *out);

	if (out == NULL)
		return err_nomem(e);
	out->fd = fd;
	if (out_new(out, name, o, e) < 0 || set_up(out, e) < 0) {
		out_close(out);
		return -1;
	}
	as_sink(out, sink);
	return 0;
}

/* A device or fifo that stands there is written to, but never removed. */
static int open_file(struct archive_out *out, struct err *e)
{
	struct stat st;

	out->fd = open(out->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (out->fd < 0)
		return err_errno(e, errno, "%s", out->name);
	out->own_fd = true;
	out->remove = fstat(out->fd, &st) == 0 && S_ISREG(st.st_mode);
	return 0;
}

int archive_out_open(const char *path, const struct archive_out_options *o, struct entry_sink *sink,
		     struct err *e)
{
	struct archive_out *out = calloc(1, sizeof *out);

	if (out == NULL)
		return err_nomem(e);
	if (out_new(out, path, o, e) < 0 || open_file(out, e) < 0 || set_up(out, e) < 0) {
		out_close(out);
		return -1;
	}
	as_sink(out, sink);
	return 0;
}

bool archive_out_suffix(const char *path)
{
	struct archive_format f;

	return archive_format_by_suffix(path, &f);
}

bool archive_out_format(const char *format)
{
	struct archive_format f;

	return archive_format_by_name(format, &f);
}
