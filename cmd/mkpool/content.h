/* Sources, entry by entry, into the datasets of the plan. */
#ifndef CMD_MKPOOL_CONTENT_H
#define CMD_MKPOOL_CONTENT_H

#include "cmd/mkpool/datasets.h"

/* What one -d names. ERR_INTERRUPTED when a signal came. */
int content_write(struct options *o, struct datasets *s, const struct plan_step *step,
		  struct err *e) MUST_CHECK;

#endif
