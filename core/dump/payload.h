/* What an object holds, by its type: ZAP entries, nvlists, lists of block pointers and numbers,
 * maps. */
#ifndef CORE_DUMP_PAYLOAD_H
#define CORE_DUMP_PAYLOAD_H

#include "core/dump/dump.h"
#include "core/pool/pool.h"

/*
 * A line "contents", then what it holds behind two tabs. File contents and volumes are not shown.
 * `pool` places space maps (which metaslab is it?); it may be NULL, then offsets count from the
 * map's own start.
 */
int dump_payload(struct dump *d, struct pool *pool, struct object *o, struct err *e) MUST_CHECK;

/* Every block pointer of the object, one a line: where in the object (hex), level, pointer. */
int dump_blocks(struct dump *d, struct object *o, struct err *e) MUST_CHECK;

#endif
