/*
 * dslscript [--threads N] [--time SECONDS] [--set NAME] [--open] POOL IMAGE <SCRIPT: makes a new
 * pool (or, with --open, changes one that exists) as the lines of SCRIPT say, in one commit. To
 * have pools of any shape for zdb, poolcheck and real kernels to judge. --set: a compatibility set.
 *
 *   dataset NAME [quota=N] [reservation=N] [refreservation=N]   makes a file system, and goes there
 *   volume NAME [...]            makes a volume without anything in it
 *   use NAME                     opens a dataset of an existing pool, and goes there
 *   put PATH SIZE SEED           a file of SIZE bytes that SEED decides, in the dataset gone to
 *   remove PATH
 *   snapshot NAME [USERPROP=TEXT]
 *   feature GUID
 *   finish                       the dataset is done
 *
 * The first dataset of a new pool is its root. Prints the pool's txg.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pool/tx.h"
#include "core/zpl/zpl_write.h"
#include "formats/base/limits.h"

enum { WORDS_MAX = 8, RECORD_SIZE = 128 << 10 };

struct run {
	const char	     *name, *image, *set;
	bool		      open;
	struct pool_tx_options tx;
	struct pool	     *pool;
	struct pool_tx	     *t;
	struct dsl_write     *dsl;
	struct dataset_write *d;
	struct zpl_write     *z;
	char		     *words[WORDS_MAX];
	size_t		      count;
};

static const struct zpl_write_options zpl_options = {
	.record_size = RECORD_SIZE, .time_given = true, .time = 1700000000, .root_mode = 0755
};

static int begin(struct run *r, struct err *e)
{
	struct pool_options	   how = { .paths = &r->image, .path_count = 1,
					   .mode = DEV_WRITE };
	struct feature_set	   set;
	struct pool_create_options o = {
		.name = r->name, .ashift = 12, .seed = "", .history = "dslscript",
		.vdev_type = "disk", .vdev_path = "/dev/poolkit",
		.size = { .rule = POOL_SIZE_AVAIL, .avail = 64 << 20 }, .tx = r->tx,
	};
	struct dev *dev;

	if (r->open) {
		if (pool_open(&how, &r->pool, e) < 0 ||
		    pool_tx_open(r->pool, &r->tx, &r->t, e) < 0)
			return -1;
		return dsl_write_open(r->t, &r->dsl, e);
	}
	if (!feature_set_by_name(r->set, &set, NULL))
		return err_set(e, ERR_USAGE, "no set %s", r->set);
	o.features = feature_set_close(set);
	fclose(fopen(r->image, "wb"));
	if (dev_file_open(r->image, DEV_WRITE, &dev, e) < 0 ||
	    pool_tx_create(dev, &o, &r->t, e) < 0)
		return -1;
	return dsl_write_new(r->t, &r->dsl, e);
}

/* -- lines ------------------------------------------------------------------------------------- */

/* What writes to the dataset is done for now. */
static int end_files(struct run *r, struct err *e)
{
	struct entry_sink sink;

	if (r->z == NULL)
		return 0;
	sink = zpl_write_sink(r->z);
	if (sink.finish(sink.self, e) < 0)
		return -1;
	zpl_write_free(r->z);
	r->z = NULL;
	return 0;
}

static uint64_t number_of(const struct run *r, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 2; i < r->count; i++) {
		if (strncmp(r->words[i], name, n) == 0 && r->words[i][n] == '=')
			return strtoull(r->words[i] + n + 1, NULL, 0);
	}
	return 0;
}

static int make(struct run *r, enum objset_type type, struct err *e)
{
	struct dsl_property props[] = {
		{ "quota", number_of(r, "quota"), NULL },
		{ "reservation", number_of(r, "reservation"), NULL },
		{ "refreservation", number_of(r, "refreservation"), NULL },
	};
	struct dataset_spec spec = {
		.name = r->words[1], .type = type, .quota = props[0].number,
		.reservation = props[1].number, .refreservation = props[2].number,
		.policy = pool_tx_mos_policy(r->t),
	};
	struct dsl_property set[3];

	for (size_t i = 0; i < 3; i++) {
		if (props[i].number != 0)
			set[spec.prop_count++] = props[i];
	}
	spec.props = set;
	spec.policy.data_copies = 1;
	spec.policy.meta_copies = 2;
	if (dataset_write_create(r->dsl, &spec, &r->d, e) < 0)
		return -1;
	return type == OBJSET_ZPL ? zpl_write_create(r->d, &zpl_options, &r->z, e) : 0;
}

/* After a snapshot the file system is opened when something is put into it. */
static int want_files(struct run *r, struct err *e)
{
	return r->z == NULL ? zpl_write_open(r->d, &zpl_options, &r->z, e) : 0;
}

static int put(struct run *r, struct err *e)
{
	static uint8_t	  block[RECORD_SIZE];
	uint64_t	  size = strtoull(r->words[2], NULL, 0), x = strtoull(r->words[3], NULL, 0);
	struct entry	  in = { .kind = ENTRY_FILE, .path = r->words[1],
				 .path_size = strlen(r->words[1]), .mode = 0644, .size = size,
				 .mtime = { 1600000000, 0 } };
	struct entry_sink sink;

	if (want_files(r, e) < 0)
		return -1;
	sink = zpl_write_sink(r->z);
	if (sink.begin(sink.self, &in, e) < 0)
		return -1;
	for (uint64_t at = 0; at < size; at += sizeof block) {
		size_t n = min64(size - at, sizeof block);

		for (size_t i = 0; i < n; i++) {
			x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			block[i] = (uint8_t)(x >> 56);
		}
		if (sink.data(sink.self, at, bytes_of(block, n, ORDER_NATIVE), e) < 0)
			return -1;
	}
	return sink.end(sink.self, NULL, e);
}

static int snapshot(struct run *r, struct err *e)
{
	struct dsl_property prop = { 0 };
	char		   *text = r->count > 2 ? strchr(r->words[2], '=') : NULL;

	if (text != NULL) {
		*text = '\0';
		prop = (struct dsl_property){ .name = r->words[2], .text = text + 1 };
	}
	if (end_files(r, e) < 0)
		return -1;
	return dataset_write_snapshot(r->d, r->words[1], &prop, text != NULL, e);
}

static int finish(struct run *r, struct err *e)
{
	if (end_files(r, e) < 0 || dataset_write_finish(r->d, e) < 0)
		return -1;
	r->d = NULL;
	return 0;
}

static int do_line(struct run *r, struct err *e)
{
	const char *word = r->words[0];

	if (strcmp(word, "dataset") == 0)
		return make(r, OBJSET_ZPL, e);
	if (strcmp(word, "volume") == 0)
		return make(r, OBJSET_ZVOL, e);
	if (strcmp(word, "use") == 0)
		return dataset_write_open(r->dsl, r->words[1], &r->d, e);
	if (strcmp(word, "put") == 0)
		return put(r, e);
	if (strcmp(word, "remove") == 0)
		return want_files(r, e) < 0 ? -1
					    : zpl_write_remove(r->z, r->words[1],
							       strlen(r->words[1]), e);
	if (strcmp(word, "snapshot") == 0)
		return snapshot(r, e);
	if (strcmp(word, "feature") == 0)
		return dataset_write_feature(r->d, r->words[1], e);
	if (strcmp(word, "finish") == 0)
		return finish(r, e);
	return err_set(e, ERR_USAGE, "what is '%s'", word);
}

static int run_script(struct run *r, struct err *e)
{
	char	 line[1024];
	uint64_t used;

	while (fgets(line, sizeof line, stdin) != NULL) {
		char *rest = line, *word;

		r->count = 0;
		while (r->count < WORDS_MAX && (word = strsep(&rest, " \n")) != NULL) {
			if (*word != '\0')
				r->words[r->count++] = word;
		}
		if (r->count > 0 && r->words[0][0] != '#' && do_line(r, e) < 0)
			return -1;
	}
	if (dsl_write_finish(r->dsl, &used, e) < 0)
		return -1;
	return pool_tx_commit(r->t, used, NULL, e);
}

static int read_words(struct run *r, int argc, char **argv)
{
	static const struct option options[] = {
		{ "threads", required_argument, NULL, 'j' },
		{ "time", required_argument, NULL, 't' },
		{ "set", required_argument, NULL, 's' },
		{ "open", no_argument, NULL, 'o' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'j')
			r->tx.threads = (unsigned)strtoul(optarg, NULL, 10);
		else if (c == 't')
			r->tx.time = strtoull(optarg, NULL, 10);
		else if (c == 's')
			r->set = optarg;
		else if (c == 'o')
			r->open = true;
		else
			return -1;
	}
	if (optind + 2 != argc)
		return -1;
	r->name = argv[optind];
	r->image = argv[optind + 1];
	return 0;
}

int main(int argc, char **argv)
{
	static struct run r = { .set = "openzfs-2.1-linux",
				.tx = { .threads = 1, .time = 1700000000 } };
	struct err	  e = { 0 };
	int		  rc;

	if (read_words(&r, argc, argv) < 0) {
		fprintf(stderr,
			"usage: dslscript [option]... pool image (see the head of its source)\n");
		return 2;
	}
	rc = begin(&r, &e);
	if (rc == 0)
		rc = run_script(&r, &e);
	if (rc == 0)
		printf("%s: txg %" PRIu64 "\n", r.image, pool_tx_txg(r.t));
	else
		fprintf(stderr, "dslscript: %s: %s\n", r.image, e.text);
	zpl_write_free(r.z);
	pool_tx_free(r.t);
	dsl_write_free(r.dsl);
	pool_close(r.pool);
	return rc < 0;
}
