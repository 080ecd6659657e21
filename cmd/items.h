/*
 * Comma lists of the command line: "a.img,b.img", "tank/home,compression=zstd,atime=off".
 * A backslash takes the special meaning from : , = and \; before any other character it is itself.
 * Only the first bare = of an item separates.
 */
#ifndef CMD_ITEMS_H
#define CMD_ITEMS_H

#include <stddef.h>

#include "formats/base/err.h"

struct item {
	char *key;
	char *value; /* NULL: the item has no bare '=' */
};

struct items {
	struct item *list;
	size_t	     count;
};

/* Splits n bytes. An empty key is ERR_USAGE, so an empty text is too. items_free it. */
int  items_parse(const char *text, size_t n, struct items *out, struct err *e) MUST_CHECK;
void items_free(struct items *items);

/* Where the first bare `ch` stands in the first n bytes; n when there is none. */
size_t items_find_bare(const char *text, size_t n, char ch);

#endif
