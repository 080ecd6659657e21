/*
 * Extended attributes of what is written: a packed list among the system attributes, and for those
 * that have no room there a hidden directory with a file each.
 * Source: OpenZFS zpl_xattr.c (zpl_xattr_set_sa, zpl_xattr_set_dir), zfs_dir.c (zfs_get_xattrdir,
 * zfs_make_xattrdir), zfs_sa.h (DXATTR_MAX_ENTRY_SIZE).
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/zpl/zpl_write_impl.h"
#include "formats/posix_acl.h"
#include "formats/znode.h"

enum {
	NAME_MAX_BYTES = 255, /* Linux's limits.h, XATTR_NAME_MAX; a ZAP's too */
	SA_VALUE_MAX = 32768,
	SA_LIST_MAX = UINT16_MAX, /* an attribute's length has 16 bits */
	DIR_MODE = 0041777,
	FILE_MODE = 0100644,
};

void xattr_dirs_fini(struct xattr_dirs *x)
{
	idmap_fini(&x->index);
	free(x->list);
}

/* -- which go where ---------------------------------------------------------------------------- */

static bool comes_again(const struct entry *in, size_t i)
{
	for (size_t k = i + 1; k < in->xattr_count; k++) {
		if (strcmp(in->xattrs[k].name, in->xattrs[i].name) == 0)
			return true;
	}
	return false;
}

static int check_name(const struct entry *in, const struct entry_xattr *x, struct err *e)
{
	char	    quoted[2 * NAME_MAX_BYTES];
	struct text t = text_in(quoted, sizeof quoted);
	size_t	    n = strlen(x->name);

	if (n > 0 && n <= NAME_MAX_BYTES)
		return 0;
	text_name(&t, x->name, n < 40 ? n : 40);
	err_set(e, ERR_UNSUPPORTED, "extended attribute %s: names have 1 to %d bytes", quoted,
		NAME_MAX_BYTES);
	return entry_err_in(e, in->path, in->path_size);
}

/* One that a kernel cannot read would make the file's list unreadable. An empty list is none. */
static int check_list(const struct entry *in, const struct entry_xattr *x, struct err *e)
{
	struct bytes value = bytes_of(x->value, x->size, ORDER_LITTLE);
	size_t	     count;

	if (strcmp(x->name, POSIX_ACL_ACCESS) != 0 && strcmp(x->name, POSIX_ACL_DEFAULT) != 0)
		return 0;
	if (posix_acl_decode(value, &count, e) == 0 &&
	    (count == 0 || posix_acl_check(value, e) == 0))
		return 0;
	err_in(e, "extended attribute %s", x->name);
	return entry_err_in(e, in->path, in->path_size);
}

int zpl_write_check_xattrs(const struct entry *in, struct err *e)
{
	for (size_t i = 0; i < in->xattr_count; i++) {
		if (check_name(in, &in->xattrs[i], e) < 0 ||
		    check_list(in, &in->xattrs[i], e) < 0)
			return -1;
	}
	return 0;
}

/* Those for the list come to the front of `out`, those for the directory behind them. */
static void split(const struct zpl_write *z, const struct entry *in, struct entry_xattr *out,
		  size_t *in_list, size_t *in_dir)
{
	struct entry_xattr *rest = out + in->xattr_count;
	size_t		    size = NODE_XATTRS_EMPTY;

	*in_list = *in_dir = 0;
	for (size_t i = 0; i < in->xattr_count; i++) {
		const struct entry_xattr *x = &in->xattrs[i];
		size_t			  more = node_xattr_size(x);

		if (comes_again(in, i))
			continue;
		if (z->sa && z->o.xattr_sa && x->size <= SA_VALUE_MAX &&
		    more <= SA_LIST_MAX - size) {
			size += more;
			out[(*in_list)++] = *x;
		} else {
			rest[(*in_dir)++] = *x;
		}
	}
}

/* -- the hidden directory ---------------------------------------------------------------------- */

static struct node hidden(const struct node *owner, uint64_t mode, uint64_t parent)
{
	return (struct node){ .mode = mode,
			      .links = 1,
			      .parent = parent,
			      .gen = owner->gen,
			      .uid = owner->uid,
			      .gid = owner->gid,
			      .mtime = owner->mtime,
			      .atime = owner->mtime,
			      .ctime = owner->ctime,
			      .crtime = owner->crtime,
			      .in_xattrs = true };
}

static int write_value(struct zpl_write *z, const struct node *owner, uint64_t dir,
		       const struct entry_xattr *x, uint64_t *number, struct err *e)
{
	struct node	   n = hidden(owner, FILE_MODE, dir);
	struct node_packed packed;
	struct object_spec spec = { .type = OT_PLAIN_FILE,
				    .block_size = zpl_write_block_size(z, x->size) };

	n.size = x->size;
	if (zpl_write_alloc(z, OBJECT_SETTLES_SOON, &spec.number, e) < 0 ||
	    zpl_write_pack(z, &n, &packed, &spec, e) < 0)
		return -1;
	*number = spec.number;
	return object_write_bytes(z->set, &spec, x->value, x->size, e);
}

static int write_dir(struct zpl_write *z, const struct node *owner, uint64_t parent,
		     uint64_t number, struct zap_item *items, size_t count, struct err *e)
{
	struct node	   n = hidden(owner, DIR_MODE, parent);
	struct node_packed packed;
	struct object_spec spec = { .type = OT_DIRECTORY, .number = number };
	struct zap_head	   head = { .salt = pool_tx_salt(dataset_write_tx(z->d), "dir", number) | 1,
				    .normflags = zpl_normflags(z) };

	n.links = 2;
	n.size = 2 + count;
	if (zpl_write_pack(z, &n, &packed, &spec, e) < 0)
		return -1;
	return zap_write(z->set, &spec, &head, items, count, e);
}

/* Room in the list of what goes with `owner`: the directory and `count` files. */
static int remember(struct zpl_write *z, uint64_t owner, size_t count, uint64_t **out,
		    struct err *e)
{
	struct xattr_dirs *x = &z->xattr_dirs;

	if (mem_grow(&x->list, &x->cap, x->count + count + 2, sizeof x->list[0], e) < 0 ||
	    idmap_put(&x->index, owner, x->count, e) < 0)
		return -1;
	x->list[x->count] = count + 1;
	*out = &x->list[x->count + 1];
	x->count += count + 2;
	return 0;
}

static int make_dir(struct zpl_write *z, uint64_t owner, struct node *n,
		    const struct entry_xattr *xattrs, size_t count, struct err *e)
{
	struct zap_item *items = mem_array(count, sizeof *items + sizeof(uint64_t), e);
	uint64_t	*values, *objects;
	int		 rc = -1;

	if (items == NULL)
		return -1;
	values = (uint64_t *)(items + count);
	if (remember(z, owner, count, &objects, e) < 0 ||
	    zpl_write_alloc(z, OBJECT_SETTLES_SOON, &objects[0], e) < 0)
		goto out;
	for (size_t i = 0; i < count; i++) {
		if (write_value(z, n, objects[0], &xattrs[i], &objects[i + 1], e) < 0)
			goto out;
		values[i] = dirent_value(DT_REG, objects[i + 1]);
		items[i] = (struct zap_item){ .cd_new = true,
					      .int_size = 8,
					      .name = xattrs[i].name,
					      .name_size = (uint32_t)strlen(xattrs[i].name),
					      .value = &values[i],
					      .value_count = 1 };
	}
	n->xattr_object = objects[0];
	rc = write_dir(z, n, owner, objects[0], items, count, e);
out:
	free(items);
	return rc;
}

int zpl_write_xattrs(struct zpl_write *z, const struct entry *in, uint64_t owner, struct node *n,
		     uint8_t **list, struct err *e)
{
	struct entry_xattr *x;
	size_t		    in_list, in_dir, size;
	int		    rc = 0;

	if (in->xattr_count == 0)
		return 0;
	x = mem_array(2 * in->xattr_count, sizeof *x, e);
	if (x == NULL)
		return -1;
	split(z, in, x, &in_list, &in_dir);
	if (in_dir > 0)
		rc = make_dir(z, owner, n, x + in->xattr_count, in_dir, e);
	if (rc == 0)
		rc = node_xattrs(x, in_list, list, &size, e);
	if (rc == 0)
		n->xattrs = bytes_of(*list, size, ORDER_BIG);
	free(x);
	return rc;
}

static int drop(struct zpl_write *z, uint64_t object, struct err *e)
{
	struct dnode dn;

	if (objset_write_get(z->set, object, &dn, e) < 0 || zpl_account_gone(z, &dn, e) < 0)
		return -1;
	return objset_write_drop(z->set, object, e);
}

int zpl_write_drop_xattrs(struct zpl_write *z, uint64_t owner, struct err *e)
{
	struct xattr_dirs *x = &z->xattr_dirs;
	uint64_t	   at;

	if (!idmap_get(&x->index, owner, &at) || x->list[at] == 0)
		return 0;
	/* Objects whose blocks are under way are not known to the set yet. */
	if (block_writer_drain(objset_write_writer(z->set), e) < 0)
		return -1;
	for (uint64_t i = 1; i <= x->list[at]; i++) {
		if (drop(z, x->list[at + i], e) < 0)
			return -1;
	}
	x->list[at] = 0;
	return 0;
}
