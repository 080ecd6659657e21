/* Trees planned first and written later. */
#include "core/pool/freeze.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

void frozen_init(struct frozen *f, struct objset_write *set, struct object *old,
		 const struct dnode *dn)
{
	*f = (struct frozen){ .set = set, .old = old, .dn = *dn };
	if (old == NULL) {
		f->dn.levels = 1;
		f->dn.max_blkid = 0;
		f->dn.used = 0;
		memset(f->dn.bp, 0, sizeof f->dn.bp);
	}
}

void frozen_fini(struct frozen *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->blocks[i].data);
	free(f->blocks);
	*f = (struct frozen){ 0 };
}

static enum order order_of(const struct frozen *f)
{
	return block_writer_order(objset_write_writer(f->set));
}

static size_t block_bytes(const struct frozen *f, unsigned level)
{
	return level == 0 ? f->dn.block_size : (size_t)1 << f->dn.indirect_shift;
}

static unsigned old_levels(const struct frozen *f)
{
	return f->old == NULL ? 0 : f->old->dn.levels;
}

static struct frozen_block *find(const struct frozen *f, unsigned level, uint64_t blkid)
{
	for (size_t i = 0; i < f->count; i++) {
		if (f->blocks[i].level == level && f->blocks[i].blkid == blkid)
			return &f->blocks[i];
	}
	return NULL;
}

/* The pointer that the tree has now; a hole in a new tree. */
static int old_pointer(struct frozen *f, unsigned level, uint64_t blkid, struct blkptr *out,
		       struct err *e)
{
	*out = (struct blkptr){ 0 };
	return level < old_levels(f) ? object_blkptr(f->old, level, blkid, out, e) : 0;
}

static int release_old(struct frozen *f, unsigned level, uint64_t blkid, struct err *e)
{
	struct tree_options how;
	struct blkptr	    old;

	if (old_pointer(f, level, blkid, &old, e) < 0)
		return -1;
	if (blkptr_is_hole(&old))
		return 0;
	space_sub(&f->space, space_of(&old));
	objset_write_tree(f->set, &how); /* knows how blocks of this set are freed */
	return how.freed(how.freed_ctx, &old, e);
}

/* Gives one block its place. */
static int plan_block(struct frozen *f, unsigned level, uint64_t blkid, struct err *e)
{
	const struct store_policy *p = objset_write_policy(f->set);
	struct block_request	   r = { .type = f->dn.type, .level = (uint8_t)level,
					 .checksum = p->meta_checksum, .copies = p->meta_copies,
					 .size = (uint32_t)block_bytes(f, level) };

	if (release_old(f, level, blkid, e) < 0 ||
	    mem_grow(&f->blocks, &f->cap, f->count + 1, sizeof f->blocks[0], e) < 0)
		return -1;

	struct frozen_block *b = &f->blocks[f->count];

	*b = (struct frozen_block){ .blkid = blkid, .level = (uint8_t)level };
	if (block_place(objset_write_writer(f->set), &r, &b->bp, e) < 0)
		return -1;
	f->count++;
	space_add(&f->space, space_of(&b->bp));
	space_add(objset_write_space(f->set), space_of(&b->bp));
	return 0;
}

static bool reaches(const struct frozen *f, uint64_t blkid)
{
	uint64_t span = f->dn.nblkptr;

	for (unsigned k = 1; k < f->dn.levels; k++) {
		if (!mul_ok(span, dnode_fanout(&f->dn), &span))
			return true;
	}
	return blkid < span;
}

/*
 * One level more; what hung in the dnode moves into the new top block, which must then be written.
 */
static int grow(struct frozen *f, struct err *e)
{
	unsigned top = f->dn.levels;
	bool	 any = find(f, top - 1, 0) != NULL;

	if (top == DNODE_LEVELS_MAX)
		return err_set(e, ERR_UNSUPPORTED, "an object of more than %d levels",
			       DNODE_LEVELS_MAX);
	for (unsigned i = 0; i < f->dn.nblkptr; i++)
		any = any || !blkptr_is_hole(&f->dn.bp[i]);
	f->dn.levels++;
	memset(f->dn.bp, 0, sizeof f->dn.bp);
	return any && find(f, top, 0) == NULL ? plan_block(f, top, 0, e) : 0;
}

int frozen_add(struct frozen *f, uint64_t blkid, struct err *e)
{
	while (!reaches(f, blkid)) {
		if (grow(f, e) < 0)
			return -1;
	}
	f->dn.max_blkid = max64(f->dn.max_blkid, blkid);
	for (unsigned level = 0; level < f->dn.levels; level++) {
		/* The dnode's own pointers are its top. */
		if (find(f, level, blkid) == NULL && plan_block(f, level, blkid, e) < 0)
			return -1;
		blkid /= dnode_fanout(&f->dn);
	}
	return 0;
}

/* An indirect block as it was, or what hung in the dnode before the tree grew over it. */
static int start_indirect(struct frozen *f, struct frozen_block *b, struct err *e)
{
	size_t n = block_bytes(f, b->level);

	b->data = mem_zero(n, e);
	if (b->data == NULL)
		return -1;
	if (b->level == old_levels(f) && b->blkid == 0 && f->old != NULL) {
		for (unsigned i = 0; i < f->old->dn.nblkptr; i++)
			blkptr_encode(&f->old->dn.bp[i], wbytes_of(b->data + i * BLKPTR_SIZE,
								   BLKPTR_SIZE, order_of(f)));
		return 0;
	}
	if (b->level >= old_levels(f))
		return 0;
	return tree_load_indirect(f->old, b->level, b->blkid, wbytes_of(b->data, n, order_of(f)),
				  e);
}

/* The finished pointer goes into the parent or the dnode. */
static void hang(struct frozen *f, const struct frozen_block *b)
{
	if (b->level + 1u == f->dn.levels) {
		f->dn.bp[b->blkid] = b->bp;
		return;
	}

	uint64_t	     fan = dnode_fanout(&f->dn);
	struct frozen_block *parent = find(f, b->level + 1u, b->blkid / fan);

	assert(parent != NULL);
	blkptr_encode(&b->bp, wbytes_of(parent->data + b->blkid % fan * BLKPTR_SIZE, BLKPTR_SIZE,
					order_of(f)));
}

static uint64_t indirect_fill(const struct frozen *f, const struct frozen_block *b)
{
	uint64_t sum = 0;

	for (size_t at = 0; at < block_bytes(f, b->level); at += BLKPTR_SIZE) {
		struct blkptr bp;

		if (blkptr_decode(bytes_of(b->data + at, BLKPTR_SIZE, order_of(f)), &bp, NULL) == 0)
			sum += blkptr_fill_count(&bp);
	}
	return sum;
}

static int write_block(struct frozen *f, struct frozen_block *b, frozen_fill_fn *fill, void *ctx,
		       struct err *e)
{
	size_t n = block_bytes(f, b->level);

	if (b->level > 0) {
		b->bp.fill = indirect_fill(f, b);
	} else {
		b->data = mem_zero(n, e);
		if (b->data == NULL ||
		    fill(ctx, b->blkid, wbytes_of(b->data, n, order_of(f)), &b->bp.fill, e) < 0)
			return -1;
	}
	if (block_write_placed(objset_write_writer(f->set), &b->bp, b->data, e) < 0)
		return -1;
	hang(f, b);
	free(b->data);
	b->data = NULL;
	return 0;
}

int frozen_write(struct frozen *f, frozen_fill_fn *fill, void *ctx, struct err *e)
{
	for (size_t i = 0; i < f->count; i++) {
		if (f->blocks[i].level > 0 && start_indirect(f, &f->blocks[i], e) < 0)
			return -1;
	}
	for (unsigned level = 0; level < f->dn.levels; level++) {
		for (size_t i = 0; i < f->count; i++) {
			if (f->blocks[i].level == level &&
			    write_block(f, &f->blocks[i], fill, ctx, e) < 0)
				return -1;
		}
	}
	f->dn.used += (uint64_t)f->space.used;
	return 0;
}
