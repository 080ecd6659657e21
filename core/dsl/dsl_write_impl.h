/* What the files of the dataset writer share. Private to core/dsl. */
#ifndef CORE_DSL_DSL_WRITE_IMPL_H
#define CORE_DSL_DSL_WRITE_IMPL_H

#include "core/base/idmap.h"
#include "core/dsl/dsl_write.h"

enum {
	/* $ORIGIN's snapshot, which everything is a clone of, was "taken" before the first txg:
	 * dsl_dataset.c, dsl_dataset_snapshot_sync_impl */
	ORIGIN_TXG = 1,
	BPOBJ_BLOCK_SIZE = 128 << 10, /* SPA_OLD_MAXBLOCKSIZE: dsl_deadlist.c, dsl_pool.c */
};

/* A ZAP of the MOS that is edited until dsl_write_finish. */
struct dsl_zap {
	struct dsl_zap	*next;
	struct zap_edit *edit;
	bool		 record; /* a directory or dataset with entries of its own */
};

struct dsl_write {
	struct pool_tx *tx;
	/* the hidden ones; 0 where the pool has none */
	uint64_t root_dir, mos_dir, free_dir, origin_dir, origin_head, origin_snap;
	struct dsl_zap	     *zaps;
	struct idmap	      zap_index; /* object -> struct zap_edit * */
	struct dataset_write *datasets;
	/* directories and datasets of this transaction: they get times and guids at the end */
	uint64_t *made;
	size_t	  made_count, made_cap;
};

struct dataset_write {
	struct dataset_write *next;
	struct dsl_write     *w;
	char		      name[DATASET_NAME_MAX];
	uint64_t	      object, dir;
	struct dsl_dataset    phys;    /* written by finish */
	struct objset	      old_set; /* what it holds, when it holds something */
	struct objset_write  *set;
	struct store_policy   policy;
	bool		      finished;
};

/* -- dsl_records.c: directories, datasets and their ZAPs in the MOS, as they are now ------------ */

int dsl_get_dir(struct pool_tx *tx, uint64_t number, struct dsl_dir *out, struct err *e) MUST_CHECK;
int dsl_put_dir(struct pool_tx *tx, uint64_t number, const struct dsl_dir *dir,
		struct err *e) MUST_CHECK;
int dsl_get_dataset(struct pool_tx *tx, uint64_t number, struct dsl_dataset *out,
		    struct err *e) MUST_CHECK;
int dsl_put_dataset(struct pool_tx *tx, uint64_t number, const struct dsl_dataset *ds,
		    struct err *e) MUST_CHECK;

/* New records; noted as made when `made`. */
int dsl_new_number(struct pool_tx *tx, uint64_t *number, struct err *e) MUST_CHECK;
int dsl_new_dir(struct dsl_write *w, uint64_t number, const struct dsl_dir *dir,
		struct err *e) MUST_CHECK;
int dsl_new_dataset(struct dsl_write *w, uint64_t number, const struct dsl_dataset *ds,
		    struct err *e) MUST_CHECK;

/* A ZAP to be edited: a new one, or one that exists. Owned by `w`, written by dsl_zaps_write. */
int dsl_zap_new(struct dsl_write *w, uint8_t type, uint64_t *number, struct zap_edit **out,
		struct err *e) MUST_CHECK;
int dsl_zap(struct dsl_write *w, uint64_t number, struct zap_edit **out, struct err *e) MUST_CHECK;
/* The entries that a directory or dataset has itself; it becomes a ZAP when it was none. */
int dsl_record_zap(struct dsl_write *w, uint64_t number, struct zap_edit **out,
		   struct err *e) MUST_CHECK;
int  dsl_zaps_write(struct dsl_write *w, struct err *e) MUST_CHECK;
void dsl_zaps_fini(struct dsl_write *w);

/* A set of objects: the names are the numbers in hex. Source: zap.c, zap_add_int. */
int dsl_set_add(struct zap_edit *z, uint64_t object, struct err *e) MUST_CHECK;
int dsl_set_remove(struct zap_edit *z, uint64_t object, struct err *e) MUST_CHECK;

/* -- dsl_charge.c ------------------------------------------------------------------------------ */

/* What a directory uses more; by[] sums up to used. */
struct dsl_change {
	int64_t used, comp, uncomp;
	int64_t by[USED_COUNT];
};
int dsl_charge(struct pool_tx *tx, uint64_t dir, const struct dsl_change *c,
	       struct err *e) MUST_CHECK;
pool_tx_charge_fn dsl_charge_mos;

/* -- dsl_dataset_new.c ------------------------------------------------------------------------- */

/* A record without contents of its own, a clone of the origin where the pool has one. */
int dsl_link_origin(struct dsl_write *w, uint64_t object, struct dsl_dir *dir,
		    struct dsl_dataset *ds, struct err *e) MUST_CHECK;
int dsl_new_deadlist(struct dsl_write *w, bool live, uint64_t *number, struct err *e) MUST_CHECK;
int dsl_make_dir(struct dsl_write *w, uint64_t number, struct dsl_dir *dir,
		 struct err *e) MUST_CHECK;

block_freed_fn dataset_freed;
/* A handle that `w` owns. */
int dataset_write_new(struct dsl_write *w, const char *name, struct dataset_write **out,
		      struct err *e) MUST_CHECK;

#endif
