/* For tests: a source as text, one line an entry, and scratch directories. */
#ifndef CORE_ENTRIES_LISTING_TEST_H
#define CORE_ENTRIES_LISTING_TEST_H

#include "core/zpl/entry.h"

/*
 * "f a/b 0644 1:2 12 1000.000000005 0+12:hello..." and so on, in buf. Returns how many entries
 * there were, or -1 with what came before the error.
 */
int listing(struct entry_source *s, char *buf, size_t cap, struct err *e);

/* A new directory under $TMPDIR or /tmp, and its removal. */
const char *scratch_new(void);
void	    scratch_remove(const char *dir);

/* Runs a command made as by printf in the shell; its status. */
int shell(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
