/*
 * Blocks that nothing refers to any more but that are still allocated, because they wait in a list:
 * deferred frees, snapshots being destroyed; and whole trees of datasets being destroyed.
 * Source: OpenZFS dmu.h (DMU_POOL_SYNC_BPOBJ, _FREE_BPOBJ, _BPTREE_OBJ), bpobj.c, bptree.h
 * (bptree_entry_phys_t), spa_checkpoint.c (blocks freed since a checkpoint stay allocated).
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/base/mem.h"
#include "core/check/check_impl.h"
#include "core/check/space_entries.h"
#include "core/dmu/zap_read.h"
#include "formats/base/limits.h"

enum {
	BPTREE_BEGIN = 0, /* words of the bonus: first entry in use, one past the last */
	BPTREE_END = 8,
	BPTREE_BONUS = 16,
	BPTREE_ENTRY = BLKPTR_SIZE + 8 + 32, /* pointer, birth txg, where it got to */
};

/* Lists still to be done; each is done once. */
struct todo {
	uint64_t    *list;
	size_t	     count, cap;
	struct idmap seen;
};

static int todo_add(struct todo *t, uint64_t object, struct err *e)
{
	int fresh = idmap_add(&t->seen, object, e);

	if (fresh <= 0)
		return fresh;
	if (mem_grow(&t->list, &t->cap, t->count + 1, sizeof *t->list, e) < 0)
		return -1;
	t->list[t->count++] = object;
	return 0;
}

static void list_bad(struct check *c, uint64_t object, const struct err *why)
{
	char where[64];

	c->unvisited++;
	snprintf(where, sizeof where, "MOS object %" PRIu64, object);
	check_found(c, FINDING_LIST_BAD, where, "%s", why->text);
}

/* Calls for each record of `size` bytes in blocks of an object. */
typedef int record_fn(struct check *c, struct bytes record, void *ctx, struct err *e);

/* Records [first, past). What cannot be read is told of and ends it. */
static int each_record(struct check *c, struct object *o, size_t size, uint64_t first,
		       uint64_t past, record_fn *fn, void *ctx, struct err *e)
{
	uint8_t	   raw[256];
	struct err why = { 0 };

	/* Entries are of blocks that each take a sector or more. */
	if (past < first || past - first > c->list_budget) {
		err_set(&why, ERR_CORRUPT,
			"%" PRIu64 " entries are more than the pool has room for", past - first);
		list_bad(c, o->number, &why);
		return 0;
	}
	c->list_budget -= past - first;
	for (uint64_t i = first; i < past; i++) {
		struct block *b;
		enum order    order;
		uint64_t      at;

		if (!mul_ok(i, size, &at) || at / o->dn.block_size > o->dn.max_blkid) {
			err_set(&why, ERR_CORRUPT, "the list ends before its last entry");
			list_bad(c, o->number, &why);
			return 0;
		}
		if (object_block(o, at / o->dn.block_size, &b, &why) < 0) {
			list_bad(c, o->number, &why);
			return 0;
		}
		order = b->bytes.order;
		block_put(o->os->reader, b);
		if (object_read(o, at, raw, size, &why) < 0) {
			list_bad(c, o->number, &why);
			return 0;
		}
		if (fn(c, bytes_of(raw, size, order), ctx, e) < 0)
			return -1;
	}
	return 0;
}

static int claim_entry(struct check *c, struct bytes record, void *ctx, struct err *e)
{
	static const struct block_where nowhere = { .level = LEVEL_LOG };
	struct blkptr			bp;

	(void)ctx;
	if (blkptr_decode(record, &bp, NULL) < 0 || blkptr_is_hole(&bp) || bp.embedded ||
	    blkptr_check(&bp, NULL) < 0)
		return 0;
	return check_claim(c, &bp, &nowhere, false, e);
}

static int add_sublist(struct check *c, struct bytes record, void *ctx, struct err *e)
{
	(void)c;
	return todo_add(ctx, get64(record, 0), e);
}

static int claim_sublists(struct check *c, const struct bpobj *head, struct todo *todo,
			  struct err *e)
{
	struct object o;
	struct err    why = { 0 };
	int	      rc;

	if (head->size < BPOBJ_V2_SIZE || head->subobjs == 0)
		return 0;
	if (object_open(pool_mos(c->pool), head->subobjs, &o, &why) < 0) {
		list_bad(c, head->subobjs, &why);
		return 0;
	}
	rc = each_record(c, &o, 8, 0, head->num_subobjs, add_sublist, todo, e);
	object_close(&o);
	return rc;
}

static int claim_list(struct check *c, uint64_t object, struct todo *todo, struct err *e)
{
	struct object o;
	struct bpobj  head;
	struct err    why = { 0 };
	int	      rc;

	if (object_open(pool_mos(c->pool), object, &o, &why) < 0) {
		list_bad(c, object, &why);
		return 0;
	}
	if (bpobj_decode(o.dn.bonus, &head, &why) < 0) {
		list_bad(c, object, &why);
		rc = 0;
	} else {
		rc = each_record(c, &o, BLKPTR_SIZE, 0, head.count, claim_entry, NULL, e);
		if (rc == 0)
			rc = claim_sublists(c, &head, todo, e);
	}
	object_close(&o);
	return rc;
}

static int claim_lists(struct check *c, const char *name, struct err *e)
{
	struct todo todo = { 0 };
	uint64_t    object;
	int	    rc;

	if (pool_directory_u64(c->pool, name, &object, NULL) < 0 || object == 0)
		return 0;
	rc = todo_add(&todo, object, e);
	while (rc == 0 && todo.count > 0)
		rc = claim_list(c, todo.list[--todo.count], &todo, e);
	free(todo.list);
	idmap_fini(&todo.seen);
	return rc;
}

/* -- datasets being destroyed: some of the tree is freed already ------------------------------- */

static int dying_block(void *ctx, const struct blkptr *bp, const struct block_where *where,
		       bool verified, struct err *e)
{
	(void)verified;
	return bp->embedded ? 0 : check_claim(ctx, bp, where, true, e);
}

static int dying_lost(void *ctx, const struct blkptr *bp, const struct block_where *where,
		      bool damaged, const struct err *why, struct err *e)
{
	(void)ctx, (void)bp, (void)where, (void)damaged, (void)why, (void)e;
	return 0;
}

static int claim_tree(struct check *c, struct bytes record, void *ctx, struct err *e)
{
	struct walk	 *w = ctx;
	struct zil_header log;
	struct blkptr	  root;

	if (blkptr_decode(record, &root, NULL) < 0)
		return 0;
	w->min_txg = get64(record, BLKPTR_SIZE);
	if (check_tick(c, e) < 0)
		return -1;
	return walk_objset(w, &root, 0, &log, e);
}

static int claim_dying(struct check *c, struct err *e)
{
	struct walk   w = { .reader = c->reader, .fn = dying_block, .lost = dying_lost, .ctx = c };
	struct object o;
	struct err    why = { 0 };
	uint64_t      object;
	int	      rc = 0;

	if (pool_directory_u64(c->pool, "bptree_obj", &object, NULL) < 0)
		return 0;
	if (object_open(pool_mos(c->pool), object, &o, &why) < 0) {
		list_bad(c, object, &why);
		return 0;
	}
	/* Freed blocks may be written over: what cannot be read there is no fault. */
	block_reader_on_event(c->reader, NULL, NULL);
	if (o.dn.bonus.n >= BPTREE_BONUS)
		rc = each_record(c, &o, BPTREE_ENTRY, get64(o.dn.bonus, BPTREE_BEGIN),
				 get64(o.dn.bonus, BPTREE_END), claim_tree, &w, e);
	block_reader_on_event(c->reader, walk_event, &c->walk);
	object_close(&o);
	walk_fini(&w);
	return rc;
}

/* -- a checkpoint ----------------------------------------------------------------------------- */

struct checkpoint {
	struct check *c;
	unsigned      vdev;
};

static int claim_checkpointed(void *ctx, const struct spacemap_entry *entry, struct err *e)
{
	struct checkpoint *k = ctx;
	struct claims	  *claims = &k->c->claims[k->vdev];

	if (entry->offset > claims->limit || entry->size > claims->limit - entry->offset) {
		k->c->outside++;
		return 0;
	}
	return claims_add(claims, entry->offset, entry->size, false, e);
}

static int claim_checkpoint(struct check *c, unsigned vdev, struct err *e)
{
	struct checkpoint k = { .c = c, .vdev = vdev };
	uint64_t	  zap = space_vdev_zap(c->config, vdev), object;
	struct err	  why = { 0 };
	int		  rc;

	if (zap == 0 ||
	    zap_u64_at(pool_mos(c->pool), zap, "com.delphix:pool_checkpoint_sm", &object, NULL) < 0)
		return 0;
	rc = space_entries(c->pool, object, 0, c->claims[vdev].shift, claim_checkpointed, &k, NULL,
			   &why);
	if (rc == 0)
		return 0;
	if (why.kind == ERR_NOMEM)
		return err_nomem(e);
	list_bad(c, object, &why);
	return 0;
}

int check_lists(struct check *c, struct err *e)
{
	for (unsigned i = 0; i < c->vdev_count; i++) {
		if (claim_checkpoint(c, i, e) < 0)
			return -1;
	}
	if (claim_lists(c, "sync_bplist", e) < 0 || claim_lists(c, "free_bpobj", e) < 0)
		return -1;
	return claim_dying(c, e);
}
