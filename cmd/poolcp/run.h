/* One run of poolcp: what its files share. */
#ifndef CMD_POOLCP_RUN_H
#define CMD_POOLCP_RUN_H

#include "cmd/cli.h"
#include "cmd/edit.h"
#include "cmd/place.h"
#include "core/entries/lost.h"
#include "core/zpl/zpl_read.h"
#include "core/zvol/zvol_read.h"

struct run {
	struct cli  cli;
	struct edit edit;
	bool	    list, numeric_owner, no_same_owner;
	const char *format;
	bool	    incomplete; /* something was said not to be done: exit status 1 */
};

/* A place that is open: a file, the top of a tree, or a volume. Closed by source_close. */
struct source {
	struct run     *run;
	size_t		index; /* among the words */
	struct place	place;
	struct pool    *pool;
	struct dataset	dataset;
	bool		is_volume;
	struct zvol	volume; /* then this, else zpl */
	struct zpl     *zpl;
	/* made plain; "" is the root; a volume's name */
	char	       *path;
	struct zpl_attr attr;
};

int  source_open(struct run *r, size_t index, struct source *out, struct err *e) MUST_CHECK;
void source_close(struct source *s);

bool source_is_dir(const struct source *s);
/* The last part of its path: what a single file is called. Borrowed. */
const char *source_name(const struct source *s);

/* Refuses a destination that is one of the pool's own members: it would be overwritten. */
int source_spares(const struct source *s, const char *path, struct err *e) MUST_CHECK;

/*
 * The tree or file into a sink, through one that looks at signals and keeps the progress line. A
 * file that stands alone gets the path `name`. What cannot be read is said, and makes the run
 * incomplete.
 */
struct copy {
	const char *name;
	bool	    without_contents, with_ranges;
};
int source_copy(struct source *s, const struct copy *how, struct entry_sink *to,
		struct err *e) MUST_CHECK;

/* Are --include, --exclude or --strip-components given? */
bool run_filters(const struct run *r);
/* An --include that has matched nothing is said, as tar does. */
void run_unmatched(struct run *r);

/* What sinks tell: ctx is the run. */
void run_lost(void *ctx, enum lost_kind kind, uint64_t count);
void run_left_out(void *ctx, const char *path, size_t n, const struct err *why);

/* --list: words are the places. */
int run_list(struct run *r, struct err *e) MUST_CHECK;

/* Places into a file, directory, archive or standard output: the last word. */
int run_out(struct run *r, struct err *e) MUST_CHECK;

#endif
