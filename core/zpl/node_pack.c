/* Attributes into bonus buffers. Reading them is sa_table.c's and zpl_node.c's. */
#include "core/zpl/node_pack.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/limits.h"
#include "formats/nvlist.h"
#include "formats/znode.h"

enum {
	BONUS_WITH_SPILL = DNODE_OLD_BONUS_MAX - BLKPTR_SIZE,
	ACES_MAX = 6,
	MODE_DIR = 0040000,
	MODE_ALL_EXEC = 0111,
	MODE_TYPE = 0170000,
	ZNODE_ACL_VERSION_FUID = 1, /* zfs_acl.h, ZFS_ACL_VERSION_FUID */
};

static const enum zpl_attr_id plain_attrs[] = {
	ZPL_MODE,  ZPL_SIZE,  ZPL_GEN,	 ZPL_UID,    ZPL_GID,	ZPL_PARENT,	ZPL_FLAGS,
	ZPL_ATIME, ZPL_MTIME, ZPL_CTIME, ZPL_CRTIME, ZPL_LINKS, ZPL_DACL_COUNT, ZPL_DACL_ACES,
};
enum { PLAIN_COUNT = sizeof plain_attrs / sizeof plain_attrs[0] };

size_t node_layout_attrs(enum node_layout layout, enum zpl_attr_id out[LAYOUT_ATTRS_MAX])
{
	bool   spill = layout >= LAYOUT_SPILL_SYMLINK;
	bool   symlink = layout == LAYOUT_SYMLINK || layout == LAYOUT_SYMLINK_XATTR ||
		       layout == LAYOUT_SPILL_SYMLINK || layout == LAYOUT_SPILL_SYMLINK_XATTR;
	bool   xattr = layout == LAYOUT_XATTR || layout == LAYOUT_SYMLINK_XATTR ||
		     layout == LAYOUT_SPILL_XATTR || layout == LAYOUT_SPILL_SYMLINK_XATTR;
	size_t n = 0;

	for (; !spill && n < PLAIN_COUNT; n++)
		out[n] = plain_attrs[n];
	if (symlink)
		out[n++] = ZPL_SYMLINK;
	if (xattr)
		out[n++] = ZPL_DXATTR;
	return n;
}

uint64_t node_mode(enum entry_kind kind, uint32_t permissions)
{
	static const struct {
		enum entry_kind kind;
		uint64_t	type;
	} types[] = {
		{ ENTRY_FILE, 0100000 },   { ENTRY_DIR, 0040000 },  { ENTRY_SYMLINK, 0120000 },
		{ ENTRY_FIFO, 0010000 },   { ENTRY_CHAR, 0020000 }, { ENTRY_BLOCK, 0060000 },
		{ ENTRY_SOCKET, 0140000 },
	};

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		if (types[i].kind == kind)
			return types[i].type | (permissions & 07777);
	}
	return 0100000 | (permissions & 07777);
}

/*
 * Flags as OpenZFS sets them on what is created with a trivial ACL.
 * Observed in pools of OpenZFS 2.3.
 */
static uint64_t flags_of(const struct node *n)
{
	uint64_t flags = ZNODE_ARCHIVE | ZNODE_AV_MODIFIED | ZNODE_ACL_TRIVIAL;

	if ((n->mode & MODE_TYPE) == MODE_DIR)
		flags |= ZNODE_ACL_AUTO_INHERIT;
	if ((n->mode & MODE_ALL_EXEC) == MODE_ALL_EXEC)
		flags |= ZNODE_NO_EXECS_DENIED;
	return flags;
}

/* A node with what is worked out once for all its attributes. */
struct packing {
	const struct node *n;
	struct ace	   aces[ACES_MAX];
	unsigned	   ace_count;
};

static struct packing packing_of(const struct node *n)
{
	struct packing p = { .n = n };

	p.ace_count =
		acl_trivial((uint32_t)(n->mode & 07777), (n->mode & MODE_TYPE) == MODE_DIR, p.aces);
	return p;
}

static size_t put_time(struct wbytes w, size_t at, struct entry_time t)
{
	put64(w, at, (uint64_t)t.sec);
	put64(w, at + 8, t.ns);
	return 16;
}

static size_t put_word(struct wbytes w, size_t at, uint64_t v)
{
	put64(w, at, v);
	return 8;
}

static size_t put_aces(struct wbytes w, size_t at, const struct packing *p)
{
	for (unsigned i = 0; i < p->ace_count; i++)
		ace_encode(&p->aces[i],
			   wbytes_sub(w, at + i * ACE_ABSTRACT_SIZE, ACE_ABSTRACT_SIZE));
	return p->ace_count * ACE_ABSTRACT_SIZE;
}

static size_t put_bytes(struct wbytes w, size_t at, const void *p, size_t n)
{
	memcpy(w.p + at, p, n);
	return n;
}

/* Writes one attribute and returns its length. The caller knows that it fits. */
static size_t put_attr(const struct packing *p, enum zpl_attr_id id, struct wbytes w, size_t at)
{
	const struct node *n = p->n;

	switch (id) {
	case ZPL_MODE:
		return put_word(w, at, n->mode);
	case ZPL_SIZE:
		return put_word(w, at, n->size);
	case ZPL_GEN:
		return put_word(w, at, n->gen);
	case ZPL_UID:
		return put_word(w, at, n->uid);
	case ZPL_GID:
		return put_word(w, at, n->gid);
	case ZPL_PARENT:
		return put_word(w, at, n->parent);
	case ZPL_FLAGS:
		return put_word(w, at, flags_of(n));
	case ZPL_ATIME:
		return put_time(w, at, n->atime);
	case ZPL_MTIME:
		return put_time(w, at, n->mtime);
	case ZPL_CTIME:
		return put_time(w, at, n->ctime);
	case ZPL_CRTIME:
		return put_time(w, at, n->crtime);
	case ZPL_LINKS:
		return put_word(w, at, n->links);
	case ZPL_DACL_COUNT:
		return put_word(w, at, p->ace_count);
	case ZPL_DACL_ACES:
		return put_aces(w, at, p);
	case ZPL_SYMLINK:
		return put_bytes(w, at, n->target, n->target_size);
	case ZPL_DXATTR:
		return put_bytes(w, at, n->xattrs.p, n->xattrs.n);
	default:
		return 0;
	}
}

/* Length of an attribute of variable size; 0 for the others. */
static size_t variable_length(const struct packing *p, enum zpl_attr_id id)
{
	if (id == ZPL_DACL_ACES)
		return (size_t)p->ace_count * ACE_ABSTRACT_SIZE;
	if (id == ZPL_SYMLINK)
		return p->n->target_size;
	return id == ZPL_DXATTR ? p->n->xattrs.n : 0;
}

/* Bytes that a layout takes for this node, header included. */
static size_t packed_size(const struct packing *p, enum node_layout layout)
{
	enum zpl_attr_id ids[LAYOUT_ATTRS_MAX];
	size_t		 count = node_layout_attrs(layout, ids), size = 0;
	unsigned	 variable = 0;

	for (size_t i = 0; i < count; i++) {
		size_t fixed = zpl_attr_table[ids[i]].length;

		variable += fixed == 0;
		size = align_up(size, 8) + (fixed != 0 ? fixed : variable_length(p, ids[i]));
	}
	return sa_header_size(variable) + align_up(size, 8);
}

static size_t pack_layout(const struct packing *p, enum node_layout layout, uint16_t number,
			  struct wbytes w)
{
	enum zpl_attr_id ids[LAYOUT_ATTRS_MAX];
	size_t		 count = node_layout_attrs(layout, ids), at, end = 0;
	uint16_t	 lengths[LAYOUT_ATTRS_MAX];
	unsigned	 variable = 0;

	for (size_t i = 0; i < count; i++) {
		if (zpl_attr_table[ids[i]].length == 0)
			lengths[variable++] = (uint16_t)variable_length(p, ids[i]);
	}
	memset(w.p, 0, packed_size(p, layout));
	sa_header_encode(w, number, lengths, variable);
	at = sa_header_size(variable);
	/* The last one is not padded. */
	for (size_t i = 0; i < count; i++) {
		end = at + put_attr(p, ids[i], w, at);
		at = align_up(end, 8);
	}
	return end;
}

static int pack_sa(const struct node *n, const struct node_layouts *layouts, enum order order,
		   struct node_packed *out, uint8_t *spill, struct err *e)
{
	/* By: nothing, symlink, xattrs, both. */
	static const enum node_layout in_bonus[] = { LAYOUT_PLAIN, LAYOUT_SYMLINK, LAYOUT_XATTR,
						     LAYOUT_SYMLINK_XATTR };
	static const enum node_layout in_spill[] = { LAYOUT_PLAIN, LAYOUT_SPILL_SYMLINK,
						     LAYOUT_SPILL_XATTR,
						     LAYOUT_SPILL_SYMLINK_XATTR };
	unsigned which = (n->target_size > 0 ? 1 : 0) + (n->xattrs.n > 0 ? 2 : 0);
	enum node_layout layout = in_bonus[which];
	struct wbytes	 bonus = wbytes_of(out->bonus, sizeof out->bonus, order);
	struct packing	 p = packing_of(n);

	if (n->target_size > UINT16_MAX)
		return err_set(e, ERR_UNSUPPORTED, "a symlink target of %zu bytes: 64 KiB is the limit",
			       n->target_size);
	if (n->xattrs.n > UINT16_MAX)
		return err_set(e, ERR_UNSUPPORTED,
			       "extended attributes of %zu bytes: xattr=sa keeps 64 KiB",
			       n->xattrs.n);
	out->bonus_type = OT_SA;
	out->spill_size = 0;
	if (packed_size(&p, layout) <= DNODE_OLD_BONUS_MAX) {
		out->bonus_size = pack_layout(&p, layout, layouts->number[layout], bonus);
		return 0;
	}
	layout = in_spill[which];
	if (packed_size(&p, layout) > NODE_SPILL_MAX)
		return err_set(e, ERR_UNSUPPORTED, "attributes of %zu bytes",
			       packed_size(&p, layout));
	out->bonus_size = pack_layout(&p, LAYOUT_PLAIN, layouts->number[LAYOUT_PLAIN], bonus);
	out->spill_size = pack_layout(&p, layout, layouts->number[layout],
				      wbytes_of(spill, NODE_SPILL_MAX, order));
	return 0;
}

/*
 * The ACL of an old znode: inline, in the form that holds FUIDs. Source:
 * zfs_acl.h (zfs_acl_phys_t).
 */
static void pack_old_acl(const struct node *n, struct wbytes acl)
{
	struct packing p = packing_of(n);

	put64(acl, 0, 0); /* no external ACL */
	put32(acl, 8, p.ace_count * ACE_ABSTRACT_SIZE);
	put16(acl, 12, ZNODE_ACL_VERSION_FUID);
	put16(acl, 14, (uint16_t)p.ace_count);
	put_aces(acl, 16, &p);
}

static int pack_old(const struct node *n, enum order order, struct node_packed *out, struct err *e)
{
	struct znode z = {
		.atime = { (uint64_t)n->atime.sec, n->atime.ns },
		.mtime = { (uint64_t)n->mtime.sec, n->mtime.ns },
		.ctime = { (uint64_t)n->ctime.sec, n->ctime.ns },
		.crtime = { (uint64_t)n->crtime.sec, n->crtime.ns },
		.gen = n->gen, .mode = n->mode, .size = n->size, .parent = n->parent,
		.links = n->links, .flags = flags_of(n), .uid = n->uid, .gid = n->gid,
	};

	if (n->xattrs.n > 0)
		return err_set(e, ERR_UNSUPPORTED,
			       "extended attributes in a file system before ZPL version 5");
	if (n->target_size > DNODE_OLD_BONUS_MAX - ZNODE_SIZE)
		return err_set(e, ERR_UNSUPPORTED,
			       "a symlink of %zu bytes in a file system before ZPL version 5",
			       n->target_size);
	pack_old_acl(n, wbytes_of(z.acl, sizeof z.acl, order));
	znode_encode(&z, wbytes_of(out->bonus, sizeof out->bonus, order));
	if (n->target_size > 0)
		memcpy(out->bonus + ZNODE_SIZE, n->target, n->target_size);
	out->bonus_type = OT_ZNODE;
	out->bonus_size = ZNODE_SIZE + n->target_size;
	out->spill_size = 0;
	return 0;
}

int node_pack(const struct node *n, const struct node_layouts *layouts, bool sa, enum order order,
	      struct node_packed *out, uint8_t *spill, struct err *e)
{
	return sa ? pack_sa(n, layouts, order, out, spill, e) : pack_old(n, order, out, e);
}

/* Bytes of the SA header: its size is in the layout word. */
static size_t header_bytes(struct bytes bonus)
{
	struct sa_header h;

	return sa_header_decode(bonus, &h, NULL) == 0 ? h.size : sa_header_size(1);
}

enum {
	/*
	 * After the header: mode, size, gen, uid, gid, parent, flags, four
	 * times of 16 bytes, links.
	 */
	SA_UID = 3 * 8,
	SA_GID = 4 * 8,
	SA_LINKS = 7 * 8 + 4 * 16,
	/* znode_phys_t: zp_links, zp_uid, zp_gid */
	ZNODE_LINKS = 0x60,
	ZNODE_UID = 0x80,
	ZNODE_GID = 0x88,
};

size_t node_links_offset(struct bytes bonus, bool sa)
{
	return sa ? header_bytes(bonus) + SA_LINKS : ZNODE_LINKS;
}

void node_owner(struct bytes bonus, bool sa, uint64_t *uid, uint64_t *gid)
{
	size_t base = sa ? header_bytes(bonus) : 0;

	*uid = get64(bonus, base + (sa ? SA_UID : ZNODE_UID));
	*gid = get64(bonus, base + (sa ? SA_GID : ZNODE_GID));
}

int node_xattrs(const struct entry *entry, uint8_t **out, size_t *n, struct err *e)
{
	struct nvlist *list;
	int	       rc = 0;

	*out = NULL;
	*n = 0;
	if (entry->xattr_count == 0)
		return 0;
	list = nvlist_new(e);
	if (list == NULL)
		return -1;
	for (size_t i = 0; rc == 0 && i < entry->xattr_count; i++) {
		const struct entry_xattr *x = &entry->xattrs[i];

		rc = nvlist_add_bytes(list, x->name, x->value, x->size, e);
	}
	if (rc == 0)
		rc = nvlist_encode(list, out, n, e);
	nvlist_free(list);
	return rc;
}
