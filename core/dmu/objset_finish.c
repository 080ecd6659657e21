/* The end of an object set being written: what is still dirty, the meta-dnode's tree, the object
 * set block. */
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

static int compare_blocks(const void *a, const void *b)
{
	const struct dnode_block *x = *(struct dnode_block *const *)a,
				 *y = *(struct dnode_block *const *)b;

	return x->blkid < y->blkid ? -1 : x->blkid > y->blkid;
}

int objset_write_dirty(struct objset_write *w, struct dnode_block ***out, size_t *count,
		       struct err *e)
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
		if (dnode_block_write(w, list[i], e) < 0) {
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
		.type = OT_DNODE,
		.nblkptr = w->phys.meta.nblkptr,
		.indirect_shift = w->phys.meta.indirect_shift,
		.block_size = DNODE_BLOCK_SIZE,
		.done = meta_done,
		.done_ctx = w,
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
	dnode_blocks_sort(w);
	for (size_t i = 0; i < w->written_count; i++) {
		if (blkptr_decode(bytes_of(w->written[i].bp, BLKPTR_SIZE, order_of(w)), &bp,
				  e) < 0 ||
		    tree_put(t, w->written[i].blkid, &bp, e) < 0)
			goto out;
		max = max64(max, w->written[i].blkid);
		leaves += blkptr_asize(&bp);
	}
	if (tree_finish(t, max, e) < 0 || block_writer_drain(w->o.writer, e) < 0)
		goto out;
	/* The tree has counted its indirect blocks and what it replaced; the leaves came
	 * ready-made. */
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
		      .type = OT_OBJSET,
		      .checksum = p->meta_checksum,
		      .copies = store_policy_copies(p, OT_OBJSET, 0),
		      .compress = p->meta_compress,
		      .size = (uint32_t)w->phys.size,
		      .fill = meta_fill(&w->phys.meta),
		      .set_space = &w->space,
		      .done = root_done,
		      .ctx = w,
	};
	uint8_t *to;

	if (block_reserve(w->o.writer, r.size, &to, e) < 0)
		return -1;
	objset_encode(&w->phys, wbytes_of(to, r.size, order_of(w)));
	if (block_submit(w->o.writer, &r, e) < 0 || block_writer_drain(w->o.writer, e) < 0)
		return -1;
	return w->o.old != NULL ? objset_write_freed(w, &w->o.old->root, e) : 0;
}

/* Is the set what it was? Accounting lives in its own block: that is compared. */
static int is_as_it_was(struct objset_write *w, bool *same, struct err *e)
{
	size_t	 n = w->phys.size, at = 0;
	uint64_t key, value;
	uint8_t *image;

	*same = false;
	if (w->o.old == NULL || w->written_count > 0 || w->o.old->phys.size != n)
		return 0;
	while (idmap_next(&w->blocks, &at, &key, &value)) {
		const struct dnode_block *b = (const void *)(uintptr_t)value;

		if (b == NULL || b->dirty)
			return 0;
	}
	image = mem_zero(2 * n, e);
	if (image == NULL)
		return -1;
	objset_encode(&w->phys, wbytes_of(image, n, order_of(w)));
	objset_encode(&w->o.old->phys, wbytes_of(image + n, n, order_of(w)));
	*same = memcmp(image, image + n, n) == 0;
	free(image);
	return 0;
}

int objset_write_finish(struct objset_write *w, struct blkptr *root, struct err *e)
{
	bool same;

	for (unsigned k = 0; k < OBJECT_KINDS; k++) {
		if (w->filling[k] != NULL)
			w->filling[k]->open = false;
		w->filling[k] = NULL;
	}
	if (block_writer_drain(w->o.writer, e) < 0 || is_as_it_was(w, &same, e) < 0)
		return -1;
	if (same) {
		*root = w->o.old->root;
		return 0;
	}
	if (write_dirty_blocks(w, e) < 0 || write_meta_tree(w, e) < 0 || write_root(w, e) < 0)
		return -1;
	*root = w->root;
	return 0;
}
