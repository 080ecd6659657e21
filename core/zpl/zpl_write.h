/*
 * Entries become files: a sink over a dataset being written, new or existing. Write half.
 *
 * Later entries win over earlier ones of the same name, except that only an empty directory gives
 * way to something else (ERR_EXISTS); a directory over a directory adds to it. Nothing but a
 * directory is walked through. Directories that no entry names get 0755, owner 0:0. File contents
 * stream out; directories, link counts and accounting are written by finish.
 *
 * What an entry says and a file system cannot hold is ERR_UNSUPPORTED or ERR_REFUSED, by name:
 * owners above 2^32 - 2, mode bits above 07777, what rdev_encode refuses, names that are too long,
 * not UTF-8 (utf8only) or, where names are normalised or case is ignored, beyond ASCII.
 *
 * A hard link may come before what it links to, also in another source: it waits until finish.
 */
#ifndef CORE_ZPL_ZPL_WRITE_H
#define CORE_ZPL_ZPL_WRITE_H

#include "core/dsl/dsl_write.h"
#include "core/zpl/entry.h"
#include "core/zpl/quota_kinds.h"

struct zpl_write;

struct zpl_write_options {
	uint32_t record_size; /* bytes; a power of two */
	bool	 time_given;
	/*
	 * Seconds since 1970, for what no entry dates. When it is not `given` but only what was
	 * seen elsewhere, a newer mtime among the entries wins.
	 */
	uint64_t time;
	uint32_t root_mode;
	uint64_t root_uid, root_gid; /* of the root directory, when no entry names it */
	/* extended attributes go into system attributes as far as they fit, else directories */
	bool	 xattr_sa;
	bool	 longname; /* names may have 1023 bytes */
	/*
	 * Of a new file system only; one that exists has its own. As the master node keeps them:
	 * ZPL_CASE_*, and normalization's U8_TEXTPREP_* (formD 0x10, formKD 0x20, formC 0x50,
	 * formKC 0x60; 0: none).
	 */
	bool	 utf8only;
	uint8_t	 casesensitivity;
	uint32_t normalization;
	unsigned version; /* of the ZPL: 3 to 5; 0: the newest that the pool can have */
};
enum { ZPL_VERSION_FIRST = 3 }; /* the oldest that is written: entries with types, ids in ACLs */
/* Source: OpenZFS zfs.h, zfs_case_t. */
enum { ZPL_CASE_SENSITIVE, ZPL_CASE_INSENSITIVE, ZPL_CASE_MIXED };

/* A new, empty file system in a dataset of dataset_write_create. */
int zpl_write_create(struct dataset_write *d, const struct zpl_write_options *o,
		     struct zpl_write **out, struct err *e) MUST_CHECK;
/* The file system that a dataset of dataset_write_open has, or one after its snapshot. */
int  zpl_write_open(struct dataset_write *d, const struct zpl_write_options *o,
		    struct zpl_write **out, struct err *e) MUST_CHECK;
void zpl_write_free(struct zpl_write *z);

/* The sink; its close does nothing, zpl_write_free does. */
struct entry_sink zpl_write_sink(struct zpl_write *z);

/*
 * Removes a file or link (path as entry_path_clean makes it). ERR_NOTFOUND;
 * ERR_REFUSED for a directory.
 */
int zpl_write_remove(struct zpl_write *z, const char *path, size_t path_size,
		     struct err *e) MUST_CHECK;

/* What stays when a tree is removed, with the directories that lead to it. */
struct zpl_keep {
	bool (*keep)(void *ctx, const char *path, size_t n);
	void *ctx;
};

/*
 * Removes everything in a directory ("" is the root); a name with everything below it. keep: NULL
 * for nothing. ERR_NOTFOUND when it or a directory on the way is not there, ERR_EXISTS when
 * something on the way is no directory.
 */
int zpl_write_clear(struct zpl_write *z, const char *path, size_t path_size,
		    const struct zpl_keep *keep, struct err *e) MUST_CHECK;
int zpl_write_remove_tree(struct zpl_write *z, const char *path, size_t path_size,
			  const struct zpl_keep *keep, struct err *e) MUST_CHECK;
int zpl_write_is_dir(struct zpl_write *z, const char *path, size_t path_size, bool *yes,
		     struct err *e) MUST_CHECK;

/*
 * A quota: bytes, or objects, that a user, group or project may have; 0: none any more. Before
 * finish. The pool must have the feature that the kind needs (property_account_feature).
 */
int zpl_write_set_quota(struct zpl_write *z, enum zpl_quota kind, uint64_t id, uint64_t limit,
			struct err *e) MUST_CHECK;

/* The same for whoever has no quota of his own. */
int zpl_write_set_default_quota(struct zpl_write *z, enum zpl_quota kind, uint64_t limit,
				struct err *e) MUST_CHECK;

/*
 * The directory of this path, and those above it, where nothing of that name is: 0755, 0:0.
 * ERR_EXISTS: something else is there.
 */
int zpl_write_make_dir(struct zpl_write *z, const char *path, size_t n, struct err *e) MUST_CHECK;

/* Files, directories and links written; the newest mtime among them, seconds since 1970. */
struct zpl_written {
	uint64_t files, directories, symlinks, hard_links, bytes;
	uint64_t fifos, sockets, devices;
	int64_t	 newest;
};
struct zpl_written zpl_write_counts(const struct zpl_write *z);

#endif
