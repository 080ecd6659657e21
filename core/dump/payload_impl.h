/* Shared by payload.c and maps.c: walking an object's blocks, and the payloads with files of their
 * own. */
#ifndef CORE_DUMP_PAYLOAD_IMPL_H
#define CORE_DUMP_PAYLOAD_IMPL_H

#include "core/dump/dump.h"
#include "core/pool/pool.h"

/*
 * The object's blocks that are no holes, up to `limit` bytes. A block that cannot be read is
 * trouble, and stepped over. fn: 0 to go on, 1 enough, -1 failed.
 */
typedef int payload_block_fn(void *ctx, uint64_t offset, struct bytes in, struct err *e);
int	    payload_blocks(struct dump *d, struct object *o, uint64_t limit, payload_block_fn *fn,
			   void *ctx, struct err *e) MUST_CHECK;

/* maps.c: `map` is told by its header in the bonus, the history by its offsets. */
int payload_spacemap(struct dump *d, struct pool *pool, struct object *o, struct err *e) MUST_CHECK;
int payload_history(struct dump *d, struct object *o, struct err *e) MUST_CHECK;

#endif
