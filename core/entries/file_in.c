/* Reading host files around their holes. */
#define _GNU_SOURCE /* SEEK_DATA and SEEK_HOLE */
#include "core/entries/file_in.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

enum {
	READ_SIZE = 1 << 20,
	RANGES_MAX = 1 << 16, /* ours: a file in more runs than 65536 comes without a map */
};

int file_in_init(struct file_in *f, struct err *e)
{
	*f = (struct file_in){ .fd = -1, .buf = malloc(READ_SIZE) };
	return f->buf != NULL ? 0 : err_nomem(e);
}

void file_in_drop(struct file_in *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

void file_in_fini(struct file_in *f)
{
	file_in_drop(f);
	free(f->buf);
	free(f->ranges);
}

void file_in_take(struct file_in *f, int fd, uint64_t size, bool sparse)
{
	file_in_drop(f);
	f->fd = fd;
	f->size = size;
	f->at = 0;
	f->end = sparse ? 0 : size;
	f->sparse = sparse;
}

/* The run of data at or after `from`: 1, or 0 when only a hole is left. */
static int next_run(struct file_in *f, uint64_t from, uint64_t *start, uint64_t *end, struct err *e)
{
	off_t data = lseek(f->fd, (off_t)from, SEEK_DATA);

	if (data < 0 && errno == ENXIO)
		return 0;

	off_t hole = data < 0 ? -1 : lseek(f->fd, data, SEEK_HOLE);

	if (hole < 0)
		return err_errno(e, errno, "cannot be searched for holes");
	if ((uint64_t)data >= f->size)
		return 0;
	*start = (uint64_t)data;
	*end = min64((uint64_t)hole, f->size);
	return 1;
}

static int add_range(struct file_in *f, size_t count, uint64_t start, uint64_t end, struct err *e)
{
	if (mem_grow(&f->ranges, &f->range_cap, count + 1, sizeof f->ranges[0], e) < 0)
		return -1;
	f->ranges[count] = (struct entry_range){ .offset = start, .size = end - start };
	return 0;
}

int file_in_map(struct file_in *f, struct entry *out, struct err *e)
{
	uint64_t start, end = 0;
	size_t	 count = 0;
	int	 got;

	if (!f->sparse)
		return 0;
	while ((got = next_run(f, end, &start, &end, e)) > 0) {
		if (count == RANGES_MAX)
			return 0;
		if (add_range(f, count++, start, end, e) < 0)
			return -1;
	}
	if (got < 0)
		return -1;
	out->have_ranges = true;
	out->ranges = f->ranges;
	out->range_count = count;
	return 0;
}

static int at_end(struct file_in *f, struct err *e)
{
	struct stat st;

	if (fstat(f->fd, &st) < 0)
		return err_errno(e, errno, "stat");
	if ((uint64_t)st.st_size != f->size)
		return err_set(e, ERR_IO,
			       "changed its size from %llu to %llu bytes while it was read",
			       (unsigned long long)f->size, (unsigned long long)st.st_size);
	return 0;
}

int file_in_data(struct file_in *f, uint64_t *offset, struct bytes *piece, struct err *e)
{
	ssize_t n;

	if (f->fd < 0)
		return 0;
	if (f->at == f->end && f->at < f->size) {
		int got = next_run(f, f->at, &f->at, &f->end, e);

		if (got <= 0)
			return got < 0 ? -1 : at_end(f, e);
	}
	if (f->at == f->size)
		return at_end(f, e);
	do {
		n = pread(f->fd, f->buf, (size_t)min64(f->end - f->at, READ_SIZE), (off_t)f->at);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_errno(e, errno, "cannot be read");
	if (n == 0)
		return err_set(e, ERR_IO, "became shorter than its %llu bytes while it was read",
			       (unsigned long long)f->size);
	*offset = f->at;
	*piece = bytes_of(f->buf, (size_t)n, ORDER_NATIVE);
	f->at += (uint64_t)n;
	return 1;
}
