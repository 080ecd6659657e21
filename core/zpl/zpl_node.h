/* A file's attributes in memory, wherever they were kept. Private to core/zpl. */
#ifndef CORE_ZPL_ZPL_NODE_H
#define CORE_ZPL_ZPL_NODE_H

#include "core/zpl/sa_table.h"
#include "core/zpl/zpl_read.h"
#include "formats/znode.h"

struct zpl {
	const char	*name; /* the dataset's, borrowed */
	uint64_t	 software_version; /* of whoever wrote the pool last */
	struct objset	 os;
	struct sa_table *sa; /* NULL before ZPL version 5 */
	uint64_t	 version, root;
};

struct zpl_node {
	struct zpl   *z;
	struct object o;
	bool	      is_sa;
	struct znode  old;			/* when not is_sa */
	struct bytes  attr[ZPL_ATTR_COUNT];	/* when is_sa; p NULL: not there (so far) */
	struct block *spill;			/* once zpl_node_spill has read it */
};

int  zpl_node_open(struct zpl *z, uint64_t object, struct zpl_node *out, struct err *e) MUST_CHECK;
void zpl_node_close(struct zpl_node *n);

/* Adds the attributes of the spill block, when there is one. */
int zpl_node_spill(struct zpl_node *n, struct err *e) MUST_CHECK;

/* What getattr gives. */
int zpl_node_attr(struct zpl_node *n, struct zpl_attr *out, struct err *e) MUST_CHECK;

#endif
