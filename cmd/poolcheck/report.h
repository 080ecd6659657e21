/* What poolcheck prints: findings, the table of devices, the verdict. */
#ifndef CMD_POOLCHECK_REPORT_H
#define CMD_POOLCHECK_REPORT_H

#include "cmd/cli.h"
#include "core/check/check.h"

enum { REPORT_FINDINGS_MAX = 100000 }; /* that are kept to be printed behind the table */

struct report_line {
	enum finding_code code;
	char		 *where, *text;
};

struct report {
	struct cli	   *cli;
	struct report_line *lines;
	size_t		    count, cap;
	uint64_t	    unlisted;
};

/* A finding_fn; ctx is the report. */
void report_finding(void *report, const struct finding *f);

int  report_print(struct report *r, struct pool *p, const struct check_result *result, bool whole,
		  struct err *e) MUST_CHECK;
void report_fini(struct report *r);

#endif
