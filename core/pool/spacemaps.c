/* From space map objects to free ranges, and back for one metaslab. */
#include "core/pool/spacemaps.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/dmu/zap_read.h"
#include "core/pool/layout.h"
#include "formats/base/limits.h"

enum {
	METASLABS_MAX = 1 << 20
}; /* ours: OpenZFS makes 2^17 at most, and a grown vdev has some more */

void spacemaps_fini(struct spacemaps *s)
{
	free(s->list);
	free(s->logs);
	*s = (struct spacemaps){ 0 };
}

/* For each entry of a space map object. */
typedef int entry_fn(void *ctx, const struct spacemap_entry *entry, struct err *e);
struct span {
	uint64_t object, start;
	unsigned shift;
};

/* Block by block, each in its own order. A two-word entry never straddles two: writers pad blocks.
 */
static int read_blocks(struct object *o, const struct spacemap *head, const struct span *what,
		       entry_fn *fn, void *ctx, struct err *e)
{
	uint64_t size = o->dn.block_size;
	int	 rc = 0;

	for (uint64_t at = 0; rc == 0 && at < head->length; at += size) {
		struct spacemap_entry entry;
		struct block	     *b;

		if (object_block(o, at / size, &b, e) < 0)
			return -1;

		struct cursor c =
			cursor_of(bytes_sub(b->bytes, 0, min64(b->bytes.n, head->length - at)));

		while (rc == 0 && (rc = spacemap_next(&c, what->start, what->shift, &entry, e)) > 0)
			rc = entry.debug ? 0 : fn(ctx, &entry, e);
		block_put(o->os->reader, b);
	}
	return rc;
}

/* What is being loaded. */
struct load {
	struct pool	 *pool;
	unsigned	  vdev;
	struct spacemaps *maps;
	struct ranges	  used;
	uint64_t	  unit, index; /* of a sector; of the metaslab whose own map is read */
	uint64_t	  log_txg;
	uint64_t	  budget; /* bytes of maps that may still be read */
};

static int each_entry(struct load *l, const struct span *what, entry_fn *fn, struct err *e)
{
	struct object	o;
	struct spacemap head;
	int		rc;

	if (object_open(pool_mos(l->pool), what->object, &o, e) < 0)
		return err_in(e, "space map %llu", (unsigned long long)what->object);
	rc = spacemap_decode(o.dn.bonus, &head, e);
	/* Blocks that stand in many places would make it endless; honest maps are much smaller than
	 * their vdev. */
	if (rc == 0 && head.length > l->budget)
		rc = err_set(e, ERR_CORRUPT, "space maps that are larger than the vdev");
	if (rc == 0) {
		l->budget -= head.length;
		rc = read_blocks(&o, &head, what, fn, l, e);
	}
	object_close(&o);
	return rc < 0 ? err_in(e, "space map %llu", (unsigned long long)what->object) : 0;
}

/* An entry belongs to one metaslab, in whole sectors. */
static int apply(struct load *l, uint64_t index, const struct spacemap_entry *entry, struct err *e)
{
	uint64_t start = index * l->maps->size, at = entry->offset, n = entry->size;
	bool	 odd;
	int	 rc;

	if (at % l->unit != 0 || n % l->unit != 0 || at < start || at - start > l->maps->size ||
	    n > l->maps->size - (at - start))
		return err_set(e, ERR_CORRUPT, "offset %#llx size %#llx in metaslab %llu",
			       (unsigned long long)at, (unsigned long long)n,
			       (unsigned long long)index);
	rc = entry->is_free ? ranges_remove(&l->used, at, at + n, &odd, e)
			    : ranges_add(&l->used, at, at + n, &odd, e);
	if (rc == 0 && odd)
		return err_set(e, ERR_CORRUPT, "offset %#llx size %#llx is %s twice",
			       (unsigned long long)at, (unsigned long long)n,
			       entry->is_free ? "freed" : "allocated");
	return rc;
}

static int apply_own(void *ctx, const struct spacemap_entry *entry, struct err *e)
{
	struct load *l = ctx;

	return apply(l, l->index, entry, e);
}

/* Log entries count only for metaslabs that were not flushed since. */
static int apply_log(void *ctx, const struct spacemap_entry *entry, struct err *e)
{
	struct load *l = ctx;
	uint64_t     index = entry->offset / l->maps->size;

	if (entry->vdev != l->vdev)
		return 0;
	if (index >= l->maps->count)
		return err_set(e, ERR_CORRUPT, "segment in metaslab %llu of %zu",
			       (unsigned long long)index, l->maps->count);

	struct metaslab *m = &l->maps->list[index];

	if (l->log_txg < m->unflushed)
		return 0;
	m->logged = true;
	return apply(l, index, entry, e);
}

/* An array object's word, zero past its end. */
static int array_word(struct pool *p, uint64_t object, size_t i, uint64_t *out, struct err *e)
{
	struct object o;
	struct block *b;
	uint64_t      word = 0;
	int	      rc;

	if (object_open(pool_mos(p), object, &o, e) < 0)
		return -1;
	rc = object_block(&o, i * 8 / o.dn.block_size, &b, e);
	if (rc == 0) {
		word = get64(b->bytes, i * 8 % o.dn.block_size);
		block_put(o.os->reader, b);
		*out = word;
	}
	object_close(&o);
	return rc;
}

static int load_metaslabs(struct load *l, const struct vdev_top *top, struct err *e)
{
	struct spacemaps *s = l->maps;

	for (size_t i = 0; i < s->count; i++) {
		if (array_word(l->pool, s->array_object, i, &s->list[i].object, e) < 0)
			return -1;
		if (s->unflushed_object != 0 &&
		    array_word(l->pool, s->unflushed_object, i, &s->list[i].unflushed, e) < 0)
			return -1;
		if (s->list[i].object == 0)
			continue;

		struct span what = { s->list[i].object, i * s->size, top->ashift };

		l->index = i;

		if (each_entry(l, &what, apply_own, e) < 0)
			return err_in(e, "metaslab %zu", i);
	}
	return 0;
}

struct log {
	uint64_t txg, object;
};
struct log_list {
	struct log *list;
	size_t	    count, cap;
};

static int add_log(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct log_list *logs = ctx;
	char		 name[32] = "";

	if (entry->name.n >= sizeof name || entry->int_size != 8 || entry->value.n != 8)
		return err_set(e, ERR_CORRUPT, "log space map directory: odd entry");
	memcpy(name, entry->name.p, entry->name.n);
	if (mem_grow(&logs->list, &logs->cap, logs->count + 1, sizeof logs->list[0], e) < 0)
		return -1;
	logs->list[logs->count++] =
		(struct log){ strtoull(name, NULL, 16), zap_entry_int(entry, 0) };
	return 0;
}

static int by_txg(const void *a, const void *b)
{
	const struct log *x = a, *y = b;

	return x->txg < y->txg ? -1 : x->txg > y->txg;
}

static int load_logs(struct load *l, struct err *e)
{
	struct spacemaps *s = l->maps;
	struct log_list	  logs = { 0 };
	struct err	  why = { 0 };
	int		  rc = -1;

	if (pool_directory_u64(l->pool, "com.delphix:log_spacemap_zap", &s->logs_zap, &why) < 0) {
		if (why.kind == ERR_NOTFOUND)
			return 0;
		return err_set(e, why.kind, "%s", why.text);
	}
	if (zap_each_at(pool_mos(l->pool), s->logs_zap, add_log, &logs, e) < 0)
		goto out;
	qsort(logs.list, logs.count, sizeof logs.list[0], by_txg);
	s->logs = mem_array(logs.count + 1, sizeof s->logs[0], e);
	if (s->logs == NULL)
		goto out;
	for (size_t i = 0; i < logs.count; i++) {
		struct span what = { logs.list[i].object, 0, 9 };

		s->logs[s->log_count++] = logs.list[i].object;
		l->log_txg = logs.list[i].txg;
		if (each_entry(l, &what, apply_log, e) < 0)
			goto out;
	}
	rc = 0;
out:
	free(logs.list);
	return rc;
}

/* Everything in the metaslabs that is not used. */
static int give_free(struct load *l, struct alloc *alloc, struct err *e)
{
	uint64_t at = 0, end = l->maps->count * l->maps->size;

	alloc_set_piece(alloc, l->maps->size);
	for (size_t i = 0; i < l->used.count; i++) {
		if (l->used.list[i].end > end)
			return err_set(e, ERR_CORRUPT,
				       "space maps allocate past the end of the vdev");
		if (alloc_add_free(alloc, at, l->used.list[i].start, e) < 0)
			return -1;
		at = l->used.list[i].end;
	}
	return alloc_add_free(alloc, at, end, e);
}

/* The vdev's own ZAP, which only the config in the MOS names; 0: none. */
static int find_vdev_zap(struct pool *p, unsigned vdev, uint64_t *zap, struct err *e)
{
	struct pool_config *c;

	*zap = 0;
	if (!pool_layout_of(pool_version(p)).features)
		return 0;
	if (pool_config_in_mos(p, &c, e) < 0)
		return -1;
	if (c->tree != NULL && vdev < c->tree->child_count)
		*zap = c->tree->children[vdev]->zap_top;
	pool_config_free(c);
	return 0;
}

/* That ZAP names the array of unflushed txgs. */
static int find_unflushed(struct pool *p, unsigned vdev, struct spacemaps *s, struct err *e)
{
	struct err why = { 0 };
	uint64_t   zap;

	if (find_vdev_zap(p, vdev, &zap, e) < 0)
		return -1;
	if (zap == 0)
		return 0;
	if (zap_u64_at(pool_mos(p), zap, "com.delphix:ms_unflushed_phys_txgs", &s->unflushed_object,
		       &why) == 0 || why.kind == ERR_NOTFOUND)
		return 0;
	if (e != NULL)
		*e = why;
	return -1;
}

int spacemaps_load(struct pool *p, unsigned vdev, struct alloc *alloc, struct spacemaps *out,
		   struct err *e)
{
	const struct vdev_top *top = vdev_tree_top(pool_vdevs(p), vdev);
	struct spacemaps       s = { 0 };
	struct load	       l = { .pool = p, .vdev = vdev, .maps = &s };
	int		       rc = -1;

	if (top == NULL || top->metaslab_shift < 16 || top->metaslab_shift > 62)
		return err_set(e, ERR_CORRUPT, "vdev %u: no usable metaslab size", vdev);
	if (top->ashift < ASHIFT_MIN || top->ashift > ASHIFT_MAX ||
	    top->asize >> top->metaslab_shift > METASLABS_MAX)
		return err_set(e, ERR_CORRUPT, "vdev %u: sectors of 2^%u bytes, %llu metaslabs",
			       vdev, top->ashift,
			       (unsigned long long)(top->asize >> top->metaslab_shift));
	s.size = UINT64_C(1) << top->metaslab_shift;
	s.count = top->asize >> top->metaslab_shift;
	s.array_object = top->metaslab_array;
	l.unit = UINT64_C(1) << top->ashift;
	l.budget = top->asize;
	s.list = mem_array(s.count + 1, sizeof s.list[0], e);
	if (s.list == NULL || find_unflushed(p, vdev, &s, e) < 0 ||
	    load_metaslabs(&l, top, e) < 0 || load_logs(&l, e) < 0 || give_free(&l, alloc, e) < 0)
		goto out;
	*out = s;
	s = (struct spacemaps){ 0 };
	rc = 0;
out:
	ranges_fini(&l.used);
	spacemaps_fini(&s);
	return rc < 0 ? err_in(e, "vdev %u", vdev) : 0;
}

/* -- the new map of one metaslab --------------------------------------------------------------- */

/* Calls for each allocated run of [start, end), i.e. each gap of `free`. */
struct runs {
	const struct ranges *free;
	size_t		     i;
	uint64_t	     at, end;
};

static struct runs runs_of(const struct ranges *free, uint64_t start, uint64_t end)
{
	return (struct runs){ free, ranges_find(free, start), start, end };
}

static bool next_run(struct runs *r, struct range *out)
{
	while (r->at < r->end) {
		struct range f = { r->end, r->end };

		if (r->i < r->free->count && r->free->list[r->i].start < r->end)
			f = r->free->list[r->i++];
		*out = (struct range){ r->at, min64(max64(f.start, r->at), r->end) };
		r->at = max64(f.end, r->at);
		if (out->start < out->end)
			return true;
	}
	return false;
}

size_t spacemap_entries(const struct ranges *free, uint64_t start, uint64_t end, unsigned shift)
{
	struct runs  r = runs_of(free, start, end);
	struct range run;
	size_t	     n = 0;

	while (next_run(&r, &run))
		n += spacemap_entry_size(start, shift, run.start, run.end - run.start, false) / 8;
	return n;
}

static void count_free(const struct ranges *free, uint64_t start, uint64_t end, unsigned shift,
		       struct spacemap *head)
{
	memset(head->histogram, 0, sizeof head->histogram);
	for (size_t i = ranges_find(free, start); i < free->count && free->list[i].start < end;
	     i++) {
		uint64_t n = min64(free->list[i].end, end) - max64(free->list[i].start, start);
		unsigned bucket = log2_floor(n) - shift;

		head->histogram[bucket < SPACEMAP_BUCKETS ? bucket : SPACEMAP_BUCKETS - 1]++;
	}
}

size_t spacemap_fill(const struct ranges *free, uint64_t start, uint64_t end, unsigned shift,
		     struct wbytes out, struct spacemap *head)
{
	struct runs  r = runs_of(free, start, end);
	struct range run;
	size_t	     at = 0;

	head->alloc = 0;
	while (next_run(&r, &run)) {
		spacemap_put(out, &at, start, shift, run.start, run.end - run.start, false, false);
		head->alloc += (int64_t)(run.end - run.start);
	}
	head->length = at;
	count_free(free, start, end, shift, head);
	return at;
}
