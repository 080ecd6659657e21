/*
 * The object set block: the meta-dnode that holds all dnodes, the intent log header, the accounting
 * dnodes. 1 KiB in the oldest pools (no accounting), 2 KiB from version 15,
 * 4 KiB with project quota.
 *
 *   0x000 meta-dnode    0x200 intent log header (192)   0x2c0 type   0x2c8 flags
 *   0x2d0 portable MAC  0x2f0 local MAC                 0x400 userused  0x600 groupused
 *   0x800 projectused dnode
 *
 * Source: OpenZFS dmu_objset.h (objset_phys_t), zil.h (zil_header_t).
 */
#ifndef FORMATS_OBJSET_H
#define FORMATS_OBJSET_H

#include "formats/dnode.h"

enum {
	OBJSET_V1_SIZE = 1024,
	OBJSET_V2_SIZE = 2048,
	OBJSET_V3_SIZE = 4096,

	OBJSET_FLAG_USERACCOUNTING = 1, /* dmu_objset.h, OBJSET_FLAG_* */
	OBJSET_FLAG_USEROBJACCOUNTING = 2,
	OBJSET_FLAG_PROJECTQUOTA = 4,
};

enum objset_type {
	OBJSET_NONE = 0,
	OBJSET_META = 1,
	OBJSET_ZPL = 2,
	OBJSET_ZVOL = 3,
};

/* Intent log header. Source: zil.h, zil_header_t. */
struct zil_header {
	uint64_t      claim_txg;
	uint64_t      replay_seq;
	struct blkptr log; /* first block of the chain; a hole when there is none */
	uint64_t      claim_blk_seq;
	uint64_t      flags;
	uint64_t      claim_lr_seq;
};

/* Accounting dnodes that the block is too small for have type OT_NONE. */
struct objset_phys {
	size_t		  size; /* one of the three sizes */
	struct dnode	  meta;
	struct zil_header zil;
	uint64_t	  type; /* enum objset_type */
	uint64_t	  flags;
	uint8_t		  portable_mac[32];
	uint8_t		  local_mac[32];
	struct dnode	  userused, groupused, projectused;
};

/* `in` is the whole decompressed block; its size decides which parts are there. */
int objset_decode(struct bytes in, struct objset_phys *out, struct err *e) MUST_CHECK;

/* Writes os->size bytes. */
void objset_encode(const struct objset_phys *os, struct wbytes out);

/* Is there an intent log chain that was not replayed? (zil.log not a hole) */
bool objset_has_log(const struct objset_phys *os);

void objset_describe(const struct objset_phys *os, struct text *t);

const char *objset_type_name(uint64_t type); /* "META", "ZPL", "ZVOL", "NONE", "unknown" */

#endif
