/* Options of mkpool, one by one, then whether they go together. */
#include "cmd/mkpool/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cmd/mkpool/words.h"
#include "cmd/size.h"
#include "core/base/mem.h"

enum {
	OPT_SIZE = 1,
	OPT_CONTENT,
	OPT_POOL_PROPERTY,
	OPT_PROPERTY,
	OPT_VDEV_TYPE,
	OPT_SEED,
	OPT_TIME,
	OPT_ALL_ROOT,
	OPT_OWNER,
	OPT_ROOT_OWNER,
	OPT_ROOT_MODE,
	OPT_EXCLUDE,
	OPT_STRIP,
	OPT_DRY_RUN,
	OPT_FORCE,
};
enum { ROOT_MODE_DEFAULT = 0755, SEED_RANDOM_BYTES = 16 };

static const struct cli_option table[] = {
	{ OPT_SIZE, 's', NULL, CLI_VALUE },
	{ OPT_CONTENT, 'd', NULL, CLI_VALUE },
	{ OPT_POOL_PROPERTY, 'o', NULL, CLI_VALUE },
	{ OPT_PROPERTY, 'O', NULL, CLI_VALUE },
	{ OPT_VDEV_TYPE, 0, "vdev-type", CLI_VALUE },
	{ OPT_SEED, 0, "seed", CLI_VALUE },
	{ OPT_TIME, 0, "time", CLI_VALUE },
	{ OPT_ALL_ROOT, 0, "all-root", CLI_NOTHING },
	{ OPT_OWNER, 0, "owner", CLI_VALUE },
	{ OPT_ROOT_OWNER, 0, "root-owner", CLI_VALUE },
	{ OPT_ROOT_MODE, 0, "root-mode", CLI_VALUE },
	{ OPT_EXCLUDE, 0, "exclude", CLI_VALUE },
	{ OPT_STRIP, 0, "strip-components", CLI_VALUE },
	{ OPT_DRY_RUN, 'n', NULL, CLI_NOTHING },
	{ OPT_FORCE, 'f', NULL, CLI_NOTHING },
};

static const char usage[] =
	"usage: mkpool [options] POOL VDEV\n"
	"\n"
	"Builds a ZFS pool image; VDEV is a file (made if it does not exist) or a block device,\n"
	"PATH or PATH,size=SIZE.\n"
	"\n"
	"  -d [POOL=]SOURCE     contents: an archive, a directory, or - for an archive on "
	"standard\n"
	"                       input; repeatable, later ones go on top\n"
	"  -s SIZE              of the file: 10G; auto (AVAIL at least 16M and 5 % of USED; the\n"
	"                       default), min (no AVAIL), +2G or +20% (AVAIL that large)\n"
	"  -o PROPERTY=VALUE    of the pool, as zpool create takes it: ashift, compatibility, ...; "
	"bootfs;\n"
	"                       feature@NAME\n"
	"  -O PROPERTY=VALUE    of the root dataset, as zfs create takes it: compression, user:x, "
	"...\n"
	"  --vdev-type TYPE     what the label says: disk (the default) or file\n"
	"  --seed TEXT|random   what identifiers are derived from, beside the contents\n"
	"  --time SECONDS       of the pool; else SOURCE_DATE_EPOCH, else the newest in the "
	"contents\n"
	"  --all-root           everything belongs to 0:0\n"
	"  --owner U[:G]        everything belongs to this user and group (numbers)\n"
	"  --root-owner U:G, --root-mode MODE   of the root directory when no source has it\n"
	"  --exclude PATTERN    leaves out what matches, and what is below it; repeatable\n"
	"  --strip-components N takes N leading parts off every path\n"
	"  -n  builds and prints what it would be, writes nothing    -f  over existing data\n"
	"  -j N  threads    -v  more    -q  less    --progress    -h  this text    -V  version\n";

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

static int take(struct options *o, int id, struct err *e)
{
	const char *v = o->cli.value;

	switch (id) {
	case OPT_SIZE:
		o->size_given = true;
		return words_parse_size(v, &o->size, e) < 0 ? err_in(e, "-s") : 0;
	case OPT_CONTENT:
		o->sources[o->source_count++] = v;
		return 0;
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
	case OPT_ALL_ROOT:
		o->edit.owner = (struct edit_owner){ .uid_given = true, .gid_given = true };
		return 0;
	case OPT_OWNER:
		return edit_parse_owner(v, &o->edit.owner, e) < 0 ? err_in(e, "--owner") : 0;
	case OPT_ROOT_OWNER:
		return take_root_owner(o, e);
	case OPT_ROOT_MODE:
		return take_root_mode(o, e);
	case OPT_EXCLUDE:
		return edit_exclude(&o->edit, v, e) < 0 ? err_in(e, "--exclude") : 0;
	case OPT_STRIP:
		return edit_parse_strip(&o->edit, v, e) < 0 ? err_in(e, "--strip-components") : 0;
	case OPT_DRY_RUN:
		o->dry_run = true;
		return 0;
	default:
		o->force = true;
		return 0;
	}
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

static int take_sources(struct options *o, struct err *e)
{
	unsigned standard_inputs = 0;

	for (size_t i = 0; i < o->source_count; i++) {
		if (words_parse_content(o->sources[i], o->pool, &o->sources[i], e) < 0)
			return -1;
		standard_inputs += strcmp(o->sources[i], "-") == 0;
	}
	if (standard_inputs > 1)
		return err_set(e, ERR_USAGE, "-d -: standard input can be read once only");
	return 0;
}

int options_parse(struct options *o, int argc, char **argv, struct err *e)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	int	    id;

	*o = (struct options){ .vdev_type = "disk", .root_mode = ROOT_MODE_DEFAULT };
	cli_start(&o->cli, &spec, argc, argv);
	o->sources = mem_array((size_t)argc, sizeof o->sources[0], e);
	if (o->sources == NULL || words_parse_size("auto", &o->size, e) < 0)
		return -1;
	while ((id = cli_next(&o->cli, e)) > 0) {
		if (take(o, id, e) < 0)
			return -1;
	}
	if (id < 0 || take_words(o, e) < 0 || take_sources(o, e) < 0)
		return -1;
	if (!o->time_given && epoch != NULL && *epoch != '\0' &&
	    take_time(o, epoch, "SOURCE_DATE_EPOCH", e) < 0)
		return -1;
	return props_resolve(&o->props, o->pool, e);
}

void options_fini(struct options *o)
{
	props_fini(&o->props);
	edit_fini(&o->edit);
	free(o->sources);
	free(o->path);
}

/* -- the history line -------------------------------------------------------------------------- */

static void put_word(void *ctx, char option, const char *name, const char *value)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "/:.,-_=@+%";
	const char *quote = value[strspn(value, plain)] == '\0' && *value != '\0' ? "" : "'";

	text_put(ctx, " -%c %s=%s", option, name, quote);
	text_name(ctx, value, strlen(value));
	text_put(ctx, "%s", quote);
}

char *options_history(const struct options *o, struct err *e)
{
	enum { SIZE = 4096 };
	char	   *line = mem_raw(SIZE, e);
	struct text t;

	if (line == NULL)
		return NULL;
	t = text_in(line, SIZE);
	text_put(&t, "mkpool -o ashift=%u", o->props.ashift);
	props_each_word(&o->props, put_word, &t);
	if (o->seed_given) {
		text_put(&t, " --seed ");
		text_name(&t, o->seed, strlen(o->seed));
	}
	text_put(&t, " %s", o->pool);
	return line;
}
