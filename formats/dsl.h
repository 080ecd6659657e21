/*
 * Records of the dataset layer: directories, datasets, deadlists, block pointer lists.
 * Source: on-disk format, "DSL"; OpenZFS dsl_dir.h (dsl_dir_phys_t), dsl_dataset.h
 * (dsl_dataset_phys_t), dsl_deadlist.h, bpobj.h.
 */
#ifndef FORMATS_DSL_H
#define FORMATS_DSL_H

#include "formats/blkptr.h"

enum {
	DSL_DIR_SIZE = 256,
	DSL_DATASET_SIZE = 320,
	DSL_DEADLIST_SIZE = 320,
	BPOBJ_V0_SIZE = 16, /* count, bytes */
	BPOBJ_V1_SIZE = 32, /* + comp, uncomp */
	BPOBJ_V2_SIZE = 48, /* + subobjs, num_subobjs */
	BPOBJ_V3_SIZE = 56, /* + num_freed */

	DSL_DIR_FLAG_USED_BREAKDOWN = 1,
	DATASET_FLAG_INCONSISTENT = 1, /* dsl_dataset.h, DS_FLAG_* */
	DATASET_FLAG_NOPROMOTE = 2,
	DATASET_FLAG_UNIQUE_ACCURATE = 4,
	DATASET_FLAG_DEFER_DESTROY = 8,
	DATASET_FLAG_CASE_INSENSITIVE = 1 << 16,
};

enum used_by { USED_HEAD, USED_SNAP, USED_CHILD, USED_CHILD_RSRV, USED_REFRSRV, USED_COUNT };

struct dsl_dir {
	uint64_t creation_time, head_dataset, parent, origin, child_map;
	uint64_t used, compressed, uncompressed; /* bytes */
	uint64_t quota, reserved, props, deleg, flags;
	uint64_t used_by[USED_COUNT];
	uint64_t clones;
};

struct dsl_dataset {
	uint64_t      dir, prev_snap, prev_snap_txg, next_snap, snapnames, num_children;
	uint64_t      creation_time, creation_txg, deadlist;
	/* bytes; `used` is what users call referenced */
	uint64_t      used, compressed, uncompressed, unique;
	uint64_t      fsid_guid, guid, flags;
	struct blkptr bp;
	uint64_t      next_clones, props, userrefs;
};

struct dsl_deadlist { /* the bonus of a deadlist ZAP */
	uint64_t used, comp, uncomp;
};

struct bpobj {
	size_t	 size; /* bytes of its bonus, one of BPOBJ_*_SIZE: which fields are there */
	uint64_t count, bytes, comp, uncomp, subobjs, num_subobjs, num_freed;
};

int  dsl_dir_decode(struct bytes in, struct dsl_dir *out, struct err *e) MUST_CHECK;
void dsl_dir_encode(const struct dsl_dir *d, struct wbytes out);
void dsl_dir_describe(const struct dsl_dir *d, struct text *t);

int  dsl_dataset_decode(struct bytes in, struct dsl_dataset *out, struct err *e) MUST_CHECK;
void dsl_dataset_encode(const struct dsl_dataset *d, struct wbytes out);
void dsl_dataset_describe(const struct dsl_dataset *d, struct text *t);

int  dsl_deadlist_decode(struct bytes in, struct dsl_deadlist *out, struct err *e) MUST_CHECK;
void dsl_deadlist_encode(const struct dsl_deadlist *d, struct wbytes out);
void dsl_deadlist_describe(const struct dsl_deadlist *d, struct text *t);

int  bpobj_decode(struct bytes in, struct bpobj *out, struct err *e) MUST_CHECK;
void bpobj_encode(const struct bpobj *b, struct wbytes out);
void bpobj_describe(const struct bpobj *b, struct text *t);

#endif
