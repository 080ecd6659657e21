/*
 * What is to be made, from the words of -c, -V, -d and -S: datasets, and steps in the order of the
 * command line. Everything that can be wrong without looking at contents is found here, before
 * anything is touched.
 */
#ifndef CMD_MKPOOL_PLAN_H
#define CMD_MKPOOL_PLAN_H

#include "cmd/mkpool/props.h"

struct plan_dataset {
	char		 *name; /* whole: "tank/home" */
	bool		  volume;
	struct dsl_props *props;
	bool		  borrowed; /* props are */
	char		 *words;      /* the properties as given, for the history; may be NULL */
	char		 *mountpoint; /* made plain ("" for /); NULL: it is mounted nowhere */
	char		 *raw;	      /* a volume's contents; NULL: none */
};

enum plan_kind { PLAN_CREATE, PLAN_FILL, PLAN_SNAPSHOT };
enum { PLAN_SPLIT = SIZE_MAX }; /* as a dataset: by mountpoints */

struct plan_step {
	enum plan_kind kind;
	size_t	       dataset; /* index, or PLAN_SPLIT */
	const char    *source;	/* PLAN_FILL: an archive, a directory, a list, or "-" */
	bool	       mtree;
	char	      *dir;	 /* PLAN_FILL: below this directory, made plain; "" for the root */
	char	      *snapshot; /* PLAN_SNAPSHOT: behind the '@' */
};

struct plan {
	const char	    *pool;
	bool		     split;
	size_t		     bootfs; /* index, when there is one */
	struct plan_dataset *datasets; /* parents first; 0 is the root */
	size_t		     dataset_count, dataset_cap;
	struct plan_step    *steps;
	size_t		     step_count, step_cap;
};

/* The root dataset first: its properties are borrowed. */
int plan_root(struct plan *p, const char *pool, struct dsl_props *root, struct err *e) MUST_CHECK;

/*
 * One word of the command line each, in the order in which they stand there: of -c
 * "DATASET[,property=value]...", of -V "VOLUME[=RAWFILE][,property=value]...", of -d
 * "[DATASET[@/DIR]=]SOURCE", of -S "DATASET@SNAP". ERR_USAGE.
 */
int plan_create(struct plan *p, const char *word, struct err *e) MUST_CHECK;
int plan_volume(struct plan *p, const char *word, struct err *e) MUST_CHECK;
int plan_fill(struct plan *p, const char *word, struct err *e) MUST_CHECK;
int plan_snapshot(struct plan *p, const char *word, struct err *e) MUST_CHECK;

/* When everything is there: all datasets against the pool's features, and its bootfs. */
int plan_check(struct plan *p, const struct props *props, struct err *e) MUST_CHECK;

void plan_fini(struct plan *p);

#endif
