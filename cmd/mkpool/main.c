/* mkpool: builds a pool image. Words in, contents through the engine, one commit. */
#include <stdlib.h>
#include <string.h>

#include "cmd/mkpool/content.h"
#include "cmd/mkpool/report.h"
#include "cmd/mkpool/target.h"
#include "formats/codec/checksum.h"

/* What is open while a pool is built; build_fini closes it in order. */
struct build {
	struct options	     *o;
	struct target	      target;
	char		     *history;
	struct pool_tx	     *tx;
	struct dsl_write     *datasets;
	struct dataset_write *root;
	struct zpl_write     *files;
	struct pool_made      made;
};

static int begin_pool(struct build *b, struct err *e)
{
	struct options		  *o = b->o;
	struct pool_create_options c = {
		.name = o->pool,
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
	struct dev *dev = b->target.dev;

	b->history = options_history(o, e);
	if (b->history == NULL)
		return -1;
	c.history = b->history;
	b->target.dev = NULL;
	if (pool_tx_create(dev, &c, &b->tx, e) < 0)
		return -1;
	return props_store_pool(&o->props, b->tx, e);
}

static int begin_files(struct build *b, struct err *e)
{
	const struct options	*o = b->o;
	struct dataset_spec	 root;
	struct zpl_write_options z = {
		.time_given = o->time_given, .time = o->time,
		.root_mode = o->root_mode, .root_uid = o->root_uid, .root_gid = o->root_gid,
	};

	props_files(o->props.root, &z);
	if (dsl_write_new(b->tx, &b->datasets, e) < 0 ||
	    props_spec(o->props.root, o->pool, b->tx, &root, e) < 0 ||
	    dataset_write_create(b->datasets, &root, &b->root, e) < 0)
		return -1;
	return zpl_write_create(b->root, &z, &b->files, e);
}

/* The pool's time is what was asked for, else that of the newest thing in it. */
static void set_time(struct build *b)
{
	int64_t newest = zpl_write_counts(b->files).newest;

	if (!b->o->time_given)
		pool_tx_set_time(b->tx, newest < 0 ? 0 : (uint64_t)newest);
}

static int store_bootfs(struct build *b, struct err *e)
{
	const char *name = b->o->props.bootfs;

	if (name == NULL)
		return 0;
	if (strcmp(name, dataset_write_name(b->root)) != 0)
		return err_set(e, ERR_NOTFOUND, "bootfs: no dataset %s", name);
	return props_store_bootfs(&b->o->props, b->tx, dataset_write_object(b->root), e);
}

static int end_pool(struct build *b, struct err *e)
{
	uint64_t used;

	if (store_bootfs(b, e) < 0)
		return -1;
	set_time(b);
	if (dataset_write_finish(b->root, e) < 0 || dsl_write_finish(b->datasets, &used, e) < 0 ||
	    cli_check_interrupt(e) < 0)
		return -1;
	return pool_tx_commit(b->tx, used, &b->made, e);
}

static void build_fini(struct build *b, bool failed)
{
	zpl_write_free(b->files);
	pool_tx_free(b->tx);
	dsl_write_free(b->datasets);
	target_close(&b->target, failed);
	free(b->history);
}

static int build(struct options *o, struct err *e)
{
	struct build b = { .o = o };
	int	     rc = -1;

	if (checksum_init(e) < 0 || target_open(o, &b.target, e) < 0)
		return -1;
	if (begin_pool(&b, e) == 0 && begin_files(&b, e) == 0 &&
	    content_write(o, b.files, e) == 0 && end_pool(&b, e) == 0)
		rc = 0;
	if (rc == 0 && (o->dry_run || o->cli.verbose > 0)) {
		struct zpl_written written = zpl_write_counts(b.files);

		report(o, &b.made, &written);
	}
	build_fini(&b, rc < 0);
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
