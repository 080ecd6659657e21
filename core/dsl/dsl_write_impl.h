/* What the files of the dataset writer share. Private to core/dsl. */
#ifndef CORE_DSL_DSL_WRITE_IMPL_H
#define CORE_DSL_DSL_WRITE_IMPL_H

#include "core/dsl/dsl_write.h"

/*
 * The objects of a new pool's dataset layer. They point at each other, so their numbers come first.
 */
struct dsl_plan {
	uint64_t root_dir, mos_dir, free_dir, origin_dir, origin_head, origin_snap, root_head;
};

struct dataset_write {
	struct pool_tx	    *tx;
	char		     name[2 * DATASET_NAME_MAX];
	bool		     existed;
	struct dataset	     old;     /* when it existed */
	struct objset	     old_set; /* likewise */
	struct objset_write *set;
	uint64_t	     object;
	struct dsl_dataset   phys;
	struct dsl_plan	     plan; /* when it is a new pool's root */
	/* of a new dataset with features of its own; its bonus is the record */
	struct zap_edit	    *zap;
};

block_freed_fn dataset_freed;

/* Charges a directory and, as children's space, its parents. */
int dsl_charge(struct pool_tx *tx, uint64_t dir, const struct space *s, struct err *e) MUST_CHECK;

/*
 * Times and identifiers, known when the contents are, into the records of a
 * new pool's dataset layer.
 */
int dsl_create_stamp(struct dataset_write *d, struct err *e) MUST_CHECK;

/* The object of a dataset that was made in this transaction. */
int dsl_create_record(struct dataset_write *d, struct bytes record, struct err *e) MUST_CHECK;

#endif
