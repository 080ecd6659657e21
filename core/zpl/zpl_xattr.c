/*
 * Extended attributes of both storages: an nvlist in the system attributes, and files in a hidden
 * directory.
 * Source: OpenZFS zfs_sa.c (zfs_sa_get_xattr: XDR), zpl_xattr.c (namespaces; names
 * without one are the user's).
 */
#include <stdio.h>

#include "core/base/mem.h"
#include "core/zpl/zpl_node.h"
#include "formats/nvlist.h"

/* A value in a file could be of any size; Linux takes 64 KiB, illumos more. A guard. */
enum { VALUE_MAX = 16 << 20, NAME_ROOM = 512 };

struct give {
	struct zpl   *z;
	zpl_xattr_fn *fn;
	void	     *ctx;
};

/* The name in Linux's form; false for those that no Linux program should see. */
static bool linux_name(const char *name, size_t n, char out[NAME_ROOM])
{
	static const char *const spaces[] = { "user.", "security.", "trusted.", "system." };
	static const char	 illumos[] = "SUNWattr_";
	bool			 has_space = false;

	if (n + 6 > NAME_ROOM || memchr(name, 0, n) != NULL)
		return false;
	if (n >= sizeof illumos - 1 && memcmp(name, illumos, sizeof illumos - 1) == 0)
		return false;
	for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
		size_t s = strlen(spaces[i]);

		has_space = has_space || (n > s && memcmp(name, spaces[i], s) == 0);
	}
	snprintf(out, NAME_ROOM, "%s%.*s", has_space ? "" : "user.", (int)n, name);
	return true;
}

static int from_list(const struct give *g, struct bytes packed, struct err *e)
{
	struct nvlist *list;
	int	       rc = 0;

	if (packed.n == 0)
		return 0;
	if (nvlist_decode(packed, &list, NULL, e) < 0)
		return err_in(e, "extended attributes");
	for (size_t i = 0; rc == 0 && i < nvlist_count(list); i++) {
		const struct nvpair *p = nvlist_pair(list, i);
		char		     name[NAME_ROOM];

		if (p->type == NV_BYTE_ARRAY && linux_name(p->name, strlen(p->name), name))
			rc = g->fn(g->ctx, name, bytes_of(p->bytes, p->count, ORDER_NATIVE), e);
	}
	nvlist_free(list);
	return rc;
}

static int read_value(struct zpl *z, uint64_t object, uint8_t **out, size_t *n, struct err *e)
{
	struct zpl_attr a;
	struct object	o;
	uint8_t	       *p;
	int		rc;

	if (zpl_getattr(z, object, &a, e) < 0)
		return -1;
	if (a.size > VALUE_MAX)
		return err_set(e, ERR_UNSUPPORTED, "a value of %llu bytes",
			       (unsigned long long)a.size);
	p = mem_raw((size_t)a.size, e);
	if (p == NULL)
		return -1;
	rc = object_open(&z->os, object, &o, e);
	if (rc == 0) {
		rc = object_read(&o, 0, p, (size_t)a.size, e);
		object_close(&o);
	}
	if (rc < 0) {
		free(p);
		return -1;
	}
	*out = p;
	*n = (size_t)a.size;
	return 0;
}

static int from_file(void *ctx, const struct zpl_dirent *d, struct err *e)
{
	const struct give *g = ctx;
	char		   name[NAME_ROOM], quoted[NAME_ROOM];
	struct text	   t = text_in(quoted, sizeof quoted);
	uint8_t		  *value = NULL;
	size_t		   n = 0;
	int		   rc;

	if (!linux_name(d->name, d->name_size, name))
		return 0;
	if (read_value(g->z, d->object, &value, &n, e) < 0) {
		text_name(&t, d->name, d->name_size);
		return err_in(e, "extended attribute %s", quoted);
	}
	rc = g->fn(g->ctx, name, bytes_of(value, n, ORDER_NATIVE), e);
	free(value);
	return rc;
}

int zpl_xattrs(struct zpl *z, uint64_t object, zpl_xattr_fn *fn, void *ctx, struct err *e)
{
	struct give	g = { .z = z, .fn = fn, .ctx = ctx };
	struct zpl_node n;
	struct zpl_attr a = { 0 };
	int		rc;

	if (zpl_node_open(z, object, &n, e) < 0)
		return -1;
	rc = zpl_node_spill(&n, e);
	if (rc == 0)
		rc = zpl_node_attr(&n, &a, e);
	if (rc == 0 && n.is_sa)
		rc = from_list(&g, n.attr[ZPL_DXATTR], e);
	zpl_node_close(&n);
	if (rc == 0 && a.xattr_object != 0)
		rc = zpl_readdir(z, a.xattr_object, from_file, &g, e);
	return rc;
}
