/*
 * The 256 KiB label: geometry, the nvlist area, the ring. Four on each member.
 *
 *   0x00000 blank 8 KiB   0x02000 boot environment 8 KiB   0x04000 nvlist 112 KiB
 *   0x20000 uberblock ring 128 KiB
 *
 * Labels 0 and 1 stand at the start, 2 and 3 at the end of the size rounded down to 256 KiB.
 * Source: on-disk format, "vdev labels"; OpenZFS vdev_impl.h (vdev_label_t),
 * vdev_label.c (vdev_label_offset).
 */
#ifndef FORMATS_LABEL_H
#define FORMATS_LABEL_H

#include "formats/poolconfig.h"
#include "formats/uberblock.h"

enum {
	LABEL_SIZE = 256 << 10,
	LABEL_COUNT = 4,
	LABEL_BOOTENV_OFFSET = 8 << 10,
	LABEL_BOOTENV_SIZE = 8 << 10,
	LABEL_NVLIST_OFFSET = 16 << 10,
	LABEL_NVLIST_SIZE = 112 << 10,
	LABEL_RING_OFFSET = 128 << 10,
};

/* Where label `index` starts on a device of this many bytes; past its end when four do not fit. */
uint64_t label_offset(uint64_t device_size, unsigned index);

/* `area` is the nvlist area (LABEL_NVLIST_SIZE bytes) of the label that starts at label_start.
 * A wrong trailer is ERR_CORRUPT; all zeros ERR_NOTFOUND. */
int label_config_decode(struct bytes area, uint64_t label_start, struct pool_config **out,
			struct err *e) MUST_CHECK;

/* Encodes nv into the area and seals it. ERR_NOSPACE when it does not fit. */
int label_config_encode(const struct nvlist *nv, struct wbytes area, uint64_t label_start,
			struct err *e) MUST_CHECK;

/* The boot environment block: sealed zeros (version 0), as a new label has it. */
int label_bootenv_encode(struct wbytes area, uint64_t label_start, struct err *e) MUST_CHECK;

#endif
