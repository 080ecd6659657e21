/*
 * Archives as a source of entries: every format and filter that libarchive reads with contents of
 * its own (so not mtree, and no raw streams).
 *
 * Names come as the bytes that the archive holds, owners as numbers. A link name that carries the
 * contents (cpio) comes as the file, the other names as hard links after it. What is cut short or
 * damaged is an error that names archive and entry, also when it is cut between two entries.
 */
#ifndef CORE_ENTRIES_ARCHIVE_IN_H
#define CORE_ENTRIES_ARCHIVE_IN_H

#include "core/zpl/entry.h"

struct archive_in_options {
	/* Asked while a pipe lets wait: true gives up, with ERR_INTERRUPTED. NULL: wait for ever. */
	bool (*stop)(void *ctx);
	void *ctx;
};

/* `path` is kept as a copy, for messages. ERR_CORRUPT when it is no archive. */
int archive_in_open(const char *path, const struct archive_in_options *o, struct entry_source *out,
		    struct err *e) MUST_CHECK;

/* The same from a descriptor (a pipe, say), which stays the caller's. `name` is for messages. */
int archive_in_open_fd(int fd, const char *name, const struct archive_in_options *o,
		       struct entry_source *out, struct err *e) MUST_CHECK;

/* The same from memory, borrowed until close. */
int archive_in_open_memory(struct bytes archive, const char *name,
			   const struct archive_in_options *o, struct entry_source *out,
			   struct err *e) MUST_CHECK;

#endif
