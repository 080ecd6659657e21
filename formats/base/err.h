/*
 * Why an operation failed: a kind for the program, a sentence for a person.
 *
 * Functions that can fail return 0, or -1 with the reason in a `struct err` the caller owns. The
 * sentence is built from the inside out: the place that finds the fault sets it with err_set, each
 * layer that knows *where* puts that in front with err_in. `NULL` is accepted everywhere, for
 * callers who expect failure and do not care why.
 */
#ifndef FORMATS_BASE_ERR_H
#define FORMATS_BASE_ERR_H

#include <stdarg.h>

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

enum err_kind {
	ERR_NONE = 0,
	ERR_CORRUPT,	 /* bytes that contradict the format, or fail their checksum */
	ERR_IO,		 /* the device or the host's file system refused */
	ERR_NOMEM,	 /* an allocation failed or a memory budget is used up */
	ERR_UNSUPPORTED, /* valid, but a feature we do not have; the sentence names it */
	ERR_NOTFOUND,	 /* no such pool, dataset, object, entry, file */
	ERR_EXISTS,	 /* it is already there */
	ERR_USAGE,	 /* the caller's words are wrong */
	ERR_NOSPACE,	 /* the pool, or the host's disk, is full */
	ERR_REFUSED,	 /* possible but not safe: in use, not exported, holds data */
	ERR_INTERRUPTED, /* a signal asked us to stop */
};

struct err {
	enum err_kind kind;
	char	      text[1024]; /* one line, NUL-terminated, cut short rather than overrun */
};

/* Sets kind and sentence; returns -1, so that `return err_set(...)` reads well. */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Puts "where: " in front of the sentence; returns -1. */
int err_in(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* err_set for failed system calls: "what: strerror(number)"; ENOSPC becomes ERR_NOSPACE,
 * ENOENT ERR_NOTFOUND, ENOMEM ERR_NOMEM, the rest ERR_IO. */
int err_errno(struct err *e, int number, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* err_set(e, ERR_NOMEM, ...) with the one sentence all of us use. */
int err_nomem(struct err *e);

#endif
