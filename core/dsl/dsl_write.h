/*
 * Datasets being made and changed, and what they cost. Write half.
 *
 * One dsl_write goes with one transaction. Its datasets are filled one after the other or side by
 * side; snapshots step the transaction to its next txg. Order of the end: dataset_write_finish of
 * each, dsl_write_finish, pool_tx_commit. Order of freeing, also after an error: what writes to
 * datasets (zpl_write_free), pool_tx_free (the pipeline refers to the sets), dsl_write_free.
 */
#ifndef CORE_DSL_DSL_WRITE_H
#define CORE_DSL_DSL_WRITE_H

#include "core/dsl/dsl_read.h"
#include "core/pool/tx.h"

struct dsl_write;
struct dataset_write;

/* A property as a dataset stores it: a number, or text when `text` is not NULL. */
struct dsl_property {
	const char *name;
	uint64_t    number;
	const char *text;
};

/* A new pool's: $MOS, $FREE, $ORIGIN. The first dataset made is the root, named as the pool. */
int dsl_write_new(struct pool_tx *tx, struct dsl_write **out, struct err *e) MUST_CHECK;

/* An existing pool's; ERR_REFUSED when any dataset has an intent log that was not replayed. */
int dsl_write_open(struct pool_tx *tx, struct dsl_write **out, struct err *e) MUST_CHECK;

/*
 * Times, identifiers, and everything that datasets share; after every dataset was finished. *used,
 * when not NULL, is what the root and everything below it uses (reservations included), the MOS
 * apart: pool_tx_commit wants it. The dsl_write can be freed before or after the commit.
 */
int  dsl_write_finish(struct dsl_write *w, uint64_t *used, struct err *e) MUST_CHECK;
void dsl_write_free(struct dsl_write *w); /* and its datasets */

/* What a new dataset is to be. Borrowed for the call. */
struct dataset_spec {
	const char *name; /* whole: "tank/home"; its parent exists or was made before */
	enum objset_type type;		   /* OBJSET_ZPL or OBJSET_ZVOL */
	const struct dsl_property *props; /* local ones */
	size_t			   prop_count;
	/* bytes, 0: none. They are accounted here; the properties of these names are among props */
	uint64_t	    quota, reservation, refreservation;
	bool		    case_insensitive; /* casesensitivity=insensitive */
	/* filesystem_limit or snapshot_limit is there: what is below is counted from now on */
	bool		    limited;
	struct store_policy policy;	      /* how its blocks are stored */
};

/*
 * A new, empty dataset (zpl_write_create works on it). It belongs to `w`. ERR_EXISTS, ERR_NOTFOUND
 * (no parent), ERR_USAGE (a name that cannot be, a parent that is a volume).
 */
int dataset_write_create(struct dsl_write *w, const struct dataset_spec *spec,
			 struct dataset_write **out, struct err *e) MUST_CHECK;

/*
 * One that exists, to be changed (zpl_write_open works on it). It belongs to `w`. Once per
 * transaction and dataset.
 */
int dataset_write_open(struct dsl_write *w, const char *name, struct dataset_write **out,
		       struct err *e) MUST_CHECK;

struct pool_tx	    *dataset_write_tx(struct dataset_write *d);
const char	    *dataset_write_name(const struct dataset_write *d);
uint64_t	     dataset_write_object(const struct dataset_write *d); /* in the MOS */
/* Another one after each snapshot; its objset_write_old is what the dataset holds. */
struct objset_write *dataset_write_objset(struct dataset_write *d);

/*
 * Counts a feature (by guid) that its blocks or objects use: an entry in the dataset, one more in
 * the pool. Nothing happens when it is counted already. Creation does this for what the policy
 * says; large blocks, large dnodes and long names are their writers' matter.
 */
int dataset_write_feature(struct dataset_write *d, const char *guid, struct err *e) MUST_CHECK;

/*
 * A snapshot of what the dataset holds: what wrote to it has been finished and freed. The object
 * set is written, the transaction steps to its next txg, and the dataset goes on as one that holds
 * data. props: user properties of the snapshot; may be none. ERR_EXISTS.
 */
int dataset_write_snapshot(struct dataset_write *d, const char *name,
			   const struct dsl_property *props, size_t count,
			   struct err *e) MUST_CHECK;

/*
 * Everything in it has been written: its object set, its record, and the charges up to the root. d
 * stays w's, but nothing more is done with it. One that was opened and not changed stays as it was.
 */
int dataset_write_finish(struct dataset_write *d, struct err *e) MUST_CHECK;

/* What a dataset costs, in bytes; after dsl_write_finish. */
struct dataset_cost {
	uint64_t used;	     /* with everything below it and what is set aside, the MOS apart */
	uint64_t set_aside;  /* of that, for itself: reservations that nothing uses yet */
	uint64_t referenced; /* its contents */
	uint64_t unique;     /* of those, what no snapshot has */
};
int dataset_write_cost(struct dataset_write *d, struct dataset_cost *out, struct err *e) MUST_CHECK;

#endif
