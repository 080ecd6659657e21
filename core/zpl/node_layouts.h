/*
 * The attribute layouts of one object set as its files use them: those that are registered, and new
 * ones that are added when a file needs them.
 * Source: OpenZFS sa.c (sa_find_layout, sa_add_layout_entry).
 */
#ifndef CORE_ZPL_NODE_LAYOUTS_H
#define CORE_ZPL_NODE_LAYOUTS_H

#include "core/zpl/sa_table.h"

/* Ours: what our files need are a few dozen at most. */
enum { NODE_LAYOUTS_MAX = 64, NODE_LAYOUT_FIRST = 2 /* 0 and 1 are reserved: sa.c, sa_setup */ };

/* The attributes of a layout, one bit each; their order is node_layout_attrs'. */
struct node_layout {
	uint32_t mask;
	uint16_t number;
	bool	 added; /* not yet registered */
};

struct node_layouts {
	const struct sa_table
			  *table; /* borrowed; NULL: a new set, attributes by their own numbers */
	struct node_layout list[NODE_LAYOUTS_MAX];
	unsigned	   count;
	uint16_t	   next; /* no layout with this number or a larger one was added */
};

void node_layouts_init(struct node_layouts *l, const struct sa_table *table);

/* The attributes in the order in which files have them; returns how many. */
size_t node_layout_attrs(uint32_t mask, enum zpl_attr_id out[ZPL_ATTR_COUNT]);

/* Their registered numbers. ERR_UNSUPPORTED when one is not registered. */
int node_layout_numbers(const struct node_layouts *l, uint32_t mask, uint16_t out[ZPL_ATTR_COUNT],
			size_t *count, struct err *e) MUST_CHECK;

/* The number of the layout with these attributes. ERR_UNSUPPORTED when there is none left. */
int node_layouts_number(struct node_layouts *l, uint32_t mask, uint16_t *number,
			struct err *e) MUST_CHECK;

#endif
