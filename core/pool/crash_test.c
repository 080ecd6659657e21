/*
 * A commit that is cut short anywhere leaves the old pool or the new one;
 * a creation a pool or none.
 */
#include "core/zpl/pool_rig_test.h"

#include "core/base/mem.h"

TestSuite(crash, .timeout = 240);

/* -- a device that remembers what was written, and in what order ------------------------------- */

struct record {
	uint64_t off;
	size_t	 n;
	uint8_t *data;
	unsigned epoch; /* syncs before it */
};

/* Writes lie over `base`, which stays as it is. */
struct log_dev {
	struct dev	dev;
	struct dev     *base;
	struct record  *list;
	size_t		count, cap;
	unsigned	epoch;
	const bool     *lost;		   /* writes that a crash took away; NULL: none */
	size_t		calls, fail_from; /* writes and syncs, counted; 0: none fails */
};

static int log_read(struct dev *d, uint64_t off, void *buf, size_t n, struct err *e)
{
	struct log_dev *l = (struct log_dev *)d;
	size_t there = off >= l->base->size ? 0 : l->base->size - off < n ? l->base->size - off : n;

	memset(buf, 0, n);
	if (there > 0 && dev_read(l->base, off, buf, there, e) < 0)
		return -1;
	for (size_t i = 0; i < l->count; i++) {
		const struct record *r = &l->list[i];
		uint64_t	     lo = r->off > off ? r->off : off;
		uint64_t	     hi = r->off + r->n < off + n ? r->off + r->n : off + n;

		if (lo < hi && (l->lost == NULL || !l->lost[i]))
			memcpy((uint8_t *)buf + (lo - off), r->data + (lo - r->off), hi - lo);
	}
	return 0;
}

static int log_fails(struct log_dev *l, struct err *e)
{
	if (++l->calls < l->fail_from || l->fail_from == 0)
		return 0;
	return err_set(e, ERR_IO, "made to fail");
}

static int log_writev(struct dev *d, uint64_t off, const struct iovec *iov, int count,
		      struct err *e)
{
	struct log_dev *l = (struct log_dev *)d;
	struct record	r = { .off = off, .epoch = l->epoch };

	if (log_fails(l, e) < 0)
		return -1;
	for (int i = 0; i < count; i++)
		r.n += iov[i].iov_len;
	r.data = malloc(r.n + 1);
	for (size_t at = 0, i = 0; i < (size_t)count; at += iov[i++].iov_len)
		memcpy(r.data + at, iov[i].iov_base, iov[i].iov_len);
	if (l->count == l->cap) {
		l->cap = l->cap * 2 + 16;
		l->list = realloc(l->list, l->cap * sizeof r);
	}
	l->list[l->count++] = r;
	return 0;
}

static int log_sync(struct dev *d, struct err *e)
{
	struct log_dev *l = (struct log_dev *)d;

	l->epoch++;
	return log_fails(l, e);
}

static int log_resize(struct dev *d, uint64_t size, struct err *e)
{
	(void)e;
	d->size = size;
	return 0;
}

static void log_close(struct dev *d)
{
	struct log_dev *l = (struct log_dev *)d;

	for (size_t i = 0; i < l->count; i++)
		free(l->list[i].data);
	free(l->list);
	free(l);
}

static struct log_dev *log_over(struct dev *base)
{
	static const struct dev_ops ops = { log_read, log_writev, log_sync, log_resize, log_close };
	struct log_dev		   *l = calloc(1, sizeof *l);

	l->dev = (struct dev){ .ops = &ops, .name = "log", .size = base->size, .writable = true };
	l->base = base;
	return l;
}

/* -- the change -------------------------------------------------------------------------------- */

/* Several blocks, some of which compress. */
static char *long_text(void)
{
	char	*text = malloc(400001);
	uint32_t x = 1;

	for (size_t i = 0; i < 400000; i++) {
		x = x * 1664525 + 1013904223;
		text[i] = i % 200000 < 150000 ? (char)('a' + (x >> 27)) : 'z';
	}
	text[400000] = '\0';
	return text;
}

static void make_old(struct rig *r)
{
	rig_init(r);
	rig_create(r);
	put_file(r, "kept", "stays as it is");
	put_file(r, "d/replaced", "old contents");
	put_file(r, "d/removed", "goes");
	put_hardlink(r, "d/link", "kept");
	put_symlink(r, "s", "kept");
	rig_commit(r);
}

static int change(struct rig *r)
{
	char *text;
	int   rc;

	if (rig_try_reopen(r) < 0)
		return -1;
	text = long_text();
	rc = try_file(r, "new/deep/added", text);
	free(text);
	if (rc < 0 || try_file(r, "d/replaced", "new contents, longer") < 0 ||
	    zpl_write_remove(r->z, "d/removed", 9, &r->e) < 0)
		return -1;
	return rig_try_commit(r);
}

static char *list_of(struct dev *disk, bool quick)
{
	struct rig r = { .disk = disk, .threads = 1, .quick = quick };

	return rig_list(&r);
}

/* -- crashes ----------------------------------------------------------------------------------- */

struct crash {
	struct log_dev *log;
	char	       *old, *new;
	unsigned	uber_epoch;
	bool	       *lost;
	size_t		tried;
};

static void try_crash(struct crash *c, unsigned epoch, const char *what, size_t which)
{
	char *list = list_of(&c->log->dev, true);
	bool  is_old = strcmp(list, c->old) == 0, is_new = strcmp(list, c->new) == 0;

	cr_assert(is_old || (is_new && epoch >= c->uber_epoch),
		  "epoch %u, %s %zu: neither old nor new:\n%s", epoch, what, which, list);
	free(list);
	c->tried++;
}

/* Writes [first, last) of one epoch are lost in every way that there is, or in many. */
static void lose_epoch(struct crash *c, unsigned epoch, size_t first, size_t last)
{
	size_t	 n = last - first;
	uint32_t x = 12345;

	memset(c->lost, 0, first);
	memset(c->lost + first, 1, c->log->count - first);
	if (n <= 6) {
		for (size_t set = 0; set < (size_t)1 << n; set++) {
			for (size_t i = 0; i < n; i++)
				c->lost[first + i] = set >> i & 1;
			try_crash(c, epoch, "lost", set);
		}
		return;
	}
	for (size_t i = first; i < last; i++) {
		try_crash(c, epoch, "cut at write", i);
		c->lost[i] = false;
	}
	for (size_t i = first; i < last; i++) {
		c->lost[i] = true;
		try_crash(c, epoch, "without write", i);
		c->lost[i] = false;
	}
	for (size_t turn = 0; turn < 64; turn++) {
		for (size_t i = first; i < last; i++) {
			x = x * 1664525 + 1013904223;
			c->lost[i] = x >> 31;
		}
		try_crash(c, epoch, "random loss", turn);
	}
}

Test(crash, every_loss_of_unflushed_writes_is_the_old_pool_or_the_new)
{
	struct rig   r;
	struct crash c = { 0 };
	struct dev  *disk;

	make_old(&r);
	c.old = list_of(r.disk, false);
	disk = r.disk;
	c.log = log_over(disk);
	r.disk = &c.log->dev;
	cr_assert_eq(change(&r), 0, "%s", r.e.text);
	rig_drop(&r);
	c.new = list_of(&c.log->dev, false);
	cr_assert_str_neq(c.old, c.new);
	/* Data, flush; uberblocks, flush: nothing else may be written in place. */
	c.uber_epoch = c.log->list[c.log->count - 1].epoch;
	cr_assert_eq(c.log->epoch, c.uber_epoch + 1);
	c.lost = calloc(c.log->count, sizeof *c.lost);
	c.log->lost = c.lost;
	for (size_t first = 0, last; first < c.log->count; first = last) {
		unsigned epoch = c.log->list[first].epoch;

		for (last = first; last < c.log->count && c.log->list[last].epoch == epoch; last++)
			;
		lose_epoch(&c, epoch, first, last);
	}
	cr_log_info("%zu crashes of %zu writes", c.tried, c.log->count);
	cr_assert_geq(c.tried, 40u);
	free(c.lost);
	free(c.old);
	free(c.new);
	dev_close(&c.log->dev);
	dev_close(disk);
}

Test(crash, a_device_that_fails_leaves_the_old_pool_or_the_new)
{
	struct rig  r;
	struct dev *disk;
	char	   *old, *new = NULL;
	size_t	    failures = 0;

	make_old(&r);
	disk = r.disk;
	old = list_of(disk, true);
	for (size_t n = 1; new == NULL; n++) {
		struct log_dev *l = log_over(disk);
		char	       *list;
		int		rc;

		r = (struct rig){ .disk = &l->dev, .threads = 1 };
		l->fail_from = n;
		rc = change(&r);
		rig_drop(&r);
		list = list_of(&l->dev, true);
		if (rc == 0) {
			new = list;
		} else {
			failures++;
			cr_assert_eq(r.e.kind, ERR_IO, "%s", r.e.text);
			/*
			 * The last call is the flush of the uberblocks: they may be there or not.
			 */
			if (strcmp(list, old) != 0)
				cr_assert_neq(strstr(list, "new/deep/added"), NULL, "%s", list);
			free(list);
		}
		dev_close(&l->dev);
	}
	cr_assert_str_neq(old, new);
	cr_assert_gt(failures, 10u);
	free(old);
	free(new);
	dev_close(disk);
}

Test(crash, memory_that_runs_out_leaves_the_old_pool_and_leaks_nothing)
{
	struct rig  r;
	struct dev *disk;
	char	   *old;
	int	    rc = -1;

	make_old(&r);
	disk = r.disk;
	old = list_of(disk, true);
	for (uint64_t n = 1; rc < 0; n += 1 + n / 50) {
		struct log_dev *l = log_over(disk);

		r = (struct rig){ .disk = &l->dev, .threads = 1 };
		mem_fail_at(n);
		rc = change(&r);
		mem_fail_at(0);
		rig_drop(&r);
		if (rc < 0) {
			char *list = list_of(&l->dev, true);

			cr_assert_str_eq(list, old);
			free(list);
		}
		dev_close(&l->dev);
	}
	free(old);
	dev_close(disk);
}

/* -- creation ---------------------------------------------------------------------------------- */

static int create(struct rig *r)
{
	if (rig_try_create(r) < 0 || try_file(r, "a/b", "contents") < 0 || try_dir(r, "c") < 0)
		return -1;
	return rig_try_commit(r);
}

static bool looks_like_a_pool(struct dev *disk)
{
	struct dev    *dev = kept_open(disk);
	struct members m;
	bool	       found;

	if (members_of_devs(&dev, 1, &m, NULL) < 0)
		return false;
	found = m.count > 0 && m.list[0].best >= 0;
	members_close(&m);
	return found;
}

static void each_prefix_is_a_pool_or_none(struct log_dev *l)
{
	char  *whole = list_of(&l->dev, true), *list;
	size_t all = l->count, pools = 0;

	for (size_t n = 0; n <= all; n++) {
		l->count = n;
		if (!looks_like_a_pool(&l->dev))
			continue;
		list = list_of(&l->dev, true);
		cr_assert_str_eq(list, whole, "after %zu writes of %zu", n, all);
		free(list);
		pools++;
	}
	l->count = all;
	cr_assert_leq(pools, 4u);
	cr_assert_geq(pools, 1u);
	free(whole);
}

Test(crash, a_creation_cut_short_is_the_whole_pool_or_none)
{
	struct rig	r = { .threads = 1 };
	struct dev     *empty;
	struct log_dev *l;

	cr_assert_eq(dev_mem_new("empty", 64 << 20, &empty, NULL), 0);
	l = log_over(empty);
	r.disk = &l->dev;
	cr_assert_eq(create(&r), 0, "%s", r.e.text);
	rig_drop(&r);
	each_prefix_is_a_pool_or_none(l);
	dev_close(&l->dev);
	dev_close(empty);
}

Test(crash, memory_that_runs_out_while_creating_leaves_no_pool_or_a_whole_one)
{
	struct dev *empty;
	int	    rc = -1;

	cr_assert_eq(dev_mem_new("empty", 64 << 20, &empty, NULL), 0);
	for (uint64_t n = 1; rc < 0; n += 1 + n / 50) {
		struct log_dev *l = log_over(empty);
		struct rig	r = { .disk = &l->dev, .threads = 1 };

		mem_fail_at(n);
		rc = create(&r);
		mem_fail_at(0);
		rig_drop(&r);
		/*
		 * Labels are written last: then the pool is whole, though its
		 * maker was told otherwise.
		 */
		if (rc < 0 && looks_like_a_pool(&l->dev)) {
			char *list = list_of(&l->dev, true);

			cr_assert_neq(strstr(list, "a/b"), NULL, "after allocation %llu: %s",
				      (unsigned long long)n, list);
			free(list);
		}
		dev_close(&l->dev);
	}
	dev_close(empty);
}
