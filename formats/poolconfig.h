/*
 * The pool configuration that labels and the MOS carry, as a struct instead of an nvlist.
 * Source: on-disk format, "name-value list"; OpenZFS sys/fs/zfs.h (ZPOOL_CONFIG_*), vdev_label.c.
 */
#ifndef FORMATS_POOLCONFIG_H
#define FORMATS_POOLCONFIG_H

#include "formats/nvlist.h"

enum pool_state { /* sys/fs/zfs.h, pool_state_t */
	POOL_ACTIVE = 0,
	POOL_EXPORTED = 1,
	POOL_DESTROYED = 2,
	POOL_SPARE = 3,
	POOL_L2CACHE = 4,
};

enum vdev_kind {
	VDEV_ROOT,
	VDEV_DISK,
	VDEV_FILE,
	VDEV_MIRROR,
	VDEV_RAIDZ,
	VDEV_DRAID,
	VDEV_REPLACING,
	VDEV_SPARE,
	VDEV_DSPARE,
	VDEV_INDIRECT,
	VDEV_HOLE,
	VDEV_MISSING,
	VDEV_L2CACHE,
	VDEV_UNKNOWN, /* keeps its name in type_name */
};

/* One vdev with its children. Absent numbers are 0; nparity of a raidz without it is 1, as in old
 * pools. Units: bytes. */
struct vdev_config {
	enum vdev_kind	     kind;
	char		    *type_name; /* as it stands there */
	uint64_t	     id, guid, asize, ashift, metaslab_array, metaslab_shift, nparity;
	uint64_t	     create_txg, dtl, whole_disk, zap_leaf, zap_top, zap_root;
	bool		     is_log, offline, faulted, degraded, removed, not_present;
	char		    *path, *devid, *phys_path; /* NULL when absent */
	struct vdev_config **children;
	size_t		     child_count;
};

struct pool_config {
	uint64_t	    version, txg, pool_guid, top_guid, guid, hostid, vdev_children, errata;
	enum pool_state	    state;
	char		   *name;     /* NULL in the label of a spare or cache device */
	char		   *hostname; /* NULL when absent */
	/* label: the member's top-level vdev; MOS: the root. NULL when absent */
	struct vdev_config *tree;
	struct nvlist	   *nv;	      /* all of it */
	const struct nvlist *features_for_read; /* within nv: flags by guid; NULL when absent */
};

/* Takes the list in any case (also on failure). */
int pool_config_decode(struct nvlist *take, struct pool_config **out, struct err *e) MUST_CHECK;
void pool_config_free(struct pool_config *c);

/*
 * A vdev tree of its own, and what it looks like as an nvlist ("vdev_tree"), pairs in OpenZFS's
 * order. A vdev with ashift != 0 is written as a top-level one. Trees deeper than NVLIST_DEPTH_MAX
 * are ERR_UNSUPPORTED. vdev_config_free frees the children too.
 */
struct vdev_config *vdev_config_new(enum vdev_kind kind, struct err *e);
void		    vdev_config_free(struct vdev_config *v);
int vdev_config_encode(const struct vdev_config *v, struct nvlist **out, struct err *e) MUST_CHECK;

const char *vdev_kind_name(enum vdev_kind kind);

#endif
