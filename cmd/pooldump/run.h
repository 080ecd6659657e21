/* One run of pooldump: what the verbs share. */
#ifndef CMD_POOLDUMP_RUN_H
#define CMD_POOLDUMP_RUN_H

#include "cmd/cli.h"
#include "cmd/place.h"
#include "core/dsl/dsl_read.h"
#include "core/dump/dump.h"
#include "core/zpl/zpl_read.h"

struct run {
	struct cli  cli;
	const char *columns, *types; /* datasets: -o, -t */
	bool	    recursive;	     /* -r */
	bool	    damaged;	     /* something was reported: exit status 1 */

	/* What run_open and run_open_place opened; closed by run_close. */
	struct pool   *pool;
	struct place   place;
	struct dataset dataset;
	struct objset  objset; /* the dataset's, or the MOS */
	struct zpl    *zpl;    /* NULL when the place is in no file system */
};

/* Opens the pool of these members, or of -m; its warnings are said unless -q. */
int run_open(struct run *r, const char *const *paths, size_t count, struct err *e) MUST_CHECK;

/*
 * Parses the word as a place and opens what it names: r->objset, and r->dataset and r->zpl when
 * NAME is not empty. A file system that does not open is trouble, not a failure, unless
 * `need_files`.
 */
int  run_open_place(struct run *r, const char *word, bool need_files, struct err *e) MUST_CHECK;
void run_close(struct run *r);

/* Says what is damaged; the run goes on and ends with 1. */
void run_trouble(struct run *r, const struct err *why);

/* Lines to standard output, trouble to run_trouble. */
struct dump run_dump(struct run *r);

/* A name from the pool, quoted, into `out`; cut short with three dots when it is too long. */
const char *run_quote(const void *name, size_t n, char *out, size_t cap);

/* The verbs: words after the verb are r->cli.args[1..]. */
int verb_pools(struct run *r, struct err *e) MUST_CHECK;
int verb_labels(struct run *r, struct err *e) MUST_CHECK;
int verb_uberblocks(struct run *r, struct err *e) MUST_CHECK;
int verb_config(struct run *r, struct err *e) MUST_CHECK;
int verb_datasets(struct run *r, struct err *e) MUST_CHECK;
int verb_properties(struct run *r, struct err *e) MUST_CHECK;
int verb_features(struct run *r, struct err *e) MUST_CHECK;
int verb_objects(struct run *r, struct err *e) MUST_CHECK;
int verb_object(struct run *r, struct err *e) MUST_CHECK;
int verb_block(struct run *r, struct err *e) MUST_CHECK;
int verb_ls(struct run *r, struct err *e) MUST_CHECK;
int verb_userspace(struct run *r, struct err *e) MUST_CHECK;
int verb_groupspace(struct run *r, struct err *e) MUST_CHECK;
int verb_projectspace(struct run *r, struct err *e) MUST_CHECK;

#endif
