/* Bounded text. */
#include "formats/base/text.h"

#include <stdarg.h>
#include <stdio.h>

struct text text_in(char *buf, size_t cap)
{
	assert(cap > 0);
	buf[0] = '\0';
	return (struct text){ .p = buf, .cap = cap };
}

void text_put(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);

	int n = vsnprintf(t->p + t->n, t->cap - t->n, fmt, ap);

	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= t->cap - t->n) {
		t->n = t->cap - 1;
		t->cut = true;
	} else {
		t->n += (size_t)n;
	}
}

void text_name(struct text *t, const void *name, size_t n)
{
	const unsigned char *s = name;

	for (size_t i = 0; i < n && !t->cut; i++) {
		if (s[i] < 0x20 || s[i] > 0x7e || s[i] == '\\')
			text_put(t, "\\x%02x", s[i]);
		else
			text_put(t, "%c", s[i]);
	}
}

void text_hex(struct text *t, const void *p, size_t n)
{
	const unsigned char *s = p;

	for (size_t i = 0; i < n && !t->cut; i++)
		text_put(t, "%02x", s[i]);
}
