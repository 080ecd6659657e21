/*
 * What the four tools share at the command line: options, messages, exit status, signals.
 *
 * A tool describes itself in a struct cli_spec, walks its own options with cli_next (the shared
 * ones are taken on the way), and leaves through cli_finish, which also notices when standard
 * output could not be written.
 *
 *	cli_start(&c, &spec, argc, argv);
 *	while ((id = cli_next(&c, &e)) > 0)
 *		switch (id) { case OPT_SIZE: ... c.value ... }
 *	if (id < 0)
 *		return cli_fail(&c, &e);
 *	... c.args[0 .. c.arg_count) ...
 *	return cli_finish(&c, status);
 */
#ifndef CMD_CLI_H
#define CMD_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/progress.h"
#include "core/pool/pool.h"
#include "formats/base/err.h"

#define POOLKIT_VERSION "0.1"

enum cli_takes { CLI_NOTHING, CLI_VALUE, CLI_OPTIONAL /* only as --name=VALUE */ };

/* One option of a tool. A tool's own option hides a shared one of the same letter or name. */
struct cli_option {
	int	       id;     /* > 0: what cli_next returns */
	char	       letter; /* 0: none */
	const char    *name;   /* without dashes; NULL: none */
	enum cli_takes takes;
};

enum cli_shared {
	CLI_TABLES = 1,	   /* -H -p */
	CLI_MEMBERS = 2,   /* -m --pool --offset */
	CLI_TXG = 4,	   /* --txg: only where nothing is written */
	CLI_THREADS = 8,   /* -j N */
	CLI_PROGRESS = 16, /* --progress */
};

struct cli_spec {
	const char *tool;
	const char *usage; /* what -h prints, and what a usage error shows the start of */
	const struct cli_option *options;
	size_t			 option_count;
	unsigned		 shared; /* enum cli_shared, or-ed; -v -q -h -V are always there */
	bool			 fsck_codes; /* usage 16, interrupted 32, other failures 8 */
};

struct cli {
	const struct cli_spec *spec;

	/* The shared options, as far as they were given. */
	int	     verbose; /* how many -v, less how many -q */
	bool	     tabs;    /* -H */
	bool	     exact;   /* -p */
	bool	     progress_given;
	unsigned     threads; /* the online CPUs without -j */
	const char **members; /* -m; the words are argv's */
	size_t	     member_count;
	const char  *pool;
	bool	     offset_given, txg_given;
	uint64_t     offset, txg;

	/* The current option's value, NULL when it has none; what is no option, in order. */
	const char  *value;
	const char **args;
	size_t	     arg_count;

	struct progress progress;

	/* cli_next's own. */
	char	  **argv;
	int	    argc, at;
	const char *cluster; /* the rest of -abc */
	bool	    only_args;
};

/*
 * Opens standard streams that are closed, ignores SIGPIPE, so that a closed pipe is a failed write,
 * and sets the handlers of cli_interrupted.
 */
void cli_start(struct cli *c, const struct cli_spec *spec, int argc, char **argv);

/*
 * The id of the tool's next option, 0 when the words are used up, -1 (ERR_USAGE, the option named).
 * Options may stand among the other words; after "--" there are none. -h and -V print and leave.
 */
int cli_next(struct cli *c, struct err *e) MUST_CHECK;

/*
 * One line of a file of options: "--name value", "-x value", "--name=value"; the value is the rest
 * of the line. Returns as cli_next, 0 for a shared option, which was taken. The line is changed,
 * and values point into it. Not for tools with -m.
 */
int cli_line(struct cli *c, char *line, struct err *e) MUST_CHECK;

/* What a tool does not want to see: ERR_USAGE unless there are min to max words. */
int cli_need_args(const struct cli *c, size_t min, size_t max, struct err *e) MUST_CHECK;

/* How to open the pool in these paths; without any, the -m ones. Borrows both. */
struct pool_options cli_pool_options(const struct cli *c, const char *const *paths, size_t count);

/* One line on standard error: "tool: " and the words, control characters as \xHH. */
void cli_say(struct cli *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Says what went wrong, and for usage errors where help is; returns the exit status to leave by. */
int cli_fail(struct cli *c, const struct err *e);
int cli_status(const struct cli_spec *spec, enum err_kind kind);

/* Flushes standard output and ends; returns `status`, or a failure's when output was lost. */
int cli_finish(struct cli *c, int status);

/* SIGINT, SIGTERM or SIGHUP came. One more, two seconds later, kills. */
bool cli_interrupted(void);

/* ERR_INTERRUPTED when it did, else 0. */
int cli_check_interrupt(struct err *e) MUST_CHECK;

#endif
