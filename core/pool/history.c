/*
 * The pool's history: a ring of records behind the first one, which is never overwritten. Offsets
 * in the bonus count on for ever; log_to_phys says where in the object they are.
 * Source: OpenZFS spa_history.c (spa_history_write, spa_history_log_to_phys,
 * spa_history_advance_bof).
 */
#include "core/pool/tx_impl.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"
#include "formats/history.h"

enum {
	HISTORY_BLOCK_SIZE = 128 << 10, /* spa_history.c: SPA_OLD_MAXBLOCKSIZE */
	RECORD_LENGTH_SIZE = 8,
};

/* One record: length, little-endian, then the packed list. */
static int pack_record(const struct pool_tx *tx, const char *command, uint8_t **out, size_t *size,
		       struct err *e)
{
	struct nvlist *nv = nvlist_new(e);
	uint8_t	      *packed = NULL, *record = NULL;
	size_t	       n;
	int	       rc = -1;

	if (nv == NULL || nvlist_add_u64(nv, "history time", tx->time, e) < 0 ||
	    nvlist_add_string(nv, "history command", command, e) < 0 ||
	    nvlist_add_u64(nv, "history who", 0, e) < 0 || nvlist_encode(nv, &packed, &n, e) < 0)
		goto out;
	record = mem_raw(RECORD_LENGTH_SIZE + n, e);
	if (record == NULL)
		goto out;
	put64(wbytes_of(record, RECORD_LENGTH_SIZE, ORDER_LITTLE), 0, n);
	memcpy(record + RECORD_LENGTH_SIZE, packed, n);
	*out = record;
	*size = RECORD_LENGTH_SIZE + n;
	rc = 0;
out:
	free(packed);
	nvlist_free(nv);
	return rc;
}

/*
 * The first record of a new pool: how it was made. It is never overwritten
 * when the ring comes around.
 */
int pool_tx_write_history(struct pool_tx *tx, struct err *e)
{
	uint8_t *record, bonus[HISTORY_SIZE];
	size_t	 n;

	if (pack_record(tx, tx->create.history, &record, &n, e) < 0)
		return -1;

	struct history h = {
		.pool_create_len = n, .phys_max_off = HISTORY_BLOCK_SIZE, .bof = n, .eof = n
	};
	struct object_spec spec = {
		.number = tx->history_object, .type = OT_SPA_HISTORY,
		.bonus_type = OT_SPA_HISTORY_OFFSETS,
		.bonus = bytes_of(bonus, sizeof bonus, ORDER_NATIVE),
		.block_size = HISTORY_BLOCK_SIZE,
	};

	history_encode(&h, wbytes_of(bonus, sizeof bonus, ORDER_NATIVE));

	int rc = object_write_bytes(tx->mos, &spec, record, n, e);

	free(record);
	return rc;
}

/* -- one more record --------------------------------------------------------------------------- */

/* A record on its way into the ring. */
struct append {
	struct object  o;
	struct history h;
	const uint8_t *record;
	uint64_t       size, first; /* bytes of it before the ring comes around */
	uint64_t       at;	    /* where those go */
	struct dnode   dn;	    /* what comes out */
};

static uint64_t ring_size(const struct history *h)
{
	return h->phys_max_off - h->pool_create_len;
}

static uint64_t log_to_phys(const struct history *h, uint64_t log)
{
	return log < h->pool_create_len
		       ? log
		       : (log - h->pool_create_len) % ring_size(h) + h->pool_create_len;
}

static int check_ring(const struct append *a, struct err *e)
{
	const struct history *h = &a->h;

	if (h->phys_max_off <= h->pool_create_len || h->bof > h->eof ||
	    h->bof < h->pool_create_len || h->eof - h->bof > ring_size(h))
		return err_set(e, ERR_CORRUPT, "history: its offsets contradict each other");
	if (a->size >= ring_size(h))
		return err_set(e, ERR_UNSUPPORTED, "history: no room for a command of that length");
	return 0;
}

/* The oldest record is given up. */
static int advance_bof(struct append *a, struct err *e)
{
	uint8_t	 length[RECORD_LENGTH_SIZE];
	uint64_t n;

	for (uint64_t i = 0; i < sizeof length; i++) {
		if (object_read(&a->o, log_to_phys(&a->h, a->h.bof + i), &length[i], 1, e) < 0)
			return -1;
	}
	n = get64(bytes_of(length, sizeof length, ORDER_LITTLE), 0);
	if (a->h.eof - a->h.bof < sizeof length || n > a->h.eof - a->h.bof - sizeof length)
		return err_set(e, ERR_CORRUPT, "history: a record runs past the newest one");
	a->h.bof += sizeof length + n;
	a->h.records_lost++;
	return 0;
}

static int make_room(struct append *a, struct err *e)
{
	while (ring_size(&a->h) - (a->h.eof - a->h.bof) <= a->size) {
		if (advance_bof(a, e) < 0)
			return -1;
	}
	a->at = log_to_phys(&a->h, a->h.eof);
	a->first = min64(a->size, a->h.phys_max_off - a->at);
	a->h.eof += a->size;
	return 0;
}

/* The part of [at, at + n) that lies in the block at `start` gets its bytes. */
static void lay(uint8_t *block, uint64_t start, uint64_t block_size, uint64_t at,
		const uint8_t *from, uint64_t n)
{
	uint64_t lo = max64(at, start), hi = min64(at + n, start + block_size);

	if (lo < hi)
		memcpy(block + (lo - start), from + (lo - at), hi - lo);
}

static int write_block(struct append *a, struct tree *t, uint64_t blkid, struct err *e)
{
	uint64_t size = a->o.dn.block_size;
	uint8_t *to;

	if (tree_reserve(t, &to, e) < 0 || object_read(&a->o, blkid * size, to, size, e) < 0)
		return -1;
	lay(to, blkid * size, size, a->at, a->record, a->first);
	lay(to, blkid * size, size, a->h.pool_create_len, a->record + a->first, a->size - a->first);
	return tree_submit(t, blkid, 1, e);
}

/* Blocks ascending: what came around lies before what did not. */
static int write_ring(struct append *a, struct tree *t, struct err *e)
{
	uint64_t size = a->o.dn.block_size, next = 0, last = (a->at + a->first - 1) / size;

	if (a->size > a->first) {
		uint64_t end = a->h.pool_create_len + a->size - a->first - 1;

		for (next = a->h.pool_create_len / size; next <= end / size; next++) {
			if (write_block(a, t, next, e) < 0)
				return -1;
		}
	}
	for (next = max64(next, a->at / size); next <= last; next++) {
		if (write_block(a, t, next, e) < 0)
			return -1;
	}
	return tree_finish(t, last, e);
}

static int ring_done(void *ctx, struct tree *t, struct err *e)
{
	struct append *a = ctx;

	(void)e;
	tree_result(t, &a->dn);
	return 0;
}

static int rewrite(struct pool_tx *tx, struct append *a, struct err *e)
{
	struct tree_options how = {
		.old = &a->o,
		.type = a->o.dn.type,
		.indirect_shift = a->o.dn.indirect_shift,
		.nblkptr = a->o.dn.nblkptr,
		.block_size = a->o.dn.block_size,
		.done = ring_done,
		.done_ctx = a,
	};
	uint8_t	     bonus[HISTORY_SIZE];
	struct tree *t;
	int	     rc = -1;

	objset_write_tree(tx->mos, &how);
	if (tree_new(&how, &t, e) < 0)
		return -1;
	a->dn = a->o.dn;
	if (write_ring(a, t, e) == 0 && block_writer_drain(tx->writer, e) == 0)
		rc = 0;
	/* after an error nothing of it is placed any more: the pipeline's errors stick */
	tree_free(t);
	if (rc < 0)
		return -1;
	history_encode(&a->h, wbytes_of(bonus, sizeof bonus, ORDER_NATIVE));
	a->dn.bonus = bytes_of(bonus, sizeof bonus, ORDER_NATIVE);
	return objset_write_put(tx->mos, a->o.number, &a->dn, e);
}

int pool_tx_append_history(struct pool_tx *tx, struct err *e)
{
	struct append a = { 0 };
	uint8_t	     *record = NULL;
	uint64_t      number;
	int	      rc = -1;

	/* Pools before version 4 have none. */
	if (tx->history == NULL || !pool_tx_directory(tx, "history", &number))
		return 0;
	if (object_open(objset_write_old(tx->mos), number, &a.o, e) < 0)
		return -1;
	if (history_decode(a.o.dn.bonus, &a.h, e) < 0 ||
	    pack_record(tx, tx->history, &record, &a.size, e) < 0)
		goto out;
	a.record = record;
	if (check_ring(&a, e) < 0 || make_room(&a, e) < 0)
		goto out;
	rc = rewrite(tx, &a, e);
out:
	free(record);
	object_close(&a.o);
	return rc < 0 ? err_in(e, "history") : 0;
}
