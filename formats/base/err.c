/* Error sentences, built inside out. Leaves printing and exit statuses to cmd/. */
#include "formats/base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	if (e == NULL)
		return -1;

	va_list ap;

	va_start(ap, fmt);
	e->kind = kind;
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	return -1;
}

/* Writes "where: cause" in place; a sentence that grows too long loses its end, never its start. */
static void prepend(struct err *e, const char *fmt, va_list ap)
{
	char old[sizeof e->text];
	char where[sizeof e->text];

	memcpy(old, e->text, sizeof old);
	vsnprintf(where, sizeof where, fmt, ap);

	int n = snprintf(e->text, sizeof e->text, "%s: ", where);

	if (n > 0 && (size_t)n < sizeof e->text) {
		size_t len = strnlen(old, sizeof e->text - 1 - (size_t)n);

		memcpy(e->text + n, old, len);
		e->text[(size_t)n + len] = '\0';
	}
}

int err_in(struct err *e, const char *fmt, ...)
{
	if (e == NULL)
		return -1;

	va_list ap;

	va_start(ap, fmt);
	prepend(e, fmt, ap);
	va_end(ap);
	return -1;
}

static enum err_kind kind_of_errno(int number)
{
	switch (number) {
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return ERR_NOSPACE;
	case ENOENT:
		return ERR_NOTFOUND;
	case ENOMEM:
		return ERR_NOMEM;
	case EEXIST:
		return ERR_EXISTS;
	default:
		return ERR_IO;
	}
}

int err_errno(struct err *e, int number, const char *fmt, ...)
{
	if (e == NULL)
		return -1;

	char	reason[128];
	va_list ap;

	/* XSI strerror_r; the GNU one would return a pointer instead. */
	if (strerror_r(number, reason, sizeof reason) != 0)
		snprintf(reason, sizeof reason, "error %d", number);
	err_set(e, kind_of_errno(number), "%s", reason);
	va_start(ap, fmt);
	prepend(e, fmt, ap);
	va_end(ap);
	return -1;
}

int err_nomem(struct err *e)
{
	return err_set(e, ERR_NOMEM, "out of memory");
}
