/* What stands in a dnode's bonus buffer, by its type. */
#ifndef CORE_DUMP_BONUS_H
#define CORE_DUMP_BONUS_H

#include "core/dmu/objset_read.h"
#include "core/dump/dump.h"
#include "core/zpl/zpl_read.h"

/*
 * Describes the bonus behind one tab. `z` is the file system that the object is in, NULL when it is
 * in none or it could not be opened: then a file's attributes are shown as bytes.
 */
int dump_bonus(struct dump *d, struct object *o, struct zpl *z, struct err *e) MUST_CHECK;

/* "Mon Nov 30 07:58:42 2026", with the nanoseconds when there are any. */
void dump_time(struct text *t, struct entry_time when);

#endif
