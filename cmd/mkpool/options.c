/* Options of mkpool, one by one, then whether they go together. */
#include "cmd/mkpool/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cmd/chmode.h"
#include "cmd/mkpool/words.h"
#include "cmd/size.h"
#include "core/base/mem.h"

enum {
	OPT_SIZE = 1,
	OPT_CONTENT,
	OPT_CREATE,
	OPT_VOLUME,
	OPT_SNAPSHOT,
	OPT_SPLIT,
	OPT_LAYERS,
	OPT_POOL_PROPERTY,
	OPT_PROPERTY,
	OPT_VDEV_TYPE,
	OPT_SEED,
	OPT_TIME,
	OPT_ALL_ROOT,
	OPT_OWNER,
	OPT_ROOT_OWNER,
	OPT_ROOT_MODE,
	OPT_MODE,
	OPT_MTIME,
	OPT_EXCLUDE,
	OPT_STRIP,
	OPT_FILE,
	OPT_VERIFY,
	OPT_DRY_RUN,
	OPT_FORCE,
};
enum { ROOT_MODE_DEFAULT = 0755, SEED_RANDOM_BYTES = 16 };

static const struct cli_option table[] = {
	{ OPT_SIZE, 's', NULL, CLI_VALUE },
	{ OPT_CONTENT, 'd', NULL, CLI_VALUE },
	{ OPT_CREATE, 'c', NULL, CLI_VALUE },
	{ OPT_VOLUME, 'V', NULL, CLI_VALUE },
	{ OPT_SNAPSHOT, 'S', NULL, CLI_VALUE },
	{ OPT_SPLIT, 0, "split", CLI_NOTHING },
	{ OPT_LAYERS, 0, "layers", CLI_NOTHING },
	{ OPT_POOL_PROPERTY, 'o', NULL, CLI_VALUE },
	{ OPT_PROPERTY, 'O', NULL, CLI_VALUE },
	{ OPT_VDEV_TYPE, 0, "vdev-type", CLI_VALUE },
	{ OPT_SEED, 0, "seed", CLI_VALUE },
	{ OPT_TIME, 0, "time", CLI_VALUE },
	{ OPT_ALL_ROOT, 0, "all-root", CLI_NOTHING },
	{ OPT_OWNER, 0, "owner", CLI_VALUE },
	{ OPT_ROOT_OWNER, 0, "root-owner", CLI_VALUE },
	{ OPT_ROOT_MODE, 0, "root-mode", CLI_VALUE },
	{ OPT_MODE, 0, "mode", CLI_VALUE },
	{ OPT_MTIME, 0, "mtime", CLI_VALUE },
	{ OPT_EXCLUDE, 0, "exclude", CLI_VALUE },
	{ OPT_STRIP, 0, "strip-components", CLI_VALUE },
	{ OPT_FILE, 'F', NULL, CLI_VALUE },
	{ OPT_VERIFY, 0, "verify", CLI_NOTHING },
	{ OPT_DRY_RUN, 'n', NULL, CLI_NOTHING },
	{ OPT_FORCE, 'f', NULL, CLI_NOTHING },
};

static const char usage[] =
	"usage: mkpool [options] POOL VDEV\n"
	"\n"
	"Builds a ZFS pool image; VDEV is a file (made if it does not exist) or a block device,\n"
	"PATH or PATH,size=SIZE.\n"
	"\n"
	"  -d [DATASET[@/DIR]=]SOURCE   contents: an archive, a directory, mtree:FILE, or - for "
	"an\n"
	"                       archive on standard input; repeatable, later ones go on top\n"
	"  -c DATASET[,PROPERTY=VALUE]...            makes a file system\n"
	"  -V VOLUME[=RAWFILE][,PROPERTY=VALUE]...   makes a volume\n"
	"  -S DATASET@SNAPSHOT  a snapshot of what -d has brought so far\n"
	"  --split              each entry goes where its dataset is mounted\n"
	"  --layers             .wh.NAME removes NAME from the layers below, as in OCI images\n"
	"  -s SIZE              of the file: 10G; auto (AVAIL at least 16M and 5 % of USED; the\n"
	"                       default), min (no AVAIL), +2G or +20% (AVAIL that large)\n"
	"  -o PROPERTY=VALUE    of the pool, as zpool create takes it: ashift, compatibility, "
	"bootfs...;\n"
	"                       feature@NAME\n"
	"  -O PROPERTY=VALUE    of the root dataset, as zfs create takes it: compression, "
	"user:x...\n"
	"  --vdev-type TYPE     what the label says: disk (the default) or file\n"
	"  --seed TEXT|random   what identifiers are derived from, beside the contents\n"
	"  --time SECONDS       of the pool; else SOURCE_DATE_EPOCH, else the newest in the "
	"contents\n"
	"  --all-root           everything belongs to 0:0\n"
	"  --owner U[:G]        everything belongs to this user and group (numbers)\n"
	"  --mode MODE          everything has it: 0644, or u+rwX,go-w\n"
	"  --mtime SECONDS      everything was last changed then\n"
	"  --root-owner U:G, --root-mode MODE   of the root directory when no source has it\n"
	"  --exclude PATTERN    leaves out what matches, and what is below it; repeatable\n"
	"  --strip-components N takes N leading parts off every path\n"
	"  -F FILE              reads options from a file, one a line\n"
	"  --verify             checks what was built before it reports success\n"
	"  -n  builds and prints what it would be, writes nothing    -f  over existing data\n"
	"  -j N  threads    -v  more    -q  less    --progress    -h  this text    --version\n";

static const struct cli_spec spec = {
	.tool = "mkpool",
	.usage = usage,
	.options = table,
	.option_count = sizeof table / sizeof table[0],
	.shared = CLI_THREADS | CLI_PROGRESS,
};

/* -- one by one -------------------------------------------------------------------------------- */

static int take_vdev_type(struct options *o, struct err *e)
{
	const char *v = o->cli.value;

	if (strcmp(v, "disk") != 0 && strcmp(v, "file") != 0)
		return err_set(e, ERR_USAGE, "--vdev-type: '%s' is neither disk nor file", v);
	o->vdev_type = v;
	return 0;
}

static int random_seed(char *out, struct err *e)
{
	uint8_t	    raw[SEED_RANDOM_BYTES];
	struct text t = text_in(out, 2 * sizeof raw + 1);

	if (getrandom(raw, sizeof raw, 0) != (ssize_t)sizeof raw)
		return err_set(e, ERR_IO, "--seed random: the system gives no random bytes");
	text_hex(&t, raw, sizeof raw);
	return 0;
}

static int take_seed(struct options *o, struct err *e)
{
	size_t n = strlen(o->cli.value);

	o->seed_given = true;
	if (strcmp(o->cli.value, "random") == 0)
		return random_seed(o->seed, e);
	if (n >= sizeof o->seed)
		return err_set(e, ERR_USAGE, "--seed: longer than %zu bytes", sizeof o->seed - 1);
	memcpy(o->seed, o->cli.value, n + 1);
	return 0;
}

static int take_time(struct options *o, const char *word, const char *what, struct err *e)
{
	o->time_given = true;
	if (parse_number(word, &o->time, NULL) < 0 || o->time > INT64_MAX)
		return err_set(e, ERR_USAGE, "%s: '%s' is no number of seconds", what, word);
	return 0;
}

static int take_root_owner(struct options *o, struct err *e)
{
	struct edit_owner owner;

	if (edit_parse_owner(o->cli.value, &owner, e) < 0)
		return err_in(e, "--root-owner");
	if (!owner.uid_given || !owner.gid_given)
		return err_set(e, ERR_USAGE, "--root-owner: '%s' is not U:G", o->cli.value);
	o->root_uid = owner.uid;
	o->root_gid = owner.gid;
	return 0;
}

static int take_root_mode(struct options *o, struct err *e)
{
	const char *v = o->cli.value;
	size_t	    n = strlen(v);

	if (n == 0 || n > 5 || strspn(v, "01234567") != n || strtoul(v, NULL, 8) > 07777)
		return err_set(e, ERR_USAGE, "--root-mode: '%s' is no octal mode", v);
	o->root_mode = (uint32_t)strtoul(v, NULL, 8);
	return 0;
}

static int take_ordered(struct options *o, int id, struct err *e)
{
	if (mem_grow(&o->ordered, &o->ordered_cap, o->ordered_count + 1, sizeof o->ordered[0], e) <
	    0)
		return -1;
	o->ordered[o->ordered_count++] = (struct ordered){ id, o->cli.value, o->file, o->line };
	return 0;
}

static int take_mode(struct options *o, struct err *e)
{
	o->edit.mode = o->cli.value;
	return chmode_check(o->cli.value, e) < 0 ? err_in(e, "--mode") : 0;
}

/* What is done to entries on their way. */
static int take_edit(struct options *o, int id, struct err *e)
{
	const char *v = o->cli.value;

	switch (id) {
	case OPT_ALL_ROOT:
		o->edit.owner = (struct edit_owner){ .uid_given = true, .gid_given = true };
		return 0;
	case OPT_OWNER:
		return edit_parse_owner(v, &o->edit.owner, e) < 0 ? err_in(e, "--owner") : 0;
	case OPT_MODE:
		return take_mode(o, e);
	case OPT_MTIME:
		o->edit.mtime_given = true;
		return edit_parse_mtime(v, &o->edit.mtime, e) < 0 ? err_in(e, "--mtime") : 0;
	case OPT_EXCLUDE:
		return edit_exclude(&o->edit, v, e) < 0 ? err_in(e, "--exclude") : 0;
	default:
		return edit_parse_strip(&o->edit, v, e) < 0 ? err_in(e, "--strip-components") : 0;
	}
}

static int take_switch(struct options *o, int id)
{
	o->dry_run |= id == OPT_DRY_RUN;
	o->force |= id == OPT_FORCE;
	o->verify |= id == OPT_VERIFY;
	o->layers |= id == OPT_LAYERS;
	o->plan.split |= id == OPT_SPLIT;
	return 0;
}

static int take(struct options *o, int id, struct err *e)
{
	const char *v = o->cli.value;

	switch (id) {
	case OPT_SIZE:
		o->size_given = true;
		return words_parse_size(v, &o->size, e) < 0 ? err_in(e, "-s") : 0;
	case OPT_CONTENT:
	case OPT_CREATE:
	case OPT_VOLUME:
	case OPT_SNAPSHOT:
		return take_ordered(o, id, e);
	case OPT_POOL_PROPERTY:
		return props_pool(&o->props, v, e);
	case OPT_PROPERTY:
		return props_dataset(&o->props, v, e);
	case OPT_VDEV_TYPE:
		return take_vdev_type(o, e);
	case OPT_SEED:
		return take_seed(o, e);
	case OPT_TIME:
		return take_time(o, v, "--time", e);
	case OPT_ROOT_OWNER:
		return take_root_owner(o, e);
	case OPT_ROOT_MODE:
		return take_root_mode(o, e);
	case OPT_ALL_ROOT:
	case OPT_OWNER:
	case OPT_MODE:
	case OPT_MTIME:
	case OPT_EXCLUDE:
	case OPT_STRIP:
		return take_edit(o, id, e);
	default:
		return take_switch(o, id);
	}
}

/* -- from files -------------------------------------------------------------------------------- */

static int take_line(struct options *o, char *line, struct err *e)
{
	size_t n = strlen(line);
	int    id;

	while (n > 0 && strchr(" \t\r", line[n - 1]) != NULL)
		line[--n] = '\0';
	line += strspn(line, " \t");
	if (line[0] == '\0' || line[0] == '#')
		return 0;
	id = cli_line(&o->cli, line, e);
	if (id <= 0)
		return id;
	if (id == OPT_FILE)
		return err_set(e, ERR_USAGE, "-F does not stand in such a file");
	return take(o, id, e);
}

/* -F: the lines stand where the option does. */
static int take_file(struct options *o, struct err *e)
{
	const char *path = o->cli.value;
	char	   *text, *next;

	if (mem_grow(&o->files, &o->file_cap, o->file_count + 1, sizeof o->files[0], e) < 0 ||
	    words_read_file(path, &text, e) < 0)
		return -1;
	o->files[o->file_count++] = text;
	o->file = path;
	o->line = 1;
	for (char *line = text; line != NULL; line = next, o->line++) {
		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		if (take_line(o, line, e) < 0)
			return err_in(e, "%s: line %u", path, o->line);
	}
	o->file = NULL;
	return 0;
}

/* -- together ---------------------------------------------------------------------------------- */

static int take_words(struct options *o, struct err *e)
{
	struct cli *c = &o->cli;

	if (c->arg_count < 2)
		return err_set(e, ERR_USAGE, "POOL and VDEV are needed");
	o->pool = c->args[0];
	if (words_check_pool(o->pool, e) < 0 ||
	    words_parse_vdev(c->args[1], &o->path, &o->size_given, &o->size, e) < 0)
		return -1;
	if (c->arg_count > 2)
		return err_set(e, ERR_USAGE, "%s: several vdevs are not built yet", c->args[2]);
	return 0;
}

static int plan_one(struct options *o, const struct ordered *word, struct err *e)
{
	switch (word->id) {
	case OPT_CONTENT:
		return plan_fill(&o->plan, word->word, e) < 0 ? err_in(e, "-d") : 0;
	case OPT_CREATE:
		return plan_create(&o->plan, word->word, e) < 0 ? err_in(e, "-c") : 0;
	case OPT_VOLUME:
		return plan_volume(&o->plan, word->word, e) < 0 ? err_in(e, "-V") : 0;
	default:
		return plan_snapshot(&o->plan, word->word, e) < 0 ? err_in(e, "-S") : 0;
	}
}

static int make_plan(struct options *o, struct err *e)
{
	unsigned standard_inputs = 0, sources = 0;

	if (plan_root(&o->plan, o->pool, o->props.root, e) < 0)
		return -1;
	for (size_t i = 0; i < o->ordered_count; i++) {
		const struct ordered *word = &o->ordered[i];

		if (plan_one(o, word, e) == 0)
			continue;
		return word->file != NULL ? err_in(e, "%s: line %u", word->file, word->line) : -1;
	}
	for (size_t i = 0; i < o->plan.step_count; i++) {
		const struct plan_step *s = &o->plan.steps[i];

		sources += s->kind == PLAN_FILL;
		standard_inputs += s->kind == PLAN_FILL && !s->mtree && strcmp(s->source, "-") == 0;
	}
	if (standard_inputs > 1)
		return err_set(e, ERR_USAGE, "-d -: standard input can be read once only");
	if (sources == 0 && (o->layers || o->plan.split))
		return err_set(e, ERR_USAGE, "%s means nothing without -d",
			       o->layers ? "--layers" : "--split");
	return 0;
}

int options_parse(struct options *o, int argc, char **argv, struct err *e)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	int	    id;

	*o = (struct options){ .vdev_type = "disk", .root_mode = ROOT_MODE_DEFAULT };
	cli_start(&o->cli, &spec, argc, argv);
	if (words_parse_size("auto", &o->size, e) < 0)
		return -1;
	while ((id = cli_next(&o->cli, e)) > 0) {
		if ((id == OPT_FILE ? take_file(o, e) : take(o, id, e)) < 0)
			return -1;
	}
	if (id < 0 || take_words(o, e) < 0 || props_resolve(&o->props, o->pool, e) < 0 ||
	    make_plan(o, e) < 0)
		return -1;
	if (!o->time_given && epoch != NULL && *epoch != '\0' &&
	    take_time(o, epoch, "SOURCE_DATE_EPOCH", e) < 0)
		return -1;
	return plan_check(&o->plan, &o->props, e);
}

void options_fini(struct options *o)
{
	plan_fini(&o->plan);
	props_fini(&o->props);
	edit_fini(&o->edit);
	for (size_t i = 0; i < o->file_count; i++)
		free(o->files[i]);
	free(o->files);
	free(o->ordered);
	free(o->path);
}
