/*
 * The objects that a file system begins with, and the layouts of its attributes.
 * Source: OpenZFS zfs_znode_os.c (zfs_create_fs), sa.c (sa_setup,
 * sa_attr_register_sync, sa_add_layout_entry).
 */
#include "core/zpl/zpl_write_impl.h"

#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

enum { FIRST_LAYOUT = 2 }; /* 0 and 1 are reserved: sa.c, sa_setup */

static uint64_t salt(const struct zpl_write *z, uint64_t number)
{
	return pool_tx_salt(dataset_write_tx(z->d), "zpl zap", number) | 1;
}

static int new_zap(struct zpl_write *z, uint8_t type, uint64_t *number, struct zap_edit **out,
		   struct err *e)
{
	if (objset_write_alloc(z->set, OBJECT_SETTLES_LATE, number, e) < 0)
		return -1;
	return zap_edit_new(z->set, *number, type, salt(z, *number), out, e);
}

static int write_zap(struct zpl_write *z, struct zap_edit *zap, int rc, struct err *e)
{
	zap_edit_flags(zap, z->dnode_flags);
	if (rc == 0)
		rc = zap_edit_write(zap, e);
	zap_edit_free(zap);
	return rc;
}

static int add_layout(struct zap_edit *zap, const uint16_t *attrs, size_t count, uint16_t number,
		      struct err *e)
{
	char name[16];

	snprintf(name, sizeof name, "%u", number);
	return zap_edit_set_key(zap, name, strlen(name), sizeof attrs[0], attrs, count, e);
}

/* In a new file system every attribute has its place in the table as its number. */
static int make_layouts(struct zpl_write *z, uint64_t *number, struct err *e)
{
	struct zap_edit *zap;
	int		 rc = new_zap(z, OT_SA_ATTR_LAYOUTS, number, &zap, e);

	if (rc < 0)
		return -1;
	for (unsigned l = 0; rc == 0 && l < LAYOUT_COUNT; l++) {
		enum zpl_attr_id ids[LAYOUT_ATTRS_MAX];
		uint16_t	 attrs[LAYOUT_ATTRS_MAX];
		size_t		 n = node_layout_attrs(l, ids);

		for (size_t i = 0; i < n; i++)
			attrs[i] = (uint16_t)ids[i];
		z->layouts.number[l] = (uint16_t)(FIRST_LAYOUT + l);
		rc = add_layout(zap, attrs, n, z->layouts.number[l], e);
	}
	return write_zap(z, zap, rc, e);
}

static int make_registry(struct zpl_write *z, uint64_t *number, struct err *e)
{
	struct zap_edit *zap;
	int		 rc = new_zap(z, OT_SA_ATTR_REGISTRATION, number, &zap, e);

	if (rc < 0)
		return -1;
	for (unsigned i = 0; rc == 0 && i < ZPL_ATTR_COUNT; i++) {
		const struct sa_attr_info *a = &zpl_attr_table[i];

		rc = zap_edit_set(zap, a->name, sa_registry_value((uint16_t)i, a->bswap, a->length),
				  e);
	}
	return write_zap(z, zap, rc, e);
}

static int make_sa_master(struct zpl_write *z, uint64_t *number, struct err *e)
{
	struct zap_edit *zap;
	uint64_t	 registry, layouts;
	int		 rc;

	if (make_registry(z, &registry, e) < 0 || make_layouts(z, &layouts, e) < 0 ||
	    new_zap(z, OT_SA_MASTER_NODE, number, &zap, e) < 0)
		return -1;
	rc = zap_edit_set(zap, "REGISTRY", registry, e);
	if (rc == 0)
		rc = zap_edit_set(zap, "LAYOUTS", layouts, e);
	return write_zap(z, zap, rc, e);
}

static int make_queue(struct zpl_write *z, uint64_t *number, struct err *e)
{
	struct zap_edit *zap;

	if (new_zap(z, OT_UNLINKED_SET, number, &zap, e) < 0)
		return -1;
	return write_zap(z, zap, 0, e);
}

int zpl_write_make_objects(struct zpl_write *z, struct err *e)
{
	struct zap_edit *master;
	uint64_t	 number, sa, queue, root;
	uint32_t	 index;

	/*
	 * The first number of an empty object set is 1, where everyone looks for the master node.
	 */
	if (new_zap(z, OT_MASTER_NODE, &number, &master, e) < 0)
		return -1;
	if (number != 1 || make_sa_master(z, &sa, e) < 0 || make_queue(z, &queue, e) < 0 ||
	    objset_write_alloc(z->set, OBJECT_SETTLES_LATE, &root, e) < 0) {
		zap_edit_free(master);
		return number != 1 ? err_set(e, ERR_CORRUPT, "the master node is not object 1")
				   : -1;
	}

	const struct {
		const char *name;
		uint64_t    value;
	} entries[] = {
		{ "VERSION", 5 },	  { "SA_ATTRS", sa }, { "DELETE_QUEUE", queue },
		{ "ROOT", root },	  { "utf8only", 0 },  { "normalization", 0 },
		{ "casesensitivity", 0 },
	};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof entries / sizeof entries[0]; i++)
		rc = zap_edit_set(master, entries[i].name, entries[i].value, e);
	if (write_zap(z, master, rc, e) < 0)
		return -1;
	return zpl_write_new_dir(z, 0, root, &index, e);
}

/* -- existing file systems --------------------------------------------------------------------- */

static bool same_layout(const struct sa_layout *l, const uint16_t *attrs, size_t count)
{
	return l != NULL && l->count == count &&
	       memcmp(l->attrs, attrs, count * sizeof *attrs) == 0;
}

/* The number of a layout that is registered already, or the first free one. */
static bool find_layout(const struct sa_table *sa, const uint16_t *attrs, size_t count,
			uint16_t *number)
{
	for (unsigned i = FIRST_LAYOUT; i < SA_LAYOUTS_MAX; i++) {
		if (same_layout(sa_table_layout(sa, i), attrs, count)) {
			*number = (uint16_t)i;
			return true;
		}
	}
	return false;
}

static uint16_t free_layout(const struct sa_table *sa, unsigned from)
{
	while (from < SA_LAYOUTS_MAX && sa_table_layout(sa, from) != NULL)
		from++;
	return (uint16_t)from;
}

static int registered(const struct sa_table *sa, enum node_layout l, uint16_t *attrs, size_t *count,
		      struct err *e)
{
	enum zpl_attr_id ids[LAYOUT_ATTRS_MAX];

	*count = node_layout_attrs(l, ids);
	for (size_t i = 0; i < *count; i++) {
		if (!sa_table_number(sa, ids[i], &attrs[i]))
			return err_set(e, ERR_UNSUPPORTED, "attribute %s is not registered",
				       zpl_attr_table[ids[i]].name);
	}
	return 0;
}

static int layouts_zap(struct zpl_write *z, struct zap_edit **out, struct err *e)
{
	struct objset *os = zpl_objset(z->old);
	uint64_t       master, layouts;

	if (zap_u64_at(os, 1, "SA_ATTRS", &master, e) < 0 ||
	    zap_u64_at(os, master, "LAYOUTS", &layouts, e) < 0)
		return -1;
	return zap_edit_open(z->set, layouts, out, e);
}

int zpl_write_find_layouts(struct zpl_write *z, struct err *e)
{
	struct zap_edit *zap = NULL;
	uint16_t	 attrs[LAYOUT_ATTRS_MAX], next = FIRST_LAYOUT;
	size_t		 count;
	int		 rc = -1;

	for (unsigned l = 0; l < LAYOUT_COUNT; l++) {
		if (registered(z->old->sa, l, attrs, &count, e) < 0)
			goto out;
		if (find_layout(z->old->sa, attrs, count, &z->layouts.number[l]))
			continue;
		if (zap == NULL && layouts_zap(z, &zap, e) < 0)
			goto out;
		next = free_layout(z->old->sa, next);
		if (next >= SA_LAYOUTS_MAX) {
			err_set(e, ERR_UNSUPPORTED, "all %d attribute layouts are in use",
				SA_LAYOUTS_MAX);
			goto out;
		}
		z->layouts.number[l] = next;
		if (add_layout(zap, attrs, count, next++, e) < 0)
			goto out;
	}
	rc = zap != NULL ? zap_edit_write(zap, e) : 0;
out:
	zap_edit_free(zap);
	return rc;
}
