/*
 * Dnodes: what an object is, how large its blocks are, where they hang, and its bonus buffer.
 *
 *   0x00 type, indirect shift, levels, nblkptr    0x04 bonus type, checksum, compress, flags
 *   0x08 data block sectors (u16), bonus length (u16), extra slots, pad
 *   0x10 max block id     0x18 used    0x20 padding (4 words)
 *   0x40 nblkptr block pointers, then the bonus; the spill pointer is the dnode's last 128 bytes
 *
 * Source: on-disk format, "dnodes"; OpenZFS dnode.h (dnode_phys_t, DNODE_*).
 */
#ifndef FORMATS_DNODE_H
#define FORMATS_DNODE_H

#include "formats/blkptr.h"
#include "formats/objtype.h"

enum {
	DNODE_MIN_SIZE = 512,		    /* one slot */
	DNODE_MAX_SIZE = 16384,
	DNODE_CORE_SIZE = 0x40,
	/* of the meta-dnode's data; dnode.h, DNODE_BLOCK_SHIFT */
	DNODE_BLOCK_SIZE = 16384,
	DNODE_SLOTS_PER_BLOCK = 32,
	DNODE_BONUS_MAX = DNODE_MAX_SIZE - DNODE_CORE_SIZE - BLKPTR_SIZE,
	DNODE_OLD_BONUS_MAX = 320,	    /* of a 512-byte dnode with one pointer */
	DNODE_INDIRECT_SHIFT_DEFAULT = 17,  /* 128 KiB; dnode.h, DN_MAX_INDBLKSHIFT */

	DNODE_FLAG_USED_BYTES = 1,	    /* `used` counts bytes, not sectors */
	DNODE_FLAG_USERUSED_ACCOUNTED = 2,
	DNODE_FLAG_SPILL = 4,
	DNODE_FLAG_USEROBJ_ACCOUNTED = 8,
};

struct dnode {
	uint8_t	      type; /* enum objtype; OT_NONE: a free slot */
	uint8_t	      indirect_shift;
	uint8_t	      levels;
	uint8_t	      nblkptr; /* 1..3 */
	uint8_t	      bonus_type;
	uint8_t	      checksum;
	uint8_t	      compress;
	uint8_t	      flags;
	uint8_t	      extra_slots;
	uint32_t      block_size; /* bytes of a level-0 block */
	uint64_t      max_blkid;
	uint64_t      used; /* bytes allocated; counted in bytes whatever the flag says */
	struct blkptr bp[3];
	struct blkptr spill; /* with DNODE_FLAG_SPILL */
	/* decode: borrowed from the input, in its order; encode: what to copy */
	struct bytes  bonus;
};

/* Bytes of the dnode: (extra_slots + 1) * 512. */
size_t dnode_size(const struct dnode *dn);

/*
 * Reads the dnode at the start of `in` (which holds the rest of its block). Sizes that would leave
 * the dnode or the block, impossible shifts and level counts are ERR_CORRUPT. A free slot decodes
 * to type OT_NONE. Block pointers are decoded, not checked. bonus points into `in`.
 */
int dnode_decode(struct bytes in, struct dnode *out, struct err *e) MUST_CHECK;

/* Writes dnode_size() bytes, zeros where nothing is. dn->bonus.p may be NULL (then zeros). */
void dnode_encode(const struct dnode *dn, struct wbytes out);

/*
 * Room for the bonus of a dnode of so many bytes (a multiple of 512, up to 16384) with one pointer;
 * a spill pointer takes BLKPTR_SIZE of it.
 */
static inline size_t dnode_bonus_room(uint32_t size)
{
	return size - DNODE_CORE_SIZE - BLKPTR_SIZE;
}

/*
 * Bytes the bonus may have: what lies between the last pointer and the end, or the spill pointer.
 */
size_t dnode_bonus_space(const struct dnode *dn);

/* Pointers in an indirect block, and the level-0 blocks under one pointer of `level` (may saturate
 * at UINT64_MAX). */
uint64_t dnode_fanout(const struct dnode *dn);
uint64_t dnode_span(const struct dnode *dn, unsigned level);

/* Several lines, in zdb's words, without the block pointers. */
void dnode_describe(const struct dnode *dn, struct text *t);

#endif
