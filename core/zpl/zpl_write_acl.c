/*
 * Access control lists that an old znode has no room for: objects of their own. With system
 * attributes there are none.
 * Source: OpenZFS zfs_acl.c (zfs_aclset_common, zfs_acl_node_read).
 */
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/zpl/zpl_write_impl.h"
#include "formats/base/limits.h"
#include "formats/znode.h"

int zpl_write_acl(struct zpl_write *z, struct node *n, struct err *e)
{
	static const uint8_t nothing[DNODE_OLD_BONUS_MAX];
	enum order	     order = block_writer_order(objset_write_writer(z->set));
	size_t		     size = node_acl_outside(n, z->sa);
	uint8_t		    *list;
	struct object_spec   spec = { .type = OT_ACL,
				      .bonus_type = OT_SYSACL,
				      .bonus = bytes_of(nothing, sizeof nothing, order),
				      .block_size = (uint32_t)align_up(size, BLOCK_MIN),
				      .flags = z->dnode_flags };
	int		     rc = -1;

	n->acl_object = 0;
	if (size == 0)
		return 0;
	if (n->ace_count > ACL_ENTRIES_MAX)
		return err_set(e, ERR_UNSUPPORTED, "an ACL of %zu entries: %d is the limit",
			       n->ace_count, ACL_ENTRIES_MAX);
	list = mem_raw(size, e);
	if (list != NULL && objset_write_alloc(z->set, OBJECT_SETTLES_SOON, &spec.number, e) == 0) {
		node_acl_encode(n, wbytes_of(list, size, order));
		rc = object_write_bytes(z->set, &spec, list, size, e);
	}
	free(list);
	n->acl_object = spec.number;
	return rc;
}

int zpl_write_drop_acl(struct zpl_write *z, const struct dnode *dn, struct err *e)
{
	struct acl_phys acl;

	if (dn->bonus_type != OT_ZNODE || dn->bonus.n < ZNODE_SIZE)
		return 0;
	if (acl_phys_decode(bytes_from(dn->bonus, ZNODE_ACL_OFFSET), &acl, e) < 0)
		return -1;
	return acl.object != 0 ? objset_write_drop(z->set, acl.object, e) : 0;
}
