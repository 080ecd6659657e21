/*
 * Where a dump goes: lines of text out, damage aside. Used by everything in core/dump.
 *
 * What cannot be read or decoded is given to `trouble` and the dump goes on; only a failing `put`
 * (closed pipe, full disk, an interrupt) stops it: then functions return -1 with `stopped` set.
 */
#ifndef CORE_DUMP_DUMP_H
#define CORE_DUMP_DUMP_H

#include "formats/base/text.h"
#include "formats/blkptr.h"
#include "formats/nvlist.h"

enum { DUMP_FEW = 64 }; /* items of a raw list that are shown unless all are wanted */

struct dump {
	void *ctx;
	int (*put)(void *ctx, const char *text, size_t n, struct err *e);
	void (*trouble)(void *ctx, const struct err *why);
	bool all;     /* raw lists whole, and where the blocks are */
	bool stopped; /* put failed */
};

/* One line, the newline is added. Lines over 64 KiB are cut. */
int dump_line(struct dump *d, struct err *e, const char *fmt, ...) PRINTF_LIKE(3, 4) MUST_CHECK;

/* Text of any number of lines, each put behind `indent` tabs. */
int dump_lines(struct dump *d, unsigned indent, const char *text, struct err *e) MUST_CHECK;

/* What a describe function writes, however long (up to 64 MiB), behind `indent` tabs. */
typedef void dump_describe_fn(const void *what, struct text *t);
int	     dump_described(struct dump *d, unsigned indent, dump_describe_fn *fn, const void *what,
			    struct err *e) MUST_CHECK;
int dump_nvlist(struct dump *d, unsigned indent, const struct nvlist *l, struct err *e) MUST_CHECK;

/* Sixteen bytes a line: address in hex, the bytes, what is printable. `at` is the first one's
 * address. */
int dump_hex(struct dump *d, unsigned indent, uint64_t at, struct bytes in,
	     struct err *e) MUST_CHECK;

/*
 * Turns a failure into trouble: 0 when the dump can go on (rc was 0, or -1 and `why` was reported),
 * -1 when it was stopped; *e is then `why`.
 */
int dump_go_on(struct dump *d, int rc, const struct err *why, struct err *e) MUST_CHECK;

#endif
