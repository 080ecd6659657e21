/* pooldump: look inside a pool. Words in, verbs out; each verb is in a file of its family. */
#include <stdio.h>
#include <string.h>

#include "cmd/pooldump/run.h"
#include "formats/codec/checksum.h"

enum { OPT_COLUMNS = 1, OPT_RECURSIVE, OPT_TYPES };

static const struct cli_option options[] = {
	{ OPT_COLUMNS, 'o', NULL, CLI_VALUE },
	{ OPT_RECURSIVE, 'r', NULL, CLI_NOTHING },
	{ OPT_TYPES, 't', NULL, CLI_VALUE },
};

static const char usage[] =
	"usage: pooldump VERB [options] MEMBER...\n"
	"       pooldump VERB [options] PLACE [ARGUMENT]\n"
	"\n"
	"  pools MEMBER...                  the pools here, and whether they are complete\n"
	"  labels MEMBER...                 the labels of each member\n"
	"  uberblocks MEMBER...             the uberblocks of each member, newest first\n"
	"  config MEMBER...                 the pool's configuration\n"
	"  datasets [-r] [-o COLUMN,...] [-t TYPE,...] MEMBER...\n"
	"  properties [-r] PLACE|MEMBER [PROPERTY,...]  of a dataset, of the pool\n"
	"  features MEMBER...               the pool's features, and which sets it meets\n"
	"  objects PLACE                    every object of a dataset (MEMBERS: the pool's own)\n"
	"  object PLACE [N]                 one object in full; without N the file at PLACE\n"
	"  ls PLACE                         a directory or file\n"
	"  userspace PLACE                  who owns how much of a file system, and their quotas;\n"
	"                                   groupspace and projectspace: of groups, projects\n"
	"  block MEMBERS: VDEV:OFFSET:SIZE  bytes of a vdev (offset and size in hex)\n"
	"\n"
	"  -v  more (raw lists whole, block pointers)   -q  less      -H  tabs, no headers\n"
	"  -p  exact numbers    -m PATH  a member       --pool NAME|GUID\n"
	"  --offset BYTES  where a member starts        --txg N  as of the newest txg <= N\n"
	"  -h  this text        -V  version\n"
	"\n"
	"PLACE is MEMBERS:DATASET[@[SNAPSHOT][/PATH]].\n";

static const struct cli_spec spec = {
	.tool = "pooldump",
	.usage = usage,
	.options = options,
	.option_count = sizeof options / sizeof options[0],
	.shared = CLI_TABLES | CLI_MEMBERS | CLI_TXG,
};

enum { HAS_LISTING = 1, HAS_TABLE = 2, HAS_TXG = 4 };

static const struct verb {
	const char *name;
	int (*run)(struct run *r, struct err *e);
	size_t	 min, max; /* words after the verb */
	unsigned has;	   /* options that only some verbs take */
} verbs[] = {
	{ "pools", verb_pools, 0, SIZE_MAX, 0 },
	{ "labels", verb_labels, 0, SIZE_MAX, 0 },
	{ "uberblocks", verb_uberblocks, 0, SIZE_MAX, HAS_TABLE },
	{ "config", verb_config, 0, SIZE_MAX, HAS_TXG },
	{ "datasets", verb_datasets, 0, SIZE_MAX, HAS_LISTING | HAS_TABLE | HAS_TXG },
	{ "properties", verb_properties, 1, 2, HAS_LISTING | HAS_TABLE | HAS_TXG },
	{ "features", verb_features, 0, SIZE_MAX, HAS_TABLE | HAS_TXG },
	{ "objects", verb_objects, 1, 1, HAS_TABLE | HAS_TXG },
	{ "object", verb_object, 1, 2, HAS_TXG },
	{ "ls", verb_ls, 1, 1, HAS_TABLE | HAS_TXG },
	{ "userspace", verb_userspace, 1, 1, HAS_TABLE | HAS_TXG },
	{ "groupspace", verb_groupspace, 1, 1, HAS_TABLE | HAS_TXG },
	{ "projectspace", verb_projectspace, 1, 1, HAS_TABLE | HAS_TXG },
	{ "block", verb_block, 2, 2, HAS_TXG },
};

static int take_options(struct run *r, unsigned *used, struct err *e)
{
	int id;

	while ((id = cli_next(&r->cli, e)) > 0) {
		*used |= HAS_LISTING;
		if (id == OPT_COLUMNS)
			r->columns = r->cli.value;
		else if (id == OPT_RECURSIVE)
			r->recursive = true;
		else if (id == OPT_TYPES)
			r->types = r->cli.value;
	}
	if (r->cli.tabs || r->cli.exact)
		*used |= HAS_TABLE;
	if (r->cli.txg_given)
		*used |= HAS_TXG;
	return id;
}

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
		if (strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	return NULL;
}

static int check_words(struct run *r, const struct verb *v, unsigned used, struct err *e)
{
	static const char *const names[] = {
		[HAS_LISTING] = "-o, -r or -t", [HAS_TABLE] = "-H or -p", [HAS_TXG] = "--txg"
	};
	size_t words = r->cli.arg_count - 1;

	for (unsigned bit = HAS_LISTING; bit <= HAS_TXG; bit <<= 1)
		if ((used & bit) != 0 && (v->has & bit) == 0)
			return err_set(e, ERR_USAGE, "%s takes no %s", v->name, names[bit]);
	if (words < v->min)
		return err_set(e, ERR_USAGE, "%s: an argument is missing", v->name);
	if (words > v->max)
		return err_set(e, ERR_USAGE, "%s: '%s' is one argument too many", v->name,
			       r->cli.args[v->max + 1]);
	return 0;
}

static int run_verb(struct run *r, struct err *e)
{
	const struct verb *v;
	unsigned	   used = 0;

	if (take_options(r, &used, e) < 0)
		return -1;
	if (r->cli.arg_count == 0)
		return err_set(e, ERR_USAGE, "no verb");
	v = find_verb(r->cli.args[0]);
	if (v == NULL)
		return err_set(e, ERR_USAGE, "unknown verb '%s'", r->cli.args[0]);
	if (check_words(r, v, used, e) < 0 || checksum_init(e) < 0)
		return -1;
	return v->run(r, e);
}

int main(int argc, char **argv)
{
	struct run r = { 0 };
	struct err e = { 0 };

	cli_start(&r.cli, &spec, argc, argv);

	int rc = run_verb(&r, &e);

	run_close(&r);
	return rc < 0 ? cli_fail(&r.cli, &e) : cli_finish(&r.cli, r.damaged ? 1 : 0);
}
