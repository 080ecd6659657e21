/* Layouts by the set of their attributes: their order is always the same. */
#include "core/zpl/node_layouts.h"

#include <string.h>

/*
 * The first ones stand where FreeBSD's boot loader has hard-coded them. A symlink's target too, as
 * long as its ACL has the usual three entries: so what only few files have comes behind it.
 */
static const uint8_t in_order[] = {
	ZPL_MODE,  ZPL_SIZE,	   ZPL_GEN,	  ZPL_UID,     ZPL_GID,	   ZPL_PARENT,
	ZPL_FLAGS, ZPL_ATIME,	   ZPL_MTIME,	  ZPL_CTIME,   ZPL_CRTIME, ZPL_LINKS,
	ZPL_RDEV,  ZPL_DACL_COUNT, ZPL_DACL_ACES, ZPL_SYMLINK, ZPL_XATTR,  ZPL_DXATTR,
};

void node_layouts_init(struct node_layouts *l, const struct sa_table *table)
{
	*l = (struct node_layouts){ .table = table, .next = NODE_LAYOUT_FIRST };
}

size_t node_layout_attrs(uint32_t mask, enum zpl_attr_id out[ZPL_ATTR_COUNT])
{
	size_t n = 0;

	for (size_t i = 0; i < sizeof in_order; i++) {
		if (mask >> in_order[i] & 1)
			out[n++] = in_order[i];
	}
	return n;
}

int node_layout_numbers(const struct node_layouts *l, uint32_t mask, uint16_t out[ZPL_ATTR_COUNT],
			size_t *count, struct err *e)
{
	enum zpl_attr_id ids[ZPL_ATTR_COUNT];
	size_t		 n = node_layout_attrs(mask, ids);

	for (size_t i = 0; i < n; i++) {
		out[i] = (uint16_t)ids[i];
		if (l->table != NULL && !sa_table_number(l->table, ids[i], &out[i]))
			return err_set(e, ERR_UNSUPPORTED, "attribute %s is not registered",
				       zpl_attr_table[ids[i]].name);
	}
	*count = n;
	return 0;
}

static bool same(const struct sa_layout *l, const uint16_t *attrs, size_t count)
{
	return l != NULL && l->count == count &&
	       memcmp(l->attrs, attrs, count * sizeof *attrs) == 0;
}

/* One that is registered already; else the first free number. */
static int choose(struct node_layouts *l, struct node_layout *out, struct err *e)
{
	uint16_t attrs[ZPL_ATTR_COUNT];
	size_t	 count;

	if (node_layout_numbers(l, out->mask, attrs, &count, e) < 0)
		return -1;
	for (unsigned i = NODE_LAYOUT_FIRST; l->table != NULL && i < SA_LAYOUTS_MAX; i++) {
		if (same(sa_table_layout(l->table, i), attrs, count)) {
			out->number = (uint16_t)i;
			return 0;
		}
	}
	while (l->table != NULL && l->next < SA_LAYOUTS_MAX &&
	       sa_table_layout(l->table, l->next) != NULL)
		l->next++;
	if (l->next >= SA_LAYOUTS_MAX)
		return err_set(e, ERR_UNSUPPORTED, "all %d attribute layouts are in use",
			       SA_LAYOUTS_MAX);
	out->number = l->next++;
	out->added = true;
	return 0;
}

int node_layouts_number(struct node_layouts *l, uint32_t mask, uint16_t *number, struct err *e)
{
	struct node_layout one = { .mask = mask };

	for (unsigned i = 0; i < l->count; i++) {
		if (l->list[i].mask == mask) {
			*number = l->list[i].number;
			return 0;
		}
	}
	if (l->count == NODE_LAYOUTS_MAX)
		return err_set(e, ERR_UNSUPPORTED, "files of more than %d attribute layouts",
			       NODE_LAYOUTS_MAX);
	if (choose(l, &one, e) < 0)
		return -1;
	l->list[l->count++] = one;
	*number = one.number;
	return 0;
}
