/*
 * The plan of the freeze: every block that is written last gets its place, whatever it will say.
 *
 * Space maps of every metaslab that the commit touched are rewritten whole, and rewriting them
 * touches metaslabs; so the plan goes round until no metaslab is touched that is not planned.
 */
#include "core/pool/freeze_impl.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

enum {
	/* Entries that a map may gain between planning and filling: the frozen blocks' own runs. */
	ENTRY_SLACK = 256,
	MAP_BLOCK_MIN = 4096,
};

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
	struct dnode dn = { .type = OT_OBJECT_ARRAY,
			    .nblkptr = BLKPTR_DVAS,
			    .block_size = BLOCK_MIN,
			    .indirect_shift = DNODE_INDIRECT_SHIFT_DEFAULT,
			    .flags = DNODE_FLAG_USED_BYTES };

	if (f->tx->pool != NULL) {
		if (init_tree(f, &f->array, &f->array_old, f->tx->maps.array_object, e) < 0)
			return -1;
		if (f->tx->maps.unflushed_object == 0)
			return 0;
		return init_tree(f, &f->unflushed, &f->unflushed_old, f->tx->maps.unflushed_object,
				 e);
	}
	/*
	 * One block for all metaslabs of a new pool: at most 2^17 of them, 1
	 * MiB; beyond 128 KiB several.
	 */
	dn.block_size =
		(uint32_t)min64(align_up(max64(f->tx->maps.count, 1) * 8, SECTOR), BLOCK_OLD_MAX);
	frozen_init(&f->array, f->tx->mos, NULL, &dn);
	return 0;
}

static int init_trees(struct freeze *f, struct err *e)
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

/*
 * New maps are counted by the feature that gives them histograms: its count, too, is known last.
 * The ZAP's shape depends on its names alone, so it can be planned.
 */
static int plan_features(struct freeze *f, struct err *e)
{
	struct zap_edit *z = f->tx->features_write;
	struct dnode	 dn = { .nblkptr = BLKPTR_DVAS,
				.indirect_shift = DNODE_INDIRECT_SHIFT_DEFAULT,
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
	uint64_t start = freeze_metaslab_start(f, m->index);
	size_t	 n;

	if (alloc_after(block_writer_alloc(f->tx->writer), &f->after, e) < 0)
		return -1;
	n = spacemap_entries(&f->after, start, start + f->tx->maps.size, f->tx->ashift) +
	    ENTRY_SLACK;
	ranges_fini(&f->after);

	struct dnode dn = {
		.type = OT_SPACE_MAP, .indirect_shift = DNODE_INDIRECT_SHIFT_DEFAULT,
		/*
		 * As many pointers as the header leaves room for: zdb tells the
		 * kinds apart by that room.
		 */
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
	uint64_t	       start = freeze_metaslab_start(f, i);

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
	if (plan_dnode(f, f->tx->pool != NULL ? f->tx->maps.array_object : f->tx->array_object,
		       e) < 0 ||
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

int freeze_plan(struct freeze *f, struct err *e)
{
	if (init_trees(f, e) < 0 || plan_features(f, e) < 0 || plan_mos(f, e) < 0)
		return -1;
	return plan_maps(f, e);
}
