/*
 * A file, directory or link, independent of where it comes from or goes to: what archives and
 * directories give to the ZPL writer, and what the ZPL reader gives to them.
 */
#ifndef CORE_ZPL_ENTRY_H
#define CORE_ZPL_ENTRY_H

#include "formats/acl.h"
#include "formats/base/bytes.h"
#include "formats/base/err.h"

enum entry_kind {
	ENTRY_FILE = 'f',
	ENTRY_DIR = 'd',
	ENTRY_SYMLINK = 'l',
	ENTRY_HARDLINK = 'h', /* target names another entry of the same source */
	ENTRY_FIFO = 'p',
	ENTRY_SOCKET = 's',
	ENTRY_CHAR = 'c',
	ENTRY_BLOCK = 'b',
};

struct entry_time {
	int64_t	 sec;
	uint32_t ns;
};

/* Name and value are borrowed; names are in Linux's form ("user.x", "security.capability"). */
struct entry_xattr {
	const char  *name;
	const void  *value;
	size_t	     size;
};

/* A run of bytes of a file that is there; what lies between runs is zeros. */
struct entry_range {
	uint64_t offset, size;
};

/* Everything is borrowed from whoever made the entry and lives until the next one. */
struct entry {
	enum entry_kind kind;
	/* "a/b", no leading or trailing slash; "" is the root directory */
	const char     *path;
	size_t		path_size; /* bytes, since names need not be text */
	uint32_t	mode;	   /* permission bits and suid, sgid, sticky only */
	uint64_t	uid, gid;
	uint64_t	size;	     /* of a file's contents */
	struct entry_time mtime, atime, ctime, crtime;
	bool		have_atime, have_ctime, have_crtime;
	const char     *target;	     /* of a symlink or hard link */
	size_t		target_size;
	uint32_t	major, minor; /* of a device */
	/*
	 * How many names the file has where it comes from, and what is the same for all of them;
	 * 0 when the source does not say. Some of the names may never be told.
	 */
	uint64_t	links, serial;
	const struct entry_xattr *xattrs;
	size_t		xattr_count;
	/*
	 * An NFSv4 ACL that says more than the mode; NULL: none. POSIX ACLs are the xattrs
	 * system.posix_acl_access and system.posix_acl_default, as Linux gives them.
	 */
	const struct ace *aces;
	size_t		  ace_count;
	/*
	 * Where the data will lie, ascending and apart, when the source knows
	 * ahead: tar's headers say.
	 */
	bool			  have_ranges;
	const struct entry_range *ranges;
	size_t			  range_count;
};

/*
 * A source of entries, in its own order. Contents come as pieces in ascending order of offset, gaps
 * being zeros (holes of sparse files).
 */
struct entry_source {
	void *self;
	/* 1 and the next entry, 0 at the end, -1. */
	int (*next)(void *self, struct entry *out, struct err *e);
	/* For the current file: 1 and a piece (borrowed until the next call), 0 at the end, -1. */
	int (*data)(void *self, uint64_t *offset, struct bytes *piece, struct err *e);
	void (*close)(void *self);
};

/* Where entries go. Calls: begin, any number of data (ascending), end; finish once. */
struct entry_sink {
	void *self;
	int (*begin)(void *self, const struct entry *entry, struct err *e);
	int (*data)(void *self, uint64_t offset, struct bytes piece, struct err *e);
	/*
	 * `failed`: the contents could not be read whole from the pool;
	 * the sink decides what stays.
	 */
	int (*end)(void *self, const struct err *failed, struct err *e);
	int (*finish)(void *self, struct err *e);
	/* also after a failure: leaves nothing half-made that looks whole */
	void (*close)(void *self);
};

/*
 * Makes an archive's or directory's path safe and plain: "./a//b/" -> "a/b", "/a" -> "a", "." ->
 * "". A ".." part, a NUL, a part over 1023 bytes or a path over 4095 is ERR_REFUSED with the name
 * quoted. out needs in_size + 1 bytes; *n is its length.
 */
int entry_path_clean(const char *in, size_t in_size, char *out, size_t *n,
		     struct err *e) MUST_CHECK;

/*
 * Is a path plain already? Sinks ask, since names in pools are no more to be trusted than others.
 * ERR_REFUSED when not. `out` (ENTRY_PATH_MAX + 1 bytes) gets a copy that ends with a NUL.
 */
int entry_path_copy(const char *path, size_t n, char *out, struct err *e) MUST_CHECK;

/* Where names have 255 bytes at most is for those to say who keep them. */
enum { ENTRY_PATH_MAX = 4095, ENTRY_PART_MAX = 1023 };

/* The kind that a file type in a Unix mode stands for; 0 when it is none of them. */
int entry_kind_of_mode(uint64_t mode);

/* Puts the path, quoted and shortened, in front of the sentence; returns -1. The root is ".". */
int entry_err_in(struct err *e, const char *path, size_t n);

/*
 * Everything from a source into a sink, `finish` included. Fails at the first error of either; a
 * file whose contents cannot be read whole is ended as failed first.
 */
int entry_copy(struct entry_source *from, struct entry_sink *to, struct err *e) MUST_CHECK;

#endif
