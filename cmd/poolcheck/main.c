/* poolcheck: reads every copy of every block and compares every structure with the others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/poolcheck/report.h"
#include "core/dsl/dsl_read.h"
#include "formats/codec/checksum.h"

enum { OPT_METADATA = 1, OPT_FAST, OPT_EXPLAIN };

static const struct cli_option options[] = {
	{ OPT_METADATA, 0, "metadata", CLI_NOTHING },
	{ OPT_FAST, 0, "fast", CLI_NOTHING },
	{ OPT_EXPLAIN, 0, "explain", CLI_VALUE },
};

static const char usage[] =
	"usage: poolcheck [options] MEMBER...\n"
	"       poolcheck --explain CODE\n"
	"\n"
	"Reads every copy of every block of the pool, and compares labels, space maps and accounts "
	"with\n"
	"what is there. Nothing is written.\n"
	"\n"
	"  --metadata      skip the contents of files and volumes\n"
	"  --fast          read one copy of each block\n"
	"  --explain CODE  what a finding means\n"
	"  -j N            threads (default: the online CPUs)\n"
	"  -v  notes too   -q  the verdict alone        -H  tabs, no headers\n"
	"  -p  exact numbers    -m PATH  a member       --pool NAME|GUID\n"
	"  --offset BYTES  where a member starts        --txg N  as of the newest txg <= N\n"
	"  --progress      say how far it is            -h  this text      -V  version\n"
	"\n"
	"Exit status, as fsck(8): 0 clean, 4 errors, 8 could not check, 16 usage, 32 interrupted; "
	"they add.\n";

static const struct cli_spec spec = {
	.tool = "poolcheck",
	.usage = usage,
	.options = options,
	.option_count = sizeof options / sizeof options[0],
	.shared = CLI_TABLES | CLI_MEMBERS | CLI_TXG | CLI_THREADS | CLI_PROGRESS,
	.fsck_codes = true,
};

enum { EXIT_ERRORS = 4, EXIT_UNCHECKED = 8, EXIT_INTERRUPTED = 32 };

struct run {
	struct cli	     cli;
	struct check_options check;
	struct report	     report;
	struct pool	    *pool;
	const char	    *explain;
};

static int tick(void *ctx, uint64_t bytes, struct err *e)
{
	struct report *r = ctx;

	progress_at(&r->cli->progress, bytes);
	return cli_check_interrupt(e);
}

static int take_options(struct run *r, struct err *e)
{
	int id;

	while ((id = cli_next(&r->cli, e)) > 0) {
		switch (id) {
		case OPT_METADATA:
			r->check.metadata_only = true;
			break;
		case OPT_FAST:
			r->check.fast = true;
			break;
		case OPT_EXPLAIN:
			r->explain = r->cli.value;
			break;
		}
	}
	return id;
}

/* The words at a width that a terminal has. */
static void print_wrapped(const char *text)
{
	enum { WIDTH = 78 };
	size_t column = 0;

	while (*text != '\0') {
		size_t n = strcspn(text, " ");

		if (column > 0 && column + 1 + n > WIDTH) {
			putchar('\n');
			column = 0;
		}
		column += (size_t)printf("%s%.*s", column > 0 ? " " : "", (int)n, text);
		text += n + strspn(text + n, " ");
	}
	putchar('\n');
}

static int explain(const struct run *r, struct err *e)
{
	enum finding_code code = finding_by_name(r->explain);

	if (r->cli.arg_count > 0)
		return err_set(e, ERR_USAGE, "--explain takes no member");
	if (code == FINDING_COUNT)
		return err_set(e, ERR_USAGE, "no finding is called '%s'", r->explain);
	printf("%s (%s)\n", finding_name(code), finding_severity_name(finding_severity(code)));
	print_wrapped(finding_explain(code));
	return 0;
}

/* About how much there is to read. */
static uint64_t total_bytes(struct run *r)
{
	struct dataset root;

	if (dataset_open(r->pool, pool_name(r->pool), &root, NULL) < 0)
		return 0;
	return root.dir.used;
}

static int check(struct run *r, int *status, struct err *e)
{
	struct pool_options o = cli_pool_options(&r->cli, r->cli.args, r->cli.arg_count);
	struct check_result result = { 0 };
	struct err	    why = { 0 };
	int		    rc;

	if (o.path_count == 0)
		return err_set(e, ERR_USAGE, "no member is named, and there is no -m");
	if (pool_open(&o, &r->pool, e) < 0)
		return -1;
	for (size_t i = 0; i < pool_warning_count(r->pool) && r->cli.verbose > 0; i++)
		cli_say(&r->cli, "warning: %s", pool_warning(r->pool, i));
	r->report.cli = &r->cli;
	r->check.pool = r->pool;
	r->check.threads = r->cli.threads;
	r->check.earlier = r->cli.txg_given;
	r->check.on_finding = report_finding;
	r->check.tick = tick;
	r->check.ctx = &r->report;
	progress_begin(&r->cli.progress, "checking", total_bytes(r), r->cli.progress_given);
	rc = check_pool(&r->check, &result, &why);
	progress_end(&r->cli.progress);
	if (rc == 0 || why.kind == ERR_INTERRUPTED) {
		*status = (result.errors > 0 ? EXIT_ERRORS : 0) |
			  (result.unchecked > 0 ? EXIT_UNCHECKED : 0) |
			  (rc < 0 ? EXIT_INTERRUPTED : 0);
		rc = report_print(&r->report, r->pool, &result, rc == 0, e);
	} else if (e != NULL) {
		*e = why;
	}
	free(result.devices);
	return rc;
}

int main(int argc, char **argv)
{
	struct run r = { 0 };
	struct err e = { 0 };
	int	   status = 0, rc;

	cli_start(&r.cli, &spec, argc, argv);
	rc = take_options(&r, &e);
	if (rc == 0)
		rc = checksum_init(&e);
	if (rc == 0)
		rc = r.explain != NULL ? explain(&r, &e) : check(&r, &status, &e);
	report_fini(&r.report);
	pool_close(r.pool);
	return rc < 0 ? cli_fail(&r.cli, &e) : cli_finish(&r.cli, status);
}
