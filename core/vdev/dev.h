/*
 * A device: bytes at offsets, from a file, a block device, memory, or another device (a window).
 *
 * Offsets and sizes are bytes. Reads and writes are whole or fail: a short read is ERR_IO with the
 * offset in the sentence. Reads and writes at different places may run on several threads at once.
 */
#ifndef CORE_VDEV_DEV_H
#define CORE_VDEV_DEV_H

#include <sys/uio.h>

#include "formats/base/bytes.h"
#include "formats/base/err.h"

struct dev;

/* What an implementation supplies; `self` begins with a struct dev. */
struct dev_ops {
	int (*read)(struct dev *d, uint64_t off, void *buf, size_t n, struct err *e);
	int (*writev)(struct dev *d, uint64_t off, const struct iovec *iov, int count,
		      struct err *e);
	int (*sync)(struct dev *d, struct err *e);
	int (*resize)(struct dev *d, uint64_t size, struct err *e);
	void (*close)(struct dev *d);
};

struct dev {
	const struct dev_ops *ops;
	char		     *name; /* for messages; owned by the implementation */
	uint64_t	      size;
	bool		      writable;
};

enum dev_mode {
	DEV_READ,  /* read-only, no lock */
	DEV_WRITE, /* read-write; a block device O_EXCL, a file with an exclusive lock */
	DEV_CREATE /* DEV_WRITE on a file that is made if it does not exist */
};

/* Opens a regular file or block device. Whole 512-byte sectors only count towards size. */
int dev_file_open(const char *path, enum dev_mode mode, struct dev **out, struct err *e) MUST_CHECK;

/* `size` zero bytes of memory, as sparse as a file: pages appear when written. */
int dev_mem_new(const char *name, uint64_t size, struct dev **out, struct err *e) MUST_CHECK;

/* [start, start + size) of `under`, which it then owns. */
int dev_window_new(struct dev *under, uint64_t start, uint64_t size, struct dev **out,
		   struct err *e) MUST_CHECK;

/* Another handle on `under`, which stays the caller's: closing it closes nothing. */
int dev_borrow_new(struct dev *under, struct dev **out, struct err *e) MUST_CHECK;

int dev_read(struct dev *d, uint64_t off, void *buf, size_t n, struct err *e) MUST_CHECK;
int dev_write(struct dev *d, uint64_t off, const void *buf, size_t n, struct err *e) MUST_CHECK;
/* The iovec is not kept, and not changed. */
int dev_writev(struct dev *d, uint64_t off, const struct iovec *iov, int count,
	       struct err *e) MUST_CHECK;
/* Everything written so far is on stable storage when it returns. */
int dev_sync(struct dev *d, struct err *e) MUST_CHECK;
/* Grows or shrinks a file; ERR_UNSUPPORTED for block devices. */
int dev_resize(struct dev *d, uint64_t size, struct err *e) MUST_CHECK;
void dev_close(struct dev *d); /* NULL is fine */

#endif
