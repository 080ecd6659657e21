/*
 * An archive as a sink of entries, written through libarchive.
 *
 * The same entries give the same bytes: owners are numbers only, times are the entries' own. What a
 * format cannot hold is counted and told at the end, once per kind.
 */
#ifndef CORE_ENTRIES_ARCHIVE_OUT_H
#define CORE_ENTRIES_ARCHIVE_OUT_H

#include "core/entries/lost.h"
#include "core/zpl/entry.h"

struct archive_out_options {
	const char *format; /* as archive_out_format takes; NULL: by the path's suffix, else pax */
	/* An entry that no archive can hold; the others go on. NULL: it ends the copy. */
	void (*report)(void *ctx, const char *path, size_t n, const struct err *why);
	lost_fn *lost; /* what this format cannot hold, at the end; may be NULL */
	void	*ctx;
};

/* Is this the name of an archive: ".tar", ".tar.zst", ".tgz", ".cpio", ".zip"...? */
bool archive_out_suffix(const char *path);

/* Is this a format: "pax", "ustar", "newc", or a suffix without its dot? */
bool archive_out_format(const char *format);

/* `path` is made, or overwritten; when close comes without finish, or after a failure, it is
 * removed. */
int archive_out_open(const char *path, const struct archive_out_options *o, struct entry_sink *out,
		     struct err *e) MUST_CHECK;

/* To a descriptor, which stays the caller's: a pipe, standard output. */
int archive_out_open_fd(int fd, const char *name, const struct archive_out_options *o,
			struct entry_sink *out, struct err *e) MUST_CHECK;

#endif
