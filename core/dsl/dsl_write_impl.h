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
	int		      empty_refs; /* to the pool's empty list, more than before */
	/* directories and datasets of this transaction: they get times and guids at the end */
	uint64_t *made;
	size_t	  made_count, made_cap;
};

struct dataset_write {
	struct dataset_write *next;
	struct dsl_write     *w;
	char		      name[DATASET_NAME_MAX];
	uint64_t	      object, dir;
	struct dsl_dataset    phys; /* written by finish */
	uint64_t	      refreservation;
	struct objset	      old_set; /* what it holds, when it holds something */
	struct objset_write  *set;
	struct store_policy   policy;

	/* what dies, from one snapshot to the next */
	uint64_t	 origin_txg;	/* of the snapshot that it is a clone of; 0: none */
	bool		 prev_is_ours;	/* the last snapshot is its own, not an origin */
	uint64_t	 prev_prev_txg; /* of the one before that */
	struct deadlist *dead;		/* once something was added */
	struct bookmarks *bookmarks;	/* that count what dies; NULL: none */
	struct space	 died;		/* but is in a snapshot still */
	int64_t		 died_unique;	/* of it: in the last snapshot only */
	int64_t		 died_here;	/* of it: born since it is a clone */
};

/* -- dsl_records.c: directories, datasets and their ZAPs in the MOS, as they are now ----------- */

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
int dsl_has_record_zap(struct dsl_write *w, uint64_t number, bool *has, struct err *e) MUST_CHECK;

/* A ZAP's entries as they are now, without changing it. ERR_NOTFOUND; fn returns 0 or -1. */
typedef int dsl_number_fn(void *ctx, const char *name, size_t n, uint64_t value, struct err *e);
int dsl_zap_numbers(struct dsl_write *w, uint64_t number, dsl_number_fn *fn, void *ctx,
		    struct err *e) MUST_CHECK;
int dsl_zap_get(struct dsl_write *w, uint64_t number, const char *name, uint64_t *value,
		struct err *e) MUST_CHECK;
/* One of a directory's or dataset's own entries: 1, 0 when it has none of that name, -1. */
int  dsl_record_entry(struct dsl_write *w, uint64_t number, const char *name, uint64_t *value,
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

/* -- dataset_create.c -------------------------------------------------------------------------- */

int dsl_add_props(struct dsl_write *w, uint64_t number, const struct dsl_property *props,
		  size_t count, struct err *e) MUST_CHECK;
int dsl_make_dir(struct dsl_write *w, uint64_t number, struct dsl_dir *dir,
		 struct err *e) MUST_CHECK;

block_freed_fn dataset_freed;

/* -- dataset_write.c --------------------------------------------------------------------------- */

/* Features that blocks stored so will use. */
int dataset_use_policy(struct dataset_write *d, const struct store_policy *p,
		       struct err *e) MUST_CHECK;
/* The set of what is in old_set. */
int dataset_open_set(struct dataset_write *d, struct err *e) MUST_CHECK;
/* What the snapshot before is to the blocks that die from now on. */
int dataset_look_back(struct dataset_write *d, struct err *e) MUST_CHECK;
/* A clone that keeps a list of its own blocks no longer does. */
int dataset_drop_livelist(struct dataset_write *d, struct err *e) MUST_CHECK;
/* Writes the set (which then goes), and charges what was born and died. Not the record. */
int dataset_settle(struct dataset_write *d, struct err *e) MUST_CHECK;
/* A handle that `w` owns. */
int dataset_write_new(struct dsl_write *w, const char *name, struct dataset_write **out,
		      struct err *e) MUST_CHECK;

#endif
