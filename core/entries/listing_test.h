/* For tests: a source as text, one line an entry, and scratch directories. */
#ifndef CORE_ENTRIES_LISTING_TEST_H
#define CORE_ENTRIES_LISTING_TEST_H

#include "core/entries/lost.h"
#include "core/zpl/entry.h"

/*
 * "f a/b 0644 1:2 12 1000.000000005 0+12:hello..." and so on, in buf. Returns how many entries
 * there were, or -1 with what came before the error.
 */
int listing(struct entry_source *s, char *buf, size_t cap, struct err *e);

/* The same of an archive. */
int list_archive(const char *path, char *buf, size_t cap, struct err *e);

/*
 * What a copy reports, one after the other: "what 12;" of what was lost, "path: why;" of failures.
 */
struct told {
	char what[512];
};
void told_lost(void *ctx, enum lost_kind kind, uint64_t count);
void told_report(void *ctx, const char *path, size_t n, const struct err *why);

/* A new directory under $TMPDIR or /tmp, and its removal. */
const char *scratch_new(void);
void	    scratch_remove(const char *dir);

/* Runs a command made as by printf in the shell; its status. */
int shell(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
