/* What the files of a transaction share. Private to core/pool. */
#ifndef CORE_POOL_TX_IMPL_H
#define CORE_POOL_TX_IMPL_H

#include "core/pool/freeze.h"
#include "core/pool/layout.h"
#include "core/pool/spacemaps.h"
#include "core/pool/tx.h"

struct pool_tx {
	struct pool		  *pool; /* NULL: a new one */
	struct pool_create_options create; /* of a new one; strings are ours */
	char			  *name, *history; /* history: to record in an existing pool */
	uint64_t		   version, txg, time;
	struct pool_layout	   layout;
	unsigned		   ashift;
	uint32_t		   vdev; /* index of the top-level vdev that we write to */

	struct vdev_tree    *vdevs; /* the pool's, or own_vdevs */
	struct vdev_tree    *own_vdevs;
	struct block_reader *reader; /* the pool's, or own_reader */
	struct block_reader *own_reader;
	struct dev	    *dev; /* of a new pool; own_vdevs owns it */
	struct alloc	    *alloc;
	struct block_writer *writer;
	struct objset_write *mos;
	struct spacemaps     maps;

	struct zap_edit *directory, *features_read, *features_write;
	struct zap_edit *properties; /* of a new pool; NULL: none is set */
	bool		 features_changed, directory_changed;
	uint64_t	 config_object, history_object, array_object;
	struct digest	 roots; /* over the dataset roots noted so far */
	struct checksum_keys keys; /* by the pool's salt */
	bool		 salt_stored; /* in the directory, by this transaction */
	uint64_t	 vdev_guid, pool_guid, size;
	unsigned	 metaslab_shift;

	pool_tx_charge_fn *charge;
	uint64_t	   charge_dir;
};

/* tx.c: room on a device that grows. */
int pool_tx_grow(void *ctx, uint64_t high_water, struct err *e) MUST_CHECK;
/* And what both kinds of transaction are made with, when vdevs, reader, alloc and txg are set. */
int pool_tx_make_pipeline(struct pool_tx *tx, unsigned threads, bool embed,
			  struct err *e) MUST_CHECK;
int  pool_tx_open_mos(struct pool_tx *tx, struct err *e) MUST_CHECK;

/* create.c: the objects that a new pool has. */
int pool_tx_make_objects(struct pool_tx *tx, struct err *e) MUST_CHECK;

/* config.c: the configuration as MOS object and as labels. */
int pool_tx_write_config(struct pool_tx *tx, struct err *e) MUST_CHECK;
int pool_tx_write_labels(struct pool_tx *tx, bool even, struct err *e) MUST_CHECK;
int pool_tx_wipe_labels(struct dev *dev, struct err *e) MUST_CHECK;

/* history.c: a new pool's first record; one more, when there is something to record. */
int pool_tx_write_history(struct pool_tx *tx, struct err *e) MUST_CHECK;
int pool_tx_append_history(struct pool_tx *tx, struct err *e) MUST_CHECK;

/* spacemap_logs.c: before the freeze, the log space maps go. */
int pool_tx_drop_logs(struct pool_tx *tx, struct err *e) MUST_CHECK;
/* freeze_mos.c: space maps and MOS, and the pointer to it. */
int pool_tx_freeze(struct pool_tx *tx, struct blkptr *root, struct err *e) MUST_CHECK;

#endif
