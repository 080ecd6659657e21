/*
 * Dirty object sets: numbers, dnodes, and what goes with objects. Their dnode blocks are
 * dnode_blocks.c's, the end is objset_finish.c's, trees of single objects are tree_write.c's.
 */
#include "core/dmu/objset_write_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

static enum order order_of(const struct objset_write *w)
{
	return block_writer_order(w->o.writer);
}

static void new_accounting_dnode(struct dnode *dn)
{
	*dn = (struct dnode){ .type = OT_NONE, .nblkptr = 1, .levels = 1, .block_size = BLOCK_MIN };
}

/* The pool is not to be trusted: numbers end at 2^48 (dnode.h, DN_MAX_OBJECT), dnode blocks have
 * one size. */
#define OBJECT_LIMIT (UINT64_C(1) << 48)

static int check_old(const struct objset *os, struct err *e)
{
	if (os->phys.meta.type != OT_DNODE || os->phys.meta.block_size != DNODE_BLOCK_SIZE ||
	    os->object_limit > OBJECT_LIMIT)
		return err_set(e, ERR_CORRUPT,
			       "object set %llu: its dnodes are not kept as they should be",
			       (unsigned long long)os->id);
	return 0;
}

int objset_write_new(const struct objset_write_options *o, struct objset_write **out, struct err *e)
{
	struct objset_write *w;

	if (o->old != NULL && check_old(o->old, e) < 0)
		return -1;
	w = mem_zero(sizeof *w, e);
	if (w == NULL)
		return -1;
	w->o = *o;
	w->keep = o->id == 0;
	if (o->old != NULL) {
		w->phys = o->old->phys;
		w->next_block = o->old->object_limit / DNODE_SLOTS_PER_BLOCK;
	} else {
		w->phys = (struct objset_phys){ .size = o->phys_size,
						.type = o->type,
						.flags = o->flags };
		w->phys.meta = (struct dnode){
			.type = OT_DNODE,
			.indirect_shift = DNODE_INDIRECT_SHIFT_DEFAULT,
			.levels = 1,
			.nblkptr = 3,
			.block_size = DNODE_BLOCK_SIZE,
			.checksum = CHECKSUM_INHERIT,
			.compress = COMPRESS_INHERIT,
			.flags = DNODE_FLAG_USED_BYTES,
		};
		new_accounting_dnode(&w->phys.userused);
		new_accounting_dnode(&w->phys.groupused);
		new_accounting_dnode(&w->phys.projectused);
		w->next_block = o->first_object / DNODE_SLOTS_PER_BLOCK;
	}
	*out = w;
	return 0;
}

void objset_write_free(struct objset_write *w)
{
	size_t	 at = 0;
	uint64_t key, value;

	if (w == NULL)
		return;
	while (w->under_way != NULL)
		w->under_way->free(w->under_way);
	while (idmap_next(&w->blocks, &at, &key, &value))
		free((void *)(uintptr_t)value);
	idmap_fini(&w->blocks);
	free(w->written);
	free(w);
}

void objset_write_own(struct objset_write *w, struct under_way *u)
{
	u->next = w->under_way;
	u->prev = &w->under_way;
	if (u->next != NULL)
		u->next->prev = &u->next;
	w->under_way = u;
}

void objset_write_disown(struct under_way *u)
{
	*u->prev = u->next;
	if (u->next != NULL)
		u->next->prev = u->prev;
}

void objset_write_set_policy(struct objset_write *w, struct store_policy policy)
{
	w->o.policy = policy;
}

struct block_writer *objset_write_writer(struct objset_write *w)
{
	return w->o.writer;
}

const struct store_policy *objset_write_policy(const struct objset_write *w)
{
	return &w->o.policy;
}

struct objset *objset_write_old(struct objset_write *w)
{
	return w->o.old;
}

struct space *objset_write_space(struct objset_write *w)
{
	return &w->space;
}

struct objset_phys *objset_write_phys(struct objset_write *w)
{
	return &w->phys;
}

int objset_write_freed(void *ctx, const struct blkptr *bp, struct err *e)
{
	struct objset_write *w = ctx;

	if (blkptr_is_hole(bp))
		return 0;
	if (bp->birth >= block_writer_txg(w->o.writer))
		return err_set(e, ERR_CORRUPT, "a block born in txg %llu, which has not been yet",
			       (unsigned long long)bp->birth);
	space_sub(&w->space, space_of(bp));
	return w->o.freed(w->o.freed_ctx, bp, e);
}

void objset_write_tree(struct objset_write *w, struct tree_options *o)
{
	o->writer = w->o.writer;
	o->policy = &w->o.policy;
	o->set_space = &w->space;
	o->freed = objset_write_freed;
	o->freed_ctx = w;
}

/* -- numbers ----------------------------------------------------------------------------------- */

/*
 * The first of `need` free slots in a row in the block that this kind fills; DNODE_SLOTS_PER_BLOCK
 * when there are none: a dnode does not cross its block.
 */
static unsigned free_slots(struct objset_write *w, enum object_kind kind, unsigned need)
{
	struct dnode_block *b = w->filling[kind];
	unsigned	    first = w->slot[kind], s = first;

	while (s < DNODE_SLOTS_PER_BLOCK) {
		bool reserved = b->blkid == 0 && s == 0; /* object 0 is the meta-dnode */
		bool free_slot = !reserved && b->data[(size_t)s * DNODE_MIN_SIZE] == OT_NONE;

		s += dnode_block_slots(b, s);
		if (!free_slot)
			first = s;
		else if (s - first >= need)
			return first;
	}
	return DNODE_SLOTS_PER_BLOCK;
}

static int next_filling(struct objset_write *w, enum object_kind kind, struct err *e)
{
	struct dnode_block *full = w->filling[kind];

	if (full != NULL) {
		full->open = false;
		w->filling[kind] = NULL;
		if (dnode_block_settle(w, full, e) < 0)
			return -1;
	}
	if (dnode_block_get(w, w->next_block, &w->filling[kind], e) < 0)
		return -1;
	w->next_block++;
	w->filling[kind]->open = true;
	w->slot[kind] = 0;
	return 0;
}

int objset_write_alloc_sized(struct objset_write *w, enum object_kind kind, uint32_t dnode_size,
			     uint64_t *number, struct err *e)
{
	unsigned need = dnode_size == 0 ? 1 : dnode_size / DNODE_MIN_SIZE, s;

	assert(need >= 1 && need <= DNODE_SLOTS_PER_BLOCK && dnode_size % DNODE_MIN_SIZE == 0);
	while (w->filling[kind] == NULL ||
	       (s = free_slots(w, kind, need)) == DNODE_SLOTS_PER_BLOCK) {
		if (next_filling(w, kind, e) < 0)
			return -1;
	}

	struct dnode_block *b = w->filling[kind];

	w->slot[kind] = s + need;
	dnode_block_take(b, s, need);
	*number = b->blkid * DNODE_SLOTS_PER_BLOCK + s;
	return 0;
}

int objset_write_alloc(struct objset_write *w, enum object_kind kind, uint64_t *number,
		       struct err *e)
{
	return objset_write_alloc_sized(w, kind, DNODE_MIN_SIZE, number, e);
}

int objset_write_claim(struct objset_write *w, uint64_t number, struct err *e)
{
	struct dnode_block *b;

	if (dnode_block_get(w, number / DNODE_SLOTS_PER_BLOCK, &b, e) < 0)
		return -1;

	unsigned slot = number % DNODE_SLOTS_PER_BLOCK;

	if (b->data[(size_t)slot * DNODE_MIN_SIZE] != OT_NONE || !dnode_block_begins(b, slot))
		return err_set(e, ERR_EXISTS, "object %llu is in use", (unsigned long long)number);
	dnode_block_take(b, slot, 1);
	w->next_block = max64(w->next_block, b->blkid + 1);
	return 0;
}

static struct dnode *accounting(struct objset_write *w, uint64_t number)
{
	switch (number) {
	case OBJECT_USERUSED:
		return &w->phys.userused;
	case OBJECT_GROUPUSED:
		return &w->phys.groupused;
	case OBJECT_PROJECTUSED:
		return &w->phys.projectused;
	default:
		return NULL;
	}
}

static uint32_t slot_bit(uint64_t number)
{
	return UINT32_C(1) << number % DNODE_SLOTS_PER_BLOCK;
}

int objset_write_expect(struct objset_write *w, uint64_t number, struct err *e)
{
	struct dnode_block *b;

	if (accounting(w, number) != NULL)
		return 0;
	if (dnode_block_get(w, number / DNODE_SLOTS_PER_BLOCK, &b, e) < 0)
		return -1;
	b->expected |= slot_bit(number);
	return 0;
}

int objset_write_put(struct objset_write *w, uint64_t number, const struct dnode *dn, struct err *e)
{
	struct dnode	   *own = accounting(w, number);
	struct dnode_block *b;

	if (own != NULL) {
		*own = *dn;
		return 0;
	}
	if (dnode_block_get(w, number / DNODE_SLOTS_PER_BLOCK, &b, e) < 0)
		return -1;

	uint8_t *slot = b->data + number % DNODE_SLOTS_PER_BLOCK * DNODE_MIN_SIZE;

	if (!dnode_block_begins(b, number % DNODE_SLOTS_PER_BLOCK) ||
	    dn->extra_slots >= dnode_block_slots(b, number % DNODE_SLOTS_PER_BLOCK))
		return err_set(e, ERR_CORRUPT, "object %llu has no room for its dnode",
			       (unsigned long long)number);
	if (*slot == SLOT_TAKEN) {
		assert(b->waiting > 0);
		b->waiting--;
		b->used++;
	}
	/* One that gets smaller leaves free slots behind. */
	memset(slot, 0,
	       dnode_block_slots(b, number % DNODE_SLOTS_PER_BLOCK) * (size_t)DNODE_MIN_SIZE);
	dnode_encode(dn, wbytes_of(slot, dnode_size(dn), order_of(w)));
	b->dirty = true;
	b->expected &= ~slot_bit(number);
	return dnode_block_settle(w, b, e);
}

int objset_write_get(struct objset_write *w, uint64_t number, struct dnode *dn, struct err *e)
{
	struct dnode	   *own = accounting(w, number);
	struct dnode_block *b;

	if (own != NULL) {
		*dn = *own;
		return 0;
	}
	if (dnode_block_get(w, number / DNODE_SLOTS_PER_BLOCK, &b, e) < 0)
		return -1;

	size_t at = number % DNODE_SLOTS_PER_BLOCK * DNODE_MIN_SIZE;

	if (b->data[at] == OT_NONE || b->data[at] == SLOT_TAKEN ||
	    !dnode_block_begins(b, number % DNODE_SLOTS_PER_BLOCK))
		return err_set(e, ERR_NOTFOUND, "object %llu is not in use",
			       (unsigned long long)number);
	return dnode_decode(bytes_of(b->data + at, DNODE_BLOCK_SIZE - at, order_of(w)), dn, e);
}

int objset_write_remove(struct objset_write *w, uint64_t number, struct err *e)
{
	struct dnode_block *b;

	if (dnode_block_get(w, number / DNODE_SLOTS_PER_BLOCK, &b, e) < 0)
		return -1;

	unsigned slot = number % DNODE_SLOTS_PER_BLOCK;
	uint8_t *p = b->data + (size_t)slot * DNODE_MIN_SIZE;

	if (!dnode_block_begins(b, slot))
		return err_set(e, ERR_NOTFOUND, "object %llu is not in use",
			       (unsigned long long)number);
	if (*p == SLOT_TAKEN)
		b->waiting--;
	else if (*p != OT_NONE)
		b->used--;
	memset(p, 0, (size_t)dnode_block_slots(b, slot) * DNODE_MIN_SIZE);
	b->dirty = true;
	b->expected &= ~slot_bit(number);
	return dnode_block_settle(w, b, e);
}

static int free_one(void *ctx, const struct block_where *where, const struct blkptr *bp,
		    const struct err *failed, struct err *e)
{
	if (failed != NULL)
		return err_set(e, failed->kind, "object %llu level %u block %llu: %s",
			       (unsigned long long)where->object, where->level,
			       (unsigned long long)where->blkid, failed->text);
	return objset_write_freed(ctx, bp, e);
}

int objset_write_free_blocks(struct objset_write *w, uint64_t number, struct err *e)
{
	struct object o;

	if (object_open(w->o.old, number, &o, e) < 0)
		return -1;

	int rc = object_visit(&o, free_one, w, e);

	object_close(&o);
	return rc;
}

/* A block of this commit was never pointed to by the pool: its space is simply not used. */
static int drop_one(void *ctx, const struct block_where *where, const struct blkptr *bp,
		    const struct err *failed, struct err *e)
{
	struct objset_write *w = ctx;

	if (failed != NULL || blkptr_is_hole(bp) ||
	    (w->o.old != NULL && where->object < w->o.old->object_limit))
		return free_one(ctx, where, bp, failed, e);
	space_sub(&w->space, space_of(bp));
	for (unsigned c = 0; c < blkptr_copies(bp); c++) {
		if (alloc_release(block_writer_alloc(w->o.writer), bp->dva[c].offset,
				  bp->dva[c].asize, e) < 0)
			return -1;
	}
	return 0;
}

int objset_write_drop(struct objset_write *w, uint64_t number, struct err *e)
{
	struct objset os = { .reader = w->o.reader, .id = w->o.id };
	struct object o = { .os = &os, .number = number };

	if (objset_write_get(w, number, &o.dn, e) < 0 || object_visit(&o, drop_one, w, e) < 0)
		return -1;
	return objset_write_remove(w, number, e);
}
