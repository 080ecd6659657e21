/* What the files of the dataset writer share. Private to core/dsl. */
#ifndef CORE_DSL_DSL_WRITE_IMPL_H
#define CORE_DSL_DSL_WRITE_IMPL_H

#include "core/dsl/dsl_write.h"

struct dataset_write {
	struct pool_tx	    *tx;
	char		     name[2 * DATASET_NAME_MAX];
	bool		     existed;
	struct dataset	     old;     /* when it existed */
	struct objset	     old_set; /* likewise */
	struct objset_write *set;
	uint64_t	     object;
	struct dsl_dataset   phys;
	struct zap_edit	    *zap; /* of a new dataset with features of its own; its bonus is the record */
};

block_freed_fn dataset_freed;

/* Charges a directory and, as children's space, its parents. */
int dsl_charge(struct pool_tx *tx, uint64_t dir, const struct space *s, struct err *e) MUST_CHECK;

/* The object of a dataset that was made in this transaction. */
int dsl_create_record(struct dataset_write *d, struct bytes record, struct err *e) MUST_CHECK;

#endif
