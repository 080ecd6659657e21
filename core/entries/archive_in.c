/*
 * Archives read through libarchive. It parses and decompresses; here names are made safe, kinds
 * told apart, and cut archives noticed. Contents are handed on where libarchive has them, not
 * copied.
 */
#include "core/entries/archive_in.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/entries/archive_fields.h"
#include "core/entries/late_links.h"
#include "core/entries/pipe_in.h"
#include "formats/base/limits.h"

enum { READ_SIZE = 1 << 20 };

struct archive_in {
	struct archive		 *a;
	struct archive_entry	 *ae; /* libarchive's, until the next header */
	char			 *name; /* of the archive */
	int			  fd;	/* ours to close, or -1 */
	locale_t		  plain;
	struct archive_fields	  fields;
	uint64_t		  size, at; /* of the current file, and how far its data has come */
	struct late_links	  late;
	bool			  empty;   /* the archive has no bytes at all */
	bool			  drained; /* libarchive has told its last entry */
	struct pipe_in		  pipe;
};

/* libarchive's reason. Its numbers are errno's, or its own for bad formats (EILSEQ) and others
 * (-1). */
static int archive_fault(struct archive *a, struct err *e)
{
	int	    number = archive_errno(a);
	const char *text = archive_error_string(a);

	if (number > 0 && number != EILSEQ && number != EINVAL)
		return err_errno(e, number, "cannot be read");
	return err_set(e, ERR_CORRUPT, "%s", text != NULL ? text : "the archive is damaged");
}

/* "archive: entry: cause"; before the first entry there is none to name. */
static int located(struct archive_in *in, struct err *e)
{
	if (in->fields.path.p != NULL)
		entry_err_in(e, in->fields.path.p, in->fields.path_n);
	return err_in(e, "%s", in->name);
}

/*
 * What libarchive could not make sense of in a header it leaves out: attributes, the map of a
 * sparse file, files between two that it knows. It says so with a warning, for a list of access
 * with no more than its sentence. Names are to stay bytes, so that it cannot convert them is as it
 * should be.
 */
static bool left_out(struct archive_in *in, int r)
{
	const char *text = archive_error_string(in->a);

	if (text == NULL)
		return false;
	if (r == ARCHIVE_WARN)
		return strstr(text, "be converted from") == NULL;
	return strncmp(text, "Parse error", 11) == 0;
}

static int take_entry(struct archive_in *in, struct entry *out, struct err *e)
{
	in->size = in->at = 0;
	if (archive_fields_take(&in->fields, in->ae, out, e) < 0)
		return err_in(e, "%s", in->name);
	in->size = out->size;
	return 0;
}

static bool is_format(struct archive_in *in, int format)
{
	return (archive_format(in->a) & ARCHIVE_FORMAT_BASE_MASK) == format;
}

/* How much the end mark of a cpio takes at most, header, name and padding. */
static int64_t trailer_max(struct archive_in *in)
{
	switch (archive_format(in->a)) {
	case ARCHIVE_FORMAT_CPIO_BIN_LE:
	case ARCHIVE_FORMAT_CPIO_BIN_BE:
		return 40;
	case ARCHIVE_FORMAT_CPIO_POSIX:
		return 90;
	default:
		return 130;
	}
}

/*
 * A tar that ends between two entries may have been cut there. The end mark is read by libarchive
 * as one more header; without it, nothing was consumed after the last entry. In a cpio it looks for
 * the next header where there is none, and when that is the end mark it says nothing of what it
 * skipped.
 */
static int check_end(struct archive_in *in, struct err *e)
{
	int64_t n = archive_filter_bytes(in->a, 0) - archive_read_header_position(in->a);

	if (is_format(in, ARCHIVE_FORMAT_TAR) && n <= 0)
		err_set(e, ERR_CORRUPT,
			"the archive ends after this entry without an end mark: it is cut short");
	else if (is_format(in, ARCHIVE_FORMAT_CPIO) && n > trailer_max(in))
		err_set(e, ERR_CORRUPT, "%lld bytes after this entry are no header",
			(long long)n);
	else
		return 0;
	return located(in, e);
}

/* What libarchive could not read, which may be because it was told to stop. */
static int read_fault(struct archive_in *in, struct err *e)
{
	return in->pipe.stopped ? err_set(e, ERR_INTERRUPTED, "interrupted") : archive_fault(in->a, e);
}

/* The path still is that of the entry before the one that cannot be read. */
static int header_fault(struct archive_in *in, struct err *e)
{
	bool unknown = archive_format(in->a) == 0 && archive_errno(in->a) == EILSEQ;

	if (unknown && in->empty)
		err_set(e, ERR_CORRUPT, "the file is empty, no archive format");
	else if (unknown)
		err_set(e, ERR_CORRUPT, "no archive format is recognised");
	else
		read_fault(in, e);
	if (in->fields.path.p == NULL)
		return err_in(e, "%s", in->name);
	entry_err_in(e, in->fields.path.p, in->fields.path_n);
	err_in(e, "after");
	return err_in(e, "%s", in->name);
}

/* The entry is named as it is, which may lead elsewhere. */
static int header_left_out(struct archive_in *in, struct err *e)
{
	const char *path = archive_entry_pathname(in->ae);

	err_set(e, ERR_CORRUPT, "%s", archive_error_string(in->a));
	if (path != NULL)
		entry_err_in(e, path, strlen(path));
	return err_in(e, "%s", in->name);
}

/* 1 and a header in in->ae, 0 at the end, -1. The locale is plain so that names stay bytes. */
static int read_header(struct archive_in *in, struct err *e)
{
	locale_t before = uselocale(in->plain);
	int	 r;

	archive_clear_error(in->a);
	r = archive_read_next_header(in->a, &in->ae);
	uselocale(before);
	if (r == ARCHIVE_EOF)
		return check_end(in, e);
	if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
		return header_fault(in, e);
	if (left_out(in, r))
		return header_left_out(in, e);
	return 1;
}

/* 1: it is told now; 0: it waits for names or contents to come. */
static int settle_cpio(struct archive_in *in, struct entry *out, struct err *e)
{
	if (out->kind == ENTRY_FILE && out->size == 0 && archive_entry_nlink(in->ae) > 1)
		return late_links_file(&in->late, out, archive_entry_nlink(in->ae), e);
	if (out->kind != ENTRY_HARDLINK)
		return 1;

	struct late_file *f = late_links_find(&in->late, out->target, out->target_size);

	if (f == NULL)
		return 1;
	if (archive_entry_size(in->ae) > 0) {
		out->kind = ENTRY_FILE;
		out->target = NULL;
		out->target_size = 0;
		out->size = in->size = (uint64_t)archive_entry_size(in->ae);
		if (late_links_settle(&in->late, f, out->path, out->path_size, e) < 0)
			return -1;
		return 1;
	}
	if (late_links_name(f, out->path, out->path_size, e) < 0)
		return -1;
	if (f->missing > 0)
		return 0;
	return late_links_empty(&in->late, f, out, e) < 0 ? -1 : 1;
}

static int at_end(struct archive_in *in, struct entry *out, struct err *e)
{
	in->drained = true;
	in->size = in->at = 0;
	if (in->late.files == NULL)
		return 0;
	return late_links_empty(&in->late, in->late.files, out, e) < 0 ? -1 : 1;
}

static int in_next(void *self, struct entry *out, struct err *e)
{
	struct archive_in *in = self;

	if (late_links_next(&in->late, out))
		return 1;
	while (!in->drained) {
		int got = read_header(in, e);

		if (got == 0)
			break;
		if (got < 0 || take_entry(in, out, e) < 0)
			return -1;
		if (!is_format(in, ARCHIVE_FORMAT_CPIO))
			return 1;
		got = settle_cpio(in, out, e);
		if (got != 0)
			return got < 0 ? located(in, e) : 1;
	}
	return at_end(in, out, e);
}

static int check_piece(struct archive_in *in, int64_t offset, size_t n, struct err *e)
{
	if (offset >= 0 && (uint64_t)offset >= in->at && (uint64_t)offset <= in->size &&
	    n <= in->size - (uint64_t)offset)
		return 0;
	err_set(e, ERR_CORRUPT, "contents outside the file's %llu bytes",
		(unsigned long long)in->size);
	return located(in, e);
}

/* Only tars leave out what is zero. */
static int data_end(struct archive_in *in, struct err *e)
{
	if (in->at == in->size || is_format(in, ARCHIVE_FORMAT_TAR))
		return 0;
	err_set(e, ERR_CORRUPT, "contents end after %llu of %llu bytes", (unsigned long long)in->at,
		(unsigned long long)in->size);
	return located(in, e);
}

static int in_data(void *self, uint64_t *offset, struct bytes *piece, struct err *e)
{
	struct archive_in *in = self;
	const void	  *p = NULL;
	size_t		   n = 0;
	int64_t		   at = 0;

	if (in->size == 0)
		return 0;
	do {
		int r = archive_read_data_block(in->a, &p, &n, &at);

		if (r == ARCHIVE_EOF)
			return data_end(in, e);
		/* A warning here means a checksum or a size that does not fit: not the file's
		 * contents. */
		if (r != ARCHIVE_OK) {
			read_fault(in, e);
			return located(in, e);
		}
	} while (n == 0); /* a hole at the end, told by its offset alone */
	if (check_piece(in, at, n, e) < 0)
		return -1;
	*offset = (uint64_t)at;
	*piece = bytes_of(p, n, ORDER_NATIVE);
	in->at = *offset + n;
	return 1;
}

static void in_close(void *self)
{
	struct archive_in *in = self;

	if (in->a != NULL)
		archive_read_free(in->a);
	if (in->fd >= 0)
		close(in->fd);
	if (in->plain != (locale_t)0)
		freelocale(in->plain);
	late_links_fini(&in->late);
	archive_fields_fini(&in->fields);
	pipe_in_fini(&in->pipe);
	free(in->name);
	free(in);
}

/* Not mtree, which would read any file of this machine that the archive names; nor raw and empty.
 */
static int support(struct archive *a)
{
	int (*const formats[])(struct archive *) = {
		archive_read_support_format_tar, archive_read_support_format_cpio,
		archive_read_support_format_zip, archive_read_support_format_7zip,
		archive_read_support_format_xar, archive_read_support_format_iso9660,
		archive_read_support_format_cab, archive_read_support_format_lha,
		archive_read_support_format_rar, archive_read_support_format_rar5,
		archive_read_support_format_ar,	 archive_read_support_format_warc,
	};

	/* A warning means that a filter needs an outside program, if it should come up. */
	if (archive_read_support_filter_all(a) < ARCHIVE_WARN)
		return -1;
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		if (formats[i](a) < ARCHIVE_WARN)
			return -1;
	}
	return 0;
}

/* A source around libarchive's reader with nothing opened in it yet. */
static struct archive_in *in_new(const char *name, const struct archive_in_options *o,
				 struct err *e)
{
	struct archive_in *in = calloc(1, sizeof *in);

	if (in == NULL) {
		err_nomem(e);
		return NULL;
	}
	late_links_init(&in->late);
	in->fd = -1;
	if (o != NULL) {
		in->pipe.stop = o->stop;
		in->pipe.ctx = o->ctx;
	}
	in->name = strdup(name);
	in->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	in->a = archive_read_new();
	if (in->name == NULL || in->plain == (locale_t)0 || in->a == NULL || support(in->a) < 0) {
		err_nomem(e);
		in_close(in);
		return NULL;
	}
	return in;
}

/* Of a pipe nobody can say ahead. */
static bool empty_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0;
}

/* The last step of opening, `r` being libarchive's verdict. */
static int in_ready(struct archive_in *in, int r, struct entry_source *out, struct err *e)
{
	if (r != ARCHIVE_OK) {
		header_fault(in, e);
		in_close(in);
		return -1;
	}
	*out = (struct entry_source){
		.self = in, .next = in_next, .data = in_data, .close = in_close
	};
	return 0;
}

static int open_pipe(struct archive_in *in, struct entry_source *out, struct err *e)
{
	if (pipe_in_init(&in->pipe, e) < 0) {
		in_close(in);
		return -1;
	}
	return in_ready(in, pipe_in_open(&in->pipe, in->a), out, e);
}

static int open_fd(struct archive_in *in, int fd, struct entry_source *out, struct err *e)
{
	in->pipe.fd = fd;
	if (pipe_in_is(fd))
		return open_pipe(in, out, e);
	in->empty = empty_file(fd);
	return in_ready(in, archive_read_open_fd(in->a, fd, READ_SIZE), out, e);
}

int archive_in_open_fd(int fd, const char *name, const struct archive_in_options *o,
		       struct entry_source *out, struct err *e)
{
	struct archive_in *in = in_new(name, o, e);

	return in == NULL ? -1 : open_fd(in, fd, out, e);
}

int archive_in_open(const char *path, const struct archive_in_options *o, struct entry_source *out,
		    struct err *e)
{
	/* O_NONBLOCK: a fifo that nobody writes to is waited for where it can be interrupted. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return err_errno(e, errno, "%s", path);

	struct archive_in *in = in_new(path, o, e);

	if (in == NULL) {
		close(fd);
		return -1;
	}
	in->fd = fd;
	return open_fd(in, fd, out, e);
}

int archive_in_open_memory(struct bytes archive, const char *name,
			   const struct archive_in_options *o, struct entry_source *out,
			   struct err *e)
{
	struct archive_in *in = in_new(name, o, e);

	if (in == NULL)
		return -1;
	in->empty = archive.n == 0;
	return in_ready(in, archive_read_open_memory(in->a, archive.p, archive.n), out, e);
}
