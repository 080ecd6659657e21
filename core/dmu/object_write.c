/* One object's contents on their way out. */
#include "core/dmu/object_write.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

struct object_write {
	struct under_way     link; /* first: the set frees it by this when the pipeline fails */
	struct objset_write *w;
	struct object_spec   spec;
	struct tree	    *tree;
	unsigned	     waiting; /* for: the tree, the spill block */
	struct space	     spill_space;
	struct blkptr	     spill;
	uint8_t		     bonus[]; /* spec.bonus.n bytes */
};

uint8_t object_pointer_count(uint8_t bonus_type, size_t bonus_size, uint32_t dnode_size)
{
	size_t n = 1 + (dnode_bonus_room(dnode_size) - bonus_size) / BLKPTR_SIZE;

	return bonus_type == OT_SA ? 1 : (uint8_t)min64(n, BLKPTR_DVAS);
}

void object_write_abandon(struct object_write *o)
{
	if (o == NULL)
		return;
	objset_write_disown(&o->link);
	tree_free(o->tree);
	free(o);
}

static void forget(struct under_way *link)
{
	object_write_abandon((struct object_write *)link);
}

/* The last pointer is known: the dnode is complete. */
static int settle(struct object_write *o, struct err *e)
{
	struct dnode dn = {
		.type = o->spec.type,
		.bonus_type = o->spec.bonus_type,
		.flags = o->spec.flags | DNODE_FLAG_USED_BYTES,
		.extra_slots = (uint8_t)(o->spec.dnode_size / DNODE_MIN_SIZE - 1),
		.bonus = o->spec.bonus,
		.spill = o->spill,
	};

	if (--o->waiting > 0)
		return 0;
	tree_result(o->tree, &dn);
	dn.used += (uint64_t)o->spill_space.used;
	if (o->spec.spill.n > 0)
		dn.flags |= DNODE_FLAG_SPILL;

	int rc = objset_write_put(o->w, o->spec.number, &dn, e);

	if (rc == 0 && o->spec.settled != NULL)
		rc = o->spec.settled(o->spec.ctx, o->spec.number, &dn, e);
	object_write_abandon(o);
	return rc;
}

static int tree_settled(void *ctx, struct tree *t, struct err *e)
{
	(void)t;
	return settle(ctx, e);
}

static int spill_settled(void *ctx, uint64_t tag, const struct blkptr *bp, struct err *e)
{
	struct object_write *o = ctx;

	(void)tag;
	o->spill = *bp;
	return settle(o, e);
}

static int write_spill(struct object_write *o, struct err *e)
{
	const struct store_policy *p = objset_write_policy(o->w);
	struct block_request	   r = {
		.type = OT_SA, .checksum = p->meta_checksum,
		.copies = store_policy_copies(p, OT_SA, 0),
		.compress = p->meta_compress, .fill = 1,
		.size = (uint32_t)align_up(o->spec.spill.n, SECTOR),
		.object_space = &o->spill_space, .set_space = objset_write_space(o->w),
		.done = spill_settled, .ctx = o,
	};
	uint8_t *to;

	if (block_reserve(objset_write_writer(o->w), r.size, &to, e) < 0)
		return -1;
	memcpy(to, o->spec.spill.p, o->spec.spill.n);
	memset(to + o->spec.spill.n, 0, r.size - o->spec.spill.n);
	o->waiting++;
	return block_submit(objset_write_writer(o->w), &r, e);
}

int object_write_begin(struct objset_write *w, const struct object_spec *spec,
		       struct object_write **out, struct err *e)
{
	struct object_write *o;
	uint32_t	     size = spec->dnode_size == 0 ? DNODE_MIN_SIZE : spec->dnode_size;
	size_t		     room = dnode_bonus_room(size) - (spec->spill.n > 0 ? BLKPTR_SIZE : 0);

	if (spec->bonus.n > room)
		return err_set(e, ERR_UNSUPPORTED,
			       "object %llu: a bonus of %zu bytes needs a larger dnode",
			       (unsigned long long)spec->number, spec->bonus.n);
	if (spec->replace && (objset_write_free_blocks(w, spec->number, e) < 0 ||
			      objset_write_expect(w, spec->number, e) < 0))
		return -1;
	o = mem_raw(sizeof *o + spec->bonus.n, e);
	if (o == NULL)
		return -1;
	*o = (struct object_write){ .link.free = forget, .w = w, .spec = *spec, .waiting = 1 };
	o->spec.dnode_size = size;
	objset_write_own(w, &o->link);
	if (spec->bonus.n > 0)
		memcpy(o->bonus, spec->bonus.p, spec->bonus.n);
	o->spec.bonus.p = o->bonus;

	struct tree_options how = {
		.type = spec->type,
		.indirect_shift = DNODE_INDIRECT_SHIFT_DEFAULT,
		.nblkptr = object_pointer_count(spec->bonus_type, spec->bonus.n, size),
		.block_size = spec->block_size,
		.done = tree_settled,
		.done_ctx = o,
	};

	objset_write_tree(w, &how);
	if (tree_new(&how, &o->tree, e) < 0) {
		object_write_abandon(o);
		return -1;
	}
	*out = o;
	return spec->spill.n > 0 ? write_spill(o, e) : 0;
}

int object_write_reserve(struct object_write *o, uint8_t **out, struct err *e)
{
	return tree_reserve(o->tree, out, e);
}

int object_write_submit(struct object_write *o, uint64_t blkid, struct err *e)
{
	return tree_submit(o->tree, blkid, 1, e);
}

int object_write_end(struct object_write *o, uint64_t max_blkid, struct err *e)
{
	return tree_finish(o->tree, max_blkid, e);
}

int object_write_bytes(struct objset_write *w, const struct object_spec *spec, const void *data,
		       size_t size, struct err *e)
{
	struct object_write *o;
	const uint8_t	    *from = data;
	uint64_t	     blkid = 0;
	uint8_t		    *to;

	if (object_write_begin(w, spec, &o, e) < 0)
		return -1;
	for (size_t at = 0; at < size; at += spec->block_size, blkid++) {
		size_t n = min64(size - at, spec->block_size);

		if (object_write_reserve(o, &to, e) < 0)
			goto fail;
		memcpy(to, from + at, n);
		memset(to + n, 0, spec->block_size - n);
		if (object_write_submit(o, blkid, e) < 0)
			goto fail;
	}
	return object_write_end(o, blkid == 0 ? 0 : blkid - 1, e);
fail:
	/* Blocks of it may be in the pipeline, which has failed too: the tree stays with them. */
	return -1;
}
