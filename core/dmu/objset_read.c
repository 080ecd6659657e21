/* Object sets: their block, and dnodes by number. */
#include "core/dmu/objset_read.h"

#include "core/dmu/object_impl.h"
#include "formats/base/limits.h"

struct object objset_meta(struct objset *os)
{
	return (struct object){ .os = os, .number = 0, .dn = os->phys.meta };
}

/* Dnodes fill whole slots; a meta-dnode whose blocks are no multiple of one has no sense. */
static int meta_check(const struct objset *os, struct err *e)
{
	const struct dnode *meta = &os->phys.meta;

	if (meta->type == OT_NONE)
		return 0;
	if (meta->type != OT_DNODE || meta->block_size == 0 ||
	    meta->block_size % DNODE_MIN_SIZE != 0)
		return err_set(e, ERR_CORRUPT, "object set %llu: the meta-dnode is no meta-dnode",
			       (unsigned long long)os->id);
	return 0;
}

static void set_limit(struct objset *os)
{
	const struct dnode *meta = &os->phys.meta;
	uint64_t	    per_block = meta->block_size / DNODE_MIN_SIZE;

	if (meta->type == OT_NONE)
		os->object_limit = 0;
	else if (meta->max_blkid == UINT64_MAX ||
		 !mul_ok(meta->max_blkid + 1, per_block, &os->object_limit))
		os->object_limit = UINT64_MAX;
}

int objset_open(struct block_reader *r, const struct blkptr *bp, uint64_t id, struct objset *out,
		struct err *e)
{
	struct objset	   os = { .reader = r, .id = id, .root = *bp };
	struct block_where where = { .objset = id, .level = LEVEL_OBJSET };
	struct block	  *b;
	int		   rc;

	if (blkptr_is_hole(bp)) {
		*out = os;
		return 0;
	}
	if (bp->type != OT_OBJSET || bp->level != 0)
		return err_set(e, ERR_CORRUPT,
			       "object set %llu: its pointer is to a block of type %u, level %u",
			       (unsigned long long)id, bp->type, bp->level);
	if (block_read(r, bp, &where, &b, e) < 0)
		return -1;
	rc = objset_decode(b->bytes, &os.phys, e);
	block_put(r, b);
	if (rc < 0)
		return err_in(e, "object set %llu", (unsigned long long)id);
	/* These four have no bonus that anyone needs, and the block that it lay in is gone. */
	os.phys.meta.bonus = os.phys.userused.bonus = (struct bytes){ 0 };
	os.phys.groupused.bonus = os.phys.projectused.bonus = (struct bytes){ 0 };
	if (meta_check(&os, e) < 0)
		return -1;
	set_limit(&os);
	*out = os;
	return 0;
}

/* The dnodes that the object set block holds itself; NULL when the number is not one of theirs. */
static const struct dnode *own_dnode(const struct objset *os, uint64_t number)
{
	switch (number) {
	case 0:
		return &os->phys.meta;
	case OBJECT_USERUSED:
		return &os->phys.userused;
	case OBJECT_GROUPUSED:
		return &os->phys.groupused;
	case OBJECT_PROJECTUSED:
		return &os->phys.projectused;
	default:
		return NULL;
	}
}

/*
 * The slot after the dnode (or free slot) that starts at `slot`, by its type and extra slots alone.
 * Source: OpenZFS dnode.h, dnode_phys_t (dn_type, dn_extra_slots).
 */
static uint64_t slot_after(struct bytes block, uint64_t slot)
{
	size_t at = (size_t)slot * DNODE_MIN_SIZE;

	return get8(block, at) == OT_NONE ? slot + 1 : slot + 1 + get8(block, at + 12);
}

/* The first slot >= `slot` where a dnode in use starts, or `slots`. */
static uint64_t next_slot(struct bytes block, uint64_t slot, uint64_t slots)
{
	uint64_t s = 0;

	while (s < slots) {
		if (s >= slot && get8(block, (size_t)s * DNODE_MIN_SIZE) != OT_NONE)
			return s;
		s = slot_after(block, s);
	}
	return slots;
}

static int no_object(const struct objset *os, uint64_t number, struct err *e)
{
	return err_set(e, ERR_NOTFOUND, "object set %llu has no object %llu",
		       (unsigned long long)os->id, (unsigned long long)number);
}

int object_open(struct objset *os, uint64_t number, struct object *out, struct err *e)
{
	const struct dnode *own = own_dnode(os, number);
	struct object	    o = { .os = os, .number = number };
	struct object	    meta = objset_meta(os);
	uint64_t	    slots, slot;
	int		    rc;

	if (own != NULL) {
		if (own->type == OT_NONE)
			return no_object(os, number, e);
		o.dn = *own;
		*out = o;
		return 0;
	}
	if (number >= os->object_limit)
		return no_object(os, number, e);
	slots = meta.dn.block_size / DNODE_MIN_SIZE;
	slot = number % slots;
	if (object_block(&meta, number / slots, &o.block, e) < 0)
		return -1;
	if (next_slot(o.block->bytes, slot, slots) != slot)
		rc = no_object(os, number, e);
	else
		rc = dnode_decode(bytes_from(o.block->bytes, (size_t)slot * DNODE_MIN_SIZE), &o.dn,
				  e);
	if (rc < 0) {
		block_put(os->reader, o.block);
		return err_in(e, "object %llu", (unsigned long long)number);
	}
	*out = o;
	return 0;
}

void object_close(struct object *o)
{
	if (o->block != NULL)
		block_put(o->os->reader, o->block);
	*o = (struct object){ .os = o->os };
}

/* The first used object in the meta-dnode's block, from number on; false when none is there. */
static bool first_in_block(struct object *meta, uint64_t *number)
{
	uint64_t      slots = meta->dn.block_size / DNODE_MIN_SIZE, blkid = *number / slots, slot;
	struct block *b;

	/* The reader has told of it already. */
	if (object_block(meta, blkid, &b, NULL) < 0)
		return false;
	slot = next_slot(b->bytes, *number % slots, slots);
	block_put(meta->os->reader, b);
	if (slot == slots)
		return false;
	*number = blkid * slots + slot;
	return true;
}

int objset_next(struct objset *os, uint64_t *number, struct err *e)
{
	struct object meta = objset_meta(os);
	uint64_t      n = *number == 0 ? 1 : *number, slots, start, end;
	struct err    why = { 0 };

	if (os->object_limit == 0)
		return no_object(os, n, e);
	slots = meta.dn.block_size / DNODE_MIN_SIZE;
	/*
	 * Most calls go on within a block; where the run of blocks ends, which costs a walk along
	 * it, is asked once a block.
	 */
	if (n % slots != 0 && n < os->object_limit) {
		if (first_in_block(&meta, &n)) {
			*number = n;
			return 0;
		}
		n = (n / slots + 1) * slots;
	}
	while (n < os->object_limit) {
		if (object_next_data(&meta, n * DNODE_MIN_SIZE, &start, &end, &why) == 0) {
			/* A range may begin inside the number's own block. */
			n = max64(n, start / DNODE_MIN_SIZE);
			if (first_in_block(&meta, &n)) {
				*number = n;
				return 0;
			}
			n = (n / slots + 1) * slots;
		} else if (why.kind == ERR_NOTFOUND || end / DNODE_MIN_SIZE <= n) {
			break;
		} else {
			n = end / DNODE_MIN_SIZE;
		}
	}
	return no_object(os, *number, e);
}
