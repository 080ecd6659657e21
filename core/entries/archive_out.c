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
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/entries/archive_format.h"
#include "formats/base/limits.h"

enum { WRITE_SIZE = 1 << 20, ZEROS_SIZE = 1 << 16 };

struct archive_out {
	struct archive		  *a;
	struct archive_entry	  *ae;
	struct archive_format	   format;
	struct archive_out_options o;
	char			  *name;
	int			   fd;
	bool			   own_fd, remove; /* close it; the file is not to stay as it is */
	locale_t		   utf8;
	struct lost		   lost;
	char			   path[ENTRY_PATH_MAX + 1];
	size_t			   path_n;
	char			   target[ENTRY_PATH_MAX + 1];
	uint64_t		   size, at; /* of the current file */
	bool			   skip;     /* the current entry cannot be kept */
};

static const uint8_t zeros[ZEROS_SIZE];

static int out_fault(struct archive_out *out, struct err *e)
{
	int	    number = archive_errno(out->a);
	const char *text = archive_error_string(out->a);

	if (number > 0 && number != EILSEQ && number != EINVAL)
		return err_errno(e, number, "%s", out->name);
	return err_set(e, ERR_IO, "%s: %s", out->name, text != NULL ? text : "cannot be written");
}

/* libarchive counts what it can fit in badly as a warning: the entry is there. */
static bool ok(int r)
{
	return r == ARCHIVE_OK || r == ARCHIVE_WARN;
}

static unsigned file_type(enum entry_kind kind)
{
	switch (kind) {
	case ENTRY_DIR:
		return AE_IFDIR;
	case ENTRY_SYMLINK:
		return AE_IFLNK;
	case ENTRY_FIFO:
		return AE_IFIFO;
	case ENTRY_CHAR:
		return AE_IFCHR;
	case ENTRY_BLOCK:
		return AE_IFBLK;
	default:
		return AE_IFREG;
	}
}

/* What the format has no room for; true when the whole entry goes. */
static bool lose(struct archive_out *out, const struct entry *n)
{
	if (n->xattr_count > 0 && !out->format.xattrs)
		out->lost.count[LOST_XATTRS]++;
	if (n->kind == ENTRY_SOCKET)
		out->lost.count[LOST_SOCKETS]++;
	else if (n->kind == ENTRY_HARDLINK && !out->format.links)
		out->lost.count[LOST_LINKS]++;
	else if (n->kind == ENTRY_FIFO && !out->format.nodes)
		out->lost.count[LOST_FIFOS]++;
	else if ((n->kind == ENTRY_CHAR || n->kind == ENTRY_BLOCK) && !out->format.nodes)
		out->lost.count[LOST_DEVICES]++;
	else
		return false;
	return true;
}

static void give_xattrs(struct archive_out *out, const struct entry *n)
{
	bool lost = false;

	if (!out->format.xattrs)
		return;
	for (size_t i = 0; i < n->xattr_count; i++) {
		const struct entry_xattr *x = &n->xattrs[i];

		/* In a pax header, '=' ends the name. */
		if (strchr(x->name, '=') == NULL)
			archive_entry_xattr_add_entry(out->ae, x->name, x->value, x->size);
		else
			lost = true;
	}
	out->lost.count[LOST_XATTRS] += lost;
}

/*
 * GNU tar reads every run of a sparse file from a 512-byte block of its own, libarchive writes them
 * one after the other: the two agree when runs start and end on such blocks.
 */
static void give_ranges(struct archive_out *out, const struct entry *n)
{
	uint64_t start = 0, end = 0;

	if (!out->format.pax || !n->have_ranges || n->size == 0 || n->size > INT64_MAX)
		return;
	for (size_t i = 0; i < n->range_count; i++) {
		uint64_t from = align_down(n->ranges[i].offset, SECTOR);
		uint64_t to =
			min64(align_up(n->ranges[i].offset + n->ranges[i].size, SECTOR), n->size);

		if (from > end) {
			if (end > start)
				archive_entry_sparse_add_entry(out->ae, (int64_t)start,
							       (int64_t)(end - start));
			start = from;
		}
		end = max64(end, to);
	}
	/* All hole: one empty run says so. */
	archive_entry_sparse_add_entry(out->ae, (int64_t)start, (int64_t)(end - start));
}

static int give_names(struct archive_out *out, const struct entry *n, struct err *e)
{
	if (entry_path_copy(n->path, n->path_size, out->path, e) < 0)
		return -1;
	out->path_n = n->path_size;
	archive_entry_copy_pathname(out->ae, n->path_size == 0 ? "./" : out->path);
	if (n->kind == ENTRY_HARDLINK) {
		if (entry_path_copy(n->target, n->target_size, out->target, e) < 0)
			return -1;
		archive_entry_copy_hardlink(out->ae, out->target);
	} else if (n->kind == ENTRY_SYMLINK) {
		if (n->target_size > ENTRY_PATH_MAX)
			return err_set(e, ERR_REFUSED, "a symbolic link longer than %d bytes",
				       ENTRY_PATH_MAX);
		memcpy(out->target, n->target, n->target_size);
		out->target[n->target_size] = '\0';
		archive_entry_copy_symlink(out->ae, out->target);
	}
	return 0;
}

static int give_entry(struct archive_out *out, const struct entry *n, struct err *e)
{
	struct archive_entry *ae = out->ae;

	archive_entry_clear(ae);
	if (give_names(out, n, e) < 0)
		return -1;
	archive_entry_set_filetype(ae, file_type(n->kind));
	archive_entry_set_perm(ae, n->mode & 07777);
	archive_entry_set_uid(ae, (int64_t)n->uid);
	archive_entry_set_gid(ae, (int64_t)n->gid);
	archive_entry_set_mtime(ae, n->mtime.sec, n->mtime.ns);
	archive_entry_set_size(ae, (int64_t)out->size);
	archive_entry_set_nlink(ae, 1);
	if (n->kind == ENTRY_CHAR || n->kind == ENTRY_BLOCK)
		archive_entry_set_rdev(ae, makedev(n->major, n->minor));
	give_xattrs(out, n);
	if (n->kind == ENTRY_FILE)
		give_ranges(out, n);
	return 0;
}

static int out_begin(void *self, const struct entry *n, struct err *e)
{
	struct archive_out *out = self;

	out->at = 0;
	out->size = n->kind == ENTRY_FILE ? n->size : 0;
	out->skip = lose(out, n);
	if (out->skip)
		return 0;
	if (out->size > INT64_MAX || give_entry(out, n, e) < 0)
		return entry_err_in(e, n->path, n->path_size);

	/* Names that are UTF-8 are told as such; the others make libarchive mark the header binary.
	 */
	locale_t before = out->utf8 != (locale_t)0 ? uselocale(out->utf8) : (locale_t)0;
	int	 r = archive_write_header(out->a, out->ae);

	if (before != (locale_t)0)
		uselocale(before);
	if (ok(r))
		return 0;
	out_fault(out, e);
	return entry_err_in(e, n->path, n->path_size);
}

static int put(struct archive_out *out, const void *p, size_t n, struct err *e)
{
	const uint8_t *from = p;

	while (n > 0) {
		la_ssize_t wrote = archive_write_data(out->a, from, n);

		if (wrote <= 0) {
			out_fault(out, e);
			return entry_err_in(e, out->path, out->path_n);
		}
		from += wrote;
		n -= (size_t)wrote;
		out->at += (uint64_t)wrote;
	}
	return 0;
}

static int pad(struct archive_out *out, uint64_t to, struct err *e)
{
	while (out->at < to) {
		if (put(out, zeros, (size_t)min64(to - out->at, ZEROS_SIZE), e) < 0)
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
		return entry_err_in(e, out->path, out->path_n);
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
	if (ok(archive_write_finish_entry(out->a)))
		return 0;
	out_fault(out, e);
	return entry_err_in(e, out->path, out->path_n);
}

static int out_finish(void *self, struct err *e)
{
	struct archive_out *out = self;

	if (archive_write_close(out->a) != ARCHIVE_OK)
		return out_fault(out, e);
	if (out->own_fd) {
		int fd = out->fd;

		out->own_fd = false;
		if (close(fd) < 0)
			return err_errno(e, errno, "%s", out->name);
	}
	out->remove = false;
	lost_tell(&out->lost, out->o.lost, out->o.ctx);
	return 0;
}

static void out_close(void *self)
{
	struct archive_out *out = self;

	if (out->a != NULL) {
		/* Nothing more may go out: closing would end the archive so that it looks whole. */
		archive_write_fail(out->a);
		archive_write_free(out->a);
	}
	archive_entry_free(out->ae);
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
			out->format = by_path;
		else if (!archive_format_by_name("pax", &out->format))
			assert(false);
		return 0;
	}
	if (!archive_format_by_name(out->o.format, &out->format))
		return err_set(e, ERR_USAGE, "archive format '%s' is unknown", out->o.format);
	/* --format ustar x.tar.gz */
	if (out->format.set_filter == NULL && known)
		out->format.set_filter = by_path.set_filter;
	return 0;
}

static int set_up(struct archive_out *out, struct err *e)
{
	if (out->format.set_format(out->a) != ARCHIVE_OK ||
	    (out->format.set_filter != NULL && !ok(out->format.set_filter(out->a))))
		return out_fault(out, e);
	/* No clock in the output, and xattr headers that GNU tar knows. These fail where they mean
	 * nothing. */
	archive_write_set_filter_option(out->a, "gzip", "timestamp", NULL);
	archive_write_set_format_option(out->a, "pax", "xattrheader", "SCHILY");
	if (out->utf8 == (locale_t)0)
		archive_write_set_format_option(out->a, "pax", "hdrcharset", "BINARY");
	archive_write_set_bytes_per_block(out->a, WRITE_SIZE);
	archive_write_set_bytes_in_last_block(out->a, 1);
	return archive_write_open_fd(out->a, out->fd) == ARCHIVE_OK ? 0 : out_fault(out, e);
}

static int out_new(struct archive_out *out, const char *name, const struct archive_out_options *o,
		   struct err *e)
{
	if (o != NULL)
		out->o = *o;
	out->name = strdup(name);
	out->a = archive_write_new();
	out->ae = archive_entry_new();
	out->utf8 = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
	if (out->name == NULL || out->a == NULL || out->ae == NULL)
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
