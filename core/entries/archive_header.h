/* An entry as the header that libarchive writes, in the form that the archive's format can hold. */
#ifndef CORE_ENTRIES_ARCHIVE_HEADER_H
#define CORE_ENTRIES_ARCHIVE_HEADER_H

#include "core/base/idmap.h"
#include "core/entries/archive_format.h"
#include "core/entries/lost.h"
#include "core/zpl/entry.h"

struct archive_entry; /* libarchive's */

struct archive_header {
	struct archive_entry *ae;
	struct archive_format format;
	bool		      sockets; /* the format keeps them: cpio does */
	struct lost	      lost;
	struct idmap	      inodes; /* serial of an entry with several names -> its number */
	char		      path[ENTRY_PATH_MAX + 1];
	size_t		      path_n;
	char		      target[ENTRY_PATH_MAX + 1];
};

/* Counts what the format has no room for; true when the whole entry has none. */
bool archive_header_loses(struct archive_header *h, const struct entry *n);

/* Fills ae. ERR_REFUSED for names that are not plain, and numbers that the format would cut. */
int archive_header_fill(struct archive_header *h, const struct entry *n, struct err *e) MUST_CHECK;

#endif
