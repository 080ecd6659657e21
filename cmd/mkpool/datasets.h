/* The datasets of the plan while they are written: each open from its creation to the end. */
#ifndef CMD_MKPOOL_DATASETS_H
#define CMD_MKPOOL_DATASETS_H

#include "cmd/mkpool/options.h"
#include "core/entries/layers.h"

struct made_dataset {
	const struct plan_dataset *plan;
	struct dataset_write	  *d; /* NULL: not made yet */
	struct zpl_write	  *z; /* NULL: before its first contents, and after a snapshot */
	struct layers		   layers;
	bool			   holds;   /* a file system is there, under a snapshot */
	struct zpl_written	   written; /* by the zpl_writes that are done */
};

struct datasets {
	const struct options *o;
	struct pool_tx	     *tx; /* borrowed */
	struct dsl_write     *w;
	struct made_dataset  *list; /* as the plan's */
	size_t		      count;
	uint64_t	      read; /* bytes of contents, for the progress line */
};

int datasets_begin(struct datasets *s, const struct options *o, struct pool_tx *tx,
		   struct err *e) MUST_CHECK;

int datasets_create(struct datasets *s, size_t index, struct err *e) MUST_CHECK;
int datasets_snapshot(struct datasets *s, size_t index, const char *name, struct err *e) MUST_CHECK;

/* The file system, open for entries. */
int datasets_open(struct datasets *s, size_t index, struct err *e) MUST_CHECK;

/* The newest in all of them; everything finished, and what they use. */
int datasets_finish(struct datasets *s, uint64_t *used, struct err *e) MUST_CHECK;

/* What was written to one, or (SIZE_MAX) all of them. */
struct zpl_written datasets_written(const struct datasets *s, size_t index);

/* Before pool_tx_free, and after it. */
void datasets_stop(struct datasets *s);
void datasets_fini(struct datasets *s);

#endif
