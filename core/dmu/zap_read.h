/*
 * ZAP objects, micro or fat, as name -> integers. Read half.
 *
 * Names are matched byte by byte, in normalising ZAPs too. An object of
 * another type is ERR_CORRUPT.
 */
#ifndef CORE_DMU_ZAP_READ_H
#define CORE_DMU_ZAP_READ_H

#include "core/dmu/objset_read.h"
#include "formats/zap.h"

/* One value of 8-byte integers by name. ERR_NOTFOUND; ERR_CORRUPT when its shape is another. */
int zap_u64(struct object *zap, const char *name, uint64_t *out, struct err *e) MUST_CHECK;
int zap_u64_key(struct object *zap, const void *name, size_t n, uint64_t *out,
		struct err *e) MUST_CHECK;

/*
 * Any value: at most `cap` bytes of it (whole integers) into buf in native order; *n is the
 * number of bytes put there.
 */
int zap_lookup(struct object *zap, const char *name, unsigned *int_size, void *buf, size_t cap,
	       size_t *n, struct err *e) MUST_CHECK;

/*
 * Every entry, in block order. fn returns 0 to go on, else that ends the walk and is returned. The
 * entry's bytes live until fn returns. Damaged blocks and entries are stepped over (those that
 * cannot be read are events of the block reader); then the walk's result is -1 with the first
 * reason, after all the rest was given.
 */
typedef int zap_fn(void *ctx, const struct zap_entry *entry, struct err *e);
int zap_each(struct object *zap, zap_fn *fn, void *ctx, struct err *e) MUST_CHECK;

/* By number in the object set, the same four. */
int zap_u64_at(struct objset *os, uint64_t number, const char *name, uint64_t *out,
	       struct err *e) MUST_CHECK;
int zap_each_at(struct objset *os, uint64_t number, zap_fn *fn, void *ctx,
		struct err *e) MUST_CHECK;

#endif
