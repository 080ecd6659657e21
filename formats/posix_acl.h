/*
 * POSIX access control lists as Linux hands them out and OpenZFS on Linux stores them: the value of
 * the extended attributes system.posix_acl_access and system.posix_acl_default.
 *
 *   0x0 version, 2 (u32)   then for each entry   0x0 tag (u16)  0x2 permissions (u16)  0x4 id (u32)
 *
 * always little-endian. Source: Linux include/uapi/linux/posix_acl_xattr.h, posix_acl.h; OpenZFS
 * zpl_xattr.c (zpl_set_acl_impl).
 */
#ifndef FORMATS_POSIX_ACL_H
#define FORMATS_POSIX_ACL_H

#include "formats/base/bytes.h"
#include "formats/base/err.h"

#define POSIX_ACL_ACCESS "system.posix_acl_access"
#define POSIX_ACL_DEFAULT "system.posix_acl_default"

enum { POSIX_ACL_HEADER = 4, POSIX_ACE_SIZE = 8, POSIX_ACL_VERSION = 2 };
#define POSIX_ACE_NO_ID UINT32_MAX

enum posix_tag {
	POSIX_USER_OBJ = 0x01,
	POSIX_USER = 0x02,
	POSIX_GROUP_OBJ = 0x04,
	POSIX_GROUP = 0x08,
	POSIX_MASK = 0x10,
	POSIX_OTHER = 0x20,
};

struct posix_ace {
	uint16_t tag, permissions; /* enum posix_tag; rwx */
	uint32_t id;		   /* of POSIX_USER and POSIX_GROUP */
};

/* How many entries a value has. ERR_CORRUPT when it is no list. */
int		 posix_acl_decode(struct bytes in, size_t *count, struct err *e) MUST_CHECK;
struct posix_ace posix_acl_entry(struct bytes in, size_t i);

/*
 * As a kernel takes it: owner, users, group, groups, mask, others in this order, each of those that
 * there is one of once, a mask when users or groups are named. ERR_CORRUPT.
 */
int posix_acl_check(struct bytes in, struct err *e) MUST_CHECK;

/* Sorts the entries as a kernel wants them and writes POSIX_ACL_HEADER + count * POSIX_ACE_SIZE. */
void posix_acl_encode(struct posix_ace *list, size_t count, uint8_t *out);

#endif
