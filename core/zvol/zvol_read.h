/* Volumes: size and contents. Read half. */
#ifndef CORE_ZVOL_ZVOL_READ_H
#define CORE_ZVOL_ZVOL_READ_H

#include "core/dmu/object_pieces.h"
#include "core/dsl/dsl_read.h"

struct zvol {
	struct objset os;
	uint64_t      size;	  /* bytes */
	uint32_t      block_size; /* volblocksize */
};

/* A volume or a snapshot of one. ERR_UNSUPPORTED when the dataset is something else. */
int zvol_open(struct dataset *ds, struct zvol *out, struct err *e) MUST_CHECK;

/* Its contents: how->size is set here, the rest is as in object_pieces.h. */
int zvol_read(struct zvol *z, const struct object_pieces *how, struct err *e) MUST_CHECK;

/* Where data is, as object_pieces_map. */
int zvol_map(struct zvol *z, object_range_fn *fn, void *ctx, struct err *e) MUST_CHECK;

#endif
