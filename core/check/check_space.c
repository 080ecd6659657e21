/*
 * Space maps against claims. A vdev is done in stretches of whole metaslabs whose bitmap is small:
 * the metaslabs' own maps are applied, then the logs', then every claim is taken out; what is left
 * leaks. Source: OpenZFS metaslab.c (metaslab_load_impl), vdev_metaslab (ms_array),
 * spa_log_spacemap.c.
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/base/mem.h"
#include "core/check/bitmap.h"
#include "core/check/check_impl.h"
#include "core/check/space_entries.h"
#include "core/dmu/zap_read.h"
#include "formats/base/limits.h"

enum {
	STRETCH_UNITS = 1 << 28,  /* bits of one stretch: 32 MiB */
	METASLAB_UNITS = 1 << 30, /* of the largest metaslab that is looked at: 128 MiB */
	METASLABS_MAX = 1 << 20,
};

struct space {
	struct check	 *c;
	unsigned	  vdev, shift;
	uint64_t	  ms_size, ms_count;
	uint64_t	 *objects, *unflushed; /* by metaslab */
	struct space_log *logs;
	size_t		  log_count;

	/* The stretch: metaslabs [first, past), from byte `base` on. */
	uint64_t      first, past, base;
	struct bitmap map;
	uint64_t      log_txg;
	uint64_t      ops; /* what the entries so far cost, in bits */
	int64_t	      sum; /* of the map being applied, bytes */

	struct claims_bad leaks, free;
	uint64_t	  bad_maps;
};

static void map_bad(struct space *s, const struct err *why)
{
	char where[64];

	s->bad_maps++;
	if (s->bad_maps > LINES_MAX)
		return;
	snprintf(where, sizeof where, "vdev %u", s->vdev);
	check_found(s->c, FINDING_SPACEMAP_BAD, where, "%s", why->text);
}

/* An entry that lies in [start, start + size) of the stretch's metaslabs. */
static int apply(struct space *s, const struct spacemap_entry *entry, uint64_t start, uint64_t size,
		 struct err *e)
{
	uint64_t unit = UINT64_C(1) << s->shift, first, past;

	if (entry->offset < start || entry->offset - start > size ||
	    entry->size > size - (entry->offset - start))
		return err_set(e, ERR_CORRUPT,
			       "entry at %" PRIx64 " size %" PRIx64 " is not within its metaslab",
			       entry->offset, entry->size);
	if (((entry->offset | entry->size) & (unit - 1)) != 0)
		return err_set(e, ERR_CORRUPT, "entry at %" PRIx64 " is not aligned",
			       entry->offset);
	first = (entry->offset - s->base) >> s->shift;
	past = first + (entry->size >> s->shift);
	s->ops += past - first;
	if (s->ops >> 42 != 0)
		return err_set(e, ERR_CORRUPT, "space maps that take too long to follow");
	if (bitmap_change(&s->map, first, past, !entry->is_free) > 0)
		return err_set(e, ERR_CORRUPT, "offset %" PRIx64 " size %" PRIx64 " is %s",
			       entry->offset, entry->size,
			       entry->is_free ? "freed while it is free" : "allocated twice");
	return 0;
}

struct own_map {
	struct space *s;
	uint64_t      start;
};

static int apply_own(void *ctx, const struct spacemap_entry *entry, struct err *e)
{
	struct own_map *m = ctx;

	m->s->sum += entry->is_free ? -(int64_t)entry->size : (int64_t)entry->size;
	return apply(m->s, entry, m->start, m->s->ms_size, e);
}

/* Entries of a log count for metaslabs that were not flushed since. */
static int apply_log(void *ctx, const struct spacemap_entry *entry, struct err *e)
{
	struct space *s = ctx;
	uint64_t      index = entry->offset / s->ms_size;

	if (entry->vdev != s->vdev)
		return 0;
	if (index >= s->ms_count)
		return err_set(e, ERR_CORRUPT, "entry at %" PRIx64 " is past the last metaslab",
			       entry->offset);
	if (index < s->first || index >= s->past || s->log_txg < s->unflushed[index])
		return 0;
	return apply(s, entry, index * s->ms_size, s->ms_size, e);
}

static int load_own(struct space *s, uint64_t index, struct err *e)
{
	struct own_map	m = { .s = s, .start = index * s->ms_size };
	struct spacemap head;
	struct err	why = { 0 };

	if (s->objects[index] == 0)
		return 0;
	s->sum = 0;
	if (space_entries(s->c->pool, s->objects[index], m.start, s->shift, apply_own, &m, &head,
			  &why) < 0) {
		if (why.kind == ERR_NOMEM)
			return err_nomem(e);
		err_in(&why, "metaslab %" PRIu64, index);
		map_bad(s, &why);
	} else if (head.alloc != s->sum) {
		char where[64];

		snprintf(where, sizeof where, "vdev %u metaslab %" PRIu64, s->vdev, index);
		check_found(s->c, FINDING_SPACEMAP_COUNT, where,
			    "its header says %" PRId64 " bytes are allocated, its entries %" PRId64,
			    head.alloc, s->sum);
	}
	return 0;
}

static int load_logs(struct space *s, struct err *e)
{
	for (size_t i = 0; i < s->log_count; i++) {
		struct err why = { 0 };

		s->log_txg = s->logs[i].txg;
		if (space_entries(s->c->pool, s->logs[i].object, 0, ASHIFT_MIN, apply_log, s, NULL,
				  &why) == 0)
			continue;
		if (why.kind == ERR_NOMEM)
			return err_nomem(e);
		err_in(&why, "log of txg %" PRIu64, s->log_txg);
		map_bad(s, &why);
	}
	return 0;
}

/* -- claims against the stretch ---------------------------------------------------------------- */

/* Takes the claims out of the map; what was not in it goes to `free` unless that is NULL. */
static int take_out(struct space *s, const struct claims *claims, size_t *at,
		    struct claims_bad *free, struct err *e)
{
	uint64_t end = s->base + (s->map.count << s->shift);

	for (; *at < claims->count; ++*at) {
		struct claim one = claims_at(claims, *at);
		uint64_t     first, past, bit;

		if (one.start >= end)
			break;
		if (one.end <= s->base)
			continue;
		first = (max64(one.start, s->base) - s->base) >> s->shift;
		past = (min64(one.end, end) - s->base) >> s->shift;
		for (bit = bitmap_find(&s->map, first, false); bit < past && free != NULL;) {
			uint64_t stop = min64(bitmap_find(&s->map, bit, true), past);

			if (claims_bad_add(free, s->base + (bit << s->shift),
					   s->base + (stop << s->shift), e) < 0)
				return -1;
			bit = bitmap_find(&s->map, stop, false);
		}
		bitmap_change(&s->map, first, past, false);
		if (one.end > end)
			break; /* it goes on in the next stretch */
	}
	return 0;
}

static int take_leaks(struct space *s, struct err *e)
{
	uint64_t at = 0;

	while ((at = bitmap_find(&s->map, at, true)) < s->map.count) {
		uint64_t past = bitmap_find(&s->map, at, false);

		if (claims_bad_add(&s->leaks, s->base + (at << s->shift),
				   s->base + (past << s->shift), e) < 0)
			return -1;
		at = past;
	}
	return 0;
}

static int do_stretch(struct space *s, size_t *claim, size_t *maybe, struct err *e)
{
	s->base = s->first * s->ms_size;
	s->map.count = (s->past - s->first) * (s->ms_size >> s->shift);
	memset(s->map.words, 0, (size_t)((s->map.count + 63) / 64 * 8));
	for (uint64_t i = s->first; i < s->past; i++) {
		if (load_own(s, i, e) < 0)
			return -1;
	}
	if (load_logs(s, e) < 0)
		return -1;
	s->c->r->allocated += bitmap_total(&s->map) << s->shift;
	if (take_out(s, &s->c->claims[s->vdev], claim, &s->free, e) < 0 ||
	    take_out(s, &s->c->maybe[s->vdev], maybe, NULL, e) < 0)
		return -1;
	return take_leaks(s, e);
}

/* What is claimed behind the last metaslab is in no space map. */
static int take_rest(struct space *s, size_t at, struct err *e)
{
	const struct claims *claims = &s->c->claims[s->vdev];
	uint64_t	     end = s->ms_count * s->ms_size;

	for (; at < claims->count; at++) {
		struct claim one = claims_at(claims, at);

		if (one.end > end &&
		    claims_bad_add(&s->free, max64(one.start, end), one.end, e) < 0)
			return -1;
	}
	return 0;
}

static int do_stretches(struct space *s, struct err *e)
{
	uint64_t units = s->ms_size >> s->shift, step = max64(STRETCH_UNITS / units, 1);
	size_t	 claim = 0, maybe = 0;

	step = min64(step, s->ms_count);
	s->map.words = mem_array((size_t)((step * units + 63) / 64), 8, e);
	if (s->map.words == NULL)
		return -1;
	for (s->first = 0; s->first < s->ms_count; s->first = s->past) {
		s->past = min64(s->first + step, s->ms_count);
		if (check_tick(s->c, e) < 0 || do_stretch(s, &claim, &maybe, e) < 0)
			return -1;
	}
	return take_rest(s, claim, e);
}

/* -- the arrays of a vdev ---------------------------------------------------------------------- */

/* Numbers by metaslab. An array that is shorter has zeros. Blocks of one object can differ in byte
 * order. */
static int read_array(struct space *s, uint64_t object, uint64_t *out, struct err *e)
{
	struct object o;
	int	      rc = 0;

	if (object == 0)
		return 0;
	if (object_open(pool_mos(s->c->pool), object, &o, e) < 0)
		return err_in(e, "metaslab array");

	uint64_t words = o.dn.block_size / 8;

	for (uint64_t at = 0; rc == 0 && at < s->ms_count; at += words) {
		struct block *b;

		rc = object_block(&o, at / words, &b, e);
		if (rc < 0)
			break;
		for (uint64_t i = 0; i < words && at + i < s->ms_count; i++)
			out[at + i] = get64(b->bytes, (size_t)i * 8);
		block_put(o.os->reader, b);
	}
	object_close(&o);
	return rc < 0 ? err_in(e, "metaslab array") : 0;
}

static int load_arrays(struct space *s, const struct vdev_top *top, struct err *e)
{
	uint64_t zap = space_vdev_zap(s->c->config, s->vdev), object = 0;

	s->objects = mem_array((size_t)s->ms_count, 8, e);
	s->unflushed = mem_array((size_t)s->ms_count, 8, e);
	if (s->objects == NULL || s->unflushed == NULL ||
	    read_array(s, top->metaslab_array, s->objects, e) < 0)
		return -1;
	if (zap != 0 && zap_u64_at(pool_mos(s->c->pool), zap, "com.delphix:ms_unflushed_phys_txgs",
				   &object, NULL) < 0)
		object = 0;
	if (read_array(s, object, s->unflushed, e) < 0)
		return -1;
	return space_logs(s->c->pool, &s->logs, &s->log_count, e);
}

static int check_geometry(struct space *s, const struct vdev_top *top, struct err *e)
{
	s->shift = s->c->claims[s->vdev].shift;
	if (top->metaslab_shift < s->shift || top->metaslab_shift > 62 ||
	    UINT64_C(1) << (top->metaslab_shift - s->shift) > (uint64_t)METASLAB_UNITS)
		return err_set(e, ERR_UNSUPPORTED, "metaslabs of 2^%u bytes", top->metaslab_shift);
	s->ms_size = UINT64_C(1) << top->metaslab_shift;
	s->ms_count = top->asize / s->ms_size;
	if (s->ms_count > METASLABS_MAX || top->asize > claims_limit_max(s->shift))
		return err_set(e, ERR_UNSUPPORTED, "%" PRIu64 " metaslabs", s->ms_count);
	return 0;
}

static int check_vdev(struct check *c, unsigned vdev, struct space *s, struct err *e)
{
	const struct vdev_top *top = vdev_tree_top(c->vdevs, vdev);
	struct err	       why = { 0 };

	*s = (struct space){ .c = c, .vdev = vdev };
	if (!top->present)
		return 0;
	if (check_geometry(s, top, &why) < 0 || load_arrays(s, top, &why) < 0) {
		if (why.kind == ERR_NOMEM)
			return err_nomem(e);
		map_bad(s, &why);
		return 0;
	}
	if (claims_finish(&c->claims[vdev], e) < 0 || claims_finish(&c->maybe[vdev], e) < 0)
		return -1;
	c->r->size += s->ms_count * s->ms_size;
	return do_stretches(s, e);
}

static void space_fini(struct space *s)
{
	free(s->objects);
	free(s->unflushed);
	free(s->logs);
	free(s->map.words);
	claims_bad_fini(&s->leaks);
	claims_bad_fini(&s->free);
}

int check_space(struct check *c, struct err *e)
{
	bool compared = true;

	for (unsigned i = 0; i < c->vdev_count; i++) {
		struct space s;
		int	     rc = check_vdev(c, i, &s, e);

		/* Damaged maps say nothing about single blocks. */
		if (rc == 0 && s.bad_maps == 0)
			rc = check_space_report(c, i, &s.leaks, &s.free, e);
		compared &= rc == 0 && s.bad_maps == 0;
		space_fini(&s);
		if (rc < 0)
			return -1;
	}
	c->r->space_compared = compared;
	return 0;
}
