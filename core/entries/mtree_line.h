/* One line of an mtree(5) list: a name and what the words after it say. */
#ifndef CORE_ENTRIES_MTREE_LINE_H
#define CORE_ENTRIES_MTREE_LINE_H

#include "core/zpl/entry.h"

enum mtree_key {
	MTREE_TYPE = 1 << 0,
	MTREE_MODE = 1 << 1,
	MTREE_UID = 1 << 2,
	MTREE_GID = 1 << 3,
	MTREE_TIME = 1 << 4,
	MTREE_SIZE = 1 << 5,
	MTREE_DEVICE = 1 << 6,
	MTREE_LINK = 1 << 7,
	MTREE_CONTENTS = 1 << 8,
	MTREE_OPTIONAL = 1 << 9,
};

/* Texts are borrowed from the line. */
struct mtree_keys {
	unsigned	  given; /* enum mtree_key */
	enum entry_kind	  kind;
	uint32_t	  mode;
	uint64_t	  uid, gid, size;
	struct entry_time time;
	uint32_t	  major, minor;
	const char	 *link, *contents;
	size_t		  link_n, contents_n;
};

enum mtree_what {
	MTREE_NOTHING, /* a comment, an empty line, /set and /unset: done */
	MTREE_UP,      /* ".." */
	MTREE_ENTRY,
};
struct mtree_line {
	enum mtree_what	  what;
	const char	 *name; /* of an entry, escapes taken out: not yet made safe */
	size_t		  name_n;
	struct mtree_keys keys; /* the line's own over those of /set */
};

/*
 * Parses a line, which ends with a NUL, without newline, continuations joined. It is changed, and
 * `out` borrows from it. `set` is what /set lines have said so far. ERR_CORRUPT says what is wrong
 * with which word; ERR_UNSUPPORTED: an owner by a name other than root's.
 * Source: mtree(5) of FreeBSD, NetBSD and libarchive.
 */
int mtree_line_parse(char *line, struct mtree_keys *set, struct mtree_line *out,
		     struct err *e) MUST_CHECK;

#endif
