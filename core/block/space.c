/* What blocks cost. */
#include "core/block/block_write.h"
#include "formats/objtype.h"

struct space space_of(const struct blkptr *bp)
{
	bool	metadata = bp->level > 0 || objtype_is_metadata(bp->type);
	int64_t stored = bp->embedded ? 0 : (int64_t)bp->psize;

	if (blkptr_is_hole(bp))
		return (struct space){ 0 };
	return (struct space){ .used = (int64_t)blkptr_asize(bp),
			       .comp = stored,
			       .uncomp = metadata ? stored : (int64_t)bp->lsize };
}

void space_add(struct space *to, struct space s)
{
	to->used += s.used;
	to->comp += s.comp;
	to->uncomp += s.uncomp;
}

void space_sub(struct space *to, struct space s)
{
	to->used -= s.used;
	to->comp -= s.comp;
	to->uncomp -= s.uncomp;
}
