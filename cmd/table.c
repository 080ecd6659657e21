/* Tables with columns that fit their contents. */
#include "cmd/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void table_begin(struct table *t, FILE *out, bool tabs, const struct table_column *columns,
		 size_t count)
{
	assert(count > 0 && count <= TABLE_COLUMNS_MAX);
	*t = (struct table){ .out = out,
			     .tabs = tabs,
			     .columns = columns,
			     .column_count = count,
			     .streaming = tabs };
	for (size_t i = 0; i < count; i++)
		t->width[i] = strlen(columns[i].title);
}

/* The cells follow each other, each with its NUL. */
static void print_cells(struct table *t, const char *cells)
{
	for (size_t i = 0; i < t->column_count; i++, cells += strlen(cells) + 1) {
		bool last = i + 1 == t->column_count;
		int  width = t->tabs || (last && !t->columns[i].right) ? 0 : (int)t->width[i];

		fprintf(t->out, t->columns[i].right ? "%*s" : "%-*s", width, cells);
		fputs(last ? "\n" : t->tabs ? "\t" : "  ", t->out);
	}
}

static char *join(const char *const *cells, size_t count)
{
	size_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += strlen(cells[i]) + 1;

	char *row = malloc(size), *p = row;

	for (size_t i = 0; row != NULL && i < count; i++) {
		size_t n = strlen(cells[i]) + 1;

		memcpy(p, cells[i], n);
		p += n;
	}
	return row;
}

static void print_held(struct table *t)
{
	if (t->streaming)
		return;
	t->streaming = true;
	for (size_t i = 0; i < t->column_count; i++) {
		bool last = i + 1 == t->column_count;
		int  width = last && !t->columns[i].right ? 0 : (int)t->width[i];

		fprintf(t->out, t->columns[i].right ? "%*s" : "%-*s", width, t->columns[i].title);
		fputs(last ? "\n" : "  ", t->out);
	}
	for (size_t i = 0; i < t->held_count; i++) {
		print_cells(t, t->held[i]);
		free(t->held[i]);
	}
	free(t->held);
	t->held = NULL;
	t->held_count = 0;
}

static int hold(struct table *t, char *row, struct err *e)
{
	if (t->held == NULL)
		t->held = calloc(TABLE_LOOKAHEAD, sizeof *t->held);
	if (t->held == NULL) {
		free(row);
		return err_nomem(e);
	}
	t->held[t->held_count++] = row;
	return 0;
}

int table_row(struct table *t, const char *const *cells, struct err *e)
{
	char *row = join(cells, t->column_count);

	if (row == NULL)
		return err_nomem(e);
	if (!t->streaming && t->held_count == TABLE_LOOKAHEAD)
		print_held(t);
	if (t->streaming) {
		print_cells(t, row);
		free(row);
		return 0;
	}
	for (size_t i = 0; i < t->column_count; i++)
		if (strlen(cells[i]) > t->width[i])
			t->width[i] = strlen(cells[i]);
	return hold(t, row, e);
}

void table_end(struct table *t)
{
	print_held(t);
}
