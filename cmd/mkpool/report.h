/* What was built, or would be, in words. */
#ifndef CMD_MKPOOL_REPORT_H
#define CMD_MKPOOL_REPORT_H

#include "cmd/mkpool/datasets.h"

/* To standard output. */
void report(const struct options *o, const struct pool_made *made, const struct datasets *s);

#endif
