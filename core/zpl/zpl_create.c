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
	uint64_t	 registry;
	int		 rc;

	if (make_registry(z, &registry, e) < 0 ||
	    objset_write_alloc(z->set, OBJECT_SETTLES_LATE, &z->layouts_object, e) < 0 ||
	    new_zap(z, OT_SA_MASTER_NODE, number, &zap, e) < 0)
		return -1;
	rc = zap_edit_set(zap, "REGISTRY", registry, e);
	if (rc == 0)
		rc = zap_edit_set(zap, "LAYOUTS", z->layouts_object, e);
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
	uint64_t number, sa = 0, queue, root;
	uint32_t index;

	/*
	 * The first number of an empty object set is 1, where everyone looks for the master node.
	 */
	if (new_zap(z, OT_MASTER_NODE, &number, &z->master, e) < 0)
		return -1;
	zap_edit_flags(z->master, z->dnode_flags);
	if (number != 1)
		return err_set(e, ERR_CORRUPT, "the master node is not object 1");
	if ((z->sa && make_sa_master(z, &sa, e) < 0) || make_queue(z, &queue, e) < 0 ||
	    zpl_write_alloc(z, OBJECT_SETTLES_LATE, &root, e) < 0)
		return -1;

	const struct {
		const char *name;
		uint64_t    value;
	} entries[] = {
		{ "VERSION", z->o.version },
		{ "SA_ATTRS", sa },
		{ "DELETE_QUEUE", queue },
		{ "ROOT", root },
		{ "utf8only", z->o.utf8only },
		{ "normalization", z->o.normalization },
		{ "casesensitivity", z->o.casesensitivity },
	};

	for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
		if (entries[i].value == 0 && strcmp(entries[i].name, "SA_ATTRS") == 0)
			continue;
		if (zap_edit_set(z->master, entries[i].name, entries[i].value, e) < 0)
			return -1;
	}
	return zpl_write_new_dir(z, 0, root, &index, e);
}

/* -- layouts ----------------------------------------------------------------------------------- */

static int add_layout(struct zpl_write *z, struct zap_edit *zap, const struct node_layout *l,
		      struct err *e)
{
	uint16_t attrs[ZPL_ATTR_COUNT];
	size_t	 count;
	char	 name[16];

	if (node_layout_numbers(&z->layouts, l->mask, attrs, &count, e) < 0)
		return -1;
	snprintf(name, sizeof name, "%u", l->number);
	return zap_edit_set_key(zap, name, strlen(name), sizeof attrs[0], attrs, count, e);
}

static int open_layouts(struct zpl_write *z, struct zap_edit **out, struct err *e)
{
	uint64_t       master, layouts;
	struct objset *os;

	if (z->old == NULL)
		return zap_edit_new(z->set, z->layouts_object, OT_SA_ATTR_LAYOUTS,
				    salt(z, z->layouts_object), out, e);
	os = zpl_objset(z->old);
	if (zap_u64_at(os, 1, "SA_ATTRS", &master, e) < 0 ||
	    zap_u64_at(os, master, "LAYOUTS", &layouts, e) < 0)
		return -1;
	return zap_edit_open(z->set, layouts, out, e);
}

int zpl_write_layouts(struct zpl_write *z, struct err *e)
{
	struct zap_edit *zap;
	bool		 any = z->old == NULL;
	int		 rc = 0;

	for (unsigned i = 0; i < z->layouts.count; i++)
		any = any || z->layouts.list[i].added;
	if (!z->sa || !any)
		return 0;
	if (open_layouts(z, &zap, e) < 0)
		return -1;
	for (unsigned i = 0; rc == 0 && i < z->layouts.count; i++) {
		if (z->layouts.list[i].added)
			rc = add_layout(z, zap, &z->layouts.list[i], e);
	}
	return write_zap(z, zap, rc, e);
}
