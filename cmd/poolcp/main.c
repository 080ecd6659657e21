/* poolcp: copy out of pools. Words in; which way they lead is decided here. */
#include <stdio.h>
#include <string.h>

#include "cmd/poolcp/run.h"
#include "core/entries/archive_out.h"
#include "formats/codec/checksum.h"

enum {
	OPT_LIST = 1,
	OPT_FORMAT,
	OPT_NUMERIC_OWNER,
	OPT_NO_SAME_OWNER,
	OPT_INCLUDE,
	OPT_EXCLUDE,
	OPT_STRIP,
};

static const struct cli_option options[] = {
	{ OPT_LIST, 0, "list", CLI_NOTHING },
	{ OPT_FORMAT, 0, "format", CLI_VALUE },
	{ OPT_NUMERIC_OWNER, 0, "numeric-owner", CLI_NOTHING },
	{ OPT_NO_SAME_OWNER, 0, "no-same-owner", CLI_NOTHING },
	{ OPT_INCLUDE, 0, "include", CLI_VALUE },
	{ OPT_EXCLUDE, 0, "exclude", CLI_VALUE },
	{ OPT_STRIP, 0, "strip-components", CLI_VALUE },
};

static const char usage[] =
	"usage: poolcp [options] PLACE... DESTINATION\n"
	"       poolcp [options] --list PLACE...\n"
	"\n"
	"PLACE is MEMBERS:DATASET[@[SNAPSHOT][/PATH]]. A file or volume is copied as it is. A "
	"directory,\n"
	"dataset or snapshot becomes an archive when DESTINATION is - (standard output) or ends "
	"like one\n"
	"(.tar, .tar.zst, .tgz, .cpio, .zip, .iso...), else a directory; its contents land in it.\n"
	"\n"
	"  --list            what is there, as tar -tv; names only with -q\n"
	"  --include PATTERN, --exclude PATTERN   only what matches; not what matches\n"
	"  --strip-components N   take N leading parts off every path\n"
	"  --format FORMAT   write an archive of this kind (pax, ustar, newc, tar.zst, zip...)\n"
	"  --no-same-owner   do not set owners (root sets them)\n"
	"  --numeric-owner   owners as numbers\n"
	"\n"
	"  -v  name what is copied    -q  less     -H  tabs (--list)   -p  exact numbers (--list)\n"
	"  -m PATH  a member          --pool NAME|GUID   which pool, of several\n"
	"  --offset BYTES  where a member starts         --txg N  as of the newest txg <= N\n"
	"  --progress  a progress line                   -h  this text      -V  version\n";

static const struct cli_spec spec = {
	.tool = "poolcp",
	.usage = usage,
	.options = options,
	.option_count = sizeof options / sizeof options[0],
	.shared = CLI_TABLES | CLI_MEMBERS | CLI_TXG | CLI_PROGRESS,
};

static int take(struct run *r, int id, struct err *e)
{
	const char *v = r->cli.value;

	switch (id) {
	case OPT_LIST:
		r->list = true;
		return 0;
	case OPT_NUMERIC_OWNER:
		r->numeric_owner = true;
		return 0;
	case OPT_NO_SAME_OWNER:
		r->no_same_owner = true;
		return 0;
	case OPT_INCLUDE:
		return edit_include(&r->edit, v, e) < 0 ? err_in(e, "--include") : 0;
	case OPT_EXCLUDE:
		return edit_exclude(&r->edit, v, e) < 0 ? err_in(e, "--exclude") : 0;
	case OPT_STRIP:
		return edit_parse_strip(&r->edit, v, e) < 0 ? err_in(e, "--strip-components") : 0;
	default:
		r->format = v;
		return 0;
	}
}

static int take_options(struct run *r, struct err *e)
{
	int id;

	while ((id = cli_next(&r->cli, e)) > 0) {
		if (take(r, id, e) < 0)
			return -1;
	}
	if (id < 0)
		return -1;
	if (r->format != NULL && strcmp(r->format, "raw") == 0)
		return err_set(e, ERR_USAGE,
			       "--format: raw is one file without a header: copy the file itself");
	if (r->format != NULL && !archive_out_format(r->format))
		return err_set(e, ERR_USAGE, "--format: '%s' is no archive format", r->format);
	if (r->list && (r->format != NULL || r->no_same_owner))
		return err_set(e, ERR_USAGE,
			       "--format and --no-same-owner mean nothing with --list");
	if (!r->list && (r->cli.tabs || r->cli.exact))
		return err_set(e, ERR_USAGE, "-H and -p mean nothing without --list");
	return 0;
}

/* Every word but the last is a source; which of them are places says which way to copy. */
static int check_words(const struct run *r, struct err *e)
{
	size_t count = r->cli.arg_count, places = 0;

	if (cli_need_args(&r->cli, r->list ? 1 : 2, SIZE_MAX, e) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		places += place_is(r->cli.args[i]);
	if (places == 0)
		return err_set(e, ERR_USAGE, "no word is a place in a pool (MEMBERS:DATASET...)");
	if (!r->list && place_is(r->cli.args[count - 1]))
		return err_set(e, ERR_UNSUPPORTED, "%s: copying into a pool is not built yet",
			       r->cli.args[count - 1]);
	for (size_t i = 0; i + !r->list < count; i++) {
		if (!place_is(r->cli.args[i]))
			return err_set(e, ERR_USAGE, "'%s' is no place in a pool", r->cli.args[i]);
	}
	return 0;
}

static int run(struct run *r, struct err *e)
{
	if (take_options(r, e) < 0 || check_words(r, e) < 0 || checksum_init(e) < 0)
		return -1;
	if ((r->list ? run_list(r, e) : run_out(r, e)) < 0)
		return -1;
	run_unmatched(r);
	return 0;
}

int main(int argc, char **argv)
{
	struct run r = { 0 };
	struct err e = { 0 };
	int	   rc;

	cli_start(&r.cli, &spec, argc, argv);
	rc = run(&r, &e);
	edit_fini(&r.edit);
	if (rc < 0)
		return cli_fail(&r.cli, &e);
	return cli_finish(&r.cli, r.incomplete ? 1 : 0);
}
