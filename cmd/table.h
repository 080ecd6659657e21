/*
 * Tables on a stream: aligned columns with a header, or with `tabs` one tab between cells and no
 * header. The first TABLE_LOOKAHEAD rows decide the widths, later ones stream; so memory does not
 * grow with the pool.
 */
#ifndef CMD_TABLE_H
#define CMD_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "formats/base/err.h"

enum { TABLE_COLUMNS_MAX = 16, TABLE_LOOKAHEAD = 1000 };

struct table_column {
	const char *title;
	bool	    right; /* numbers */
};

struct table {
	FILE			  *out;
	bool			   tabs;
	const struct table_column *columns;
	size_t			   column_count;
	size_t			   width[TABLE_COLUMNS_MAX];
	char			 **held; /* rows not printed yet, cells joined */
	size_t			   held_count;
	bool			   streaming;
};

/* Borrows the columns (at most TABLE_COLUMNS_MAX). */
void table_begin(struct table *t, FILE *out, bool tabs, const struct table_column *columns,
		 size_t count);

/* One cell a column; copied. ERR_NOMEM. */
int table_row(struct table *t, const char *const *cells, struct err *e) MUST_CHECK;

/* Prints what is held, header included, and frees. To be called in any case. */
void table_end(struct table *t);

#endif
