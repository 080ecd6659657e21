/* The table of findings. */
#include "core/check/finding.h"

#include <string.h>

static const struct {
	const char	     *name, *explain;
	enum finding_severity severity;
} table[FINDING_COUNT] = {
#define FINDING(id, name, severity, text) { name, text, FINDING_SEVERITY_##severity },
#include "core/check/findings.def"
#undef FINDING
};

const char *finding_name(enum finding_code code)
{
	return table[code].name;
}

enum finding_severity finding_severity(enum finding_code code)
{
	return table[code].severity;
}

const char *finding_explain(enum finding_code code)
{
	return table[code].explain;
}

const char *finding_severity_name(enum finding_severity s)
{
	switch (s) {
	case FINDING_SEVERITY_NOTE:
		return "note";
	case FINDING_SEVERITY_ERROR:
		return "error";
	default:
		return "unchecked";
	}
}

enum finding_code finding_by_name(const char *name)
{
	int i = 0;

	while (i < FINDING_COUNT && strcmp(table[i].name, name) != 0)
		i++;
	return (enum finding_code)i;
}
