/*
 * File systems: lookup, directories, attributes, contents, extended attributes. Read half.
 * ZPL 1..5; attributes from SA or from the old znode in the bonus, which
 * the caller does not notice.
 */
#ifndef CORE_ZPL_ZPL_READ_H
#define CORE_ZPL_ZPL_READ_H

#include "core/dsl/dsl_read.h"
#include "core/zpl/entry.h"

struct zpl;

/* ds is borrowed and outlives the handle. ERR_UNSUPPORTED when it is no file system. */
int  zpl_open(struct dataset *ds, struct zpl **out, struct err *e) MUST_CHECK;
void zpl_close(struct zpl *z);

/*
 * The same of an object set that no dataset on disk need have: one that is being written. `os` is
 * copied, its reader and `name` (for messages) outlive the handle.
 */
int zpl_open_set(const struct objset *os, const char *name, struct zpl **out,
		 struct err *e) MUST_CHECK;

uint64_t       zpl_version(const struct zpl *z);
uint64_t       zpl_root(const struct zpl *z); /* the root directory's object */
struct objset *zpl_objset(struct zpl *z);

struct zpl_attr {
	uint64_t object;
	uint64_t mode; /* with the file type */
	uint64_t size, gen, links, parent, flags, rdev, xattr_object;
	uint64_t uid, gid, projid;
	struct entry_time atime, mtime, ctime, crtime;
};
/*
 * The device numbers in an attribute's rdev. illumos and FreeBSD keep 32 bits of each. Where the
 * upper half is empty, OpenZFS on Linux wrote the kernel's number (20 bits of minor), zfs-fuse that
 * of its C library; which of the two is taken from the software version in the uberblock.
 * Source: OpenZFS zfs_znode_os.c (zfs_cmpldev); the others observed in pools of zfs-fuse 0.7.0.
 */
void zpl_rdev(const struct zpl *z, uint64_t rdev, uint32_t *major, uint32_t *minor);

int zpl_getattr(struct zpl *z, uint64_t object, struct zpl_attr *out, struct err *e) MUST_CHECK;

struct zpl_dirent {
	const char *name; /* not text: quote before printing */
	size_t	    name_size;
	uint64_t    object;
	unsigned    type; /* DT_* as stored, 0 in the oldest */
};
typedef int zpl_dirent_fn(void *ctx, const struct zpl_dirent *d, struct err *e);
int	    zpl_readdir(struct zpl *z, uint64_t dir, zpl_dirent_fn *fn, void *ctx,
			struct err *e) MUST_CHECK;

/* "a/b/c" from the root, "" the root itself. Symlinks are not followed. */
int zpl_lookup(struct zpl *z, const char *path, uint64_t *object, struct err *e) MUST_CHECK;

/* The target into buf, not terminated; *n is its length. ERR_CORRUPT when over `cap`. */
int zpl_readlink(struct zpl *z, uint64_t object, char *buf, size_t cap, size_t *n,
		 struct err *e) MUST_CHECK;

/*
 * Extended attributes of both storages (SA and directory), the SA one first. Names come in Linux's
 * form; an attribute can come from both. fn returns 0 to go on, else that ends it and is returned.
 */
typedef int zpl_xattr_fn(void *ctx, const char *name, struct bytes value, struct err *e);
int	    zpl_xattrs(struct zpl *z, uint64_t object, zpl_xattr_fn *fn, void *ctx,
		       struct err *e) MUST_CHECK;

/*
 * The access control list in ZFS's own form, into an array that grows (free() it). Every file has
 * one; acl_is_trivial tells those that say no more than the mode.
 */
int zpl_acl(struct zpl *z, uint64_t object, struct ace **list, size_t *cap, size_t *count,
	    struct err *e) MUST_CHECK;

/*
 * The tree under `object` (whose path is `path`) into a sink: directories before what is in them,
 * names in byte order, the second and later names of a file as hard links. Paths begin below
 * `object`, whose own is "". What cannot be read is reported through `report` and stepped over;
 * returns 0 also then, -1 when the sink or the memory failed. A directory that is not wanted is not
 * entered. The sink is neither finished nor closed: it may be given several trees.
 */
enum zpl_wanted {
	ZPL_NOT_WANTED,
	ZPL_WANTED,
	ZPL_WANTED_BELOW, /* a directory that is not told, but entered */
};
struct zpl_export {
	uint64_t object;
	/* NULL: everything. The path ends with a NUL; `dir`: it is a directory. */
	enum zpl_wanted (*wanted)(void *ctx, const char *path, size_t n, bool dir);
	void (*report)(void *ctx, const char *path, size_t n, const struct err *why);
	void *ctx;
	bool  without_contents; /* names and attributes only: no data calls */
	bool  with_ranges;	/* entries carry the map of their data, for archives */
};
int zpl_export(struct zpl *z, const struct zpl_export *what, struct entry_sink *sink,
	       struct err *e) MUST_CHECK;

#endif
