/*
 * Deadlists being filled: blocks that a head drops and that its snapshots still show. Private to
 * core/dsl.
 *
 * A deadlist is a ZAP of lists; a list's key is the txg of the snapshot after which (and not after
 * the next one) its blocks were born. Before pool version 26 it is one list. Entries go out in
 * blocks of a list as they come.
 * Source: OpenZFS dsl_deadlist.c (dsl_deadlist_insert, dsl_deadlist_clone), bpobj.c
 * (bpobj_enqueue).
 */
#ifndef CORE_DSL_DEADLIST_WRITE_H
#define CORE_DSL_DEADLIST_WRITE_H

#include "core/dsl/dsl_write_impl.h"

struct deadlist;

/* A new object for one, without lists; the old form is the list itself. */
int deadlist_make(struct dsl_write *w, uint64_t *number, struct err *e) MUST_CHECK;

/*
 * One more list in a new deadlist. `own`: an object of its own; else the pool's empty one while
 * nothing is in it. Nothing in the old form.
 */
int deadlist_add_key(struct dsl_write *w, uint64_t number, uint64_t key, bool own,
		     struct err *e) MUST_CHECK;

int  deadlist_open(struct dsl_write *w, uint64_t number, struct deadlist **out,
		   struct err *e) MUST_CHECK;
void deadlist_free(struct deadlist *dl);

/* May be called while the pipeline places blocks. */
int deadlist_insert(struct deadlist *dl, const struct blkptr *bp, struct err *e) MUST_CHECK;

/* Writes what was inserted; drains the pipeline. Once per deadlist and transaction. */
int deadlist_finish(struct deadlist *dl, struct err *e) MUST_CHECK;

/* A new deadlist with the same keys and nothing in it. */
int deadlist_clone(struct deadlist *dl, uint64_t *number, struct err *e) MUST_CHECK;
/* Is it one list, in a pool that has maps by now? */
bool deadlist_is_old(const struct deadlist *dl);

/* Removes a deadlist that no list of has sublists, with its lists. */
int deadlist_drop(struct dsl_write *w, uint64_t number, struct err *e) MUST_CHECK;

/* At the end: the pool's empty list is there exactly while something refers to it. */
int deadlist_settle_empty(struct dsl_write *w, struct err *e) MUST_CHECK;

#endif
