/* What the files of the read half share. Private to core/dmu. */
#ifndef CORE_DMU_OBJECT_IMPL_H
#define CORE_DMU_OBJECT_IMPL_H

#include "core/dmu/objset_read.h"

/* Does a pointer fit the place in the object where it was found (level, size)? A hole does. */
int object_check_pointer(const struct object *o, unsigned level, const struct blkptr *bp,
			 struct err *e) MUST_CHECK;

/* The meta-dnode as an object; needs no close. */
struct object objset_meta(struct objset *os);

#endif
