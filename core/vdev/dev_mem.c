/*
 * A device in memory: one anonymous mapping, whose pages the system makes when they are written.
 * Leaves faults to devices wrapped around it.
 */
#include "core/vdev/dev.h"

#include <sys/mman.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

enum { COPY_UNIT = 64 << 10 };

struct mem_dev {
	struct dev dev;
	uint8_t	  *p; /* NULL when size is 0 */
};

static int map_zeros(size_t size, uint8_t **out, struct err *e)
{
	void *p = NULL;

	if (size > 0) {
		p = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p == MAP_FAILED)
			return err_nomem(e);
	}
	*out = p;
	return 0;
}

static int mem_read(struct dev *d, uint64_t off, void *buf, size_t n, struct err *e)
{
	(void)e;
	memcpy(buf, ((struct mem_dev *)d)->p + off, n);
	return 0;
}

static int mem_writev(struct dev *d, uint64_t off, const struct iovec *iov, int count,
		      struct err *e)
{
	uint8_t *p = ((struct mem_dev *)d)->p + off;

	(void)e;
	for (int i = 0; i < count; i++) {
		if (iov[i].iov_len > 0)
			memcpy(p, iov[i].iov_base, iov[i].iov_len);
		p += iov[i].iov_len;
	}
	return 0;
}

static int mem_sync(struct dev *d, struct err *e)
{
	(void)d;
	(void)e;
	return 0;
}

/* Copies what is not zero, so that the new mapping is as sparse as the old one. */
static void copy_sparse(uint8_t *to, const uint8_t *from, size_t n)
{
	for (size_t at = 0; at < n; at += COPY_UNIT) {
		size_t part = n - at < COPY_UNIT ? n - at : COPY_UNIT;

		if (!bytes_zero(bytes_of(from + at, part, ORDER_NATIVE)))
			memcpy(to + at, from + at, part);
	}
}

static int mem_resize(struct dev *d, uint64_t size, struct err *e)
{
	struct mem_dev *m = (struct mem_dev *)d;
	uint8_t	       *p = NULL;

	if (map_zeros(size, &p, e) < 0)
		return -1;
	copy_sparse(p, m->p, min64(size, d->size));
	if (m->p != NULL)
		munmap(m->p, d->size);
	m->p = p;
	d->size = size;
	return 0;
}

static void mem_close(struct dev *d)
{
	struct mem_dev *m = (struct mem_dev *)d;

	if (m->p != NULL)
		munmap(m->p, d->size);
	free(d->name);
	free(m);
}

static const struct dev_ops mem_ops = {
	.read = mem_read,
	.writev = mem_writev,
	.sync = mem_sync,
	.resize = mem_resize,
	.close = mem_close,
};

int dev_mem_new(const char *name, uint64_t size, struct dev **out, struct err *e)
{
	struct mem_dev *m = mem_zero(sizeof *m, e);

	if (m == NULL)
		return -1;
	m->dev.ops = &mem_ops;
	m->dev.writable = true;
	m->dev.name = mem_copy_text(name, strlen(name), e);
	if (m->dev.name == NULL || map_zeros(size, &m->p, e) < 0) {
		mem_close(&m->dev);
		return -1;
	}
	m->dev.size = size;
	*out = &m->dev;
	return 0;
}
