/*
 * A file's access control list from where it is kept: a pair of attributes, the old znode's own
 * room, or an object.
 * Source: OpenZFS zfs_acl.c (zfs_acl_node_read, zfs_acl_znode_info).
 */
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/zpl/zpl_node.h"
#include "formats/acl.h"

static int from_object(struct zpl *z, const struct acl_phys *p, uint8_t **buf, struct acl_view *v,
		       struct err *e)
{
	struct object o;
	int	      rc;

	if (p->size > ACL_ENTRIES_MAX * ACE_OBJECT_SIZE)
		return err_set(e, ERR_CORRUPT, "an ACL of %llu bytes", (unsigned long long)p->size);
	if (object_open(&z->os, p->object, &o, e) < 0)
		return -1;
	*buf = mem_raw((size_t)p->size + 1, e);
	rc = *buf == NULL ? -1 : object_read(&o, 0, *buf, (size_t)p->size, e);
	v->data = bytes_of(*buf, (size_t)p->size, p->here.order);
	object_close(&o);
	return rc;
}

static int from_phys(struct zpl *z, struct bytes in, uint8_t **buf, struct acl_view *v,
		     struct err *e)
{
	struct acl_phys p;

	if (acl_phys_decode(in, &p, e) < 0)
		return -1;
	*v = (struct acl_view){ p.here, p.count, p.version == 0 };
	return p.object != 0 ? from_object(z, &p, buf, v, e) : 0;
}

/* Where the list is; *buf is what it was read into, if anything (free() it). */
static int view_of(struct zpl_node *n, uint8_t **buf, struct acl_view *v, struct err *e)
{
	struct bytes count;

	*v = (struct acl_view){ 0 };
	if (!n->is_sa)
		return from_phys(n->z, bytes_of(n->old.acl, sizeof n->old.acl, n->o.dn.bonus.order),
				 buf, v, e);
	if (zpl_node_spill(n, e) < 0)
		return -1;
	count = n->attr[ZPL_DACL_COUNT];
	if (count.n >= 8) {
		*v = (struct acl_view){ .data = n->attr[ZPL_DACL_ACES], .left = get64(count, 0) };
		return 0;
	}
	return n->attr[ZPL_ZNODE_ACL].p != NULL ? from_phys(n->z, n->attr[ZPL_ZNODE_ACL], buf, v, e)
						: 0;
}

int zpl_acl(struct zpl *z, uint64_t object, struct ace **list, size_t *cap, size_t *count,
	    struct err *e)
{
	struct zpl_node n;
	struct acl_view v;
	struct ace	one;
	uint8_t	       *buf = NULL;
	int		rc;

	if (zpl_node_open(z, object, &n, e) < 0)
		return -1;
	*count = 0;
	rc = view_of(&n, &buf, &v, e);
	while (rc == 0 && (rc = acl_next(&v, &one, e)) > 0) {
		rc = mem_grow(list, cap, *count + 1, sizeof one, e);
		if (rc == 0)
			(*list)[(*count)++] = one;
	}
	if (rc < 0)
		err_in(e, "access control list");
	free(buf);
	zpl_node_close(&n);
	return rc;
}
