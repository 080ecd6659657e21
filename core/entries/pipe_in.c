/* A read that waits could not be interrupted: so it is asked for what is there. */
#include "core/entries/pipe_in.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_SIZE = 1 << 20, WAIT_MS = 100 };

bool pipe_in_is(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 &&
	       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISCHR(st.st_mode));
}

/* False: told to stop before there was anything to read. */
static bool wait_readable(struct pipe_in *in)
{
	struct pollfd p = { .fd = in->fd, .events = POLLIN };

	do {
		if (in->stop != NULL && in->stop(in->ctx)) {
			in->stopped = true;
			return false;
		}
	} while (poll(&p, 1, WAIT_MS) == 0);
	return true;
}

/* libarchive's read callback. */
static la_ssize_t read_some(struct archive *a, void *self, const void **out)
{
	struct pipe_in *in = self;
	ssize_t		n;

	*out = in->buf;
	do {
		if (!wait_readable(in)) {
			archive_set_error(a, EINTR, "interrupted");
			return -1;
		}
		n = read(in->fd, in->buf, READ_SIZE);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	if (n < 0)
		archive_set_error(a, errno, "read");
	return n;
}

int pipe_in_init(struct pipe_in *p, struct err *e)
{
	p->buf = malloc(READ_SIZE);
	return p->buf != NULL ? 0 : err_nomem(e);
}

int pipe_in_open(struct pipe_in *p, struct archive *a)
{
	return archive_read_open(a, p, NULL, read_some, NULL);
}

void pipe_in_fini(struct pipe_in *p)
{
	free(p->buf);
}
