/*
 * Reading space maps for a check.
 * Source: OpenZFS space_map.c (space_map_iterate), spa_log_spacemap.c, dmu.h
 * (DMU_POOL_LOG_SPACEMAP_ZAP).
 */
#include "core/check/space_entries.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/dmu/zap_read.h"
#include "formats/base/limits.h"

enum { LOGS_MAX = 1 << 20 };

static int decode_piece(struct bytes in, uint64_t start, unsigned shift, space_entry_fn *fn,
			void *ctx, struct err *e)
{
	struct cursor	      c = cursor_of(in);
	struct spacemap_entry entry;
	int		      got;

	while ((got = spacemap_next(&c, start, shift, &entry, e)) > 0) {
		if (!entry.debug && fn(ctx, &entry, e) < 0)
			return -1;
	}
	return got;
}

/* Block by block: writers let no entry cross the end of one. */
static int read_all(struct object *o, uint64_t length, uint64_t start, unsigned shift,
		    space_entry_fn *fn, void *ctx, struct err *e)
{
	uint64_t size = o->dn.block_size;

	if (length > SPACE_MAP_MAX)
		return err_set(e, ERR_CORRUPT, "%llu bytes are too many to be true",
			       (unsigned long long)length);
	for (uint64_t at = 0; at < length; at += size) {
		struct block *b;
		int	      rc;

		if (at / size > o->dn.max_blkid)
			return err_set(e, ERR_CORRUPT, "it ends before its last entry");
		if (object_block(o, at / size, &b, e) < 0)
			return -1;
		rc = decode_piece(bytes_sub(b->bytes, 0, (size_t)min64(size, length - at)), start,
				  shift, fn, ctx, e);
		block_put(o->os->reader, b);
		if (rc < 0)
			return -1;
	}
	return 0;
}

int space_entries(struct pool *p, uint64_t object, uint64_t start, unsigned shift,
		  space_entry_fn *fn, void *ctx, struct spacemap *head, struct err *e)
{
	struct spacemap own;
	struct object	o;
	int		rc;

	if (object_open(pool_mos(p), object, &o, e) < 0)
		return -1;
	rc = spacemap_decode(o.dn.bonus, &own, e);
	if (rc == 0)
		rc = read_all(&o, own.length, start, shift, fn, ctx, e);
	object_close(&o);
	if (rc == 0 && head != NULL)
		*head = own;
	return rc < 0 ? err_in(e, "space map %llu", (unsigned long long)object) : 0;
}

uint64_t space_vdev_zap(const struct pool_config *mos, unsigned vdev)
{
	if (mos == NULL || mos->tree == NULL || vdev >= mos->tree->child_count)
		return 0;
	return mos->tree->children[vdev]->zap_top;
}

struct gathering {
	struct space_log *list;
	size_t		  count, cap;
};

/* The names are txgs in hex. */
static int gather(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct gathering *g = ctx;
	uint64_t	  txg = 0;
	char		  text[17] = "";

	if (entry->int_size != 8 || entry->value.n != 8)
		return err_set(e, ERR_CORRUPT, "log space maps: an odd entry");
	if (entry->number_key && entry->name.n == 8)
		txg = get64(entry->name, 0);
	else if (!entry->number_key && entry->name.n < sizeof text) {
		memcpy(text, entry->name.p, entry->name.n);
		txg = strtoull(text, NULL, 16);
	} else
		return err_set(e, ERR_CORRUPT, "log space maps: an odd name");
	if (g->count == LOGS_MAX)
		return err_set(e, ERR_CORRUPT, "log space maps: too many to be true");
	if (mem_grow(&g->list, &g->cap, g->count + 1, sizeof *g->list, e) < 0)
		return -1;
	g->list[g->count++] = (struct space_log){ .txg = txg, .object = zap_entry_int(entry, 0) };
	return 0;
}

static int by_txg(const void *a, const void *b)
{
	const struct space_log *x = a, *y = b;

	return x->txg < y->txg ? -1 : x->txg > y->txg;
}

int space_logs(struct pool *p, struct space_log **out, size_t *count, struct err *e)
{
	struct gathering g = { 0 };
	uint64_t	 zap;

	if (pool_directory_u64(p, "com.delphix:log_spacemap_zap", &zap, NULL) == 0 &&
	    zap_each_at(pool_mos(p), zap, gather, &g, e) < 0) {
		free(g.list);
		return err_in(e, "log space maps");
	}
	if (g.count > 0)
		qsort(g.list, g.count, sizeof *g.list, by_txg);
	*out = g.list;
	*count = g.count;
	return 0;
}
