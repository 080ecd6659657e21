/* Rows of `zfs get` and `zpool get`. */
#ifndef CMD_POOLDUMP_PROPERTIES_H
#define CMD_POOLDUMP_PROPERTIES_H

#include "cmd/pooldump/run.h"
#include "cmd/table.h"
#include "core/dsl/props.h"

enum { PROPERTY_CELL = 4 * PROPERTY_TEXT_MAX + 64 };

struct property_rows {
	struct run  *r;
	struct table table;
	const char  *wanted; /* comma list; NULL: all */
	const char  *name;   /* of the dataset or pool, quoted */
	char	    *cell;   /* PROPERTY_CELL bytes for the value of a row */
};

/* Is it asked for? By name, or as one of all of them. */
bool property_wanted(const struct property_rows *rows, const char *name);
bool property_rows_all(const struct property_rows *rows);
int  property_row(struct property_rows *rows, const char *name, const char *value,
		  const char *source, struct err *e) MUST_CHECK;

/* Of the pool: pool_properties.c. */
int pool_property_rows(struct property_rows *rows, struct err *e) MUST_CHECK;

/* "disabled", "enabled" or "active", by the feature's count in the pool; unreadable: "-". */
const char *feature_state(struct pool *p, const struct feature *f, uint64_t *count);

#endif
