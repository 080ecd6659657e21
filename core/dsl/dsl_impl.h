/* What the files of the dataset layer share. Private to core/dsl. */
#ifndef CORE_DSL_DSL_IMPL_H
#define CORE_DSL_DSL_IMPL_H

#include "core/dsl/dsl_read.h"

/* A directory's record by object number. */
int dsl_dir_open(struct pool *p, uint64_t number, struct dsl_dir *out, struct err *e) MUST_CHECK;

/* Reads dataset and directory; the name is what the caller found it by. */
int dsl_dataset_fill(struct pool *p, uint64_t object, const char *name, struct dataset *out,
		     struct err *e) MUST_CHECK;

#endif
