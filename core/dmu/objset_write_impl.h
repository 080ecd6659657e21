/* What the files of the object set writer share. Private to core/dmu. */
#ifndef CORE_DMU_OBJSET_WRITE_IMPL_H
#define CORE_DMU_OBJSET_WRITE_IMPL_H

#include "core/base/idmap.h"
#include "core/dmu/objset_write.h"

enum { OBJECT_KINDS = 2 };

/* A dnode block that has been written in this commit. */
struct written {
	uint64_t blkid;
	uint8_t	 bp[BLKPTR_SIZE];
};

struct objset_write {
	struct objset_write_options o;
	struct objset_phys	    phys;
	struct space		    space;
	struct idmap		    blocks; /* blkid -> struct dnode_block *, those in memory */
	struct written		   *written;
	size_t			    written_count, written_cap;
	bool			    written_sorted;
	uint64_t		    next_block; /* never used before, here or in `old` */
	struct dnode_block	   *filling[OBJECT_KINDS];
	unsigned		    slot[OBJECT_KINDS]; /* next to look at in it */
	size_t			    idle;		/* blocks in memory that could go out */
	bool			    keep; /* the MOS: dnode blocks stay until the freeze */
	struct blkptr		    root;
	struct under_way	   *under_way;
};

/* A slot that is given out but not yet put is marked by a type that no dnode has. */
enum { SLOT_TAKEN = 0xff };

/* block_freed_fn: a block of the set as it was. */
int objset_write_freed(void *ctx, const struct blkptr *bp, struct err *e) MUST_CHECK;

/* dnode_blocks.c. The block in memory, from wherever it is. */
int dnode_block_get(struct objset_write *w, uint64_t blkid, struct dnode_block **out,
		    struct err *e) MUST_CHECK;
/* Sends a block out (and frees it); when nothing in it is expected any more; blocks written so far
 * by number. */
int  dnode_block_write(struct objset_write *w, struct dnode_block *b, struct err *e) MUST_CHECK;
int  dnode_block_settle(struct objset_write *w, struct dnode_block *b, struct err *e) MUST_CHECK;
void dnode_blocks_sort(struct objset_write *w);
/* Marks free slots as given out. */
void dnode_block_take(struct dnode_block *b, unsigned slot, unsigned count);
/* Slots of the dnode that begins at one, and whether one does. */
unsigned dnode_block_slots(const struct dnode_block *b, unsigned slot);
bool	 dnode_block_begins(const struct dnode_block *b, unsigned slot);

#endif
