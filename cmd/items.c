/* Comma lists with escapes. */
#include "cmd/items.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool escapes(const char *text, size_t n, size_t i)
{
	return text[i] == '\\' && i + 1 < n && text[i + 1] != '\0' &&
	       strchr(":,=\\", text[i + 1]) != NULL;
}

size_t items_find_bare(const char *text, size_t n, char ch)
{
	for (size_t i = 0; i < n; i++) {
		if (escapes(text, n, i))
			i++;
		else if (text[i] == ch)
			return i;
	}
	return n;
}

/* A copy of the bytes without the escapes; NULL when memory is short. */
static char *plain(const char *text, size_t n)
{
	char  *out = malloc(n + 1);
	size_t len = 0;

	if (out == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (escapes(text, n, i))
			i++;
		out[len++] = text[i];
	}
	out[len] = '\0';
	return out;
}

static int item_add(struct items *items, const char *text, size_t n, struct err *e)
{
	struct item *list = realloc(items->list, (items->count + 1) * sizeof *list);

	if (list == NULL)
		return err_nomem(e);
	items->list = list;

	struct item *item = &list[items->count++];
	size_t	     eq = items_find_bare(text, n, '=');

	*item = (struct item){ .key = plain(text, eq) };
	if (eq < n)
		item->value = plain(text + eq + 1, n - eq - 1);
	if (item->key == NULL || (eq < n && item->value == NULL))
		return err_nomem(e);
	if (item->key[0] == '\0')
		return err_set(e, ERR_USAGE, "'%.*s' has an empty name in its comma list", (int)n,
			       text);
	return 0;
}

int items_parse(const char *text, size_t n, struct items *out, struct err *e)
{
	struct items items = { 0 };
	size_t	     from = 0;

	while (from <= n) {
		size_t len = items_find_bare(text + from, n - from, ',');

		if (item_add(&items, text + from, len, e) < 0) {
			items_free(&items);
			return -1;
		}
		from += len + 1;
	}
	*out = items;
	return 0;
}

void items_free(struct items *items)
{
	for (size_t i = 0; i < items->count; i++) {
		free(items->list[i].key);
		free(items->list[i].value);
	}
	free(items->list);
	*items = (struct items){ 0 };
}
