/*
 * What a check finds: a code that scripts match on, a place, a sentence. Codes, severities and
 * explanations are listed in findings.def.
 */
#ifndef CORE_CHECK_FINDING_H
#define CORE_CHECK_FINDING_H

enum finding_severity {
	FINDING_SEVERITY_NOTE,	    /* worth knowing, no fault */
	FINDING_SEVERITY_ERROR,	    /* a fault */
	FINDING_SEVERITY_UNCHECKED, /* could not be looked at */
};

enum finding_code {
#define FINDING(id, name, severity, text) FINDING_##id,
#include "core/check/findings.def"
#undef FINDING
	FINDING_COUNT
};

/* Names from the pool are quoted in both texts; neither has a line end. Borrowed. */
struct finding {
	enum finding_code code;
	const char	 *where; /* member, dataset, file: never empty */
	const char	 *text;
};
typedef void finding_fn(void *ctx, const struct finding *f);

const char	     *finding_name(enum finding_code code); /* "data-lost" */
enum finding_severity finding_severity(enum finding_code code);
const char	     *finding_explain(enum finding_code code);
const char *finding_severity_name(enum finding_severity s); /* "note", "error", "unchecked" */

/* FINDING_COUNT when there is no such code. */
enum finding_code finding_by_name(const char *name);

#endif
