/*
 * What the ZPL keeps of a file beside its contents: the old znode in the bonus buffer,
 * flags, directory entries.
 * Source: on-disk format, "ZPL"; OpenZFS zfs_znode.h (znode_phys_t, ZFS_DIRENT_*), zfs_acl.h.
 */
#ifndef FORMATS_ZNODE_H
#define FORMATS_ZNODE_H

#include "formats/base/bytes.h"
#include "formats/base/err.h"
#include "formats/base/text.h"

enum { ZNODE_SIZE = 264, ZNODE_ACL_OFFSET = 176, ZNODE_ACL_SIZE = 88 };

/* Times are pairs: seconds, nanoseconds. */
struct znode {
	uint64_t atime[2], mtime[2], ctime[2], crtime[2];
	uint64_t gen, mode, size, parent, links, xattr, rdev, flags, uid, gid, zap;
	/* acl.h's acl_phys, in the pool's order */
	uint8_t	 acl[ZNODE_ACL_SIZE];
};
int  znode_decode(struct bytes in, struct znode *out, struct err *e) MUST_CHECK;
void znode_encode(const struct znode *z, struct wbytes out); /* acl is copied as it stands */

/* Flags. Source: zfs_znode.h, ZFS_*. */
enum {
	ZNODE_XATTR = 0x1,
	ZNODE_INHERIT_ACE = 0x2,
	ZNODE_ACL_TRIVIAL = 0x4,
	ZNODE_ACL_OBJ_ACE = 0x8,
	ZNODE_ACL_PROTECTED = 0x10,
	ZNODE_ACL_DEFAULTED = 0x20,
	ZNODE_ACL_AUTO_INHERIT = 0x40,
	ZNODE_BONUS_SCANSTAMP = 0x80,
	ZNODE_NO_EXECS_DENIED = 0x100,
};
#define ZNODE_READONLY	    UINT64_C(0x0000000100000000)
#define ZNODE_HIDDEN	    UINT64_C(0x0000000200000000)
#define ZNODE_SYSTEM	    UINT64_C(0x0000000400000000)
#define ZNODE_ARCHIVE	    UINT64_C(0x0000000800000000)
#define ZNODE_IMMUTABLE	    UINT64_C(0x0000001000000000)
#define ZNODE_NOUNLINK	    UINT64_C(0x0000002000000000)
#define ZNODE_APPENDONLY    UINT64_C(0x0000004000000000)
#define ZNODE_NODUMP	    UINT64_C(0x0000008000000000)
#define ZNODE_AV_MODIFIED   UINT64_C(0x0000040000000000)
#define ZNODE_PROJINHERIT   UINT64_C(0x0000400000000000)
#define ZNODE_PROJID_FLAG   UINT64_C(0x0000800000000000)

/* A directory's ZAP value: type in the upper 4 bits, object in the lower 48. */
static inline uint64_t dirent_value(unsigned type, uint64_t object)
{
	return (uint64_t)type << 60 | object;
}
static inline unsigned dirent_type(uint64_t value)
{
	return (unsigned)(value >> 60);
}
static inline uint64_t dirent_object(uint64_t value)
{
	return value & ((UINT64_C(1) << 48) - 1);
}

#endif
