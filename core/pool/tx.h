/*
 * A change to a pool, new or existing: what every writer works in. Write half of core/pool.
 *
 * Nothing that the pool points to now is overwritten: new blocks go to free space, and
 * only the last write, the uberblock, makes them the pool. Until pool_tx_commit has
 * returned 0 the pool is as it was.
 */
#ifndef CORE_POOL_TX_H
#define CORE_POOL_TX_H

#include "core/dmu/zap_write.h"
#include "core/pool/pool.h"
#include "formats/feature.h"

struct pool_tx;

/*
 * A pool that exists, opened with DEV_WRITE. Refuses (ERR_REFUSED, ERR_UNSUPPORTED) what a
 * commit could not keep true: not exported, an unreplayed intent log, features that we cannot
 * maintain. The pool is borrowed.
 */
struct pool_tx_options {
	unsigned threads;
	uint64_t time; /* seconds since 1970, for the uberblock and the history */
	const char *history; /* a command to record in an existing pool's history; NULL: none */
};
int pool_tx_open(struct pool *p, const struct pool_tx_options *o, struct pool_tx **out,
		 struct err *e) MUST_CHECK;

/* How large the new pool's member shall be. */
enum pool_size_rule {
	POOL_SIZE_GIVEN, /* `size` bytes */
	POOL_SIZE_AVAIL, /* so large that AVAIL >= max(avail, used * avail_percent / 100) */
};
struct pool_size {
	enum pool_size_rule rule;
	uint64_t	    size;
	uint64_t	    avail;
	unsigned	    avail_percent;
	uint64_t	    own; /* of what is used, so much the root dataset shows as AVAIL */
	uint64_t	    least; /* room for so much at least, used or not */
};

struct pool_create_options {
	const char	  *name;
	uint64_t	   version; /* one that pool_layout_made knows; 0: 5000 */
	struct feature_set features; /* none before 5000 */
	unsigned	   ashift;
	struct pool_size   size;
	const char	  *vdev_type; /* "disk" or "file" */
	const char	  *vdev_path; /* what the label says */
	const char	  *seed;      /* GUIDs and salts are derived from it */
	/*
	 * Pool properties that live in the configuration alone (spa.c,
	 * spa_sync_props); may be NULL.
	 */
	const char	  *compatibility, *comment;
	const char	  *history;		    /* the command line to record */
	struct pool_tx_options tx;
};

/*
 * A new pool on `dev`, which is taken, also on failure. It need not have its final size: a device
 * that can be resized grows as needed. Old labels on it are wiped first.
 */
int  pool_tx_create(struct dev *dev, const struct pool_create_options *o, struct pool_tx **out,
		    struct err *e) MUST_CHECK;
void pool_tx_free(struct pool_tx *tx);

struct block_writer *pool_tx_writer(struct pool_tx *tx);
struct block_reader *pool_tx_reader(struct pool_tx *tx);
struct objset_write *pool_tx_mos(struct pool_tx *tx);
struct pool	    *pool_tx_pool(struct pool_tx *tx); /* NULL for a new one */
uint64_t	     pool_tx_txg(const struct pool_tx *tx);
uint64_t	     pool_tx_time(const struct pool_tx *tx);
/* For a new pool whose time is that of its contents: before dsl_write_finish and the commit. */
void		     pool_tx_set_time(struct pool_tx *tx, uint64_t time);
/*
 * For the size of a new pool, before the commit: of what its datasets use, so many bytes are set
 * aside for the root dataset itself, whose AVAIL has them on top; and so many it holds at least.
 */
void		     pool_tx_set_room(struct pool_tx *tx, uint64_t own, uint64_t least);
uint64_t	     pool_tx_version(const struct pool_tx *tx);
/* Of whoever wrote the pool last, by its uberblock; a new one's by its layout. */
uint64_t	     pool_tx_software_version(const struct pool_tx *tx);
const char	    *pool_tx_name(const struct pool_tx *tx);

/*
 * Metadata's codec and copies as this pool can read them; for the MOS itself
 * and as a base for datasets.
 */
struct store_policy pool_tx_mos_policy(const struct pool_tx *tx);

/*
 * Is the feature (by guid) enabled? And one reference more or less. The first one of a salted
 * checksum stores the pool's salt.
 */
bool pool_tx_has(const struct pool_tx *tx, const char *guid);
bool pool_tx_feature_count(const struct pool_tx *tx, const char *guid, uint64_t *count);
int  pool_tx_feature(struct pool_tx *tx, const char *guid, int delta, struct err *e) MUST_CHECK;

/* A number in the object directory, to be written with the commit; and read, changes included. */
int  pool_tx_set_directory(struct pool_tx *tx, const char *name, uint64_t value,
			   struct err *e) MUST_CHECK;
int  pool_tx_clear_directory(struct pool_tx *tx, const char *name, struct err *e) MUST_CHECK;
bool pool_tx_directory(const struct pool_tx *tx, const char *name, uint64_t *out);

/*
 * A property of a new pool, as its list of them (pool_props) stores it: a number, or text. Those of
 * the configuration are in pool_create_options. Before the commit.
 */
int pool_tx_set_property(struct pool_tx *tx, const char *name, uint64_t number, const char *text,
			 struct err *e) MUST_CHECK;

/* A salt or identifier that depends on the seed, the pool's name, `role` and `index` alone... */
uint64_t pool_tx_salt(const struct pool_tx *tx, const char *role, uint64_t index);
/*
 * ... and one that also depends on the contents noted so far: the checksums of the datasets' roots.
 */
uint64_t pool_tx_guid(const struct pool_tx *tx, const char *role, uint64_t index);
void	 pool_tx_note_root(struct pool_tx *tx, const struct blkptr *root);

/* A fresh object in the MOS, without contents. Bonus may be empty. */
int pool_tx_object(struct pool_tx *tx, uint8_t type, uint8_t bonus_type, struct bytes bonus,
		   uint32_t block_size, uint64_t *number, struct err *e) MUST_CHECK;

/*
 * The next txg begins: everything submitted is placed, what comes is born one later. Nobody may
 * have memory reserved for a block. The commit's uberblock and labels carry the last one.
 */
int pool_tx_step(struct pool_tx *tx, struct err *e) MUST_CHECK;

/* A block that nothing points to any more: its space is free after the commit. */
int pool_tx_release(struct pool_tx *tx, const struct blkptr *bp, struct err *e) MUST_CHECK;

/*
 * Called inside the commit when the MOS's own space is known, to charge it to a DSL directory; set
 * by the dataset layer. The directory and its parents must have been put before the commit.
 */
typedef int pool_tx_charge_fn(struct pool_tx *tx, uint64_t dir, const struct space *mos,
			      struct err *e);
void pool_tx_on_charge(struct pool_tx *tx, pool_tx_charge_fn *fn, uint64_t dir);

/* What the commit made. */
struct pool_made {
	uint64_t size; /* of the member */
	uint64_t used; /* of the root dataset with everything below, MOS included */
	uint64_t avail; /* as the imported pool will show it, quotas apart */
	uint64_t own;	/* of that, what pool_tx_set_room set */
	uint64_t txg, pool_guid;
	unsigned metaslab_shift;
};

/*
 * Flushes, switches the uberblock, flushes. used: what the datasets of a new pool cost, for its
 * size. made may be NULL; size, used and avail are filled in for new pools only.
 */
int pool_tx_commit(struct pool_tx *tx, uint64_t used, struct pool_made *made,
		   struct err *e) MUST_CHECK;

#endif
