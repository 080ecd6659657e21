/*
 * Lists of block pointers that get longer. Private to core/dsl.
 * Source: OpenZFS bpobj.c (bpobj_alloc, bpobj_enqueue).
 */
#ifndef CORE_DSL_BPOBJ_WRITE_H
#define CORE_DSL_BPOBJ_WRITE_H

#include "core/pool/tx.h"
#include "formats/dsl.h"

/* A new, empty one. */
int bpobj_make(struct pool_tx *tx, uint64_t *number, struct err *e) MUST_CHECK;

struct bpobj_write;

/* One that has not been written in this transaction. */
int  bpobj_write_open(struct pool_tx *tx, uint64_t number, struct bpobj_write **out,
		      struct err *e) MUST_CHECK;
void bpobj_write_free(struct bpobj_write *b);

/* May be called while the pipeline places blocks. */
int bpobj_write_add(struct bpobj_write *b, const struct blkptr *bp, struct err *e) MUST_CHECK;

/* In two steps, so that many can share one drain: what is left goes out... */
int bpobj_write_flush(struct bpobj_write *b, struct err *e) MUST_CHECK;
/* ... and when the pipeline was drained, the object is complete. */
int bpobj_write_end(struct bpobj_write *b, struct err *e) MUST_CHECK;

#endif
