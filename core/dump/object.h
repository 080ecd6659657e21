/* One object in full, and one line for each of many. */
#ifndef CORE_DUMP_OBJECT_H
#define CORE_DUMP_OBJECT_H

#include "core/dump/dump.h"
#include "core/pool/pool.h"
#include "core/zpl/zpl_read.h"

/*
 * Dnode, bonus, payload, and with d->all where its blocks are. `pool` and `z` may be NULL. Parts
 * that cannot be read are trouble, each with its name in front.
 */
int dump_object(struct dump *d, struct pool *pool, struct object *o, struct zpl *z,
		struct err *e) MUST_CHECK;

/* The object set's own block: type, flags, intent log, how many objects it has room for. */
int dump_objset(struct dump *d, const struct objset *os, struct err *e) MUST_CHECK;

#endif
