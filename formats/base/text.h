/*
 * A bounded string for descriptions. Text past the end is dropped and remembered in `cut`; nothing
 * here fails or allocates. Names from images go through text_name, which quotes what a terminal or
 * a script could trip over.
 */
#ifndef FORMATS_BASE_TEXT_H
#define FORMATS_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/base/bytes.h"
#include "formats/base/err.h"

struct text {
	char  *p;   /* NUL-terminated always; the caller's memory */
	size_t cap; /* bytes at p, at least 1 */
	size_t n;   /* characters so far, without the NUL */
	bool   cut; /* something did not fit */
};

/* Starts an empty text in the caller's buffer: struct text t = text_in(buf, sizeof buf). */
struct text text_in(char *buf, size_t cap);

void text_put(struct text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Appends bytes as they are when printable ASCII, others and the backslash as \xHH. */
void text_name(struct text *t, const void *name, size_t n);

/* Appends bytes as hex digits. */
void text_hex(struct text *t, const void *p, size_t n);

#endif
