/* Which of libarchive's formats and filters a suffix or a format's name stands for. */
#ifndef CORE_ENTRIES_ARCHIVE_FORMAT_H
#define CORE_ENTRIES_ARCHIVE_FORMAT_H

#include <stdbool.h>

struct archive; /* libarchive's */

struct archive_format {
	int (*set_format)(struct archive *);
	int (*set_filter)(struct archive *); /* NULL: none */
	bool links, xattrs, nodes;	     /* does it keep them? fifos and devices are nodes */
	bool pax;
};

/* By the end of a path: "x.tar.zst". */
bool archive_format_by_suffix(const char *path, struct archive_format *out);

/* By name: "pax", "newc", "tar.zst". */
bool archive_format_by_name(const char *name, struct archive_format *out);

#endif
