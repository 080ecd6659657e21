/*
 * Block trees whose addresses are fixed before their contents are known.
 *
 * Space maps describe themselves: the blocks that hold them, and the MOS blocks above
 * those, must be allocated before what they say is final. So these are stored uncompressed,
 * planned first (each block gets its place, what it replaces is freed), and written when
 * nothing more will be allocated.
 */
#ifndef CORE_POOL_FREEZE_H
#define CORE_POOL_FREEZE_H

#include "core/dmu/objset_write.h"

struct frozen_block {
	uint64_t      blkid;
	uint8_t	      level;
	struct blkptr bp;
	uint8_t	     *data; /* of an indirect block while it is being filled */
};

struct frozen {
	struct objset_write *set;
	/* the object as it is; NULL: all new, or its old blocks are freed already */
	struct object	    *old;
	/* what its dnode will say of the tree; `used` grows with the plan */
	struct dnode	     dn;
	struct frozen_block *blocks;
	size_t		     count, cap;
	struct space	     space; /* what the plan changes */
};

/* dn: type, nblkptr, indirect_shift and block_size must be set; with `old` everything. */
void frozen_init(struct frozen *f, struct objset_write *set, struct object *old,
		 const struct dnode *dn);
void frozen_fini(struct frozen *f);

/* Plans level-0 block `blkid` and every block above it; nothing when it is planned already. */
int frozen_add(struct frozen *f, uint64_t blkid, struct err *e) MUST_CHECK;

/* Contents of a level-0 block: block_size bytes to fill (they are zero), and its fill count. */
typedef int frozen_fill_fn(void *ctx, uint64_t blkid, struct wbytes block, uint64_t *fill,
			   struct err *e);

/* Writes all of it, lowest level first; f->dn then has the pointers. */
int frozen_write(struct frozen *f, frozen_fill_fn *fill, void *ctx, struct err *e) MUST_CHECK;

#endif
