/*
 * Uberblocks: the root of a pool at one txg, and the ring they live in.
 *
 *   0x00 magic  0x08 version  0x10 txg  0x18 guid sum  0x20 timestamp  0x28 root block pointer
 *   0xa8 software version  0xb0 MMP magic, delay, config  0xc8 checkpoint txg  0xd0 reflow info
 *
 * Source: on-disk format, "uberblock"; OpenZFS uberblock_impl.h, vdev_impl.h (VDEV_UBERBLOCK_*).
 */
#ifndef FORMATS_UBERBLOCK_H
#define FORMATS_UBERBLOCK_H

#include "formats/blkptr.h"

#define UBERBLOCK_MAGIC UINT64_C(0x00bab10c)
#define MMP_MAGIC	UINT64_C(0xa11cea11)

enum {
	UBERBLOCK_SIZE = 1024,	      /* least size of a slot */
	UBERBLOCK_RING_SIZE = 128 << 10,
	UBERBLOCK_MAX_SHIFT = 13,     /* a slot is 1 << clamp(ashift, 10, 13) */
};

struct uberblock {
	uint64_t      version, txg, guid_sum, timestamp; /* timestamp: seconds since 1970 */
	struct blkptr rootbp;
	uint64_t      software_version;
	uint64_t      mmp_magic, mmp_delay, mmp_config;
	uint64_t      checkpoint_txg;
	uint64_t      raidz_reflow_info;
	enum order    order; /* found by the magic */
};

/* Bytes of a slot and slots of a ring for a top-level vdev of this ashift. */
size_t	 uberblock_slot_size(unsigned ashift);
unsigned uberblock_slot_count(unsigned ashift);

/* in: a whole slot. Checks the trailer (SHA-256 with verifier `device_offset`) and the magic.
 * ERR_NOTFOUND when no magic is there, ERR_CORRUPT when the digest is wrong. */
int uberblock_decode(struct bytes slot, uint64_t device_offset, struct uberblock *out,
		     struct err *e) MUST_CHECK;

/* Fills a whole slot, zero padded and sealed. */
int uberblock_encode(const struct uberblock *ub, struct wbytes slot, uint64_t device_offset,
		     struct err *e) MUST_CHECK;

/* Which is newer: < 0, 0, > 0 as a is older, equal, newer (txg, timestamp, MMP sequence). */
int uberblock_compare(const struct uberblock *a, const struct uberblock *b);

/* The MMP sequence number, 0 when none is there. */
uint64_t uberblock_mmp_seq(const struct uberblock *ub);

void uberblock_describe(const struct uberblock *ub, struct text *t);

#endif
