/*
 * A new file's attributes as its dnode's bonus keeps them: system attributes (and, when they do not
 * fit, a spill block) from ZPL version 5, the old znode before.
 *
 * The first attributes stand in the order that FreeBSD's boot loader has hard-coded:
 * mode, size, gen, uid, gid, parent, flags, atime, mtime, ctime, crtime, links, ACL count,
 * ACL, then symlink and xattrs.
 */
#ifndef CORE_ZPL_NODE_PACK_H
#define CORE_ZPL_NODE_PACK_H

#include "core/zpl/entry.h"
#include "formats/dnode.h"
#include "formats/sa.h"

struct node {
	uint64_t	  mode; /* with the file type */
	uint64_t	  size, links, parent, gen, uid, gid;
	struct entry_time atime, mtime, ctime, crtime;
	const char	 *target; /* of a symlink; borrowed */
	size_t		  target_size;
	struct bytes	  xattrs; /* packed list, or empty; borrowed */
};

/* Which attributes, and where; the numbers are the object set's own. */
enum node_layout {
	LAYOUT_PLAIN,
	LAYOUT_SYMLINK,
	LAYOUT_XATTR,
	LAYOUT_SYMLINK_XATTR,
	LAYOUT_SPILL_SYMLINK,
	LAYOUT_SPILL_XATTR,
	LAYOUT_SPILL_SYMLINK_XATTR,
	LAYOUT_COUNT
};
struct node_layouts {
	uint16_t number[LAYOUT_COUNT];
};

/* The attributes of a layout, in order; returns how many. */
enum { LAYOUT_ATTRS_MAX = 16 };
size_t node_layout_attrs(enum node_layout layout, enum zpl_attr_id out[LAYOUT_ATTRS_MAX]);

struct node_packed {
	uint8_t bonus_type;
	uint8_t bonus[DNODE_OLD_BONUS_MAX];
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
 * `spill` has room for NODE_SPILL_MAX bytes. ERR_UNSUPPORTED when the attributes are too large even
 * for that, or, without sa, when there are xattrs.
 */
enum { NODE_SPILL_MAX = 128 << 10 };
int node_pack(const struct node *n, const struct node_layouts *layouts, bool sa, enum order order,
	      struct node_packed *out, uint8_t *spill, struct err *e) MUST_CHECK;

/* Mode bits as they stand in znodes (POSIX's numbers), by entry kind. */
uint64_t node_mode(enum entry_kind kind, uint32_t permissions);

/* The packed list of xattrs (free() it); *n 0 when there are none. */
int node_xattrs(const struct entry *entry, uint8_t **out, size_t *n, struct err *e) MUST_CHECK;

#endif
