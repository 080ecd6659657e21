/*
 * Where entries of a source go: into one dataset, below a directory of it; or, with --split, each
 * into the dataset whose mount point is the longest beginning of its path. With --layers whiteouts
 * are done here.
 */
#ifndef CMD_MKPOOL_FILL_H
#define CMD_MKPOOL_FILL_H

#include "cmd/mkpool/datasets.h"

struct fill {
	struct datasets	       *s;
	const struct plan_step *step;
	struct made_dataset    *to; /* of the current entry; NULL: it goes nowhere */
	char path[ENTRY_PATH_MAX + 1], target[ENTRY_PATH_MAX + 1];
};

/* A source begins. */
void fill_begin_source(struct fill *f, struct datasets *s, const struct plan_step *step);

/* As entry_sink's. */
int fill_begin(struct fill *f, const struct entry *n, struct err *e) MUST_CHECK;
int fill_data(struct fill *f, uint64_t offset, struct bytes piece, struct err *e) MUST_CHECK;
int fill_end(struct fill *f, struct err *e) MUST_CHECK;

#endif
