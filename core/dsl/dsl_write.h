/*
 * Datasets being made and changed, and what they cost. Write half.
 */
#ifndef CORE_DSL_DSL_WRITE_H
#define CORE_DSL_DSL_WRITE_H

#include "core/dsl/dsl_read.h"
#include "core/pool/tx.h"

struct dataset_write;

/* A property as a dataset stores it: a number, or text when `text` is not NULL. */
struct dsl_property {
	const char *name;
	uint64_t    number;
	const char *text;
};

/*
 * The dataset layer of a new pool: the root dataset, open for writing, and the hidden $MOS, $FREE
 * and $ORIGIN. Properties go to the root dataset.
 */
int dsl_create(struct pool_tx *tx, const struct dsl_property *props, size_t count,
	       const struct store_policy *policy, struct dataset_write **out,
	       struct err *e) MUST_CHECK;

/*
 * A file system of an existing pool. Once per transaction, dsl_write_check first: ERR_REFUSED when
 * any dataset has an intent log that was not replayed.
 */
int dsl_write_check(struct pool_tx *tx, struct err *e) MUST_CHECK;
int dataset_write_open(struct pool_tx *tx, const char *name, struct dataset_write **out,
		       struct err *e) MUST_CHECK;
void dataset_write_free(struct dataset_write *d);

struct pool_tx	    *dataset_write_tx(struct dataset_write *d);
struct objset_write *dataset_write_objset(struct dataset_write *d);
struct dataset	    *dataset_write_old(struct dataset_write *d); /* NULL in a new pool */

/*
 * Everything in it has been written: its object set, its record, and the charges up to the root.
 * *used, when not NULL, is what the dataset references afterwards.
 */
int dataset_write_finish(struct dataset_write *d, uint64_t *used, struct err *e) MUST_CHECK;

#endif
