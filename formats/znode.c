/*
 * The old znode, and the access control list that a mode alone amounts to. Lists that say more than
 * a mode belong to those who read and write files.
 */
#include "formats/znode.h"

#include "formats/words.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

#define WORD(disk, field) { #field, disk, offsetof(struct znode, field), WORD_NUMBER }
#define PAIR(disk, field)                                                                \
	WORD(disk, field),                                                               \
	{                                                                                \
#field "_ns", (disk) + 8, offsetof(struct znode, field) + 8, WORD_NUMBER \
	}

static const struct word words[] = {
	PAIR(0x00, atime), PAIR(0x10, mtime), PAIR(0x20, ctime), PAIR(0x30, crtime),
	WORD(0x40, gen),   WORD(0x48, mode),  WORD(0x50, size),	 WORD(0x58, parent),
	WORD(0x60, links), WORD(0x68, xattr), WORD(0x70, rdev),	 WORD(0x78, flags),
	WORD(0x80, uid),   WORD(0x88, gid),   WORD(0x90, zap),
};

int znode_decode(struct bytes in, struct znode *out, struct err *e)
{
	if (in.n < ZNODE_SIZE)
		return err_set(e, ERR_CORRUPT, "znode needs %d bytes, has %zu", ZNODE_SIZE, in.n);
	words_decode(words, COUNT(words), in, out);
	memcpy(out->acl, in.p + ZNODE_ACL_OFFSET, ZNODE_ACL_SIZE);
	return 0;
}

void znode_encode(const struct znode *z, struct wbytes out)
{
	assert(out.n >= ZNODE_SIZE);
	memset(out.p, 0, ZNODE_SIZE);
	words_encode(words, COUNT(words), z, out);
	memcpy(out.p + ZNODE_ACL_OFFSET, z->acl, ZNODE_ACL_SIZE);
}

/* Permissions, flags and types. Source: sys/acl.h, ACE_*. */
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
	ACE_READ_ACL = 0x20000,
	ACE_WRITE_ACL = 0x40000,
	ACE_WRITE_OWNER = 0x80000,
	ACE_SYNCHRONIZE = 0x100000,

	FOR_OWNER = 0x1000,
	FOR_GROUP = 0x2040, /* ACE_GROUP | ACE_IDENTIFIER_GROUP */
	FOR_EVERYONE = 0x4000,

	ALLOW = 0,
	DENY = 1,

	ANYBODY = ACE_READ_ACL | ACE_READ_ATTRIBUTES | ACE_READ_NAMED_ATTRS | ACE_SYNCHRONIZE,
	OWNER_ALSO = ACE_WRITE_ACL | ACE_WRITE_ATTRIBUTES | ACE_WRITE_NAMED_ATTRS | ACE_WRITE_OWNER,
};

/* What the three bits of a mode allow. */
static uint32_t rwx_mask(unsigned rwx, bool is_dir)
{
	uint32_t mask = 0;

	if (rwx & 4)
		mask |= ACE_READ_DATA;
	if (rwx & 2)
		mask |= ACE_WRITE_DATA | ACE_APPEND_DATA | (is_dir ? ACE_DELETE_CHILD : 0);
	if (rwx & 1)
		mask |= ACE_EXECUTE;
	return mask;
}

/*
 * Entries are read in order and the first that speaks about a permission decides, while everyone@
 * includes owner and group. So what a wider class has and a narrower one lacks must be denied to
 * the narrower one first; and what the owner has, the group lacks and others have must be allowed
 * to the owner ahead of the group's denial, since the owner may be a member.
 * Source: OpenZFS zfs_acl.c, acl_trivial_access_masks and zfs_acl_chmod.
 */
unsigned acl_trivial(uint32_t mode, bool is_dir, struct ace out[6])
{
	unsigned   owner = mode >> 6 & 7, group = mode >> 3 & 7, other = mode & 7, n = 0;
	unsigned   owner_first = owner & ~group & other;
	unsigned   owner_not = ~owner & (group | other);
	unsigned   group_not = ~group & other;
	struct ace all[6] = {
		{ rwx_mask(owner_first, is_dir), FOR_OWNER, ALLOW },
		{ rwx_mask(owner_not, is_dir), FOR_OWNER, DENY },
		{ rwx_mask(group_not, is_dir), FOR_GROUP, DENY },
		{ rwx_mask(owner, is_dir) | ANYBODY | OWNER_ALSO, FOR_OWNER, ALLOW },
		{ rwx_mask(group, is_dir) | ANYBODY, FOR_GROUP, ALLOW },
		{ rwx_mask(other, is_dir) | ANYBODY, FOR_EVERYONE, ALLOW },
	};

	for (unsigned i = 0; i < 6; i++) {
		if (all[i].mask != 0)
			out[n++] = all[i];
	}
	return n;
}

void ace_encode(const struct ace *a, struct wbytes out)
{
	put16(out, 0, a->type);
	put16(out, 2, a->flags);
	put32(out, 4, a->mask);
}
