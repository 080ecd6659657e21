/*
 * Devices: bounds are checked here once, implementations may rely on them. Regular files and block
 * devices; memory and windows have files of their own.
 */
#define _GNU_SOURCE /* sync_file_range, where there is one */
#include "core/vdev/dev.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

enum {
	IOV_BATCH = 512,
	/* Writes of this size are data streaming out: they may start for the disk at once. */
	STREAM_SIZE = 256 << 10,
};

struct file_dev {
	struct dev dev;
	int	   fd;
	bool	   is_block;
};

static int in_range(const struct dev *d, uint64_t off, uint64_t n, const char *what, struct err *e)
{
	if (off > d->size || n > d->size - off)
		return err_set(e, ERR_IO,
			       "%s: %s of %llu bytes at offset 0x%llx: past the end (0x%llx)",
			       d->name, what, (unsigned long long)n, (unsigned long long)off,
			       (unsigned long long)d->size);
	return 0;
}

int dev_read(struct dev *d, uint64_t off, void *buf, size_t n, struct err *e)
{
	if (in_range(d, off, n, "read", e) < 0)
		return -1;
	return n == 0 ? 0 : d->ops->read(d, off, buf, n, e);
}

int dev_write(struct dev *d, uint64_t off, const void *buf, size_t n, struct err *e)
{
	struct iovec iov = { .iov_base = (void *)(uintptr_t)buf, .iov_len = n };

	return dev_writev(d, off, &iov, 1, e);
}

int dev_writev(struct dev *d, uint64_t off, const struct iovec *iov, int count, struct err *e)
{
	uint64_t total = 0;

	if (!d->writable)
		return err_set(e, ERR_IO, "%s: opened read-only", d->name);
	for (int i = 0; i < count; i++) {
		if (!add_ok(total, iov[i].iov_len, &total))
			return err_set(e, ERR_IO, "%s: write is too long", d->name);
	}
	if (in_range(d, off, total, "write", e) < 0)
		return -1;
	return total == 0 ? 0 : d->ops->writev(d, off, iov, count, e);
}

int dev_sync(struct dev *d, struct err *e)
{
	return d->writable ? d->ops->sync(d, e) : 0;
}

int dev_resize(struct dev *d, uint64_t size, struct err *e)
{
	if (!d->writable)
		return err_set(e, ERR_IO, "%s: opened read-only", d->name);
	return d->ops->resize(d, size, e);
}

void dev_close(struct dev *d)
{
	if (d != NULL)
		d->ops->close(d);
}

static int file_read(struct dev *d, uint64_t off, void *buf, size_t n, struct err *e)
{
	struct file_dev *f = (struct file_dev *)d;
	uint8_t		*p = buf;

	while (n > 0) {
		ssize_t got = pread(f->fd, p, n, (off_t)off);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_errno(e, errno, "%s: read at offset 0x%llx", d->name,
					 (unsigned long long)off);
		if (got == 0)
			return err_set(e, ERR_IO, "%s: read at offset 0x%llx: the file ends there",
				       d->name, (unsigned long long)off);
		p += got;
		off += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

/* Writes what `iov` (ours to change) names, however the system cuts it. */
static int write_all(struct file_dev *f, uint64_t *off, struct iovec *iov, int count, struct err *e)
{
	int i = 0;

	while (i < count) {
		ssize_t put = pwritev(f->fd, iov + i, count - i, (off_t)*off);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return err_errno(e, errno, "%s: write at offset 0x%llx", f->dev.name,
					 (unsigned long long)*off);
		*off += (uint64_t)put;
		while (i < count && (size_t)put >= iov[i].iov_len)
			put -= (ssize_t)iov[i++].iov_len;
		if (i < count) {
			iov[i].iov_base = (uint8_t *)iov[i].iov_base + put;
			iov[i].iov_len -= (size_t)put;
		}
	}
	return 0;
}

/*
 * Everything is synced in the end; a disk that starts early works while we compress. A hint:
 * whether it can be taken does not matter.
 */
static void start_writeback(const struct file_dev *f, uint64_t off, uint64_t n)
{
#ifdef SYNC_FILE_RANGE_WRITE
	if (n >= STREAM_SIZE)
		(void)!sync_file_range(f->fd, (off_t)off, (off_t)n, SYNC_FILE_RANGE_WRITE);
#else
	(void)f;
	(void)off;
	(void)n;
#endif
}

static int file_writev(struct dev *d, uint64_t off, const struct iovec *iov, int count,
		       struct err *e)
{
	struct iovec batch[IOV_BATCH];
	uint64_t     start = off;

	while (count > 0) {
		int n = count < IOV_BATCH ? count : IOV_BATCH;

		memcpy(batch, iov, (size_t)n * sizeof *iov);
		if (write_all((struct file_dev *)d, &off, batch, n, e) < 0)
			return -1;
		iov += n;
		count -= n;
	}
	start_writeback((struct file_dev *)d, start, off - start);
	return 0;
}

static int file_sync(struct dev *d, struct err *e)
{
	if (fsync(((struct file_dev *)d)->fd) < 0)
		return err_errno(e, errno, "%s: sync", d->name);
	return 0;
}

static int file_resize(struct dev *d, uint64_t size, struct err *e)
{
	struct file_dev *f = (struct file_dev *)d;

	if (f->is_block)
		return err_set(e, ERR_UNSUPPORTED, "%s: a block device has one size", d->name);
	if (size > INT64_MAX)
		return err_set(e, ERR_NOSPACE, "%s: cannot be that large", d->name);
	if (ftruncate(f->fd, (off_t)size) < 0)
		return err_errno(e, errno, "%s: resize", d->name);
	d->size = align_down(size, SECTOR);
	return 0;
}

static void file_close(struct dev *d)
{
	struct file_dev *f = (struct file_dev *)d;

	if (f->fd >= 0)
		close(f->fd);
	free(d->name);
	free(f);
}

static const struct dev_ops file_ops = {
	.read = file_read,
	.writev = file_writev,
	.sync = file_sync,
	.resize = file_resize,
	.close = file_close,
};

/* O_NONBLOCK keeps a FIFO given by mistake from hanging us; it means nothing to files and disks. */
static int open_flags(const char *path, enum dev_mode mode)
{
	struct stat st;
	int	    flags = O_CLOEXEC | O_NONBLOCK | (mode == DEV_READ ? O_RDONLY : O_RDWR);

	if (mode == DEV_CREATE)
		flags |= O_CREAT;
	/* Without O_CREAT, O_EXCL on a block device asks for it alone. */
	if (mode != DEV_READ && stat(path, &st) == 0 && S_ISBLK(st.st_mode))
		flags = (flags & ~O_CREAT) | O_EXCL;
	return flags;
}

/* Size and kind; a writer's lock. */
static int file_setup(struct file_dev *f, enum dev_mode mode, struct err *e)
{
	struct stat st;
	off_t	    size;

	if (fstat(f->fd, &st) < 0)
		return err_errno(e, errno, "%s", f->dev.name);
	f->is_block = S_ISBLK(st.st_mode);
	if (!f->is_block && !S_ISREG(st.st_mode))
		return err_set(e, ERR_USAGE, "%s: neither a regular file nor a block device",
			       f->dev.name);
	/* A block device's st_size is 0; seeking to its end tells. */
	size = f->is_block ? lseek(f->fd, 0, SEEK_END) : st.st_size;
	if (size < 0)
		return err_errno(e, errno, "%s: size", f->dev.name);
	f->dev.size = align_down((uint64_t)size, SECTOR);
	if (mode != DEV_READ && !f->is_block && flock(f->fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EWOULDBLOCK)
			return err_set(e, ERR_REFUSED, "%s: in use by another program",
				       f->dev.name);
		return err_errno(e, errno, "%s: lock", f->dev.name);
	}
	return 0;
}

int dev_file_open(const char *path, enum dev_mode mode, struct dev **out, struct err *e)
{
	struct file_dev *f = mem_zero(sizeof *f, e);

	if (f == NULL)
		return -1;
	f->fd = -1;
	f->dev.ops = &file_ops;
	f->dev.writable = mode != DEV_READ;
	f->dev.name = mem_copy_text(path, strlen(path), e);
	if (f->dev.name == NULL)
		goto fail;
	f->fd = open(path, open_flags(path, mode), 0666);
	if (f->fd < 0) {
		if (errno == EBUSY)
			err_set(e, ERR_REFUSED, "%s: in use", path);
		else
			err_errno(e, errno, "%s", path);
		goto fail;
	}
	if (file_setup(f, mode, e) < 0)
		goto fail;
	*out = &f->dev;
	return 0;
fail:
	file_close(&f->dev);
	return -1;
}
