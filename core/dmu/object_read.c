/*
 * Objects: from a block number through the levels of indirect blocks to the block, and bytes.
 * Leaves finding objects to objset_read.c and walking whole trees to visit.c.
 */
#include "core/dmu/objset_read.h"

#include "core/dmu/object_impl.h"
#include "formats/base/limits.h"

/* The pointer at an index of an indirect block, which must be one level below its parent's. */
static int child_at(const struct object *o, const struct block *b, uint64_t index, unsigned level,
		    struct blkptr *out, struct err *e)
{
	if (index >= b->bytes.n / BLKPTR_SIZE)
		return err_set(e, ERR_CORRUPT, "indirect block has no pointer %llu",
			       (unsigned long long)index);
	if (blkptr_decode(bytes_from(b->bytes, (size_t)index * BLKPTR_SIZE), out, e) < 0)
		return -1;
	return object_check_pointer(o, level, out, e);
}

int object_check_pointer(const struct object *o, unsigned level, const struct blkptr *bp,
			 struct err *e)
{
	uint64_t size = level > 0 ? UINT64_C(1) << o->dn.indirect_shift : o->dn.block_size;

	if (blkptr_is_hole(bp))
		return 0;
	if (bp->level != level)
		return err_set(e, ERR_CORRUPT, "pointer of level %u where level %u belongs",
			       bp->level, level);
	if (bp->lsize != size)
		return err_set(e, ERR_CORRUPT,
			       "block of %llu bytes in an object with blocks of %llu",
			       (unsigned long long)bp->lsize, (unsigned long long)size);
	return 0;
}

/* Blocks of `level` under one pointer of level `above`: fanout ^ (above - level), may saturate. */
static uint64_t span(const struct object *o, unsigned above, unsigned level)
{
	return dnode_span(&o->dn, above - level);
}

static struct block_where where_of(const struct object *o, unsigned level, uint64_t blkid)
{
	return (struct block_where){ .objset = o->os->id,
				     .object = o->number,
				     .level = (uint8_t)level,
				     .blkid = blkid };
}

static int in_object(const struct object *o, struct err *e)
{
	return err_in(e, "object %llu", (unsigned long long)o->number);
}

/*
 * Walks down from the dnode to block `blkid` of `level`. Stops early at a hole or at a block that
 * cannot be read; *stopped is the level of the last pointer looked at, the one in *out.
 */
static int descend(struct object *o, unsigned level, uint64_t blkid, unsigned *stopped,
		   struct blkptr *out, struct err *e)
{
	unsigned at = o->dn.levels - 1u;
	uint64_t index = blkid / span(o, at, level);

	*stopped = at;
	if (index >= o->dn.nblkptr) {
		*out = (struct blkptr){ 0 };
		return 0;
	}
	*out = o->dn.bp[index];
	if (object_check_pointer(o, at, out, e) < 0)
		return in_object(o, e);
	while (at > level && !blkptr_is_hole(out)) {
		uint64_t	   id = blkid / span(o, at, level);
		struct block_where where = where_of(o, at, id);
		struct block	  *b;

		if (block_read(o->os->reader, out, &where, &b, e) < 0)
			return -1;
		at--;
		index = blkid / span(o, at, level) % dnode_fanout(&o->dn);

		int rc = child_at(o, b, index, at, out, e);

		block_put(o->os->reader, b);
		if (rc < 0)
			return in_object(o, e);
		*stopped = at;
	}
	return 0;
}

int object_blkptr(struct object *o, unsigned level, uint64_t blkid, struct blkptr *out,
		  struct err *e)
{
	unsigned stopped;

	if (level >= o->dn.levels)
		return err_set(e, ERR_NOTFOUND, "object %llu has no level %u",
			       (unsigned long long)o->number, level);
	return descend(o, level, blkid, &stopped, out, e);
}

/* A level-0 pointer, a hole with the object's block size when nothing is there. */
static int data_pointer(struct object *o, uint64_t blkid, struct blkptr *out, struct err *e)
{
	if (blkid > o->dn.max_blkid)
		*out = (struct blkptr){ 0 };
	else if (object_blkptr(o, 0, blkid, out, e) < 0)
		return -1;
	if (blkptr_is_hole(out)) {
		*out = (struct blkptr){ .lsize = o->dn.block_size,
					.type = o->dn.type,
					.order = ORDER_NATIVE };
	}
	return 0;
}

int object_block(struct object *o, uint64_t blkid, struct block **out, struct err *e)
{
	struct block_where where = where_of(o, 0, blkid);
	struct blkptr	   bp;

	if (data_pointer(o, blkid, &bp, e) < 0)
		return -1;
	return block_read(o->os->reader, &bp, &where, out, e);
}

/* Part of a block, through the cache. */
static int read_part(struct object *o, uint64_t blkid, size_t off, uint8_t *to, size_t n,
		     struct err *e)
{
	struct block *b;

	if (object_block(o, blkid, &b, e) < 0)
		return -1;
	memcpy(to, b->bytes.p + off, n);
	block_put(o->os->reader, b);
	return 0;
}

/* A whole block past the cache. */
static int read_whole(struct object *o, uint64_t blkid, uint8_t *to, struct err *e)
{
	struct block_where where = where_of(o, 0, blkid);
	struct blkptr	   bp;

	if (data_pointer(o, blkid, &bp, e) < 0)
		return -1;
	return block_read_into(o->os->reader, &bp, &where, to, e);
}

int object_read(struct object *o, uint64_t offset, void *buf, size_t n, struct err *e)
{
	uint64_t size = o->dn.block_size;
	uint8_t *to = buf;

	while (n > 0) {
		uint64_t blkid = offset / size;
		size_t	 off = (size_t)(offset % size);
		size_t	 part = (size_t)min64(size - off, n);
		int	 rc;

		if (part == size && blkid <= o->dn.max_blkid)
			rc = read_whole(o, blkid, to, e);
		else if (blkid <= o->dn.max_blkid)
			rc = read_part(o, blkid, off, to, part, e);
		else {
			memset(to, 0, n);
			return 0;
		}
		if (rc < 0)
			return -1;
		to += part;
		n -= part;
		offset += part;
	}
	return 0;
}

/* [*start, *end) becomes bytes; the end may lie past what 64 bits hold. */
static void to_bytes(const struct object *o, uint64_t first, uint64_t past, uint64_t *start,
		     uint64_t *end)
{
	if (!mul_ok(first, o->dn.block_size, start))
		*start = UINT64_MAX;
	if (!mul_ok(past, o->dn.block_size, end))
		*end = UINT64_MAX;
}

/*
 * One past the last block under the pointer of `level` that covers blkid,
 * no further than the object.
 */
static uint64_t past_pointer(const struct object *o, unsigned level, uint64_t blkid)
{
	uint64_t width = span(o, level, 0);
	uint64_t past;

	if (!mul_ok(blkid / width + 1, width, &past))
		past = UINT64_MAX;
	return o->dn.max_blkid == UINT64_MAX ? past : min64(past, o->dn.max_blkid + 1);
}

/*
 * How far blocks go on being there after blkid: within its level-1 block, or the dnode's pointers.
 */
static uint64_t run_end(struct object *o, uint64_t blkid)
{
	uint64_t      past = past_pointer(o, o->dn.levels > 1 ? 1 : 0, blkid), i = blkid + 1;
	struct blkptr bp;

	if (o->dn.levels == 1)
		past = min64(o->dn.nblkptr, o->dn.max_blkid + 1);
	while (i < past && object_blkptr(o, 0, i, &bp, NULL) == 0 && !blkptr_is_hole(&bp))
		i++;
	return i;
}

int object_next_data(struct object *o, uint64_t offset, uint64_t *start, uint64_t *end,
		     struct err *e)
{
	uint64_t      blkid = offset / o->dn.block_size;
	struct blkptr bp;
	unsigned      stopped;

	while (blkid <= o->dn.max_blkid) {
		if (descend(o, 0, blkid, &stopped, &bp, e) < 0) {
			to_bytes(o, blkid, past_pointer(o, stopped, blkid), start, end);
			return -1;
		}
		if (stopped == 0 && !blkptr_is_hole(&bp)) {
			to_bytes(o, blkid, run_end(o, blkid), start, end);
			*start = max64(*start, offset);
			return 0;
		}

		uint64_t past = past_pointer(o, stopped, blkid);

		if (past <= blkid)
			break;
		blkid = past;
	}
	return err_set(e, ERR_NOTFOUND, "no data from offset 0x%llx on",
		       (unsigned long long)offset);
}
