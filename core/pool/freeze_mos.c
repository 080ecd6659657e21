/*
 * The freeze: from here on the MOS's last blocks have places before they have contents.
 *
 * Space maps of every metaslab that the commit touched are rewritten whole, and rewriting them
 * touches metaslabs; so the plan goes round until no metaslab is touched that is not planned. Then
 * nothing is allocated any more, the maps are filled in from what is free, and written.
 *
 * In pools with log space maps everything the logs say goes into the metaslabs' own maps, and the
 * logs are dropped: no log and an unflushed txg of 0 is a state that every OpenZFS continues from.
 */
#include "core/pool/tx_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

enum {
	/* Entries that a map may gain between planning and filling: the frozen blocks' own runs. */
	ENTRY_SLACK = 256,
	MAP_BLOCK_MIN = 4096,
};

/* One metaslab's new space map. */
struct map_plan {
	size_t		index; /* of the metaslab */
	uint64_t	object;
	struct spacemap head;
	uint64_t	capacity; /* bytes that its blocks hold */
	struct frozen	tree;
	uint8_t	       *content;
};

struct freeze {
	struct pool_tx	*tx;
	struct object	 meta_old, array_old, unflushed_old;
	struct frozen	 meta, array, unflushed, features;
	uint8_t		*features_image; /* the ZAP's blocks */
	struct map_plan *maps;
	size_t		 map_count, map_cap;
	uint64_t	*objects; /* by metaslab: what the array will say */
	struct blkptr	 root;
	struct ranges	 after;
};

static uint64_t metaslab_start(const struct freeze *f, size_t i)
{
	return i * f->tx->maps.size;
}

/* The dnode block of an object belongs to the plan of the meta-dnode. */
static int plan_dnode(struct freeze *f, uint64_t object, struct err *e)
{
	return frozen_add(&f->meta, object / DNODE_SLOTS_PER_BLOCK, e);
}

static int init_tree(struct freeze *f, struct frozen *tree, struct object *old, uint64_t number,
		     struct err *e)
{
	if (object_open(objset_write_old(f->tx->mos), number, old, e) < 0)
		return -1;
	frozen_init(tree, f->tx->mos, old, &old->dn);
	return 0;
}

static int init_array(struct freeze *f, struct err *e)
{
	struct dnode dn = { .type = OT_OBJECT_ARRAY, .nblkptr = BLKPTR_DVAS, .block_size = BLOCK_MIN,
			    .indirect_shift = DNODE_INDIRECT_SHIFT_DEFAULT,
			    .flags = DNODE_FLAG_USED_BYTES };

	if (f->tx->pool != NULL) {
		if (init_tree(f, &f->array, &f->array_old, f->tx->maps.array_object, e) < 0)
			return -1;
		if (f->tx->maps.unflushed_object == 0)
			return 0;
		return init_tree(f, &f->unflushed, &f->unflushed_old, f->tx->maps.unflushed_object, e);
	}
	/* One block for all metaslabs of a new pool: at most 2^17 of them, 1 MiB; beyond 128 KiB several. */
	dn.block_size = (uint32_t)min64(align_up(max64(f->tx->maps.count, 1) * 8, SECTOR), BLOCK_OLD_MAX);
	frozen_init(&f->array, f->tx->mos, NULL, &dn);
	return 0;
}

static int init(struct freeze *f, struct err *e)
{
	struct objset_phys *phys = objset_write_phys(f->tx->mos);

	f->objects = mem_array(f->tx->maps.count + 1, sizeof f->objects[0], e);
	if (f->objects == NULL)
		return -1;
	for (size_t i = 0; i < f->tx->maps.count; i++)
		f->objects[i] = f->tx->maps.list[i].object;
	if (f->tx->pool != NULL) {
		if (init_tree(f, &f->meta, &f->meta_old, 0, e) < 0)
			return -1;
	} else {
		frozen_init(&f->meta, f->tx->mos, NULL, &phys->meta);
	}
	return init_array(f, e);
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

/*
 * New maps are counted by the feature that gives them histograms: its count, too, is known last. The
 * ZAP's shape depends on its names alone, so it can be planned.
 */
static int plan_features(struct freeze *f, struct err *e)
{
	struct zap_edit *z = f->tx->features_write;
	struct dnode	 dn = { .nblkptr = BLKPTR_DVAS, .indirect_shift = DNODE_INDIRECT_SHIFT_DEFAULT,
				.flags = DNODE_FLAG_USED_BYTES };
	size_t		 size;

	if (z == NULL)
		return 0;
	if (zap_edit_image(z, &f->features_image, &size, &dn.block_size, e) < 0 ||
	    (f->tx->pool != NULL &&
	     objset_write_free_blocks(f->tx->mos, zap_edit_number(z), e) < 0))
		return -1;
	dn.type = zap_edit_type(z);
	frozen_init(&f->features, f->tx->mos, NULL, &dn);
	for (uint64_t blkid = 0; blkid < size / dn.block_size; blkid++) {
		if (frozen_add(&f->features, blkid, e) < 0)
			return -1;
	}
	return plan_dnode(f, zap_edit_number(z), e);
}

static int fill_features(void *ctx, uint64_t blkid, struct wbytes block, uint64_t *fill, struct err *e)
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
	if (fresh > 0 && pool_tx_feature(f->tx, "com.delphix:spacemap_histogram", (int)fresh, e) < 0)
		return -1;
	free(f->features_image);
	f->features_image = NULL;
	if (zap_edit_image(z, &f->features_image, &size, &block_size, e) < 0 ||
	    frozen_write(&f->features, fill_features, f, e) < 0)
		return -1;
	return objset_write_put(f->tx->mos, zap_edit_number(z), &f->features.dn, e);
}

/* The logs' objects go; the list of them becomes empty. */
int pool_tx_drop_logs(struct pool_tx *tx, struct err *e)
{
	struct zap_edit *list = NULL;
	int		 rc = -1;

	if (tx->maps.log_count == 0)
		return 0;
	if (zap_edit_open(tx->mos, tx->maps.logs_zap, &list, e) < 0)
		return -1;
	zap_edit_clear(list);
	if (zap_edit_write(list, e) < 0)
		goto out;
	for (size_t i = 0; i < tx->maps.log_count; i++) {
		if (objset_write_free_blocks(tx->mos, tx->maps.logs[i], e) < 0 ||
		    objset_write_remove(tx->mos, tx->maps.logs[i], e) < 0 ||
		    pool_tx_feature(tx, "com.delphix:spacemap_histogram", -1, e) < 0)
			goto out;
	}
	rc = 0;
out:
	zap_edit_free(list);
	return rc;
}

/* -- planning ---------------------------------------------------------------------------------- */

/* Object and header of the metaslab's map: what it has, or new ones. */
static int map_object(struct freeze *f, struct map_plan *m, struct err *e)
{
	struct dnode dn;

	m->object = f->tx->maps.list[m->index].object;
	if (m->object == 0) {
		m->head.size = SPACEMAP_SIZE;
		if (!pool_tx_has(f->tx, "com.delphix:spacemap_histogram"))
			m->head.size = SPACEMAP_V0_SIZE;
		if (objset_write_alloc(f->tx->mos, OBJECT_SETTLES_SOON, &m->object, e) < 0)
			return -1;
	} else {
		if (objset_write_get(f->tx->mos, m->object, &dn, e) < 0 ||
		    spacemap_decode(dn.bonus, &m->head, e) < 0 ||
		    objset_write_free_blocks(f->tx->mos, m->object, e) < 0)
			return -1;
	}
	m->head.object = m->object;
	f->objects[m->index] = m->object;
	return 0;
}

static int map_blocks(struct freeze *f, struct map_plan *m, struct err *e)
{
	uint64_t start = metaslab_start(f, m->index);
	size_t	 n;

	if (alloc_after(block_writer_alloc(f->tx->writer), &f->after, e) < 0)
		return -1;
	n = spacemap_entries(&f->after, start, start + f->tx->maps.size, f->tx->ashift) + ENTRY_SLACK;
	ranges_fini(&f->after);

	struct dnode dn = {
		.type = OT_SPACE_MAP, .indirect_shift = DNODE_INDIRECT_SHIFT_DEFAULT,
		/* As many pointers as the header leaves room for: zdb tells the kinds apart by that room. */
		.nblkptr = m->head.size == SPACEMAP_SIZE ? 1 : BLKPTR_DVAS,
		.block_size = (uint32_t)min64(align_up(n * 8, MAP_BLOCK_MIN), BLOCK_OLD_MAX),
		.flags = DNODE_FLAG_USED_BYTES,
	};

	frozen_init(&m->tree, f->tx->mos, NULL, &dn);
	m->capacity = align_up(n * 8, MAP_BLOCK_MIN);
	for (uint64_t at = 0; at < m->capacity; at += dn.block_size) {
		if (frozen_add(&m->tree, at / dn.block_size, e) < 0)
			return -1;
	}
	m->capacity = (m->tree.dn.max_blkid + 1) * dn.block_size;
	return 0;
}

static int plan_map(struct freeze *f, size_t index, struct err *e)
{
	if (mem_grow(&f->maps, &f->map_cap, f->map_count + 1, sizeof f->maps[0], e) < 0)
		return -1;

	struct map_plan *m = &f->maps[f->map_count++];

	*m = (struct map_plan){ .index = index };
	if (map_object(f, m, e) < 0 || plan_dnode(f, m->object, e) < 0 || map_blocks(f, m, e) < 0)
		return -1;
	if (f->unflushed.set != NULL &&
	    frozen_add(&f->unflushed, index * 8 / f->unflushed.dn.block_size, e) < 0)
		return -1;
	return frozen_add(&f->array, index * 8 / f->array.dn.block_size, e);
}

static bool planned(const struct freeze *f, size_t index)
{
	for (size_t i = 0; i < f->map_count; i++) {
		if (f->maps[i].index == index)
			return true;
	}
	return false;
}

static bool needs_map(const struct freeze *f, size_t i)
{
	const struct metaslab *m = &f->tx->maps.list[i];
	uint64_t	       start = metaslab_start(f, i);

	return m->logged || m->unflushed != 0 ||
	       alloc_touched(block_writer_alloc(f->tx->writer), start, start + f->tx->maps.size);
}

static int plan_maps(struct freeze *f, struct err *e)
{
	size_t before;

	do {
		before = f->map_count;
		for (size_t i = 0; i < f->tx->maps.count; i++) {
			if (needs_map(f, i) && !planned(f, i) && plan_map(f, i, e) < 0)
				return -1;
		}
	} while (f->map_count > before);
	return 0;
}

/* The MOS's own block, and the dnode blocks that are dirty already. */
static int plan_mos(struct freeze *f, struct err *e)
{
	struct store_policy  p = pool_tx_mos_policy(f->tx);
	struct block_request r = { .type = OT_OBJSET, .checksum = p.meta_checksum,
				   .copies = p.meta_copies,
				   .size = (uint32_t)objset_write_phys(f->tx->mos)->size };
	struct dnode_block **dirty;
	size_t		     count;
	int		     rc = -1;

	if (objset_write_dirty(f->tx->mos, &dirty, &count, e) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (frozen_add(&f->meta, dirty[i]->blkid, e) < 0)
			goto out;
	}
	if (plan_dnode(f, f->tx->pool != NULL ? f->tx->maps.array_object : f->tx->array_object, e) < 0 ||
	    (f->unflushed.set != NULL && plan_dnode(f, f->tx->maps.unflushed_object, e) < 0) ||
	    block_place(f->tx->writer, &r, &f->root, e) < 0)
		goto out;
	space_add(objset_write_space(f->tx->mos), space_of(&f->root));
	if (f->tx->pool != NULL) {
		const struct blkptr *old = &objset_write_old(f->tx->mos)->root;

		space_sub(objset_write_space(f->tx->mos), space_of(old));
		if (pool_tx_release(f->tx, old, e) < 0)
			goto out;
	}
	rc = 0;
out:
	free(dirty);
	return rc;
}

/* -- filling in -------------------------------------------------------------------------------- */

static int fill_from_buffer(void *ctx, uint64_t blkid, struct wbytes block, uint64_t *fill, struct err *e)
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
	uint64_t start = metaslab_start(f, m->index), end = start + f->tx->maps.size;
	size_t	 need = spacemap_entries(&f->after, start, end, f->tx->ashift) * 8;
	uint8_t	 bonus[SPACEMAP_SIZE];

	if (need > m->capacity)
		return err_set(e, ERR_NOSPACE, "metaslab %zu: its space map outgrew its plan", m->index);
	m->content = mem_raw(need + 8, e);
	if (m->content == NULL)
		return -1;
	spacemap_fill(&f->after, start, end, f->tx->ashift, wbytes_of(m->content, need, ORDER_NATIVE),
		      &m->head);
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

static int write_words(struct freeze *f, struct frozen *tree, uint64_t object, const uint64_t *values,
		       struct err *e)
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

static int fill_dnodes(void *ctx, uint64_t blkid, struct wbytes block, uint64_t *fill, struct err *e)
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
	if (tx->charge != NULL && tx->charge(tx, tx->charge_dir, objset_write_space(tx->mos), e) < 0)
		return -1;
	return write_mos(f, e);
}

int pool_tx_freeze(struct pool_tx *tx, struct blkptr *root, struct err *e)
{
	struct freeze f = { .tx = tx };
	int	      rc = -1;

	if (init(&f, e) < 0 || plan_features(&f, e) < 0 || plan_mos(&f, e) < 0 || plan_maps(&f, e) < 0)
		goto out;
	if (fill_in(&f, e) < 0)
		goto out;
	*root = f.root;
	rc = 0;
out:
	fini(&f);
	return rc;
}
