/*
 * Dirty object sets: numbers, dnode blocks in memory and on their way out, the object set block.
 * Trees of single objects are tree_write.c's.
 */
#include "core/dmu/objset_write.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/idmap.h"
#include "core/base/mem.h"
#include "formats/base/limits.h"

enum { KINDS = 2, IDLE_BLOCKS_MAX = 64 };

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
	struct dnode_block	   *filling[KINDS];
	unsigned		    slot[KINDS]; /* next to look at in it */
	size_t			    idle; /* blocks in memory that could go out */
	bool			    keep; /* the MOS: dnode blocks stay until the freeze */
	struct blkptr		    root;
	struct under_way	   *under_way;
};

static enum order order_of(const struct objset_write *w)
{
	return block_writer_order(w->o.writer);
}

static void new_accounting_dnode(struct dnode *dn)
{
	*dn = (struct dnode){ .type = OT_NONE, .nblkptr = 1, .levels = 1, .block_size = BLOCK_MIN };
}

int objset_write_new(const struct objset_write_options *o, struct objset_write **out, struct err *e)
{
	struct objset_write *w = mem_zero(sizeof *w, e);

	if (w == NULL)
		return -1;
	w->o = *o;
	w->keep = o->id == 0;
	if (o->old != NULL) {
		w->phys = o->old->phys;
		w->next_block = o->old->object_limit / DNODE_SLOTS_PER_BLOCK;
	} else {
		w->phys = (struct objset_phys){ .size = o->phys_size, .type = o->type, .flags = o->flags };
		w->phys.meta = (struct dnode){
			.type = OT_DNODE, .indirect_shift = DNODE_INDIRECT_SHIFT_DEFAULT, .levels = 1,
			.nblkptr = 3, .block_size = DNODE_BLOCK_SIZE,
			.checksum = CHECKSUM_INHERIT, .compress = COMPRESS_INHERIT,
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

static int freed(void *ctx, const struct blkptr *bp, struct err *e)
{
	struct objset_write *w = ctx;

	if (blkptr_is_hole(bp))
		return 0;
	space_sub(&w->space, space_of(bp));
	return w->o.freed(w->o.freed_ctx, bp, e);
}

void objset_write_tree(struct objset_write *w, struct tree_options *o)
{
	o->writer = w->o.writer;
	o->policy = &w->o.policy;
	o->set_space = &w->space;
	o->freed = freed;
	o->freed_ctx = w;
}

/* -- dnode blocks ------------------------------------------------------------------------------ */

static int compare_written(const void *a, const void *b)
{
	const struct written *x = a, *y = b;

	return x->blkid < y->blkid ? -1 : x->blkid > y->blkid;
}

static void sort_written(struct objset_write *w)
{
	if (!w->written_sorted && w->written_count > 1)
		qsort(w->written, w->written_count, sizeof w->written[0], compare_written);
	w->written_sorted = true;
}

/* The pipeline has placed a dnode block. */
static int block_written(void *ctx, uint64_t tag, const struct blkptr *bp, struct err *e)
{
	struct objset_write *w = ctx;

	if (mem_grow(&w->written, &w->written_cap, w->written_count + 1, sizeof w->written[0], e) < 0)
		return -1;

	struct written *new = &w->written[w->written_count];

	w->written_sorted = w->written_count == 0 || (w->written_sorted && new[-1].blkid < tag);
	w->written_count++;
	new->blkid = tag;
	blkptr_encode(bp, wbytes_of(new->bp, BLKPTR_SIZE, order_of(w)));
	return 0;
}

static int write_block(struct objset_write *w, struct dnode_block *b, struct err *e)
{
	const struct store_policy *p = &w->o.policy;
	struct block_request	   r = {
		.type = OT_DNODE, .checksum = p->meta_checksum, .copies = p->meta_copies,
		.compress = p->meta_compress, .size = DNODE_BLOCK_SIZE, .may_hole = true, .set_space = &w->space,
		.done = block_written, .ctx = w, .tag = b->blkid,
	};
	uint8_t *to;
	int	 rc;

	/* Making room may place other blocks, whose objects may put dnodes into this one: it must not go out twice. */
	b->open = true;
	rc = block_reserve(w->o.writer, DNODE_BLOCK_SIZE, &to, e);
	b->open = false;
	if (rc < 0)
		return -1;
	r.fill = b->used;
	memcpy(to, b->data, DNODE_BLOCK_SIZE);
	/* The map keeps a key with value 0 for blocks that have gone out. */
	if (idmap_put(&w->blocks, b->blkid, 0, e) < 0)
		return -1;
	free(b);
	return block_submit(w->o.writer, &r, e);
}

/* Sends a block out when nothing in it is expected any more. */
static int settle(struct objset_write *w, struct dnode_block *b, struct err *e)
{
	if (w->keep || b->open || b->waiting > 0 || b->expected != 0 || !b->dirty)
		return 0;
	return write_block(w, b, e);
}

/* One that went out in this commit comes back; its place is given up. */
static int fetch_written(struct objset_write *w, struct dnode_block *b, struct err *e)
{
	struct written	   key = { .blkid = b->blkid }, *found;
	struct block_where where = { w->o.id, 0, b->blkid, 0 };
	struct blkptr	   bp;

	if (block_writer_drain(w->o.writer, e) < 0)
		return -1;
	sort_written(w);
	found = bsearch(&key, w->written, w->written_count, sizeof key, compare_written);
	if (found == NULL)
		return err_set(e, ERR_CORRUPT, "dnode block %llu is lost", (unsigned long long)b->blkid);
	if (blkptr_decode(bytes_of(found->bp, BLKPTR_SIZE, order_of(w)), &bp, e) < 0 ||
	    block_read_into(w->o.reader, &bp, &where, b->data, e) < 0)
		return -1;
	memmove(found, found + 1, (size_t)(w->written + w->written_count - found - 1) * sizeof *found);
	w->written_count--;
	space_sub(&w->space, space_of(&bp));
	for (unsigned c = 0; c < blkptr_copies(&bp); c++) {
		if (alloc_release(block_writer_alloc(w->o.writer), bp.dva[c].offset, bp.dva[c].asize, e) < 0)
			return -1;
	}
	return 0;
}

static int fetch_old(struct objset_write *w, struct dnode_block *b, struct err *e)
{
	struct object meta;
	struct block *block;
	int	      rc = -1;

	if (w->o.old == NULL)
		return 0;
	if (object_open(w->o.old, 0, &meta, e) < 0)
		return -1;
	if (object_block(&meta, b->blkid, &block, e) == 0) {
		memcpy(b->data, block->bytes.p, min64(block->bytes.n, DNODE_BLOCK_SIZE));
		block_put(w->o.reader, block);
		rc = 0;
	}
	object_close(&meta);
	return rc;
}

/* Slots of the dnode that begins at one: a free one has one. */
static unsigned slots_of(const struct dnode_block *b, unsigned slot)
{
	const uint8_t *p = b->data + (size_t)slot * DNODE_MIN_SIZE;
	unsigned       n = p[0] == OT_NONE ? 1 : p[12] + 1u; /* extra slots */

	return n > DNODE_SLOTS_PER_BLOCK - slot ? DNODE_SLOTS_PER_BLOCK - slot : n;
}

static void count_used(struct dnode_block *b)
{
	b->used = 0;
	for (unsigned s = 0; s < DNODE_SLOTS_PER_BLOCK; s += slots_of(b, s))
		b->used += b->data[(size_t)s * DNODE_MIN_SIZE] != OT_NONE;
}

/* Too many blocks fetched back and now idle: out with them. */
static int shed(struct objset_write *w, struct err *e)
{
	size_t	 at = 0;
	uint64_t key, value;

	if (w->keep || ++w->idle < IDLE_BLOCKS_MAX)
		return 0;
	w->idle = 0;
	while (idmap_next(&w->blocks, &at, &key, &value)) {
		struct dnode_block *b = (void *)(uintptr_t)value;

		if (b != NULL && settle(w, b, e) < 0)
			return -1;
	}
	return 0;
}

/* The block in memory, from wherever it is. */
static int get_block(struct objset_write *w, uint64_t blkid, struct dnode_block **out, struct err *e)
{
	uint64_t	    value = 0;
	bool		    known = idmap_get(&w->blocks, blkid, &value);
	struct dnode_block *b = (void *)(uintptr_t)value;

	if (b != NULL) {
		*out = b;
		return 0;
	}
	if (shed(w, e) < 0)
		return -1;
	b = mem_zero(sizeof *b, e);
	if (b == NULL)
		return -1;
	b->blkid = blkid;
	if ((known ? fetch_written(w, b, e) : fetch_old(w, b, e)) < 0 ||
	    idmap_put(&w->blocks, blkid, (uint64_t)(uintptr_t)b, e) < 0) {
		free(b);
		return -1;
	}
	b->dirty = known;
	count_used(b);
	*out = b;
	return 0;
}

/* -- numbers ----------------------------------------------------------------------------------- */

/* The next free slot of the block that this kind fills; DNODE_SLOTS_PER_BLOCK when it is full. */
static unsigned free_slot(struct objset_write *w, enum object_kind kind)
{
	struct dnode_block *b = w->filling[kind];
	unsigned	    s = w->slot[kind];

	while (s < DNODE_SLOTS_PER_BLOCK) {
		bool reserved = b->blkid == 0 && s == 0; /* object 0 is the meta-dnode */

		if (!reserved && b->data[(size_t)s * DNODE_MIN_SIZE] == OT_NONE)
			return s;
		s += slots_of(b, s);
	}
	return DNODE_SLOTS_PER_BLOCK;
}

static int next_filling(struct objset_write *w, enum object_kind kind, struct err *e)
{
	struct dnode_block *full = w->filling[kind];

	if (full != NULL) {
		full->open = false;
		w->filling[kind] = NULL;
		if (settle(w, full, e) < 0)
			return -1;
	}
	if (get_block(w, w->next_block, &w->filling[kind], e) < 0)
		return -1;
	w->next_block++;
	w->filling[kind]->open = true;
	w->slot[kind] = 0;
	return 0;
}

/* A slot that is given out but not yet put is marked by a type that no dnode has. */
enum { SLOT_TAKEN = 0xff };

int objset_write_alloc(struct objset_write *w, enum object_kind kind, uint64_t *number, struct err *e)
{
	unsigned s;

	while (w->filling[kind] == NULL || (s = free_slot(w, kind)) == DNODE_SLOTS_PER_BLOCK) {
		if (next_filling(w, kind, e) < 0)
			return -1;
	}

	struct dnode_block *b = w->filling[kind];

	w->slot[kind] = s + 1;
	memset(b->data + (size_t)s * DNODE_MIN_SIZE, 0, DNODE_MIN_SIZE);
	b->data[(size_t)s * DNODE_MIN_SIZE] = SLOT_TAKEN;
	b->waiting++;
	*number = b->blkid * DNODE_SLOTS_PER_BLOCK + s;
	return 0;
}

int objset_write_claim(struct objset_write *w, uint64_t number, struct err *e)
{
	struct dnode_block *b;

	if (get_block(w, number / DNODE_SLOTS_PER_BLOCK, &b, e) < 0)
		return -1;

	uint8_t *slot = b->data + number % DNODE_SLOTS_PER_BLOCK * DNODE_MIN_SIZE;

	if (*slot != OT_NONE)
		return err_set(e, ERR_EXISTS, "object %llu is in use", (unsigned long long)number);
	*slot = SLOT_TAKEN;
	b->waiting++;
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
	if (get_block(w, number / DNODE_SLOTS_PER_BLOCK, &b, e) < 0)
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
	if (get_block(w, number / DNODE_SLOTS_PER_BLOCK, &b, e) < 0)
		return -1;

	uint8_t *slot = b->data + number % DNODE_SLOTS_PER_BLOCK * DNODE_MIN_SIZE;

	if (*slot == SLOT_TAKEN) {
		assert(b->waiting > 0 && dn->extra_slots == 0);
		b->waiting--;
		b->used++;
	}
	dnode_encode(dn, wbytes_of(slot, dnode_size(dn), order_of(w)));
	b->dirty = true;
	b->expected &= ~slot_bit(number);
	return settle(w, b, e);
}

int objset_write_get(struct objset_write *w, uint64_t number, struct dnode *dn, struct err *e)
{
	struct dnode	   *own = accounting(w, number);
	struct dnode_block *b;

	if (own != NULL) {
		*dn = *own;
		return 0;
	}
	if (get_block(w, number / DNODE_SLOTS_PER_BLOCK, &b, e) < 0)
		return -1;

	size_t at = number % DNODE_SLOTS_PER_BLOCK * DNODE_MIN_SIZE;

	if (b->data[at] == OT_NONE || b->data[at] == SLOT_TAKEN)
		return err_set(e, ERR_NOTFOUND, "object %llu is not in use", (unsigned long long)number);
	return dnode_decode(bytes_of(b->data + at, DNODE_BLOCK_SIZE - at, order_of(w)), dn, e);
}

int objset_write_remove(struct objset_write *w, uint64_t number, struct err *e)
{
	struct dnode_block *b;

	if (get_block(w, number / DNODE_SLOTS_PER_BLOCK, &b, e) < 0)
		return -1;

	unsigned slot = number % DNODE_SLOTS_PER_BLOCK;
	uint8_t *p = b->data + (size_t)slot * DNODE_MIN_SIZE;

	if (*p == SLOT_TAKEN)
		b->waiting--;
	else if (*p != OT_NONE)
		b->used--;
	memset(p, 0, (size_t)slots_of(b, slot) * DNODE_MIN_SIZE);
	b->dirty = true;
	b->expected &= ~slot_bit(number);
	return settle(w, b, e);
}

static int free_one(void *ctx, const struct block_where *where, const struct blkptr *bp,
		    const struct err *failed, struct err *e)
{
	if (failed != NULL)
		return err_set(e, failed->kind, "object %llu level %u block %llu: %s",
			       (unsigned long long)where->object, where->level,
			       (unsigned long long)where->blkid, failed->text);
	return freed(ctx, bp, e);
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

	if (failed != NULL || blkptr_is_hole(bp) || bp->birth < block_writer_txg(w->o.writer))
		return free_one(ctx, where, bp, failed, e);
	space_sub(&w->space, space_of(bp));
	for (unsigned c = 0; c < blkptr_copies(bp); c++) {
		if (alloc_release(block_writer_alloc(w->o.writer), bp->dva[c].offset, bp->dva[c].asize, e) < 0)
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

/* -- the end ----------------------------------------------------------------------------------- */

static int compare_blocks(const void *a, const void *b)
{
	const struct dnode_block *x = *(struct dnode_block *const *)a,
				 *y = *(struct dnode_block *const *)b;

	return x->blkid < y->blkid ? -1 : x->blkid > y->blkid;
}

int objset_write_dirty(struct objset_write *w, struct dnode_block ***out, size_t *count, struct err *e)
{
	struct dnode_block **list = mem_array(w->blocks.count + 2, sizeof *list, e);
	size_t		     at = 0, n = 0;
	uint64_t	     key, value;

	if (list == NULL)
		return -1;
	while (idmap_next(&w->blocks, &at, &key, &value)) {
		struct dnode_block *b = (void *)(uintptr_t)value;

		if (b != NULL && b->dirty)
			list[n++] = b;
	}
	qsort(list, n, sizeof *list, compare_blocks);
	*out = list;
	*count = n;
	return 0;
}

static int write_dirty_blocks(struct objset_write *w, struct err *e)
{
	struct dnode_block **list;
	size_t		     count;

	if (objset_write_dirty(w, &list, &count, e) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		assert(list[i]->waiting == 0);
		if (write_block(w, list[i], e) < 0) {
			free(list);
			return -1;
		}
	}
	free(list);
	return block_writer_drain(w->o.writer, e);
}

static int meta_done(void *ctx, struct tree *t, struct err *e)
{
	struct objset_write *w = ctx;

	(void)e;
	tree_result(t, &w->phys.meta);
	return 0;
}

/* The pointers of all dnode blocks written become the meta-dnode's tree. */
static int write_meta_tree(struct objset_write *w, struct err *e)
{
	struct object	    meta = { 0 };
	struct tree_options o = {
		.type = OT_DNODE, .nblkptr = w->phys.meta.nblkptr,
		.indirect_shift = w->phys.meta.indirect_shift, .block_size = DNODE_BLOCK_SIZE,
		.done = meta_done, .done_ctx = w,
	};
	struct tree  *t = NULL;
	struct blkptr bp;
	uint64_t      max = w->phys.meta.max_blkid, leaves = 0;
	int	      rc = -1;

	objset_write_tree(w, &o);
	if (w->o.old != NULL) {
		if (object_open(w->o.old, 0, &meta, e) < 0)
			return -1;
		o.old = &meta;
	}
	if (tree_new(&o, &t, e) < 0)
		goto out;
	sort_written(w);
	for (size_t i = 0; i < w->written_count; i++) {
		if (blkptr_decode(bytes_of(w->written[i].bp, BLKPTR_SIZE, order_of(w)), &bp, e) < 0 ||
		    tree_put(t, w->written[i].blkid, &bp, e) < 0)
			goto out;
		max = max64(max, w->written[i].blkid);
		leaves += blkptr_asize(&bp);
	}
	if (tree_finish(t, max, e) < 0 || block_writer_drain(w->o.writer, e) < 0)
		goto out;
	/* The tree has counted its indirect blocks and what it replaced; the leaves came ready-made. */
	w->phys.meta.used += leaves;
	rc = 0;
out:
	tree_free(t);
	object_close(&meta);
	return rc;
}

static int root_done(void *ctx, uint64_t tag, const struct blkptr *bp, struct err *e)
{
	struct objset_write *w = ctx;

	(void)tag;
	(void)e;
	w->root = *bp;
	return 0;
}

static uint64_t meta_fill(const struct dnode *meta)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < meta->nblkptr; i++)
		sum += blkptr_fill_count(&meta->bp[i]);
	return sum;
}

static int write_root(struct objset_write *w, struct err *e)
{
	const struct store_policy *p = &w->o.policy;
	struct block_request	   r = {
		.type = OT_OBJSET, .checksum = p->meta_checksum, .copies = p->meta_copies,
		.compress = p->meta_compress, .size = (uint32_t)w->phys.size,
		.fill = meta_fill(&w->phys.meta), .set_space = &w->space,
		.done = root_done, .ctx = w,
	};
	uint8_t *to;

	if (block_reserve(w->o.writer, r.size, &to, e) < 0)
		return -1;
	objset_encode(&w->phys, wbytes_of(to, r.size, order_of(w)));
	if (block_submit(w->o.writer, &r, e) < 0 || block_writer_drain(w->o.writer, e) < 0)
		return -1;
	return w->o.old != NULL ? freed(w, &w->o.old->root, e) : 0;
}

int objset_write_finish(struct objset_write *w, struct blkptr *root, struct err *e)
{
	for (unsigned k = 0; k < KINDS; k++) {
		if (w->filling[k] != NULL)
			w->filling[k]->open = false;
		w->filling[k] = NULL;
	}
	if (block_writer_drain(w->o.writer, e) < 0 || write_dirty_blocks(w, e) < 0 ||
	    write_meta_tree(w, e) < 0 || write_root(w, e) < 0)
		return -1;
	*root = w->root;
	return 0;
}
