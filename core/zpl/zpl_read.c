/*
 * File systems: opening, lookup, directories, attributes, symlinks.
 * Extended attributes are zpl_xattr.c, attributes of one file zpl_node.c, whole trees zpl_export.c.
 */
#include "core/zpl/zpl_read.h"

#include "core/base/mem.h"
#include "core/dmu/zap_read.h"
#include "core/pool/layout.h"
#include "core/zpl/rdev.h"
#include "core/zpl/zpl_node.h"

enum {
	MASTER_NODE = 1,  /* zfs_znode.h, MASTER_NODE_OBJ */
	ZPL_VERSION_SA = 5, /* sys/fs/zfs.h, ZPL_VERSION_SA */
	ZPL_VERSION_LAST = 5,
};

static int open_tables(struct zpl *z, struct err *e)
{
	uint64_t attrs;

	if (zap_u64_at(&z->os, MASTER_NODE, "VERSION", &z->version, e) < 0 ||
	    zap_u64_at(&z->os, MASTER_NODE, "ROOT", &z->root, e) < 0)
		return err_in(e, "master node");
	if (z->version < 1 || z->version > ZPL_VERSION_LAST)
		return err_set(e, ERR_UNSUPPORTED, "file system version %llu",
			       (unsigned long long)z->version);
	if (z->version < ZPL_VERSION_SA)
		return 0;
	if (zap_u64_at(&z->os, MASTER_NODE, "SA_ATTRS", &attrs, e) < 0)
		return err_in(e, "master node");
	return sa_table_open(&z->os, attrs, &z->sa, e);
}

int zpl_open_set(const struct objset *os, const char *name, struct zpl **out, struct err *e)
{
	struct zpl *z = mem_zero(sizeof *z, e);
	int	    rc = -1;

	if (z == NULL)
		return -1;
	z->os = *os;
	z->name = name;
	z->software_version = POOL_VERSION_FEATURES;
	if (os->phys.type != OBJSET_ZPL)
		err_set(e, ERR_UNSUPPORTED, "%s is no file system but of type %s", name,
			objset_type_name(os->phys.type));
	else if (open_tables(z, e) < 0)
		err_in(e, "%s", name);
	else
		rc = 0;
	if (rc < 0)
		zpl_close(z);
	else
		*out = z;
	return rc;
}

int zpl_open(struct dataset *ds, struct zpl **out, struct err *e)
{
	struct objset os;

	if (dataset_objset(ds, &os, e) < 0 || zpl_open_set(&os, ds->name, out, e) < 0)
		return -1;
	(*out)->software_version = pool_uberblock(ds->pool)->software_version;
	return 0;
}

void zpl_close(struct zpl *z)
{
	if (z == NULL)
		return;
	sa_table_free(z->sa);
	free(z);
}

uint64_t zpl_version(const struct zpl *z)
{
	return z->version;
}

uint64_t zpl_root(const struct zpl *z)
{
	return z->root;
}

struct objset *zpl_objset(struct zpl *z)
{
	return &z->os;
}

void zpl_rdev(const struct zpl *z, uint64_t rdev, uint32_t *major, uint32_t *minor)
{
	rdev_decode(rdev_form_of(z->software_version), rdev, major, minor);
}

int zpl_getattr(struct zpl *z, uint64_t object, struct zpl_attr *out, struct err *e)
{
	struct zpl_node n;
	int		rc;

	if (zpl_node_open(z, object, &n, e) < 0)
		return -1;
	rc = zpl_node_attr(&n, out, e);
	zpl_node_close(&n);
	return rc;
}

struct readdir {
	zpl_dirent_fn *fn;
	void	      *ctx;
};

static int give_entry(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct readdir *r = ctx;
	uint64_t	value;

	if (entry->int_size != 8 || entry->value.n < 8)
		return err_set(e, ERR_CORRUPT, "a directory entry that is no number");
	value = zap_entry_int(entry, 0);
	return r->fn(r->ctx, &(struct zpl_dirent){ .name = (const char *)entry->name.p,
						   .name_size = entry->name.n,
						   .object = dirent_object(value),
						   .type = dirent_type(value) },
		     e);
}

static int open_directory(struct zpl *z, uint64_t number, struct object *out, struct err *e)
{
	if (object_open(&z->os, number, out, e) < 0)
		return -1;
	if (objtype_payload(out->dn.type) == PAYLOAD_ZAP)
		return 0;
	err_set(e, ERR_NOTFOUND, "object %llu is no directory", (unsigned long long)number);
	object_close(out);
	return -1;
}

int zpl_readdir(struct zpl *z, uint64_t dir, zpl_dirent_fn *fn, void *ctx, struct err *e)
{
	struct readdir r = { .fn = fn, .ctx = ctx };
	struct object  o;
	int	       rc;

	if (open_directory(z, dir, &o, e) < 0)
		return -1;
	rc = zap_each(&o, give_entry, &r, e);
	object_close(&o);
	return rc;
}

struct search {
	const char *name;
	size_t	    n;
	uint64_t    object;
};

static int is_it(void *ctx, const struct zpl_dirent *d, struct err *e)
{
	struct search *s = ctx;

	(void)e;
	if (d->name_size != s->n || memcmp(d->name, s->name, s->n) != 0)
		return 0;
	s->object = d->object;
	return 1;
}

/* One name in one directory. */
static int lookup_name(struct zpl *z, uint64_t dir, const char *name, size_t n, uint64_t *out,
		       struct err *e)
{
	struct object o;
	uint64_t      value;
	int	      rc;

	if (open_directory(z, dir, &o, e) < 0)
		return -1;
	rc = zap_u64_key(&o, name, n, &value, e);
	object_close(&o);
	if (rc == 0) {
		*out = dirent_object(value);
		return 0;
	}

	/*
	 * Directories that ignore case or normalise sort names by a form that we do not compute;
	 * and a damaged chain may hide what a walk still finds.
	 */
	struct search s = { .name = name, .n = n };

	if (zpl_readdir(z, dir, is_it, &s, NULL) != 1)
		return -1;
	*out = s.object;
	return 0;
}

int zpl_lookup(struct zpl *z, const char *path, uint64_t *object, struct err *e)
{
	uint64_t    at = z->root;
	const char *p = path;
	char	    quoted[512];
	struct text t = text_in(quoted, sizeof quoted);

	while (*p != '\0') {
		size_t n = strcspn(p, "/");

		if (n > 0 && lookup_name(z, at, p, n, &at, e) < 0) {
			text_name(&t, path, (size_t)(p - path) + n);
			return err_in(e, "%s: /%s", z->name, quoted);
		}
		p += n;
		p += strspn(p, "/");
	}
	*object = at;
	return 0;
}

/*
 * The old znode's target follows it in the bonus when it fits there, else
 * it is the file's contents.
 * Source: OpenZFS zfs_sa.c, zfs_sa_readlink.
 */
static int old_target(struct zpl_node *n, char *buf, size_t size, struct err *e)
{
	struct bytes bonus = n->o.dn.bonus;

	if (size > bonus.n - ZNODE_SIZE)
		return object_read(&n->o, 0, buf, size, e);
	memcpy(buf, bonus.p + ZNODE_SIZE, size);
	return 0;
}

static int target_of(struct zpl_node *n, char *buf, size_t cap, size_t *size, struct err *e)
{
	struct zpl_attr a;
	struct bytes	target;

	if (zpl_node_attr(n, &a, e) < 0)
		return -1;
	if (a.size > cap)
		return err_set(e, ERR_CORRUPT, "a symlink of %llu bytes",
			       (unsigned long long)a.size);
	*size = (size_t)a.size;
	if (!n->is_sa)
		return old_target(n, buf, *size, e);
	if (n->attr[ZPL_SYMLINK].p == NULL && zpl_node_spill(n, e) < 0)
		return -1;
	target = n->attr[ZPL_SYMLINK];
	if (target.p == NULL)
		return err_set(e, ERR_CORRUPT, "a symlink without a target");
	if (target.n < *size)
		*size = target.n;
	memcpy(buf, target.p, *size);
	return 0;
}

int zpl_readlink(struct zpl *z, uint64_t object, char *buf, size_t cap, size_t *n, struct err *e)
{
	struct zpl_node node;
	int		rc;

	if (zpl_node_open(z, object, &node, e) < 0)
		return -1;
	rc = target_of(&node, buf, cap, n, e);
	if (rc < 0)
		err_in(e, "object %llu", (unsigned long long)object);
	zpl_node_close(&node);
	return rc;
}
