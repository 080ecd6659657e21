/* One file's contents to a path or a descriptor. */
#include "core/entries/file_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/entries/attrs_out.h"
#include "formats/base/limits.h"

struct file_out {
	char		       *name;
	int			fd; /* or -1 before the entry has begun */
	bool			own, regular, begun, finished;
	struct file_out_options o;
	struct attrs_out	attrs;
	struct entry		file;
	uint64_t		at; /* end of what was written */
};

static const uint8_t zeros[1 << 16];

static int fault(struct file_out *f, struct err *e)
{
	return err_errno(e, errno, "%s", f->name);
}

static int write_all(struct file_out *f, const uint8_t *p, size_t n, struct err *e)
{
	while (n > 0) {
		ssize_t wrote = f->regular ? pwrite(f->fd, p, n, (off_t)f->at) : write(f->fd, p, n);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return fault(f, e);
		p += wrote;
		n -= (size_t)wrote;
		f->at += (uint64_t)wrote;
	}
	return 0;
}

/* Up to an offset: by not writing in a file of its own, else with zeros. */
static int advance(struct file_out *f, uint64_t to, struct err *e)
{
	if (f->regular) {
		f->at = to;
		return 0;
	}
	while (f->at < to) {
		if (write_all(f, zeros, (size_t)min64(to - f->at, sizeof zeros), e) < 0)
			return -1;
	}
	return 0;
}

/* The mode comes at the end; until then nobody else is to read what may be secret. */
static int open_path(struct file_out *f, struct err *e)
{
	struct stat st;

	f->fd = open(f->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (f->fd < 0)
		return fault(f, e);
	f->own = true;
	f->regular = fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode);
	return 0;
}

static int file_begin(void *self, const struct entry *n, struct err *e)
{
	struct file_out *f = self;

	if (n->kind != ENTRY_FILE || f->begun)
		return err_set(e, ERR_UNSUPPORTED, "%s: takes one regular file", f->name);
	f->begun = true;
	f->file = *n;
	f->at = 0;
	return f->fd < 0 ? open_path(f, e) : 0;
}

static int file_data(void *self, uint64_t offset, struct bytes piece, struct err *e)
{
	struct file_out *f = self;

	if (offset < f->at || offset > INT64_MAX || piece.n > INT64_MAX - offset)
		return err_set(e, ERR_CORRUPT, "%s: contents at %llu after %llu bytes", f->name,
			       (unsigned long long)offset, (unsigned long long)f->at);
	return advance(f, offset, e) < 0 ? -1 : write_all(f, piece.p, piece.n, e);
}

static int file_end(void *self, const struct err *failed, struct err *e)
{
	struct file_out *f = self;

	(void)failed;
	if (!f->regular)
		return f->at < f->file.size ? advance(f, f->file.size, e) : 0;
	if (ftruncate(f->fd, (off_t)f->file.size) < 0)
		return fault(f, e);
	attrs_out_fd(&f->attrs, f->fd, &f->file);
	return 0;
}

static int file_finish(void *self, struct err *e)
{
	struct file_out *f = self;

	/* Some file systems say only here that the disk is full. */
	if (f->own) {
		int fd = f->fd;

		f->own = false;
		f->fd = -1;
		if (close(fd) < 0) {
			fault(f, e);
			if (f->regular)
				unlink(f->name);
			return -1;
		}
	}
	f->finished = true;
	lost_tell(&f->attrs.lost, f->o.lost, f->o.ctx);
	return 0;
}

static void file_close(void *self)
{
	struct file_out *f = self;

	if (f->own) {
		close(f->fd);
		if (f->regular && !f->finished)
			unlink(f->name);
	}
	free(f->name);
	free(f);
}

static int file_new(const char *name, int fd, const struct file_out_options *o,
		    struct entry_sink *out, struct err *e)
{
	struct file_out *f = calloc(1, sizeof *f);

	if (f == NULL || (f->name = strdup(name)) == NULL) {
		free(f);
		return err_nomem(e);
	}
	f->fd = fd;
	f->o = *o;
	f->attrs = (struct attrs_out){ .same_owner = o->same_owner,
				       .uid = geteuid(),
				       .gid = getegid() };
	*out = (struct entry_sink){ .self = f,
				    .begin = file_begin,
				    .data = file_data,
				    .end = file_end,
				    .finish = file_finish,
				    .close = file_close };
	return 0;
}

int file_out_open(const char *path, const struct file_out_options *o, struct entry_sink *out,
		  struct err *e)
{
	return file_new(path, -1, o, out, e);
}

int file_out_open_fd(int fd, const char *name, struct entry_sink *out, struct err *e)
{
	const struct file_out_options none = { 0 };

	return file_new(name, fd, &none, out, e);
}
