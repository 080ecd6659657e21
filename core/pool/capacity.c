/* Capacities of top-level vdevs, summed up as OpenZFS does. */
#include "core/pool/capacity.h"

#include "core/pool/savings.h"
#include "formats/base/limits.h"
#include "formats/dsl.h"
#include "formats/objtype.h"

enum {
	EMBEDDED_LOG_MIN_COUNT = 64, /* metaslabs; vdev.c, zfs_embedded_slog_min_ms */
	SLOP_SHIFT = 5,
	RATIO_BLOCK = 128 << 10,
};
#define SLOP_MIN (128 * MIB)
#define SLOP_MAX (128 * GIB)

/* What a block of 128 KiB takes on a raidz. Source: vdev_raidz.c (vdev_raidz_psize_to_asize). */
static uint64_t raidz_asize(uint64_t columns, uint64_t parity, unsigned ashift)
{
	uint64_t sectors = RATIO_BLOCK >> ashift, data = columns - parity;

	sectors += parity * ((sectors + data - 1) / data);
	return (sectors + parity) / (parity + 1) * (parity + 1) << ashift;
}

/* `space` without its parity. */
static uint64_t deflated(const struct vdev_config *v, uint64_t space)
{
	uint64_t asize = RATIO_BLOCK;

	if (v->kind == VDEV_RAIDZ && v->nparity > 0 && v->nparity < v->child_count &&
	    v->ashift >= ASHIFT_MIN && v->ashift <= ASHIFT_MAX)
		asize = raidz_asize(v->child_count, v->nparity, (unsigned)v->ashift);
	return (space >> 9) * (RATIO_BLOCK / (asize >> 9));
}

/* Freed by the last commits, to be given back by the next one. */
static uint64_t deferred(struct pool *p)
{
	struct object o;
	struct bpobj  b = { 0 };
	uint64_t      number;

	if (pool_directory_u64(p, "sync_bplist", &number, NULL) < 0 ||
	    object_open(pool_mos(p), number, &o, NULL) < 0)
		return 0;
	if (o.dn.bonus_type != OT_BPOBJ_HDR || bpobj_decode(o.dn.bonus, &b, NULL) < 0)
		b.bytes = 0;
	object_close(&o);
	return b.bytes;
}

struct pool_capacity pool_capacity(struct pool *p)
{
	struct pool_capacity	  c = { 0 };
	const struct vdev_config *root = pool_config(p)->tree;
	struct pool_savings	  s;
	uint64_t		  log = 0;

	for (unsigned i = 0; i < vdev_tree_count(pool_vdevs(p)); i++) {
		const struct vdev_top	 *top = vdev_tree_top(pool_vdevs(p), i);
		const struct vdev_config *v = root;

		if (root != NULL && root->kind == VDEV_ROOT)
			v = i < root->child_count ? root->children[i] : NULL;
		if (top == NULL || v == NULL || v->is_log || top->metaslab_shift == 0 ||
		    top->metaslab_shift > 62)
			continue;

		uint64_t count = top->asize >> top->metaslab_shift;
		uint64_t embedded = count > EMBEDDED_LOG_MIN_COUNT ? 1 : 0;

		c.raw += count << top->metaslab_shift;
		c.data += deflated(v, (count - embedded) << top->metaslab_shift);
		log += deflated(v, embedded << top->metaslab_shift);
	}
	c.slop = min64(c.data >> SLOP_SHIFT, SLOP_MAX);
	c.slop -= min64(log, c.slop >> 1);
	c.slop = max64(c.slop, min64(c.data >> 1, SLOP_MIN));
	c.data -= min64(deferred(p), c.data);
	/* What is there once and used twice is charged twice. */
	s = pool_savings(p);
	c.data += s.clone_saved;
	c.data += s.dedup_used > s.dedup_stored ? s.dedup_used - s.dedup_stored : 0;
	return c;
}
