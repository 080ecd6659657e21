/*
 * Devices around devices: a window, for partitions and images inside images; a handle that leaves
 * the device open when it is closed.
 */
#include "core/vdev/dev.h"

#include <stdio.h>

#include "core/base/mem.h"

struct window_dev {
	struct dev  dev;
	struct dev *under;
	uint64_t    start;
};

static int window_read(struct dev *d, uint64_t off, void *buf, size_t n, struct err *e)
{
	struct window_dev *w = (struct window_dev *)d;

	return dev_read(w->under, w->start + off, buf, n, e);
}

static int window_writev(struct dev *d, uint64_t off, const struct iovec *iov, int count,
			 struct err *e)
{
	struct window_dev *w = (struct window_dev *)d;

	return dev_writev(w->under, w->start + off, iov, count, e);
}

static int window_sync(struct dev *d, struct err *e)
{
	return dev_sync(((struct window_dev *)d)->under, e);
}

static int window_resize(struct dev *d, uint64_t size, struct err *e)
{
	(void)size;
	return err_set(e, ERR_UNSUPPORTED, "%s: a part of a device has one size", d->name);
}

static void window_close(struct dev *d)
{
	struct window_dev *w = (struct window_dev *)d;

	dev_close(w->under);
	free(d->name);
	free(w);
}

static const struct dev_ops window_ops = {
	.read = window_read,
	.writev = window_writev,
	.sync = window_sync,
	.resize = window_resize,
	.close = window_close,
};

int dev_window_new(struct dev *under, uint64_t start, uint64_t size, struct dev **out,
		   struct err *e)
{
	struct window_dev *w = NULL;
	size_t		   room = strlen(under->name) + 32;

	if (start > under->size || size > under->size - start) {
		err_set(e, ERR_NOTFOUND, "%s: nothing at offset 0x%llx", under->name,
			(unsigned long long)start);
		goto fail;
	}
	w = mem_zero(sizeof *w, e);
	if (w == NULL)
		goto fail;
	w->dev.name = mem_raw(room, e);
	if (w->dev.name == NULL)
		goto fail;
	snprintf(w->dev.name, room, "%s+0x%llx", under->name, (unsigned long long)start);
	w->dev.ops = &window_ops;
	w->dev.size = size;
	w->dev.writable = under->writable;
	w->under = under;
	w->start = start;
	*out = &w->dev;
	return 0;
fail:
	free(w);
	dev_close(under);
	return -1;
}

struct borrowed_dev {
	struct dev  dev;
	struct dev *under;
};

static int borrowed_read(struct dev *d, uint64_t off, void *buf, size_t n, struct err *e)
{
	return dev_read(((struct borrowed_dev *)d)->under, off, buf, n, e);
}

static int borrowed_writev(struct dev *d, uint64_t off, const struct iovec *iov, int count,
			   struct err *e)
{
	return dev_writev(((struct borrowed_dev *)d)->under, off, iov, count, e);
}

static int borrowed_sync(struct dev *d, struct err *e)
{
	return dev_sync(((struct borrowed_dev *)d)->under, e);
}

static int borrowed_resize(struct dev *d, uint64_t size, struct err *e)
{
	struct dev *under = ((struct borrowed_dev *)d)->under;

	if (dev_resize(under, size, e) < 0)
		return -1;
	d->size = under->size;
	return 0;
}

static void borrowed_close(struct dev *d)
{
	free(d->name);
	free(d);
}

static const struct dev_ops borrowed_ops = {
	.read = borrowed_read,
	.writev = borrowed_writev,
	.sync = borrowed_sync,
	.resize = borrowed_resize,
	.close = borrowed_close,
};

int dev_borrow_new(struct dev *under, struct dev **out, struct err *e)
{
	struct borrowed_dev *b = mem_zero(sizeof *b, e);

	if (b == NULL)
		return -1;
	b->dev = (struct dev){ .ops = &borrowed_ops,
			       .name = strdup(under->name),
			       .size = under->size,
			       .writable = under->writable };
	b->under = under;
	if (b->dev.name == NULL) {
		free(b);
		return err_nomem(e);
	}
	*out = &b->dev;
	return 0;
}
