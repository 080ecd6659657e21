/* Devices around devices: a window, for partitions and images inside images. */
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
