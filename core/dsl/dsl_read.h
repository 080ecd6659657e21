/* Names -> datasets and snapshots, and back; effective properties. Read half. */
#ifndef CORE_DSL_DSL_READ_H
#define CORE_DSL_DSL_READ_H

#include "core/pool/pool.h"
#include "formats/base/limits.h"
#include "formats/dsl.h"

struct dataset {
	struct pool	  *pool;
	uint64_t	   object;     /* the DSL dataset's number */
	uint64_t	   dir_object; /* its DSL directory's */
	char		   name[DATASET_NAME_MAX + DATASET_NAME_MAX]; /* tank/home@monday */
	bool		   snapshot;
	struct dsl_dataset phys;
	struct dsl_dir	   dir;
};

/* "tank/home", "tank/home@monday". ERR_NOTFOUND says which part is missing. */
int dataset_open(struct pool *p, const char *name, struct dataset *out, struct err *e) MUST_CHECK;
int dataset_open_object(struct pool *p, uint64_t object, struct dataset *out,
			struct err *e) MUST_CHECK;

/* What a deadlist holds, of either form. Bytes. */
struct deadlist_sums {
	uint64_t used, comp, uncomp;
	bool	 full; /* comp and uncomp count; the oldest lists have used alone */
};
/* 0 for `number`: no deadlist, which holds nothing. */
int deadlist_sums(struct pool *p, uint64_t number, struct deadlist_sums *out,
		  struct err *e) MUST_CHECK;

/* Its object set, ready to use. */
int dataset_objset(struct dataset *ds, struct objset *out, struct err *e) MUST_CHECK;

/*
 * Every dataset from `name` (NULL: the pool's root) down, parents first, children and snapshots in
 * byte order of their names resp. creation txg; snapshots when asked for. Hidden ones ($MOS, $FREE,
 * $ORIGIN) are left out unless `hidden`. Bounded and loop-safe. fn: 0 to go on. A dataset that
 * cannot be read is given with `failed` set.
 */
struct dsl_walk {
	const char *name;
	bool	    snapshots, hidden;
};
typedef int dataset_fn(void *ctx, struct dataset *ds, const struct err *failed, struct err *e);
int dataset_each(struct pool *p, const struct dsl_walk *how, dataset_fn *fn, void *ctx,
		 struct err *e) MUST_CHECK;

#endif
