/* Which of libarchive's formats and filters a suffix or a format's name stands for. */
#ifndef CORE_ENTRIES_ARCHIVE_FORMAT_H
#define CORE_ENTRIES_ARCHIVE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

struct archive; /* libarchive's */

/* What a format has room for, beside names and contents of files. */
enum archive_keeps {
	KEEPS_DIRS = 1 << 0,
	KEEPS_SYMLINKS = 1 << 1,
	KEEPS_LINKS = 1 << 2, /* hard links, told by name... */
	KEEPS_INODES = 1 << 3, /* ... or by equal numbers */
	KEEPS_FIFOS = 1 << 4,
	KEEPS_DEVICES = 1 << 5,
	KEEPS_XATTRS = 1 << 6,
	KEEPS_OWNERS = 1 << 7,
	KEEPS_MODES = 1 << 8,
	KEEPS_SETID = 1 << 9, /* set-id and sticky bits too */
	KEEPS_FRACTIONS = 1 << 10, /* of seconds */
	KEEPS_TIMES = 1 << 11,
	KEEPS_ROOT = 1 << 13, /* an entry for the first directory itself */
	KEEPS_PATHS = 1 << 12, /* names with directories in them */
};

struct archive_format {
	const char *name; /* for messages */
	int (*set_format)(struct archive *);
	int (*set_filter)(struct archive *); /* NULL: none */
	unsigned keeps;			     /* enum archive_keeps */
	bool	 pax;
	uint64_t id_max, size_max, rdev_max; /* 0: as large as an entry can have it */
	int64_t	 time_min, time_max;	     /* seconds since 1970; both 0: any */
};

/* By the end of a path: "x.tar.zst". */
bool archive_format_by_suffix(const char *path, struct archive_format *out);

/* By name: "pax", "newc", "tar.zst". */
bool archive_format_by_name(const char *name, struct archive_format *out);

#endif
