/*
 * A new file's attributes as its dnode's bonus keeps them: system attributes (and, when they do not
 * fit, a spill block) from ZPL version 5, the old znode before.
 *
 * An old znode is followed by a symlink's target of up to 56 bytes; a longer one is the file's
 * first block. An ACL of more than 72 bytes is an object, too. Source: OpenZFS zfs_sa.c
 * (zfs_sa_symlink), zfs_acl.c (zfs_aclset_common).
 *
 * The order is node_layouts.c's. What does not fit the bonus goes to a spill block from the first
 * attribute on that does not fit.
 */
#ifndef CORE_ZPL_NODE_PACK_H
#define CORE_ZPL_NODE_PACK_H

#include "core/zpl/entry.h"
#include "core/zpl/node_layouts.h"
#include "formats/acl.h"
#include "formats/dnode.h"

struct node {
	uint64_t	  mode; /* with the file type */
	uint64_t	  size, links, parent, gen, uid, gid;
	uint64_t	  rdev;		/* of a device: rdev_encode */
	uint64_t	  xattr_object; /* the hidden directory of xattrs; 0: none */
	uint64_t	  acl_object;	/* where the ACL is, when node_acl_outside */
	uint64_t	  flags; /* ZNODE_*, beside those that follow from the rest */
	bool		  in_xattrs;	/* it is such a directory, or a file in one */
	struct entry_time atime, mtime, ctime, crtime;
	const char	 *target; /* of a symlink; borrowed */
	size_t		  target_size;
	struct bytes	  xattrs; /* packed list, or empty; borrowed */
	const struct ace *aces;	  /* NULL: what the mode says; borrowed */
	size_t		  ace_count;
};

struct node_packed {
	uint8_t bonus_type;
	uint8_t bonus[DNODE_BONUS_MAX];
	size_t	bonus_size;
	size_t	spill_size; /* 0: no spill block */
};

/*
 * Where `links` stands in a bonus that node_pack made, uid and gid in a plain one; for late
 * hard links and accounting.
 */
size_t node_links_offset(struct bytes bonus, bool sa);
void   node_owner(struct bytes bonus, bool sa, uint64_t *uid, uint64_t *gid);

/*
 * What an old znode has no room for: bytes that the ACL takes in an object of its own (0: it is in
 * the bonus), and whether the target is in the file's block. Nothing is outside with `sa`.
 */
size_t node_acl_outside(const struct node *n, bool sa);
void   node_acl_encode(const struct node *n, struct wbytes out); /* node_acl_outside bytes */
bool   node_target_outside(const struct node *n, bool sa);

/*
 * `bonus_max` is what the dnode has room for (a multiple of 8); a spill block's pointer takes
 * BLKPTR_SIZE of it. `spill` has room for NODE_SPILL_MAX bytes. ERR_UNSUPPORTED when the attributes
 * are too large even for that, or when an old znode has no place for them.
 */
enum { NODE_SPILL_MAX = 128 << 10 };
int node_pack(const struct node *n, struct node_layouts *layouts, bool sa, enum order order,
	      size_t bonus_max, struct node_packed *out, uint8_t *spill, struct err *e) MUST_CHECK;

/* Mode bits as they stand in znodes (POSIX's numbers), by entry kind. */
uint64_t node_mode(enum entry_kind kind, uint32_t permissions);

/* The packed list of xattrs (free() it); *n 0 when there are none. */
int node_xattrs(const struct entry_xattr *list, size_t count, uint8_t **out, size_t *n,
		struct err *e) MUST_CHECK;

/* Bytes of such a list: an empty one, and what one attribute adds to it. Source: nvlist.h. */
enum { NODE_XATTRS_EMPTY = 20 };
size_t node_xattr_size(const struct entry_xattr *x);

#endif
