/* A raw file into a volume. */
#ifndef CMD_MKPOOL_RAW_H
#define CMD_MKPOOL_RAW_H

#include "cmd/mkpool/options.h"

/* Everything of a volume of that plan: its size, and its contents when there is a file. */
int raw_write(const struct options *o, const struct plan_dataset *plan, struct dataset_write *d,
	      struct err *e) MUST_CHECK;

#endif
