/*
 * The freeze: from here on the MOS's last blocks have places before they have contents.
 *
 * When freeze_plan.c is done nothing is allocated any more: the space maps are filled in from what
 * is free, and written; then their array, the feature counts, and the MOS itself.
 *
 * In pools with log space maps everything the logs say goes into the metaslabs' own maps, and the
 * logs are dropped (spacemap_logs.c): no log and an unflushed txg of 0 is a state that
 * every OpenZFS continues from.
 */
#include "core/pool/freeze_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

static int fill_features(void *ctx, uint64_t blkid, struct wbytes block, uint64_t *fill,
			 struct err *e)
{
	const struct freeze *f = ctx;

	(void)e;
	memcpy(block.p, f->features_image + blkid * block.n, block.n);
	*fill = 1;
	return 0;
}

static int write_features(struct freeze *f, struct err *e)
{
	struct zap_edit *z = f->tx->features_write;
	size_t		 fresh = 0, size;
	uint32_t	 block_size;

	if (z == NULL)
		return 0;
	for (size_t i = 0; i < f->map_count; i++)
		fresh += f->tx->maps.list[f->maps[i].index].object == 0 &&
			 f->maps[i].head.size == SPACEMAP_SIZE;
	if (fresh > 0 &&
	    pool_tx_feature(f->tx, "com.delphix:spacemap_histogram", (int)fresh, e) < 0)
		return -1;
	free(f->features_image);
	f->features_image = NULL;
	if (zap_edit_image(z, &f->features_image, &size, &block_size, e) < 0 ||
	    frozen_write(&f->features, fill_features, f, e) < 0)
		return -1;
	return objset_write_put(f->tx->mos, zap_edit_number(z), &f->features.dn, e);
}

static int fill_from_buffer(void *ctx, uint64_t blkid, struct wbytes block, uint64_t *fill,
			    struct err *e)
{
	const struct map_plan *m = ctx;
	uint64_t	       at = blkid * block.n;

	(void)e;
	if (at < m->head.length)
		memcpy(block.p, m->content + at, min64(block.n, m->head.length - at));
	*fill = 1;
	return 0;
}

static int write_map(struct freeze *f, struct map_plan *m, struct err *e)
{
	uint64_t start = freeze_metaslab_start(f, m->index), end = start + f->tx->maps.size;
	size_t	 need = spacemap_entries(&f->after, start, end, f->tx->ashift) * 8;
	uint8_t	 bonus[SPACEMAP_SIZE];

	if (need > m->capacity)
		return err_set(e, ERR_NOSPACE, "metaslab %zu: its space map outgrew its plan",
			       m->index);
	m->content = mem_raw(need + 8, e);
	if (m->content == NULL)
		return -1;
	spacemap_fill(&f->after, start, end, f->tx->ashift,
		      wbytes_of(m->content, need, ORDER_NATIVE), &m->head);
	if (frozen_write(&m->tree, fill_from_buffer, m, e) < 0)
		return -1;
	free(m->content);
	m->content = NULL;

	struct dnode dn = m->tree.dn;

	spacemap_encode(&m->head, wbytes_of(bonus, sizeof bonus, ORDER_NATIVE));
	dn.bonus_type = OT_SPACE_MAP_HEADER;
	dn.bonus = bytes_of(bonus, m->head.size, ORDER_NATIVE);
	return objset_write_put(f->tx->mos, m->object, &dn, e);
}

/* A block of an array of words, one per metaslab. */
struct words {
	struct object  *old; /* NULL: new */
	const uint64_t *values; /* NULL: zeros */
	size_t		count;
};

static int fill_words(void *ctx, uint64_t blkid, struct wbytes block, uint64_t *fill, struct err *e)
{
	const struct words *w = ctx;

	(void)e;
	*fill = 1;
	for (size_t i = 0; i < block.n / 8 && blkid * (block.n / 8) + i < w->count; i++)
		put64(block, i * 8, w->values == NULL ? 0 : w->values[blkid * (block.n / 8) + i]);
	return 0;
}

static int write_words(struct freeze *f, struct frozen *tree, uint64_t object,
		       const uint64_t *values, struct err *e)
{
	struct words w = { .values = values, .count = f->tx->maps.count };
	struct dnode dn;

	if (tree->set == NULL || tree->count == 0)
		return 0;
	if (frozen_write(tree, fill_words, &w, e) < 0)
		return -1;
	dn = tree->dn;
	return objset_write_put(f->tx->mos, object, &dn, e);
}

struct dnode_fill {
	struct dnode_block **list;
	size_t		     count;
};

static int fill_dnodes(void *ctx, uint64_t blkid, struct wbytes block, uint64_t *fill,
		       struct err *e)
{
	const struct dnode_fill *d = ctx;

	for (size_t i = 0; i < d->count; i++) {
		if (d->list[i]->blkid != blkid)
			continue;
		assert(d->list[i]->waiting == 0);
		memcpy(block.p, d->list[i]->data, block.n);
		*fill = d->list[i]->used;
		return 0;
	}
	return err_set(e, ERR_CORRUPT, "MOS dnode block %llu was planned but not changed",
		       (unsigned long long)blkid);
}

static size_t planned_dnode_blocks(const struct freeze *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->meta.count; i++)
		n += f->meta.blocks[i].level == 0;
	return n;
}

static int write_mos(struct freeze *f, struct err *e)
{
	struct objset_phys *phys = objset_write_phys(f->tx->mos);
	struct dnode_fill   d;
	uint8_t		   *buf = NULL;
	int		    rc = -1;

	if (objset_write_dirty(f->tx->mos, &d.list, &d.count, e) < 0)
		return -1;
	if (d.count != planned_dnode_blocks(f)) {
		err_set(e, ERR_CORRUPT, "a MOS dnode changed after the freeze");
		goto out;
	}
	if (frozen_write(&f->meta, fill_dnodes, &d, e) < 0)
		goto out;
	phys->meta = f->meta.dn;
	buf = mem_zero(phys->size, e);
	if (buf == NULL)
		goto out;
	objset_encode(phys, wbytes_of(buf, phys->size, ORDER_NATIVE));
	for (unsigned i = 0; i < phys->meta.nblkptr; i++)
		f->root.fill += blkptr_fill_count(&phys->meta.bp[i]);
	rc = block_write_placed(f->tx->writer, &f->root, buf, e);
out:
	free(buf);
	free(d.list);
	return rc;
}

static void fini(struct freeze *f)
{
	for (size_t i = 0; i < f->map_count; i++) {
		frozen_fini(&f->maps[i].tree);
		free(f->maps[i].content);
	}
	free(f->maps);
	free(f->objects);
	frozen_fini(&f->meta);
	frozen_fini(&f->array);
	frozen_fini(&f->unflushed);
	frozen_fini(&f->features);
	free(f->features_image);
	object_close(&f->meta_old);
	object_close(&f->array_old);
	object_close(&f->unflushed_old);
	ranges_fini(&f->after);
}

static int fill_in(struct freeze *f, struct err *e)
{
	struct pool_tx *tx = f->tx;
	uint64_t	array = tx->pool != NULL ? tx->maps.array_object : tx->array_object;

	if (alloc_after(block_writer_alloc(tx->writer), &f->after, e) < 0)
		return -1;
	for (size_t i = 0; i < f->map_count; i++) {
		if (write_map(f, &f->maps[i], e) < 0)
			return -1;
	}
	if (write_words(f, &f->array, array, f->objects, e) < 0 ||
	    write_words(f, &f->unflushed, tx->maps.unflushed_object, NULL, e) < 0 ||
	    write_features(f, e) < 0)
		return -1;
	if (tx->charge != NULL &&
	    tx->charge(tx, tx->charge_dir, objset_write_space(tx->mos), e) < 0)
		return -1;
	return write_mos(f, e);
}

int pool_tx_freeze(struct pool_tx *tx, struct blkptr *root, struct err *e)
{
	struct freeze f = { .tx = tx };
	int	      rc = -1;

	if (freeze_plan(&f, e) < 0 || fill_in(&f, e) < 0)
		goto out;
	*root = f.root;
	rc = 0;
out:
	fini(&f);
	return rc;
}
