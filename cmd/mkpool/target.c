/* Opening the member: what it holds is looked at first, and nothing is written here. */
#include "cmd/mkpool/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/filetype.h"
#include "core/base/mem.h"
#include "formats/base/limits.h"
#include "formats/base/text.h"
#include "formats/label.h"

enum { LOOK = 1 << 20 }; /* at each end: labels, partition tables, boot sectors, superblocks */

/* -- what is there ----------------------------------------------------------------------------- */

static int refuse_pool(struct dev *dev, unsigned label, uint8_t *area, struct err *e)
{
	uint64_t	    start = label_offset(dev->size, label);
	struct pool_config *config;

	if (start > dev->size || LABEL_SIZE > dev->size - start)
		return 0;
	if (dev_read(dev, start + LABEL_NVLIST_OFFSET, area, LABEL_NVLIST_SIZE, e) < 0)
		return -1;
	if (label_config_decode(bytes_of(area, LABEL_NVLIST_SIZE, ORDER_NATIVE), start, &config,
				NULL) < 0)
		return 0;
	err_set(e, ERR_REFUSED, "%s: holds a ZFS pool '%s': -f overwrites it", dev->name,
		config->name != NULL ? config->name : "");
	pool_config_free(config);
	return -1;
}

static bool all_zero(const uint8_t *p, size_t n)
{
	return n == 0 || (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0);
}

static int refuse_data(struct dev *dev, uint64_t at, uint8_t *buf, struct err *e)
{
	size_t	    n = (size_t)min64(LOOK, dev->size - at);
	char	    kind[512];
	struct text t = text_in(kind, sizeof kind);

	if (dev_read(dev, at, buf, n, e) < 0)
		return -1;
	if (all_zero(buf, n))
		return 0;
	if (at > 0)
		text_put(&t, "data at its end");
	else if (!filetype_text(bytes_of(buf, n, ORDER_NATIVE), &t))
		text_put(&t, "data");
	return err_set(e, ERR_REFUSED, "%s: holds %s: -f overwrites it", dev->name, kind);
}

static int look(struct dev *dev, struct err *e)
{
	uint8_t *buf = mem_raw(LOOK, e);
	int	 rc = buf == NULL ? -1 : 0;

	for (unsigned i = 0; rc == 0 && i < LABEL_COUNT; i++)
		rc = refuse_pool(dev, i, buf, e);
	if (rc == 0)
		rc = refuse_data(dev, 0, buf, e);
	if (rc == 0)
		rc = refuse_data(dev, dev->size - min64(LOOK, dev->size), buf, e);
	free(buf);
	return rc;
}

/* -- its size ---------------------------------------------------------------------------------- */

static int keep_size(const struct options *o, struct target *t, struct err *e)
{
	uint64_t have = t->dev->size;

	if (have < VDEV_MIN_SIZE)
		return err_set(e, ERR_REFUSED, "%s: has %llu bytes, less than 64M", o->path,
			       (unsigned long long)have);
	if (o->size_given && (o->size.rule != POOL_SIZE_GIVEN || o->size.size != have))
		return err_set(e, ERR_USAGE,
			       "%s: keeps its %llu bytes; a size is for files that are made",
			       o->path, (unsigned long long)have);
	t->size = (struct pool_size){ .rule = POOL_SIZE_GIVEN, .size = have };
	return 0;
}

/* -- a dry run's file -------------------------------------------------------------------------- */

static int open_unnamed(const char *dir, size_t n, struct dev **out, struct err *e)
{
	char path[4096];
	int  fd, rc;

	if (snprintf(path, sizeof path, "%.*s/.mkpool-XXXXXX", (int)n, dir) >= (int)sizeof path)
		return err_set(e, ERR_IO, "%.*s: the path is too long", (int)n, dir);
	fd = mkstemp(path);
	if (fd < 0)
		return err_errno(e, errno, "temporary file %s", path);
	rc = dev_file_open(path, DEV_WRITE, out, e);
	unlink(path);
	close(fd);
	return rc;
}

/*
 * TMPDIR if it is set; else next to the target, where the image would have
 * to fit anyway; else /tmp.
 */
static int open_temporary(const struct options *o, struct dev **out, struct err *e)
{
	const char *dir = getenv("TMPDIR"), *slash = strrchr(o->path, '/');

	if (dir != NULL && *dir != '\0')
		return open_unnamed(dir, strlen(dir), out, e);
	if (slash == NULL && open_unnamed(".", 1, out, NULL) == 0)
		return 0;
	if (slash != NULL && open_unnamed(o->path, (size_t)(slash - o->path) + 1, out, NULL) == 0)
		return 0;
	return open_unnamed("/tmp", 4, out, e);
}

static int go_dry(const struct options *o, struct target *t, struct err *e)
{
	dev_close(t->dev);
	t->dev = NULL;
	return open_temporary(o, &t->dev, e);
}

/* -- opening ----------------------------------------------------------------------------------- */

static int use_existing(const struct options *o, struct target *t, struct err *e)
{
	/* An empty file, as mktemp makes it, is as good as none. */
	if (t->dev->size == 0)
		t->size = o->size;
	else if (keep_size(o, t, e) < 0 || (!o->force && look(t->dev, e) < 0))
		return -1;
	return o->dry_run ? go_dry(o, t, e) : 0;
}

/* Behind a symbolic link that leads nowhere yet, the file goes away again and not the link. */
static int create(const char *path, struct target *t, struct err *e)
{
	if (dev_file_open(path, DEV_CREATE, &t->dev, e) < 0)
		return -1;
	t->unlink = realpath(path, NULL);
	if (t->unlink != NULL)
		return 0;
	unlink(path);
	return err_errno(e, errno, "%s", path);
}

int target_open(const struct options *o, struct target *out, struct err *e)
{
	struct target t = { .size = o->size };
	struct stat   st;
	bool	      there = stat(o->path, &st) == 0;
	int	      rc;

	if (!there && errno != ENOENT)
		return err_errno(e, errno, "%s", o->path);
	if (there && S_ISDIR(st.st_mode))
		return err_set(e, ERR_USAGE, "%s: is a directory", o->path);
	if (there) {
		if (dev_file_open(o->path, o->dry_run ? DEV_READ : DEV_WRITE, &t.dev, e) < 0)
			return -1;
		rc = use_existing(o, &t, e);
	} else if (o->dry_run) {
		rc = open_temporary(o, &t.dev, e);
	} else {
		rc = create(o->path, &t, e);
	}
	if (rc < 0) {
		target_close(&t, true);
		return -1;
	}
	*out = t;
	return 0;
}

/* What was there before is gone, but what came in its place must not look like a pool. */
static void wipe_labels(struct dev *dev)
{
	uint8_t *zeros = mem_zero(LABEL_SIZE, NULL);

	for (unsigned i = 0; zeros != NULL && i < LABEL_COUNT; i++) {
		uint64_t start = label_offset(dev->size, i);

		if (start <= dev->size && LABEL_SIZE <= dev->size - start)
			(void)!dev_write(dev, start, zeros, LABEL_SIZE, NULL);
	}
	free(zeros);
}

void target_close(struct target *t, bool failed)
{
	if (failed && t->touched && t->unlink == NULL && t->dev != NULL)
		wipe_labels(t->dev);
	dev_close(t->dev);
	t->dev = NULL;
	if (failed && t->unlink != NULL)
		unlink(t->unlink);
	free(t->unlink);
	t->unlink = NULL;
}
