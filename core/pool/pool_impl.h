/* What the files of the pool share. Private to core/pool. */
#ifndef CORE_POOL_POOL_IMPL_H
#define CORE_POOL_POOL_IMPL_H

#include "core/pool/pool.h"
#include "core/vdev/vdev.h"

struct pool {
	struct vdev_tree    *vdevs;
	struct block_reader *reader;
	struct objset	     mos;
	struct uberblock     uberblock;
	struct pool_config  *label;	 /* the newest label's */
	struct pool_config  *mos_config; /* NULL unless newer */
	char		   **warnings;
	size_t		     warning_count, warning_cap;
};

void pool_warn(struct pool *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Features that must be known before the MOS is read, by the label. ERR_UNSUPPORTED by name. */
int pool_check_label_features(struct pool *p, struct err *e) MUST_CHECK;

/* Active features by the MOS: ERR_UNSUPPORTED for one that a reader must know and we do not. */
int pool_check_features(struct pool *p, struct err *e) MUST_CHECK;

/*
 * Sets mos_config when the MOS has a config that is newer than the label's. Never a reason to fail.
 */
void pool_load_mos_config(struct pool *p);

/*
 * Gives the reader the salt that skein, edonr and blake3 start from. Without it blocks with such a
 * checksum cannot be read; everything else can.
 */
void pool_load_salt(struct pool *p);

#endif
