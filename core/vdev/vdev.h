/*
 * The vdev tree: addresses of a pool (top-level vdev, offset) to bytes on devices.
 *
 * A top-level vdev can give the same address in several *ways* (mirror sides, raidz
 * reconstructions); a reader that knows the checksum tries them in turn. A single disk has one way.
 * Offsets count from VDEV_DATA_START, sizes are bytes.
 * Source: on-disk format, "vdev labels"; OpenZFS vdev_impl.h (VDEV_LABEL_START_SIZE), vdev_label.c.
 */
#ifndef CORE_VDEV_VDEV_H
#define CORE_VDEV_VDEV_H

#include "core/vdev/dev.h"
#include "formats/poolconfig.h"

enum {
	VDEV_LABEL_SIZE = 256 << 10,
	VDEV_BOOT_SIZE = 7 << 19,	   /* 3.5 MiB after the front labels */
	VDEV_DATA_START = 4 << 20,	   /* two labels and the boot area */
	VDEV_END_SIZE = 2 * (256 << 10),   /* the back labels */
};

struct vdev_tree;

/*
 * Builds the tree that `config` describes over `devs` (found by their labels; see
 * core/vdev/members.h). The tree owns the devices from then on, also when this fails. A missing
 * device leaves a vdev whose reads fail. Kinds we cannot read yet are ERR_UNSUPPORTED by name.
 */
struct vdev_member {
	uint64_t    guid; /* of the leaf */
	struct dev *dev;
};
int vdev_tree_open(const struct vdev_config *root, struct vdev_member *members, size_t count,
		   struct vdev_tree **out, struct err *e) MUST_CHECK;
void vdev_tree_close(struct vdev_tree *t);

unsigned vdev_tree_count(const struct vdev_tree *t); /* top-level vdevs, present or not */

/* Facts of one top-level vdev. */
struct vdev_top {
	uint64_t guid;
	uint64_t asize; /* allocatable bytes: what offsets may reach */
	uint64_t metaslab_array; /* MOS object */
	unsigned metaslab_shift, ashift;
	bool	 present;
};
const struct vdev_top *vdev_tree_top(const struct vdev_tree *t, unsigned vdev); /* NULL: no such */

/* How many ways there are to read an address; 1 for a disk. */
unsigned vdev_ways(const struct vdev_tree *t, unsigned vdev);

/* Reads n bytes at offset, the way'th way. Past the end of the vdev is ERR_CORRUPT. Thread-safe. */
int vdev_read(struct vdev_tree *t, unsigned vdev, uint64_t offset, unsigned way, void *buf,
	      size_t n, struct err *e) MUST_CHECK;

int vdev_writev(struct vdev_tree *t, unsigned vdev, uint64_t offset, const struct iovec *iov,
		int count, struct err *e) MUST_CHECK;

/* The leaves, for labels and for per-device reports. dev is NULL when missing. */
unsigned    vdev_leaf_count(const struct vdev_tree *t);
struct dev *vdev_leaf_dev(const struct vdev_tree *t, unsigned leaf);
uint64_t    vdev_leaf_guid(const struct vdev_tree *t, unsigned leaf);

#endif
