/* Payloads that need their header to be read: space maps and the pool's history. */
#include <inttypes.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/dump/payload_impl.h"
#include "formats/base/limits.h"
#include "formats/history.h"
#include "formats/spacemap.h"

enum {
	METASLABS_MAX = 1 << 20, /* ours: how many of a vdev are searched; OpenZFS aims at 200 */
	DTL_DEPTH_MAX = NVLIST_DEPTH_MAX,
	RECORD_MAX = 16 << 20, /* ours: history records are command lines and small lists */
};

struct map_dump {
	struct dump *d;
	uint64_t     start, shown;
	unsigned     shift;
	bool	     txgs; /* a DTL: ranges of txgs, not of bytes */
};

static int map_line(struct map_dump *m, const struct spacemap_entry *s, struct err *e)
{
	char	 kind = s->is_free ? 'F' : 'A';
	uint64_t end = s->offset + s->size;

	if (s->debug)
		return dump_line(m->d, e, "\t\t%s: txg %" PRIu64 " pass %u",
				 s->is_free ? "FREE" : "ALLOC", s->txg, s->pass);
	if (m->txgs)
		return dump_line(m->d, e, "\t\t%c txgs: %" PRIu64 "-%" PRIu64 " count: %" PRIu64,
				 kind, s->offset, end, s->size);
	if (s->vdev == SPACEMAP_NO_VDEV)
		return dump_line(m->d, e, "\t\t%c range: %" PRIx64 "-%" PRIx64 " size: %" PRIx64,
				 kind, s->offset, end, s->size);
	return dump_line(m->d, e,
			 "\t\t%c range: %" PRIx64 "-%" PRIx64 " size: %" PRIx64 " vdev: %" PRIu32,
			 kind, s->offset, end, s->size, s->vdev);
}

static int map_block(void *ctx, uint64_t offset, struct bytes in, struct err *e)
{
	struct map_dump	     *m = ctx;
	struct cursor	      c = cursor_of(in);
	struct spacemap_entry s;
	int		      rc;

	(void)offset;
	while ((rc = spacemap_next(&c, m->start, m->shift, &s, e)) > 0) {
		if (!m->d->all && m->shown == DUMP_FEW)
			return 1;
		m->shown++;
		if (map_line(m, &s, e) < 0)
			return -1;
	}
	return rc;
}

struct find {
	uint64_t object, found; /* index of the metaslab, UINT64_MAX: not found yet */
};

static int find_block(void *ctx, uint64_t offset, struct bytes in, struct err *e)
{
	struct find *f = ctx;

	(void)e;
	for (size_t at = 0; at + 8 <= in.n; at += 8)
		if (get64(in, at) == f->object) {
			f->found = (offset + at) / 8;
			return 1;
		}
	return 0;
}

/* Is this space map one of the vdev's metaslabs? Then its start and unit are known. */
static bool find_metaslab(struct dump *d, struct pool *pool, const struct vdev_top *top,
			  uint64_t number, struct map_dump *m)
{
	struct object array;
	struct find   f = { .object = number, .found = UINT64_MAX };

	if (top == NULL || top->metaslab_array == 0 || top->metaslab_shift > 63 ||
	    top->ashift > 63 || object_open(pool_mos(pool), top->metaslab_array, &array, NULL) < 0)
		return false;

	int rc = payload_blocks(d, &array, METASLABS_MAX * UINT64_C(8), find_block, &f, NULL);

	object_close(&array);
	if (rc < 0 || f.found == UINT64_MAX ||
	    !mul_ok(f.found, UINT64_C(1) << top->metaslab_shift, &m->start))
		return false;
	m->shift = top->ashift;
	return true;
}

/* Is it a leaf's DTL? An explicit stack: how deep a config nests is for the disk to say. */
static bool find_dtl(const struct vdev_config *root, uint64_t number)
{
	struct {
		const struct vdev_config *v;
		size_t			  next;
	} stack[DTL_DEPTH_MAX];
	size_t depth = 0;

	if (root == NULL)
		return false;
	stack[depth].v = root;
	stack[depth++].next = 0;
	while (depth > 0) {
		const struct vdev_config *v = stack[depth - 1].v;

		if (v->dtl == number)
			return true;
		if (stack[depth - 1].next == v->child_count || depth == DTL_DEPTH_MAX) {
			depth--;
			continue;
		}
		stack[depth].v = v->children[stack[depth - 1].next++];
		stack[depth++].next = 0;
	}
	return false;
}

/* Which metaslab the map is of, or that it is a DTL. When it is neither, it stays a log space map.
 */
static int place_map(struct dump *d, struct pool *pool, uint64_t number, struct map_dump *m,
		     struct err *e)
{
	struct vdev_tree *t = pool_vdevs(pool);

	for (unsigned i = 0; i < vdev_tree_count(t); i++)
		if (find_metaslab(d, pool, vdev_tree_top(t, i), number, m))
			return dump_line(d, e, "\t\tvdev %u, metaslab at %" PRIx64, i, m->start);
	if (find_dtl(pool_config(pool)->tree, number)) {
		m->txgs = true;
		m->shift = 0;
	}
	return 0;
}

int payload_spacemap(struct dump *d, struct pool *pool, struct object *o, struct err *e)
{
	/* A log space map counts in sectors and names the vdev: OpenZFS spa_log_spacemap.c. */
	struct map_dump m = { .d = d, .shift = 9 };
	struct spacemap s;

	if (spacemap_decode(o->dn.bonus, &s, e) < 0)
		return -1;
	if (pool != NULL && place_map(d, pool, o->number, &m, e) < 0)
		return -1;
	if (payload_blocks(d, o, s.length, map_block, &m, e) < 0)
		return -1;
	return d->all || m.shown < DUMP_FEW ? 0 : dump_line(d, e, "\t\t... (-v shows all)");
}

/* Bytes of the ring from a logical offset, which goes round behind the record of the pool's
 * creation. */
static int ring_read(struct object *o, const struct history *h, uint64_t at, uint8_t *buf, size_t n,
		     struct err *e)
{
	uint64_t size = h->phys_max_off - h->pool_create_len;
	uint64_t phys = at < h->pool_create_len
				? at
				: h->pool_create_len + (at - h->pool_create_len) % size;
	size_t	 first = (size_t)min64(n, h->phys_max_off - phys);

	if (object_read(o, phys, buf, first, e) < 0)
		return -1;
	return first == n ? 0 : object_read(o, h->pool_create_len, buf + first, n - first, e);
}

/* The record at *at, which moves behind it. */
static int history_record(struct dump *d, struct object *o, const struct history *h, uint64_t *at,
			  uint64_t end, struct err *e)
{
	uint8_t	       length[8];
	uint8_t	      *buf = NULL;
	struct nvlist *l = NULL;
	int	       rc = -1;

	if (end - *at < 8)
		return err_set(e, ERR_CORRUPT, "a record at %" PRIu64 " is cut short", *at);
	if (ring_read(o, h, *at, length, 8, e) < 0)
		return -1;

	uint64_t n = get64(bytes_of(length, 8, ORDER_LITTLE), 0);

	if (n == 0 || n > end - *at - 8 || n > RECORD_MAX)
		return err_set(e, ERR_CORRUPT, "a record at %" PRIu64 " of %" PRIu64 " bytes", *at,
			       n);
	buf = mem_raw((size_t)n, e);
	if (buf == NULL || ring_read(o, h, *at + 8, buf, (size_t)n, e) < 0)
		goto out;
	*at += 8 + n;
	if (nvlist_decode(bytes_of(buf, (size_t)n, ORDER_BIG), &l, NULL, e) < 0)
		goto out;
	rc = dump_nvlist(d, 2, l, e);
	if (rc == 0)
		rc = dump_line(d, e, "%s", "");
out:
	nvlist_free(l);
	free(buf);
	return rc;
}

/* The first record is of the pool's creation and is kept; then the ring from its beginning to its
 * end. */
int payload_history(struct dump *d, struct object *o, struct err *e)
{
	struct history h;

	if (history_decode(o->dn.bonus, &h, e) < 0)
		return -1;
	if (h.pool_create_len >= h.phys_max_off || h.bof > h.eof || h.eof - h.bof > h.phys_max_off)
		return err_set(e, ERR_CORRUPT, "the history's offsets contradict each other");

	uint64_t at = 0, part_end[2] = { h.pool_create_len, h.eof };

	for (int part = 0; part < 2; part++) {
		if (part == 1)
			at = max64(h.bof, h.pool_create_len);
		while (at < part_end[part])
			if (history_record(d, o, &h, &at, part_end[part], e) < 0)
				return -1;
	}
	return 0;
}
