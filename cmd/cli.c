/*
 * Shared command line: options, messages, exit status, signals. Leaves sizes to cmd/size, places to
 * cmd/place, tables to cmd/table.
 */
#include "cmd/cli.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/size.h"

enum {
	SHARED_VERBOSE = -100,
	SHARED_QUIET,
	SHARED_TABS,
	SHARED_EXACT,
	SHARED_THREADS,
	SHARED_PROGRESS,
	SHARED_MEMBER,
	SHARED_POOL,
	SHARED_OFFSET,
	SHARED_TXG,
	SHARED_HELP,
	SHARED_VERSION,
	THREADS_MAX = 1024, /* ours: more only cost memory */
};

static const struct {
	struct cli_option option;
	unsigned	  needs; /* enum cli_shared */
} shared_table[] = {
	{ { SHARED_VERBOSE, 'v', "verbose", CLI_NOTHING }, 0 },
	{ { SHARED_QUIET, 'q', "quiet", CLI_NOTHING }, 0 },
	{ { SHARED_TABS, 'H', NULL, CLI_NOTHING }, CLI_TABLES },
	{ { SHARED_EXACT, 'p', NULL, CLI_NOTHING }, CLI_TABLES },
	{ { SHARED_THREADS, 'j', NULL, CLI_VALUE }, CLI_THREADS },
	{ { SHARED_PROGRESS, 0, "progress", CLI_NOTHING }, CLI_PROGRESS },
	{ { SHARED_MEMBER, 'm', NULL, CLI_VALUE }, CLI_MEMBERS },
	{ { SHARED_POOL, 0, "pool", CLI_VALUE }, CLI_MEMBERS },
	{ { SHARED_OFFSET, 0, "offset", CLI_VALUE }, CLI_MEMBERS },
	{ { SHARED_TXG, 0, "txg", CLI_VALUE }, CLI_TXG },
	{ { SHARED_HELP, 'h', "help", CLI_NOTHING }, 0 },
	{ { SHARED_VERSION, 'V', "version", CLI_NOTHING }, 0 },
};

static volatile sig_atomic_t signals_seen;

static volatile sig_atomic_t first_second; /* on a clock of its own, when the first one came */

/*
 * Whoever asks again later does not want to wait for an orderly end. At once is no second time:
 * timeout(1), for one, signals its child and then the whole group.
 */
static void on_signal(int number)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!signals_seen) {
		first_second = (sig_atomic_t)now.tv_sec;
		signals_seen = 1;
	} else if ((sig_atomic_t)now.tv_sec - first_second > 1) {
		signal(number, SIG_DFL);
		raise(number);
	}
}

bool cli_interrupted(void)
{
	return signals_seen != 0;
}

int cli_check_interrupt(struct err *e)
{
	return cli_interrupted() ? err_set(e, ERR_INTERRUPTED, "interrupted") : 0;
}

static void catch_signals(void)
{
	struct sigaction stop = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigemptyset(&stop.sa_mask);
	sigemptyset(&ignore.sa_mask);
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGHUP, &stop, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	/*
	 * A file that may not grow is a write that fails, after which there
	 * is something to clean up.
	 */
	sigaction(SIGXFSZ, &ignore, NULL);
}

/*
 * A pool must not get the number of a standard stream that was closed: what is printed would land
 * in it. Opened the wrong way round, so that using the stream fails as it would have; messages are
 * for nobody then.
 */
static void fill_standard_streams(void)
{
	static const int how[] = { O_WRONLY, O_RDONLY, O_WRONLY };
	int		 fd = -1;

	for (int i = 0; i < 3; i++) {
		if (fcntl(i, F_GETFD) < 0 && errno == EBADF)
			fd = open("/dev/null", how[i]);
		if (fd > 2)
			close(fd);
		fd = -1;
	}
}

static unsigned online_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : (unsigned)n;
}

void cli_start(struct cli *c, const struct cli_spec *spec, int argc, char **argv)
{
	fill_standard_streams();
	*c = (struct cli){ .spec = spec, .argc = argc, .argv = argv, .at = 1 };
	c->threads = online_cpus();
	/* No more words than argv can be members or arguments. */
	c->members = calloc((size_t)argc + 1, sizeof *c->members);
	c->args = calloc((size_t)argc + 1, sizeof *c->args);
	if (c->members == NULL || c->args == NULL) {
		cli_say(c, "out of memory");
		exit(cli_status(spec, ERR_NOMEM));
	}
	catch_signals();
}

static bool option_matches(const struct cli_option *o, char letter, const char *name, size_t n)
{
	if (letter != 0)
		return o->letter == letter;
	return o->name != NULL && strncmp(o->name, name, n) == 0 && o->name[n] == '\0';
}

/* By letter, or by name when letter is 0; the tool's own first. NULL: there is none. */
static const struct cli_option *option_find(const struct cli_spec *s, char letter, const char *name,
					    size_t n)
{
	for (size_t i = 0; i < s->option_count; i++)
		if (option_matches(&s->options[i], letter, name, n))
			return &s->options[i];
	for (size_t i = 0; i < sizeof shared_table / sizeof shared_table[0]; i++)
		if ((shared_table[i].needs & ~s->shared) == 0 &&
		    option_matches(&shared_table[i].option, letter, name, n))
			return &shared_table[i].option;
	return NULL;
}

/* --name, --name=value or --name value. */
static int take_long(struct cli *c, const char *word, const struct cli_option **out, struct err *e)
{
	const char		*name = word + 2, *eq = strchr(name, '=');
	size_t			 n = eq != NULL ? (size_t)(eq - name) : strlen(name);
	const struct cli_option *o = option_find(c->spec, 0, name, n);

	if (o == NULL)
		return err_set(e, ERR_USAGE, "unknown option --%.*s", (int)n, name);
	if (o->takes == CLI_NOTHING && eq != NULL)
		return err_set(e, ERR_USAGE, "option --%s takes no value", o->name);
	if (eq != NULL)
		c->value = eq + 1;
	else if (o->takes == CLI_VALUE && c->at < c->argc)
		c->value = c->argv[c->at++];
	else if (o->takes == CLI_VALUE)
		return err_set(e, ERR_USAGE, "option --%s needs a value", o->name);
	*out = o;
	return 0;
}

/* The next letter of -abc; a value is the rest of the cluster, or the next word. */
static int take_letter(struct cli *c, const struct cli_option **out, struct err *e)
{
	char			 letter = *c->cluster++;
	const struct cli_option *o = option_find(c->spec, letter, NULL, 0);

	if (o == NULL)
		return err_set(e, ERR_USAGE, "unknown option -%c", letter);
	if (o->takes == CLI_VALUE && *c->cluster != '\0') {
		c->value = c->cluster;
		c->cluster = NULL;
	} else if (o->takes == CLI_VALUE) {
		if (c->at >= c->argc)
			return err_set(e, ERR_USAGE, "option -%c needs a value", letter);
		c->value = c->argv[c->at++];
	}
	if (c->cluster != NULL && *c->cluster == '\0')
		c->cluster = NULL;
	*out = o;
	return 0;
}

/* 1 and the next option, 0 at the end; other words go to c->args. */
static int take_option(struct cli *c, const struct cli_option **out, struct err *e)
{
	c->value = NULL;
	if (c->cluster != NULL)
		return take_letter(c, out, e) < 0 ? -1 : 1;
	while (c->at < c->argc) {
		const char *word = c->argv[c->at++];

		if (c->only_args || word[0] != '-' || word[1] == '\0')
			c->args[c->arg_count++] = word;
		else if (strcmp(word, "--") == 0)
			c->only_args = true;
		else if (word[1] == '-')
			return take_long(c, word, out, e) < 0 ? -1 : 1;
		else {
			c->cluster = word + 1;
			return take_letter(c, out, e) < 0 ? -1 : 1;
		}
	}
	return 0;
}

static int parse_threads(struct cli *c, struct err *e)
{
	uint64_t n;

	if (parse_number(c->value, &n, NULL) < 0 || n < 1 || n > THREADS_MAX)
		return err_set(e, ERR_USAGE, "-j: '%s' is no number from 1 to %d", c->value,
			       THREADS_MAX);
	c->threads = (unsigned)n;
	return 0;
}

static int parse_offset(struct cli *c, struct err *e)
{
	c->offset_given = true;
	if (parse_size(c->value, &c->offset, e) < 0)
		return err_in(e, "--offset");
	if (c->offset % 512 != 0)
		return err_set(e, ERR_USAGE, "--offset: %s is no multiple of 512", c->value);
	return 0;
}

static int parse_txg(struct cli *c, struct err *e)
{
	c->txg_given = true;
	return parse_number(c->value, &c->txg, e) < 0 ? err_in(e, "--txg") : 0;
}

static void print_and_leave(struct cli *c, int id)
{
	if (id == SHARED_HELP)
		fputs(c->spec->usage, stdout);
	else
		printf("%s (poolkit) %s\n", c->spec->tool, POOLKIT_VERSION);
	exit(cli_finish(c, 0));
}

static int take_shared(struct cli *c, int id, struct err *e)
{
	switch (id) {
	case SHARED_VERBOSE:
		c->verbose++;
		return 0;
	case SHARED_QUIET:
		c->verbose--;
		return 0;
	case SHARED_TABS:
		c->tabs = true;
		return 0;
	case SHARED_EXACT:
		c->exact = true;
		return 0;
	case SHARED_PROGRESS:
		c->progress_given = true;
		return 0;
	case SHARED_MEMBER:
		c->members[c->member_count++] = c->value;
		return 0;
	case SHARED_POOL:
		c->pool = c->value;
		return 0;
	case SHARED_THREADS:
		return parse_threads(c, e);
	case SHARED_OFFSET:
		return parse_offset(c, e);
	case SHARED_TXG:
		return parse_txg(c, e);
	default:
		print_and_leave(c, id);
		return 0;
	}
}

int cli_next(struct cli *c, struct err *e)
{
	const struct cli_option *o = NULL;
	int			 rc;

	while ((rc = take_option(c, &o, e)) > 0) {
		if (o->id > 0)
			return o->id;
		if (take_shared(c, o->id, e) < 0)
			return -1;
	}
	return rc;
}

int cli_line(struct cli *c, char *line, struct err *e)
{
	/* What is attached to its option is the rest of the line, blanks and all. */
	bool   named = strncmp(line, "--", 2) == 0;
	size_t name = strcspn(line, "= \t");
	bool   attached =
		  named ? line[name] == '='
			: line[0] != '\0' && line[1] != '\0' && line[2] != ' ' && line[2] != '\t';
	size_t	   n = attached ? strlen(line) : strcspn(line, " \t");
	char	  *value = line + n + strspn(line + n, " \t");
	char	  *words[] = { c->argv[0], line, *value != '\0' ? value : NULL };
	struct cli line_cli = *c;
	int	   id;

	assert(!(c->spec->shared & CLI_MEMBERS));
	if (line[0] != '-' || line[1] == '\0' || (line[1] == '-' && n == 2))
		return err_set(e, ERR_USAGE, "'%.100s' is no option", line);
	line[n] = '\0';
	line_cli.argv = words;
	line_cli.argc = *value != '\0' ? 3 : 2;
	line_cli.at = 1;
	line_cli.cluster = NULL;
	line_cli.only_args = false;
	id = cli_next(&line_cli, e);
	if (id < 0)
		return -1;
	if (line_cli.cluster != NULL)
		return err_set(e, ERR_USAGE, "%s: one option a line", line);
	if (line_cli.at < line_cli.argc || line_cli.arg_count > c->arg_count)
		return err_set(e, ERR_USAGE, "option %s takes no value", line);
	c->verbose = line_cli.verbose;
	c->progress_given = line_cli.progress_given;
	c->threads = line_cli.threads;
	c->value = line_cli.value;
	return id;
}

int cli_need_args(const struct cli *c, size_t min, size_t max, struct err *e)
{
	if (c->arg_count < min)
		return err_set(e, ERR_USAGE, "an argument is missing");
	if (c->arg_count > max)
		return err_set(e, ERR_USAGE, "'%s' is one argument too many", c->args[max]);
	return 0;
}

struct pool_options cli_pool_options(const struct cli *c, const char *const *paths, size_t count)
{
	return (struct pool_options){
		.paths = count > 0 ? paths : c->members,
		.path_count = count > 0 ? count : c->member_count,
		.name = c->pool,
		.offset_given = c->offset_given,
		.offset = c->offset,
		.txg_given = c->txg_given,
		.txg = c->txg,
		.mode = DEV_READ,
	};
}

void cli_say(struct cli *c, const char *fmt, ...)
{
	char	line[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	progress_hide(&c->progress);
	/* Messages may hold file names: they must not move the cursor or start a second line. */
	fprintf(stderr, "%s: ", c->spec->tool);
	for (const char *p = line; *p != '\0'; p++) {
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			fprintf(stderr, "\\x%02x", (unsigned)(unsigned char)*p);
		else
			fputc(*p, stderr);
	}
	fputc('\n', stderr);
}

int cli_status(const struct cli_spec *spec, enum err_kind kind)
{
	switch (kind) {
	case ERR_NONE:
		return 0;
	case ERR_USAGE:
		return spec->fsck_codes ? 16 : 2;
	case ERR_INTERRUPTED:
		return spec->fsck_codes ? 32 : 1;
	default:
		return spec->fsck_codes ? 8 : 1;
	}
}

int cli_fail(struct cli *c, const struct err *e)
{
	if (e->kind == ERR_USAGE)
		cli_say(c, "%s; %s --help shows how", e->text, c->spec->tool);
	else
		cli_say(c, "%s", e->text);
	return cli_finish(c, cli_status(c->spec, e->kind));
}

int cli_finish(struct cli *c, int status)
{
	bool failed = ferror(stdout) != 0;
	bool flushed = fflush(stdout) == 0;
	int  why = errno;

	progress_end(&c->progress);
	/* A run that failed has said why, and lost output may well have been the reason. */
	if (status == 0 && !flushed)
		cli_say(c, "standard output: %s", strerror(why));
	else if (status == 0 && failed)
		cli_say(c, "standard output: not everything could be written");
	free(c->members);
	free(c->args);
	c->members = NULL;
	c->args = NULL;
	c->member_count = c->arg_count = 0;
	return status == 0 && (failed || !flushed) ? cli_status(c->spec, ERR_IO) : status;
}
