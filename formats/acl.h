/*
 * Access control lists in ZFS's own form (NFSv4's model): entries that allow or deny, read in
 * order.
 *
 * From ZPL version 3 an entry is   0x0 type (u16)  0x2 flags (u16)  0x4 mask (u32)
 * and, unless it allows or denies owner@, group@ or everyone@, 0x8 who (u64); types 5 to 8 have two
 * GUIDs of 16 bytes behind that. Before, all have 12 bytes: who (u32), mask, flags, type.
 * Source: OpenZFS zfs_acl.h (zfs_ace_hdr_t, zfs_ace_t, zfs_object_ace_t, zfs_oldace_t,
 * zfs_acl_phys_t), zfs_acl.c (zfs_ace_fuid_size, ace_trivial_common), acl.h (ACE_*).
 */
#ifndef FORMATS_ACL_H
#define FORMATS_ACL_H

#include "formats/base/bytes.h"
#include "formats/base/err.h"
#include "formats/base/text.h"

enum {
	ACE_HEADER_SIZE = 8,  /* owner@, group@, everyone@ */
	ACE_ID_SIZE = 16,     /* a user or group */
	ACE_OBJECT_SIZE = 48, /* types 5 to 8 */
	ACE_OLD_SIZE = 12,
	ACL_ENTRIES_MAX = 1024, /* acl.h, MAX_ACL_ENTRIES */
};

enum ace_type {
	ACE_ALLOW,
	ACE_DENY,
	ACE_AUDIT,
	ACE_ALARM,
	ACE_OBJECT_FIRST = 5,
	ACE_OBJECT_LAST = 8,
};

/* Permissions. */
enum {
	ACE_READ_DATA = 0x1,
	ACE_WRITE_DATA = 0x2,
	ACE_APPEND_DATA = 0x4,
	ACE_READ_NAMED_ATTRS = 0x8,
	ACE_WRITE_NAMED_ATTRS = 0x10,
	ACE_EXECUTE = 0x20,
	ACE_DELETE_CHILD = 0x40,
	ACE_READ_ATTRIBUTES = 0x80,
	ACE_WRITE_ATTRIBUTES = 0x100,
	ACE_DELETE = 0x10000,
	ACE_READ_ACL = 0x20000,
	ACE_WRITE_ACL = 0x40000,
	ACE_WRITE_OWNER = 0x80000,
	ACE_SYNCHRONIZE = 0x100000,
	ACE_ALL = 0x1f01ff,
};

/* Flags: inheritance and auditing, and of whom an entry speaks. */
enum {
	ACE_FILE_INHERIT = 0x1,
	ACE_DIRECTORY_INHERIT = 0x2,
	ACE_NO_PROPAGATE = 0x4,
	ACE_INHERIT_ONLY = 0x8,
	ACE_SUCCESSFUL = 0x10,
	ACE_FAILED = 0x20,
	ACE_INHERITED = 0x80,
	ACE_INHERITING = 0xf,

	ACE_FOR_USER = 0, /* who */
	ACE_FOR_GROUP_ID = 0x40,
	ACE_FOR_OWNER = 0x1000,
	ACE_FOR_GROUP = 0x2040,
	ACE_FOR_EVERYONE = 0x4000,
	ACE_FOR = 0x7040, /* the bits that say it */
};

struct ace {
	uint32_t mask;
	uint16_t flags, type;
	uint64_t who;			    /* an id, for users and groups that are named */
	uint8_t	 object[16], inherited[16]; /* GUIDs; of types 5 to 8 */
};

/* What an entry takes on disk (version 1). */
size_t ace_size(const struct ace *a);
void   ace_encode(const struct ace *a, struct wbytes out); /* ace_size bytes */
/* The entry at the start of `in`, and its size. ERR_CORRUPT when it is cut short. */
int ace_decode(struct bytes in, struct ace *out, size_t *size, struct err *e) MUST_CHECK;
int ace_old_decode(struct bytes in, struct ace *out, struct err *e) MUST_CHECK;

/* A list being read. */
struct acl_view {
	struct bytes data;
	uint64_t     left; /* entries */
	bool	     old;  /* entries of 12 bytes */
};
/* The next entry: 1, 0 at the end, -1 (ERR_CORRUPT). */
int acl_next(struct acl_view *v, struct ace *out, struct err *e) MUST_CHECK;

/*
 * How an old znode (or the attribute ZPL_ZNODE_ACL) keeps its list: here, or in an object.
 *   0x00 object (u64)  0x08 size (u32)  0x0c version (u16)  0x0e count (u16)  0x10 72 bytes
 * and in version 0 the count where the size stands.
 */
enum { ACL_PHYS_SIZE = 88, ACL_PHYS_INLINE = 72 };
struct acl_phys {
	uint64_t     object; /* 0: the entries follow here */
	uint64_t     size;   /* bytes of all entries */
	uint64_t     count;
	uint16_t     version;
	struct bytes here; /* decode: borrowed; encode: what to copy */
};
int  acl_phys_decode(struct bytes in, struct acl_phys *out, struct err *e) MUST_CHECK;
void acl_phys_encode(const struct acl_phys *a, struct wbytes out);

/* Do its values make sense in a list that is written? ERR_UNSUPPORTED. */
int ace_check(const struct ace *a, struct err *e) MUST_CHECK;

/* Says a list no more than a mode would? */
bool acl_is_trivial(const struct ace *list, size_t count);

/* "owner@:rw-p--aARWcCos:-------:allow", "user:1000:...", as getfacl on FreeBSD prints it. */
void ace_describe(const struct ace *a, struct text *t);

/*
 * The trivial ACL that says what `mode` says, as chmod makes it; returns the number of ACEs (<= 6).
 */
enum { ACL_TRIVIAL_MAX = 6 };
unsigned acl_trivial(uint32_t mode, bool is_dir, struct ace out[ACL_TRIVIAL_MAX]);

#endif
