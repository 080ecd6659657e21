/* The old znode. Its ACL is acl.c's. */
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
