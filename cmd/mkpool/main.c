/* mkpool: builds a pool image. Words in, contents through the engine, one commit. */
#include <stdlib.h>

#include "cmd/mkpool/content.h"
#include "cmd/mkpool/limits.h"
#include "cmd/mkpool/mounts.h"
#include "cmd/mkpool/report.h"
#include "cmd/mkpool/target.h"
#include "cmd/mkpool/verify.h"
#include "formats/codec/checksum.h"

/* What is open while a pool is built. */
struct build {
	struct options	*o;
	struct target	 target;
	char		*history;
	struct pool_tx	*tx;
	struct datasets	 datasets;
	struct pool_made made;
};

static int begin_pool(struct build *b, struct err *e)
{
	struct options		  *o = b->o;
	struct pool_create_options c = {
		.name = o->pool,
		.version = o->props.version,
		.features = o->props.features,
		.ashift = o->props.ashift,
		.size = b->target.size,
		.vdev_type = o->vdev_type,
		/* the same everywhere: whoever imports it sets its own */
		.vdev_path = "/dev/poolkit",
		.seed = o->seed,
		.compatibility = o->props.compatibility,
		.comment = o->props.comment,
		.tx = { .threads = o->cli.threads, .time = o->time },
	};
	struct dev *dev;

	b->history = options_history(o, e);
	if (b->history == NULL)
		return -1;
	c.history = b->history;
	if (dev_borrow_new(b->target.dev, &dev, e) < 0)
		return -1;
	b->target.touched = true;
	if (pool_tx_create(dev, &c, &b->tx, e) < 0)
		return -1;
	return props_store_pool(&o->props, b->tx, e);
}

static int do_step(struct build *b, const struct plan_step *s, struct err *e)
{
	switch (s->kind) {
	case PLAN_CREATE:
		return datasets_create(&b->datasets, s->dataset, e);
	case PLAN_FILL:
		return content_write(b->o, &b->datasets, s, e);
	default:
		return datasets_snapshot(&b->datasets, s->dataset, s->snapshot, e);
	}
}

/* Everything in the order of the command line. */
static int do_steps(struct build *b, struct err *e)
{
	const struct plan *plan = &b->o->plan;
	int		   rc = datasets_begin(&b->datasets, b->o, b->tx, e);

	progress_begin(&b->o->cli.progress, "reading", 0, b->o->cli.progress_given);
	for (size_t i = 0; rc == 0 && i < plan->step_count; i++)
		rc = do_step(b, &plan->steps[i], e);
	progress_end(&b->o->cli.progress);
	return rc;
}

static int store_bootfs(struct build *b, struct err *e)
{
	size_t index = b->o->plan.bootfs;

	if (b->o->props.bootfs == NULL)
		return 0;
	return pool_tx_set_property(
		b->tx, "bootfs", dataset_write_object(b->datasets.list[index].d), NULL, e);
}

static int end_pool(struct build *b, struct err *e)
{
	uint64_t used;

	if (store_bootfs(b, e) < 0 || mounts_make_dirs(&b->datasets, e) < 0 ||
	    datasets_finish(&b->datasets, &used, e) < 0 || limits_check(&b->datasets, e) < 0 ||
	    cli_check_interrupt(e) < 0 || pool_tx_commit(b->tx, used, &b->made, e) < 0)
		return -1;
	return limits_check_made(&b->datasets, &b->made, e);
}

static void close_pool(struct build *b)
{
	datasets_stop(&b->datasets);
	pool_tx_free(b->tx);
	b->tx = NULL;
}

static int build(struct options *o, struct err *e)
{
	struct build b = { .o = o };
	int	     rc = -1;

	if (checksum_init(e) < 0 || target_open(o, &b.target, e) < 0)
		return -1;
	if (begin_pool(&b, e) == 0 && do_steps(&b, e) == 0 && end_pool(&b, e) == 0)
		rc = 0;
	close_pool(&b);
	if (rc == 0 && o->verify)
		rc = verify(o, b.target.dev, e);
	if (rc == 0 && (o->dry_run || o->cli.verbose > 0))
		report(o, &b.made, &b.datasets);
	datasets_fini(&b.datasets);
	target_close(&b.target, rc < 0);
	free(b.history);
	return rc;
}

int main(int argc, char **argv)
{
	struct options o;
	struct err     e = { 0 };
	int	       rc = options_parse(&o, argc, argv, &e);

	if (rc == 0)
		rc = build(&o, &e);
	options_fini(&o);
	return rc < 0 ? cli_fail(&o.cli, &e) : cli_finish(&o.cli, 0);
}
