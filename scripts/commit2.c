/*
 * commit2 [--dataset NAME] [--time SECONDS] [--history TEXT] [--threads N] [--add PATH=HOSTFILE]...
 *         [--replace PATH=HOSTFILE]... [--remove PATH]... IMAGE: changes one file system of the
 *         exported pool on IMAGE in
 * one commit, through the write path that makes new pools; for scripts/commit-corpus.sh.
 * Changes are made in the order given. --add refuses a name that is there, --replace one that
 * is not. The time is the newest uberblock's plus one unless given. Prints what it did; exit
 * status 1 with the reason.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/pool/tx.h"
#include "core/zpl/zpl_read.h"
#include "core/zpl/zpl_write.h"
#include "formats/base/limits.h"

enum { PIECE = 1 << 20, CHANGES_MAX = 1000, RECORD_SIZE = 128 << 10 };

struct change {
	int	    kind; /* 'a', 'r' or 'd' */
	const char *path, *host;
};

struct run {
	struct change		changes[CHANGES_MAX];
	size_t			count;
	const char	       *dataset, *image;
	bool			time_given;
	struct pool_tx_options	tx;
	struct pool	       *pool;
	struct pool_tx	       *t;
	struct dsl_write       *dsl;
	struct dataset_write   *d;
	struct zpl_write       *z;
};

static bool is_there(struct run *r, const char *path)
{
	struct zpl *z;
	uint64_t    object;
	bool	    found;

	if (zpl_open_set(objset_write_old(dataset_write_objset(r->d)), r->dataset, &z, NULL) < 0)
		return false;
	found = zpl_lookup(z, path, &object, NULL) == 0;
	zpl_close(z);
	return found;
}

static int copy_contents(struct entry_sink *sink, FILE *in, struct err *e)
{
	static uint8_t buf[PIECE];
	uint64_t       at = 0;
	size_t	       n;

	while ((n = fread(buf, 1, sizeof buf, in)) > 0) {
		if (sink->data(sink->self, at, bytes_of(buf, n, ORDER_NATIVE), e) < 0)
			return -1;
		at += n;
	}
	return sink->end(sink->self, NULL, e);
}

static int put_file(struct run *r, const struct change *c, struct err *e)
{
	struct entry_sink sink = zpl_write_sink(r->z);
	FILE		 *in = fopen(c->host, "rb");
	struct entry	  entry = { .kind = ENTRY_FILE,
				    .path = c->path,
				    .path_size = strlen(c->path),
				    .mode = 0640,
				    .uid = 1234,
				    .gid = 5678 };
	int		  rc = -1;

	if (in == NULL)
		return err_set(e, ERR_IO, "%s cannot be read", c->host);
	if (is_there(r, c->path) != (c->kind == 'r')) {
		err_set(e, ERR_REFUSED, "%s is %s", c->path,
			c->kind == 'r' ? "not there" : "there already");
		goto out;
	}
	fseek(in, 0, SEEK_END);
	entry.size = (uint64_t)ftell(in);
	rewind(in);
	entry.mtime = (struct entry_time){ (int64_t)r->tx.time, 123456789 };
	if (sink.begin(sink.self, &entry, e) < 0 || copy_contents(&sink, in, e) < 0)
		goto out;
	printf("%s %s (%" PRIu64 " bytes)\n", c->kind == 'r' ? "replaced" : "added", c->path,
	       entry.size);
	rc = 0;
out:
	fclose(in);
	return rc;
}

static int make_changes(struct run *r, struct err *e)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct change *c = &r->changes[i];

		if (c->kind != 'd') {
			if (put_file(r, c, e) < 0)
				return -1;
			continue;
		}
		if (zpl_write_remove(r->z, c->path, strlen(c->path), e) < 0)
			return -1;
		printf("removed %s\n", c->path);
	}
	return 0;
}

static int commit(struct run *r, struct err *e)
{
	struct zpl_write_options o = { .record_size = RECORD_SIZE,
				       .time_given = true,
				       .root_mode = 0755 };
	struct entry_sink	 sink;

	if (!r->time_given)
		r->tx.time = pool_uberblock(r->pool)->timestamp + 1;
	o.time = r->tx.time;
	if (r->dataset == NULL)
		r->dataset = pool_name(r->pool);
	if (pool_tx_open(r->pool, &r->tx, &r->t, e) < 0 || dsl_write_open(r->t, &r->dsl, e) < 0 ||
	    dataset_write_open(r->dsl, r->dataset, &r->d, e) < 0 ||
	    zpl_write_open(r->d, &o, &r->z, e) < 0 || make_changes(r, e) < 0)
		return -1;
	sink = zpl_write_sink(r->z);
	if (sink.finish(sink.self, e) < 0 || dataset_write_finish(r->d, e) < 0 ||
	    dsl_write_finish(r->dsl, NULL, e) < 0 ||
	    pool_tx_commit(r->t, 0, NULL, e) < 0)
		return -1;
	printf("%s: txg %" PRIu64 " -> %" PRIu64 "\n", r->dataset, pool_uberblock(r->pool)->txg,
	       pool_tx_txg(r->t));
	return 0;
}

static int add_change(struct run *r, int kind, char *text)
{
	char *host = kind == 'd' ? NULL : strchr(text, '=');

	if (r->count == CHANGES_MAX || (kind != 'd' && host == NULL))
		return -1;
	if (host != NULL)
		*host++ = '\0';
	r->changes[r->count++] = (struct change){ kind, text, host };
	return 0;
}

static int read_words(struct run *r, int argc, char **argv)
{
	static const struct option options[] = {
		{ "dataset", required_argument, NULL, 'D' },
		{ "time", required_argument, NULL, 't' },
		{ "history", required_argument, NULL, 'h' },
		{ "threads", required_argument, NULL, 'j' },
		{ "add", required_argument, NULL, 'a' },
		{ "replace", required_argument, NULL, 'r' },
		{ "remove", required_argument, NULL, 'd' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'D')
			r->dataset = optarg;
		else if (c == 't') {
			r->time_given = true;
			r->tx.time = strtoull(optarg, NULL, 10);
		} else if (c == 'h')
			r->tx.history = optarg;
		else if (c == 'j')
			r->tx.threads = (unsigned)strtoul(optarg, NULL, 10);
		else if (c == '?' || add_change(r, c, optarg) < 0)
			return -1;
	}
	r->image = argv[optind];
	return optind + 1 == argc ? 0 : -1;
}

int main(int argc, char **argv)
{
	static struct run   r = { .tx.threads = 1 };
	struct err	    e = { 0 };
	struct pool_options o = { .paths = &r.image, .path_count = 1, .mode = DEV_WRITE };
	int		    rc;

	if (read_words(&r, argc, argv) < 0) {
		fprintf(stderr, "usage: commit2 [option]... image (see the head of its source)\n");
		return 2;
	}
	rc = pool_open(&o, &r.pool, &e);
	if (rc == 0)
		rc = commit(&r, &e);
	if (rc < 0)
		fprintf(stderr, "commit2: %s: %s\n", r.image, e.text);
	zpl_write_free(r.z);
	pool_tx_free(r.t);
	dsl_write_free(r.dsl);
	pool_close(r.pool);
	return rc < 0;
}
