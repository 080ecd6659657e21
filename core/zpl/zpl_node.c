/*
 * Attributes of one file: from system attributes in bonus and spill block, or from the old znode.
 */
#include "core/zpl/zpl_node.h"

static int locate(struct zpl_node *n, struct bytes in, struct err *e)
{
	if (n->z->sa == NULL)
		return err_set(e, ERR_CORRUPT, "system attributes in a file system without them");
	return sa_table_locate(n->z->sa, in, n->attr, e);
}

int zpl_node_open(struct zpl *z, uint64_t object, struct zpl_node *out, struct err *e)
{
	struct zpl_node n = { .z = z };
	int		rc;

	if (object_open(&z->os, object, &n.o, e) < 0)
		return -1;
	if (n.o.dn.bonus_type == OT_SA) {
		n.is_sa = true;
		rc = locate(&n, n.o.dn.bonus, e);
	} else if (n.o.dn.bonus_type == OT_ZNODE) {
		rc = znode_decode(n.o.dn.bonus, &n.old, e);
	} else {
		rc = err_set(e, ERR_CORRUPT, "it is no file, by its bonus of type %u",
			     n.o.dn.bonus_type);
	}
	if (rc < 0) {
		object_close(&n.o);
		return err_in(e, "object %llu", (unsigned long long)object);
	}
	*out = n;
	return 0;
}

void zpl_node_close(struct zpl_node *n)
{
	block_put(n->z->os.reader, n->spill);
	object_close(&n->o);
}

int zpl_node_spill(struct zpl_node *n, struct err *e)
{
	struct block_where where = { .objset = n->z->os.id,
				     .object = n->o.number,
				     .blkid = BLKID_SPILL };

	if (!n->is_sa || n->spill != NULL || (n->o.dn.flags & DNODE_FLAG_SPILL) == 0)
		return 0;
	if (block_read(n->z->os.reader, &n->o.dn.spill, &where, &n->spill, e) < 0)
		return -1;
	if (locate(n, n->spill->bytes, e) < 0)
		return err_in(e, "object %llu: spill block", (unsigned long long)n->o.number);
	return 0;
}

static uint64_t number_of(const struct zpl_node *n, enum zpl_attr_id id)
{
	return n->attr[id].n >= 8 ? get64(n->attr[id], 0) : 0;
}

static struct entry_time time_of_pair(uint64_t sec, uint64_t ns)
{
	return (struct entry_time){ .sec = (int64_t)sec,
				    .ns = ns < 1000000000 ? (uint32_t)ns : 0 };
}

static struct entry_time time_of(const struct zpl_node *n, enum zpl_attr_id id)
{
	if (n->attr[id].n < 16)
		return (struct entry_time){ 0 };
	return time_of_pair(get64(n->attr[id], 0), get64(n->attr[id], 8));
}

static void attr_of_old(const struct zpl_node *n, struct zpl_attr *out)
{
	const struct znode *z = &n->old;

	*out = (struct zpl_attr){ .object = n->o.number,
				  .mode = z->mode,
				  .size = z->size,
				  .gen = z->gen,
				  .links = z->links,
				  .parent = z->parent,
				  .flags = z->flags,
				  .rdev = z->rdev,
				  .xattr_object = z->xattr,
				  .uid = z->uid,
				  .gid = z->gid,
				  .atime = time_of_pair(z->atime[0], z->atime[1]),
				  .mtime = time_of_pair(z->mtime[0], z->mtime[1]),
				  .ctime = time_of_pair(z->ctime[0], z->ctime[1]),
				  .crtime = time_of_pair(z->crtime[0], z->crtime[1]) };
}

static void attr_of_sa(const struct zpl_node *n, struct zpl_attr *out)
{
	*out = (struct zpl_attr){ .object = n->o.number,
				  .mode = number_of(n, ZPL_MODE),
				  .size = number_of(n, ZPL_SIZE),
				  .gen = number_of(n, ZPL_GEN),
				  .links = number_of(n, ZPL_LINKS),
				  .parent = number_of(n, ZPL_PARENT),
				  .flags = number_of(n, ZPL_FLAGS),
				  .rdev = number_of(n, ZPL_RDEV),
				  .xattr_object = number_of(n, ZPL_XATTR),
				  .uid = number_of(n, ZPL_UID),
				  .gid = number_of(n, ZPL_GID),
				  .projid = number_of(n, ZPL_PROJID),
				  .atime = time_of(n, ZPL_ATIME),
				  .mtime = time_of(n, ZPL_MTIME),
				  .ctime = time_of(n, ZPL_CTIME),
				  .crtime = time_of(n, ZPL_CRTIME) };
}

int zpl_node_attr(struct zpl_node *n, struct zpl_attr *out, struct err *e)
{
	struct err why = { 0 };

	if (!n->is_sa) {
		attr_of_old(n, out);
		return 0;
	}
	/* What a file must have stands in the bonus; a lost spill block takes the rest with it. */
	if (zpl_node_spill(n, &why) < 0 && n->attr[ZPL_MODE].p == NULL)
		return err_set(e, why.kind, "%s", why.text);
	if (n->attr[ZPL_MODE].n < 8)
		return err_set(e, ERR_CORRUPT, "object %llu has no mode",
			       (unsigned long long)n->o.number);
	attr_of_sa(n, out);
	return 0;
}
