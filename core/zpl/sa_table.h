/*
 * The attribute registry and the layouts of one object set: which number each attribute has there,
 * and which attributes, in which order, a file's bonus or spill block holds.
 * Source: OpenZFS sa.c (sa_setup, sa_attr_table_setup, sa_add_layout_entry), zfs_sa.c.
 */
#ifndef CORE_ZPL_SA_TABLE_H
#define CORE_ZPL_SA_TABLE_H

#include "core/dmu/objset_read.h"
#include "formats/sa.h"

enum { SA_LAYOUTS_MAX = 1024 }; /* a header has 10 bits for the number */

struct sa_table;

struct sa_layout {
	uint16_t *attrs; /* registered numbers, in order */
	size_t	  count;
};

/* `master` is the object that the master node calls SA_ATTRS. */
int  sa_table_open(struct objset *os, uint64_t master, struct sa_table **out,
		   struct err *e) MUST_CHECK;
void sa_table_free(struct sa_table *t);

/* The layout with this number; NULL when there is none. */
const struct sa_layout *sa_table_layout(const struct sa_table *t, unsigned number);

/* The number under which an attribute is registered; false when it is not. */
bool sa_table_number(const struct sa_table *t, enum zpl_attr_id id, uint16_t *number);

/*
 * Sets found[id] for each known attribute in a bonus or spill block (views of `in`, in the order
 * that its magic shows, which need not be in.order), and leaves the others alone. An attribute that
 * reaches past the end is ERR_CORRUPT; those before it are set.
 */
int sa_table_locate(const struct sa_table *t, struct bytes in, struct bytes found[ZPL_ATTR_COUNT],
		    struct err *e) MUST_CHECK;

#endif
