/* Attributes into bonus buffers. Reading them is sa_table.c's and zpl_node.c's. */
#include "core/zpl/node_pack.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/limits.h"
#include "formats/nvlist.h"
#include "formats/znode.h"

enum {
	FIXED_COUNT = 12, /* attributes that stand in every bonus: up to the links */
	MODE_DIR = 0040000,
	MODE_CHAR = 0020000,
	MODE_BLOCK = 0060000,
	MODE_ALL_EXEC = 0111,
	MODE_TYPE = 0170000,
	ACL_VERSION_FUID = 1, /* zfs_acl.h, ZFS_ACL_VERSION_FUID */
};

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

/* A node with what is worked out once for all its attributes. */
struct packing {
	const struct node *n;
	struct ace	   trivial[ACL_TRIVIAL_MAX];
	const struct ace  *aces;
	size_t		   ace_count, acl_size;
	bool		   plain_acl; /* the list says no more than the mode */
};

static void packing_init(struct packing *p, const struct node *n)
{
	p->n = n;
	p->aces = n->aces;
	p->ace_count = n->ace_count;
	if (n->aces == NULL) {
		p->aces = p->trivial;
		p->ace_count = acl_trivial((uint32_t)(n->mode & 07777),
					   (n->mode & MODE_TYPE) == MODE_DIR, p->trivial);
	}
	p->plain_acl = acl_is_trivial(p->aces, p->ace_count);
	p->acl_size = 0;
	for (size_t i = 0; i < p->ace_count; i++)
		p->acl_size += ace_size(&p->aces[i]);
}

/*
 * Flags as OpenZFS sets them on what is created with a trivial ACL (observed in pools of OpenZFS
 * 2.3), and what other lists change in them. That nobody is denied to execute is only ever a hint.
 */
static uint64_t flags_of(const struct packing *p)
{
	const struct node *n = p->n;
	bool		   dir = (n->mode & MODE_TYPE) == MODE_DIR;
	uint64_t	   flags = ZNODE_ARCHIVE | ZNODE_AV_MODIFIED;

	if (n->in_xattrs)
		flags |= ZNODE_XATTR;
	if (dir)
		flags |= ZNODE_ACL_AUTO_INHERIT;
	if (p->plain_acl)
		flags |= ZNODE_ACL_TRIVIAL;
	if (n->aces == NULL && (n->mode & MODE_ALL_EXEC) == MODE_ALL_EXEC)
		flags |= ZNODE_NO_EXECS_DENIED;
	for (size_t i = 0; i < p->ace_count; i++) {
		if (dir && p->aces[i].flags & (ACE_FILE_INHERIT | ACE_DIRECTORY_INHERIT))
			flags |= ZNODE_INHERIT_ACE;
		if (p->aces[i].type >= ACE_OBJECT_FIRST)
			flags |= ZNODE_ACL_OBJ_ACE;
	}
	return flags;
}

static bool is_device(const struct node *n)
{
	return (n->mode & MODE_TYPE) == MODE_CHAR || (n->mode & MODE_TYPE) == MODE_BLOCK;
}

/* The attributes that it has, in order; returns how many. */
static size_t attrs_of(const struct packing *p, enum zpl_attr_id out[ZPL_ATTR_COUNT])
{
	static const enum zpl_attr_id always[] = {
		ZPL_MODE,   ZPL_SIZE,  ZPL_GEN,	       ZPL_UID,	      ZPL_GID,
		ZPL_PARENT, ZPL_FLAGS, ZPL_ATIME,      ZPL_MTIME,     ZPL_CTIME,
		ZPL_CRTIME, ZPL_LINKS, ZPL_DACL_COUNT, ZPL_DACL_ACES,
	};
	uint32_t mask = 0;

	for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
		mask |= 1u << always[i];
	mask |= is_device(p->n) ? 1u << ZPL_RDEV : 0;
	mask |= p->n->target_size > 0 ? 1u << ZPL_SYMLINK : 0;
	mask |= p->n->xattr_object != 0 ? 1u << ZPL_XATTR : 0;
	mask |= p->n->xattrs.n > 0 ? 1u << ZPL_DXATTR : 0;
	return node_layout_attrs(mask, out);
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
	size_t end = at;

	for (size_t i = 0; i < p->ace_count; i++) {
		ace_encode(&p->aces[i], wbytes_from(w, end));
		end += ace_size(&p->aces[i]);
	}
	return end - at;
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
		return put_word(w, at, flags_of(p));
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
	case ZPL_RDEV:
		return put_word(w, at, n->rdev);
	case ZPL_XATTR:
		return put_word(w, at, n->xattr_object);
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
		return p->acl_size;
	if (id == ZPL_SYMLINK)
		return p->n->target_size;
	return id == ZPL_DXATTR ? p->n->xattrs.n : 0;
}

/* Bytes that these attributes take, header included. */
static size_t packed_size(const struct packing *p, const enum zpl_attr_id *ids, size_t count)
{
	size_t	 size = 0;
	unsigned variable = 0;

	for (size_t i = 0; i < count; i++) {
		size_t fixed = zpl_attr_table[ids[i]].length;

		variable += fixed == 0;
		size = align_up(size, 8) + (fixed != 0 ? fixed : variable_length(p, ids[i]));
	}
	return sa_header_size(variable) + align_up(size, 8);
}

/* Writes the attributes behind their header; *end is where the last one ends, without padding. */
static int pack_attrs(const struct packing *p, struct node_layouts *layouts,
		      const enum zpl_attr_id *ids, size_t count, struct wbytes w, size_t *end,
		      struct err *e)
{
	uint16_t lengths[ZPL_ATTR_COUNT], number;
	unsigned variable = 0;
	uint32_t mask = 0;
	size_t	 at;

	for (size_t i = 0; i < count; i++) {
		mask |= 1u << ids[i];
		if (zpl_attr_table[ids[i]].length == 0)
			lengths[variable++] = (uint16_t)variable_length(p, ids[i]);
	}
	if (node_layouts_number(layouts, mask, &number, e) < 0)
		return -1;
	memset(w.p, 0, packed_size(p, ids, count));
	sa_header_encode(w, number, lengths, variable);
	at = sa_header_size(variable);
	for (size_t i = 0; i < count; i++) {
		*end = at + put_attr(p, ids[i], w, at);
		at = align_up(*end, 8);
	}
	return 0;
}

static int check_lengths(const struct packing *p, struct err *e)
{
	if (p->n->target_size > UINT16_MAX)
		return err_set(e, ERR_UNSUPPORTED,
			       "a symlink target of %zu bytes: 64 KiB is the limit",
			       p->n->target_size);
	if (p->n->xattrs.n > UINT16_MAX)
		return err_set(e, ERR_UNSUPPORTED,
			       "extended attributes of %zu bytes: xattr=sa keeps 64 KiB",
			       p->n->xattrs.n);
	if (p->ace_count > ACL_ENTRIES_MAX)
		return err_set(e, ERR_UNSUPPORTED, "an ACL of %zu entries: %d is the limit",
			       p->ace_count, ACL_ENTRIES_MAX);
	return 0;
}

static int pack_sa(const struct node *n, struct node_layouts *layouts, enum order order,
		   size_t bonus_max, struct node_packed *out, uint8_t *spill, struct err *e)
{
	enum zpl_attr_id ids[ZPL_ATTR_COUNT];
	struct packing	 p;
	size_t		 count, here, rest;

	packing_init(&p, n);
	if (check_lengths(&p, e) < 0)
		return -1;
	here = count = attrs_of(&p, ids);
	if (packed_size(&p, ids, count) > bonus_max) {
		while (here > FIXED_COUNT && packed_size(&p, ids, here) > bonus_max - BLKPTR_SIZE)
			here--;
	}
	rest = here < count ? packed_size(&p, ids + here, count - here) : 0;
	if (rest > NODE_SPILL_MAX)
		return err_set(e, ERR_UNSUPPORTED, "attributes of %zu bytes", rest);
	out->bonus_type = OT_SA;
	out->spill_size = 0;
	if (pack_attrs(&p, layouts, ids, here, wbytes_of(out->bonus, sizeof out->bonus, order),
		       &out->bonus_size, e) < 0)
		return -1;
	return rest == 0 ? 0
			 : pack_attrs(&p, layouts, ids + here, count - here,
				      wbytes_of(spill, NODE_SPILL_MAX, order), &out->spill_size, e);
}

/* -- the old znode ----------------------------------------------------------------------------- */

size_t node_acl_outside(const struct node *n, bool sa)
{
	struct packing p;

	if (sa)
		return 0;
	packing_init(&p, n);
	return p.acl_size > ACL_PHYS_INLINE ? p.acl_size : 0;
}

void node_acl_encode(const struct node *n, struct wbytes out)
{
	struct packing p;

	packing_init(&p, n);
	put_aces(out, 0, &p);
}

bool node_target_outside(const struct node *n, bool sa)
{
	return !sa && n->target_size > DNODE_OLD_BONUS_MAX - ZNODE_SIZE;
}

/* In the form that holds FUIDs: here when there is room, else in an object of its own. */
static void pack_old_acl(const struct packing *p, struct wbytes acl)
{
	uint8_t		buf[ACL_PHYS_INLINE];
	struct acl_phys phys = { .object = p->n->acl_object,
				 .size = p->acl_size,
				 .count = p->ace_count,
				 .version = ACL_VERSION_FUID };

	if (p->acl_size <= sizeof buf) {
		put_aces(wbytes_of(buf, sizeof buf, acl.order), 0, p);
		phys.here = bytes_of(buf, p->acl_size, acl.order);
	}
	acl_phys_encode(&phys, acl);
}

static int pack_old(const struct node *n, enum order order, struct node_packed *out, struct err *e)
{
	struct znode z = {
		.atime = { (uint64_t)n->atime.sec, n->atime.ns },
		.mtime = { (uint64_t)n->mtime.sec, n->mtime.ns },
		.ctime = { (uint64_t)n->ctime.sec, n->ctime.ns },
		.crtime = { (uint64_t)n->crtime.sec, n->crtime.ns },
		.gen = n->gen,
		.mode = n->mode,
		.size = n->size,
		.parent = n->parent,
		.links = n->links,
		.rdev = n->rdev,
		.xattr = n->xattr_object,
		.uid = n->uid,
		.gid = n->gid,
	};
	struct packing p;

	packing_init(&p, n);
	if (check_lengths(&p, e) < 0)
		return -1;
	if (n->xattrs.n > 0 || (node_acl_outside(n, false) != 0) != (n->acl_object != 0))
		return err_set(e, ERR_UNSUPPORTED, "attributes that an old znode has no place for");
	z.flags = flags_of(&p);
	pack_old_acl(&p, wbytes_of(z.acl, sizeof z.acl, order));
	znode_encode(&z, wbytes_of(out->bonus, sizeof out->bonus, order));
	out->bonus_type = OT_ZNODE;
	out->bonus_size = ZNODE_SIZE;
	out->spill_size = 0;
	if (n->target_size == 0 || node_target_outside(n, false))
		return 0;
	memcpy(out->bonus + ZNODE_SIZE, n->target, n->target_size);
	out->bonus_size += n->target_size;
	return 0;
}

int node_pack(const struct node *n, struct node_layouts *layouts, bool sa, enum order order,
	      size_t bonus_max, struct node_packed *out, uint8_t *spill, struct err *e)
{
	return sa ? pack_sa(n, layouts, order, bonus_max, out, spill, e)
		  : pack_old(n, order, out, e);
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

/* A pair: two sizes, name, type, count and bytes; XDR pads name and bytes to words. */
size_t node_xattr_size(const struct entry_xattr *x)
{
	return 20 + (size_t)align_up(strlen(x->name), 4) + (size_t)align_up(x->size, 4);
}

int node_xattrs(const struct entry_xattr *xattrs, size_t count, uint8_t **out, size_t *n,
		struct err *e)
{
	struct nvlist *list;
	int	       rc = 0;

	*out = NULL;
	*n = 0;
	if (count == 0)
		return 0;
	list = nvlist_new(e);
	if (list == NULL)
		return -1;
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = nvlist_add_bytes(list, xattrs[i].name, xattrs[i].value, xattrs[i].size, e);
	if (rc == 0)
		rc = nvlist_encode(list, out, n, e);
	nvlist_free(list);
	return rc;
}
