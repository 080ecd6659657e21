#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/vdev/dev.h"

static void writes_then_reads(struct dev *d)
{
	char	     got[8] = { 0 };
	struct iovec iov[3] = { { (void *)(uintptr_t)"abc", 3 }, { NULL, 0 },
				{ (void *)(uintptr_t)"de", 2 } };
	struct err   e = { 0 };

	cr_assert_eq(dev_writev(d, 1000, iov, 3, &e), 0, "%s", e.text);
	cr_assert_eq(dev_read(d, 999, got, 7, &e), 0, "%s", e.text);
	cr_assert_arr_eq(got, "\0abcde\0", 7);
	cr_assert_eq(dev_sync(d, &e), 0);
}

static void refuses_past_the_end(struct dev *d)
{
	char	   b[4];
	struct err e = { 0 };

	cr_assert_eq(dev_read(d, d->size - 3, b, 4, &e), -1);
	cr_assert_eq(e.kind, ERR_IO);
	cr_assert_eq(dev_read(d, UINT64_MAX, b, 1, &e), -1);
	cr_assert_eq(dev_write(d, d->size, b, 1, &e), -1);
	cr_assert_eq(dev_read(d, d->size, b, 0, &e), 0);
}

Test(dev, memory_is_sparse_and_bounded)
{
	struct dev *d;

	cr_assert_eq(dev_mem_new("m", UINT64_C(1) << 36, &d, NULL), 0);
	writes_then_reads(d);
	refuses_past_the_end(d);
	cr_assert_eq(dev_resize(d, 4096, NULL), 0);
	writes_then_reads(d);
	refuses_past_the_end(d);
	dev_close(d);
}

Test(dev, a_window_is_a_part)
{
	struct dev *d, *w;
	char	    c = 'x';

	cr_assert_eq(dev_mem_new("m", 1 << 20, &d, NULL), 0);
	cr_assert_eq(dev_window_new(d, 4096, 65536, &w, NULL), 0);
	writes_then_reads(w);
	refuses_past_the_end(w);
	cr_assert_eq(dev_read(d, 4096 + 1000, &c, 1, NULL), 0);
	cr_assert_eq(c, 'a');
	dev_close(w);
}

Test(dev, a_window_past_the_end_takes_its_device_with_it)
{
	struct dev *d, *w;
	struct err  e = { 0 };

	cr_assert_eq(dev_mem_new("m", 4096, &d, NULL), 0);
	cr_assert_eq(dev_window_new(d, 4096, 1, &w, &e), -1);
	cr_assert_eq(e.kind, ERR_NOTFOUND);
}

Test(dev, a_file_is_locked_by_its_writer)
{
	char	    path[] = "/tmp/dev_test.XXXXXX";
	int	    fd = mkstemp(path);
	struct dev *d, *second;
	struct err  e = { 0 };

	cr_assert_geq(fd, 0);
	cr_assert_eq(ftruncate(fd, 100000), 0);
	close(fd);
	cr_assert_eq(dev_file_open(path, DEV_WRITE, &d, &e), 0, "%s", e.text);
	cr_assert_eq(d->size, 100000 / 512 * 512);
	cr_assert_eq(dev_file_open(path, DEV_WRITE, &second, &e), -1);
	cr_assert_eq(e.kind, ERR_REFUSED);
	writes_then_reads(d);
	refuses_past_the_end(d);
	cr_assert_eq(dev_resize(d, 8192, &e), 0);
	cr_assert_eq(d->size, 8192);
	dev_close(d);
	cr_assert_eq(dev_file_open(path, DEV_READ, &d, &e), 0);
	cr_assert_eq(dev_write(d, 0, "x", 1, &e), -1);
	dev_close(d);
	unlink(path);
	cr_assert_eq(dev_file_open(path, DEV_READ, &d, &e), -1);
	cr_assert_eq(e.kind, ERR_NOTFOUND);
}

Test(dev, no_memory_is_said)
{
	struct dev *d;
	struct err  e = { 0 };

	for (uint64_t n = 1; n < 3; n++) {
		mem_fail_at(n);
		cr_assert_eq(dev_mem_new("m", 4096, &d, &e), -1);
		cr_assert_eq(e.kind, ERR_NOMEM);
	}
	mem_fail_at(0);
}
