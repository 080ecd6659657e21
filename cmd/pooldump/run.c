/* Opening what the words name, and saying what is damaged. */
#include "cmd/pooldump/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Was it the last try? Copies and ways are tried in order, so nothing was left. Walks step over
 * such a block without an error of their own.
 */
static bool is_last_try(struct run *r, const struct block_event *event)
{
	return r->pool != NULL && event->copy + 1 == blkptr_copies(event->bp) &&
	       event->way + 1 >= vdev_ways(pool_vdevs(r->pool), event->vdev);
}

static void on_event(void *ctx, const struct block_event *event)
{
	struct run *r = ctx;
	char	    where[128];
	struct text t = text_in(where, sizeof where);

	if (is_last_try(r, event))
		r->damaged = true;
	if (r->cli.verbose < 0)
		return;
	block_where_text(event->where, &t);
	cli_say(&r->cli, "warning: %s: copy %u at vdev %" PRIu32 " offset %" PRIx64 ": %s", where,
		event->copy, event->vdev, event->offset, event->why->text);
}

int run_open(struct run *r, const char *const *paths, size_t count, struct err *e)
{
	struct pool_options o = cli_pool_options(&r->cli, paths, count);

	if (o.path_count == 0)
		return err_set(e, ERR_USAGE, "no member is named, and there is no -m");
	o.on_event = on_event;
	o.ctx = r;
	if (pool_open(&o, &r->pool, e) < 0)
		return -1;
	for (size_t i = 0; r->cli.verbose >= 0 && i < pool_warning_count(r->pool); i++)
		cli_say(&r->cli, "warning: %s", pool_warning(r->pool, i));
	return 0;
}

static int open_dataset(struct run *r, bool need_files, struct err *e)
{
	char	  *name = place_dataset_name(&r->place);
	struct err why;

	if (name == NULL)
		return err_nomem(e);

	int rc = dataset_open(r->pool, name, &r->dataset, e);

	free(name);
	if (rc < 0)
		return -1;
	if (dataset_objset(&r->dataset, &r->objset, e) < 0)
		return -1;
	if (r->objset.phys.type != OBJSET_ZPL && !need_files)
		return 0;
	if (zpl_open(&r->dataset, &r->zpl, &why) == 0)
		return 0;
	if (need_files) {
		*e = why;
		return -1;
	}
	run_trouble(r, &why);
	return 0;
}

int run_open_place(struct run *r, const char *word, bool need_files, struct err *e)
{
	if (place_parse(word, &r->place, e) < 0)
		return -1;
	if (r->place.dataset[0] == '\0' && need_files)
		return err_set(e, ERR_USAGE, "'%s' names no dataset", word);
	if (run_open(r, (const char *const *)r->place.members, r->place.member_count, e) < 0)
		return -1;
	if (r->place.dataset[0] != '\0')
		return open_dataset(r, need_files, e);
	r->objset = *pool_mos(r->pool);
	return 0;
}

void run_close(struct run *r)
{
	zpl_close(r->zpl);
	if (r->pool != NULL)
		pool_close(r->pool);
	place_free(&r->place);
	r->zpl = NULL;
	r->pool = NULL;
}

void run_trouble(struct run *r, const struct err *why)
{
	r->damaged = true;
	cli_say(&r->cli, "%s", why->text);
}

static int put(void *ctx, const char *text, size_t n, struct err *e)
{
	(void)ctx;
	if (cli_check_interrupt(e) < 0)
		return -1;
	if (fwrite(text, 1, n, stdout) != n)
		return err_errno(e, errno, "standard output");
	return 0;
}

static void trouble(void *ctx, const struct err *why)
{
	run_trouble(ctx, why);
}

struct dump run_dump(struct run *r)
{
	return (struct dump){ .ctx = r, .put = put, .trouble = trouble, .all = r->cli.verbose > 0 };
}

const char *run_quote(const void *name, size_t n, char *out, size_t cap)
{
	struct text t = text_in(out, cap);

	text_name(&t, name, n);
	if (t.cut && cap > 4)
		memcpy(out + cap - 4, "...", 4);
	return out;
}
