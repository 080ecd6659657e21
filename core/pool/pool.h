/*
 * A pool opened for reading: members -> labels -> uberblock -> MOS.
 */
#ifndef CORE_POOL_POOL_H
#define CORE_POOL_POOL_H

#include "core/dmu/objset_read.h"
#include "core/vdev/members.h"
#include "formats/uberblock.h"

struct pool;

struct pool_options {
	const char *const *paths; /* members, or directories of members; borrowed */
	size_t		   path_count;
	/* name or guid, when members of several pools are there; may be NULL */
	const char	  *name;
	bool		   offset_given;
	uint64_t	   offset; /* where a member starts, when offset_given */
	bool		   txg_given;
	uint64_t	   txg; /* the newest uberblock with txg <= this, when txg_given */
	enum dev_mode	   mode; /* DEV_READ or DEV_WRITE */
	block_event_fn	  *on_event;
	void		  *ctx;
};

/*
 * Opens the pool. Uberblocks are tried from the newest down until one leads to a readable MOS; each
 * one passed over is a warning. Features that are active and that a reader must know are
 * ERR_UNSUPPORTED by name when unknown.
 */
int  pool_open(const struct pool_options *o, struct pool **out, struct err *e) MUST_CHECK;
/* The same on devices that are already open (tests; takes them, also on failure). */
int pool_open_devs(struct dev **devs, size_t count, const struct pool_options *o, struct pool **out,
		   struct err *e) MUST_CHECK;
void pool_close(struct pool *p);

const char		 *pool_name(const struct pool *p);
uint64_t		  pool_guid(const struct pool *p);
uint64_t		  pool_version(const struct pool *p);
const struct uberblock	 *pool_uberblock(const struct pool *p);
/* the label's, or the MOS's when that is newer */
const struct pool_config *pool_config(const struct pool *p);
/* The MOS's own, which knows the vdevs' ZAPs; pool_config_free() it. */
int pool_config_in_mos(struct pool *p, struct pool_config **out, struct err *e) MUST_CHECK;
struct vdev_tree	 *pool_vdevs(struct pool *p);
struct block_reader	 *pool_reader(struct pool *p);
struct objset		 *pool_mos(struct pool *p);

/* What was odd on the way (a bad label, an uberblock passed over, unknown read-only features). */
size_t	    pool_warning_count(const struct pool *p);
const char *pool_warning(const struct pool *p, size_t i);

/*
 * The salt of checksums in the object directory: SALT_SIZE integers of one byte.
 * Source: OpenZFS dmu.h, DMU_POOL_CHECKSUM_SALT.
 */
#define POOL_SALT "org.illumos:checksum_salt"

/* A number from the MOS's object directory (object 1). */
int pool_directory_u64(struct pool *p, const char *name, uint64_t *out, struct err *e) MUST_CHECK;

/*
 * Feature by guid ("com.delphix:hole_birth"): its reference count, or
 * ERR_NOTFOUND when not enabled.
 */
int pool_feature(struct pool *p, const char *guid, uint64_t *count, struct err *e) MUST_CHECK;

#endif
