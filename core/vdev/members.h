/*
 * From paths to the members of one pool: opens them, reads all four labels, groups by pool guid,
 * finds each member's place by its guid. Files, block devices, directories of members; partitions
 * of a GPT or MBR disk image that carry labels; an explicit offset.
 */
#ifndef CORE_VDEV_MEMBERS_H
#define CORE_VDEV_MEMBERS_H

#include "core/vdev/dev.h"
#include "formats/label.h"

/* One label of one member: config NULL and why set when it could not be read. */
struct member_label {
	struct pool_config *config;
	struct err	    why;
	uint64_t	    offset; /* on the device */
};

struct member {
	struct dev	   *dev; /* NULL once taken */
	struct member_label labels[LABEL_COUNT];
	/* label with the newest config (largest txg, first of equals), -1: none */
	int		    best;
	bool		    labels_differ;
};

struct members {
	struct member *list;
	size_t	       count;
};

/*
 * Opens what the paths name and reads the labels. A path with no label at all is ERR_NOTFOUND by
 * name (but not for files found in a directory). *out owns devices and configs.
 */
struct members_options {
	const char *const *paths;
	size_t		   path_count;
	bool		   offset_given;
	uint64_t	   offset;
	enum dev_mode	   mode;
};
int members_open(const struct members_options *o, struct members *out, struct err *e) MUST_CHECK;

/* The same for devices that are open; takes them, also on failure. */
int members_of_devs(struct dev **devs, size_t count, struct members *out, struct err *e) MUST_CHECK;
void members_close(struct members *m);

/* Leaves only the members of one pool: by name or guid, or the only one when NULL. ERR_NOTFOUND, or
 * ERR_REFUSED ("two pools here: a (guid), b (guid)") */
int members_choose(struct members *m, const char *pool, struct err *e) MUST_CHECK;

/* Every valid uberblock of one label of a device, newest first in the result (free() it). */
struct uberblock_found {
	struct uberblock ub;
	unsigned	 label, slot;
};
int member_uberblocks(struct dev *dev, unsigned label, unsigned ashift,
		      struct uberblock_found **out, size_t *count, struct err *e) MUST_CHECK;

#endif
