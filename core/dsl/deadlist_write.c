/* Deadlists: which list a block goes to, and the lists of the next deadlist after a snapshot. */
#include "core/dsl/deadlist_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/dmu/zap_read.h"
#include "core/dsl/bpobj_write.h"
#include "core/pool/layout.h"

#define EMPTY_BPOBJ "com.delphix:empty_bpobj" /* the feature */

struct dead_list {
	uint64_t	    key, object;
	struct bpobj_write *out; /* when something was added */
};

struct deadlist {
	struct dsl_write   *w;
	uint64_t	    number;
	bool		    old_form; /* lists[0] alone, in the object itself */
	struct dead_list   *lists;    /* by key */
	size_t		    count, cap;
	struct dsl_deadlist head;
	bool		    changed;
};

/* -- the pool's empty list --------------------------------------------------------------------- */

static int use_empty(struct dsl_write *w, uint64_t *number, struct err *e)
{
	if (!pool_tx_directory(w->tx, "empty_bpobj", number) &&
	    (bpobj_make(w->tx, number, e) < 0 ||
	     pool_tx_set_directory(w->tx, "empty_bpobj", *number, e) < 0))
		return -1;
	w->empty_refs++;
	return 0;
}

int deadlist_settle_empty(struct dsl_write *w, struct err *e)
{
	uint64_t number, count;

	if (!pool_tx_feature_count(w->tx, EMPTY_BPOBJ, &count))
		return 0;
	if (w->empty_refs != 0 && pool_tx_feature(w->tx, EMPTY_BPOBJ, w->empty_refs, e) < 0)
		return -1;
	w->empty_refs = 0;
	if (!pool_tx_feature_count(w->tx, EMPTY_BPOBJ, &count) || count > 0 ||
	    !pool_tx_directory(w->tx, "empty_bpobj", &number))
		return 0;
	/* Whoever makes the next one expects that there is none. */
	if (pool_tx_clear_directory(w->tx, "empty_bpobj", e) < 0)
		return -1;
	return objset_write_remove(pool_tx_mos(w->tx), number, e);
}

/* -- making ------------------------------------------------------------------------------------ */

int deadlist_make(struct dsl_write *w, uint64_t *number, struct err *e)
{
	uint8_t		    header[DSL_DEADLIST_SIZE];
	struct dsl_deadlist head = { 0 };
	struct zap_edit	   *z;

	if (!pool_layout_of(pool_tx_version(w->tx)).deadlist_maps)
		return bpobj_make(w->tx, number, e);
	dsl_deadlist_encode(&head, wbytes_of(header, sizeof header, ORDER_NATIVE));
	if (dsl_zap_new(w, OT_DEADLIST, number, &z, e) < 0)
		return -1;
	zap_edit_bonus(z, OT_DEADLIST_HDR, bytes_of(header, sizeof header, ORDER_NATIVE));
	return 0;
}

static int set_key(struct zap_edit *z, uint64_t key, uint64_t list, struct err *e)
{
	char name[20];

	snprintf(name, sizeof name, "%llx", (unsigned long long)key);
	return zap_edit_set(z, name, list, e);
}

int deadlist_add_key(struct dsl_write *w, uint64_t number, uint64_t key, bool own, struct err *e)
{
	struct zap_edit *z;
	uint64_t	 list;
	int		 rc;

	if (!pool_layout_of(pool_tx_version(w->tx)).deadlist_maps)
		return 0;
	if (own || !pool_tx_has(w->tx, EMPTY_BPOBJ))
		rc = bpobj_make(w->tx, &list, e);
	else
		rc = use_empty(w, &list, e);
	if (rc < 0 || dsl_zap(w, number, &z, e) < 0)
		return -1;
	return set_key(z, key, list, e);
}

/* -- opening ----------------------------------------------------------------------------------- */

void deadlist_free(struct deadlist *dl)
{
	if (dl == NULL)
		return;
	for (size_t i = 0; i < dl->count; i++)
		bpobj_write_free(dl->lists[i].out);
	free(dl->lists);
	free(dl);
}

static int add_list(struct deadlist *dl, uint64_t key, uint64_t object, struct err *e)
{
	if (mem_grow(&dl->lists, &dl->cap, dl->count + 1, sizeof dl->lists[0], e) < 0)
		return -1;
	dl->lists[dl->count++] = (struct dead_list){ .key = key, .object = object };
	return 0;
}

static int load_key(void *ctx, const char *name, size_t n, uint64_t value, struct err *e)
{
	char	 text[20], *end;
	uint64_t key;

	if (n == 0 || n >= sizeof text)
		return err_set(e, ERR_CORRUPT, "a key of %zu digits", n);
	memcpy(text, name, n);
	text[n] = '\0';
	key = strtoull(text, &end, 16);
	if (*end != '\0')
		return err_set(e, ERR_CORRUPT, "a key that is no number");
	return add_list(ctx, key, value, e);
}

static int by_key(const void *a, const void *b)
{
	const struct dead_list *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

static int load_map(struct deadlist *dl, struct err *e)
{
	struct dnode dn;
	struct err   why = { 0 };

	if (dsl_zap_numbers(dl->w, dl->number, load_key, dl, e) < 0)
		return -1;
	qsort(dl->lists, dl->count, sizeof dl->lists[0], by_key);
	for (size_t i = 1; i < dl->count; i++) {
		if (dl->lists[i].key == dl->lists[i - 1].key)
			return err_set(e, ERR_CORRUPT, "two lists of one key");
	}
	/* One of this transaction has nothing in it yet. */
	if (objset_write_get(pool_tx_mos(dl->w->tx), dl->number, &dn, &why) < 0)
		return why.kind == ERR_NOTFOUND ? 0 : err_set(e, why.kind, "%s", why.text);
	return dsl_deadlist_decode(dn.bonus, &dl->head, e);
}

static int load(struct deadlist *dl, struct err *e)
{
	struct dnode dn;

	if (objset_write_get(pool_tx_mos(dl->w->tx), dl->number, &dn, NULL) == 0 &&
	    dn.bonus_type == OT_BPOBJ_HDR) {
		dl->old_form = true;
		return add_list(dl, 0, dl->number, e);
	}
	return load_map(dl, e);
}

int deadlist_open(struct dsl_write *w, uint64_t number, struct deadlist **out, struct err *e)
{
	struct deadlist *dl = mem_zero(sizeof *dl, e);

	if (dl == NULL)
		return -1;
	dl->w = w;
	dl->number = number;
	if (load(dl, e) < 0) {
		deadlist_free(dl);
		return err_in(e, "deadlist %llu", (unsigned long long)number);
	}
	*out = dl;
	return 0;
}

/* -- filling ----------------------------------------------------------------------------------- */

/* The last list whose key is below the birth. */
static struct dead_list *list_for(struct deadlist *dl, uint64_t birth)
{
	size_t lo = 0, hi = dl->count;

	if (dl->old_form)
		return &dl->lists[0];
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (dl->lists[mid].key < birth)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo == 0 ? NULL : &dl->lists[lo - 1];
}

/* It gets an object of its own when it has the one that stays empty. */
static int open_list(struct deadlist *dl, struct dead_list *l, struct err *e)
{
	uint64_t empty;

	if (pool_tx_directory(dl->w->tx, "empty_bpobj", &empty) && l->object == empty) {
		if (bpobj_make(dl->w->tx, &l->object, e) < 0)
			return -1;
		dl->w->empty_refs--;
	}
	return bpobj_write_open(dl->w->tx, l->object, &l->out, e);
}

int deadlist_insert(struct deadlist *dl, const struct blkptr *bp, struct err *e)
{
	struct dead_list *l = list_for(dl, bp->birth);
	struct space	  s = space_of(bp);

	if (l == NULL)
		return err_set(e, ERR_CORRUPT, "deadlist %llu: none for a block born in txg %llu",
			       (unsigned long long)dl->number, (unsigned long long)bp->birth);
	if (l->out == NULL && open_list(dl, l, e) < 0)
		return -1;
	dl->changed = true;
	dl->head.used += (uint64_t)s.used;
	dl->head.comp += (uint64_t)s.comp;
	dl->head.uncomp += (uint64_t)s.uncomp;
	return bpobj_write_add(l->out, bp, e);
}

static int finish_lists(struct deadlist *dl, struct err *e)
{
	for (size_t i = 0; i < dl->count; i++) {
		if (dl->lists[i].out != NULL && bpobj_write_flush(dl->lists[i].out, e) < 0)
			return -1;
	}
	if (block_writer_drain(pool_tx_writer(dl->w->tx), e) < 0)
		return -1;
	for (size_t i = 0; i < dl->count; i++) {
		if (dl->lists[i].out != NULL && bpobj_write_end(dl->lists[i].out, e) < 0)
			return -1;
	}
	return 0;
}

int deadlist_finish(struct deadlist *dl, struct err *e)
{
	uint8_t		 header[DSL_DEADLIST_SIZE];
	struct zap_edit *z;

	if (!dl->changed)
		return 0;
	if (finish_lists(dl, e) < 0)
		return -1;
	if (dl->old_form)
		return 0;
	if (dsl_zap(dl->w, dl->number, &z, e) < 0)
		return -1;
	for (size_t i = 0; i < dl->count; i++) {
		if (dl->lists[i].out != NULL &&
		    set_key(z, dl->lists[i].key, dl->lists[i].object, e) < 0)
			return -1;
	}
	dsl_deadlist_encode(&dl->head, wbytes_of(header, sizeof header, ORDER_NATIVE));
	zap_edit_bonus(z, OT_DEADLIST_HDR, bytes_of(header, sizeof header, ORDER_NATIVE));
	return 0;
}

static int drop_list(struct deadlist *dl, const struct dead_list *l, struct err *e)
{
	struct objset_write *mos = pool_tx_mos(dl->w->tx);
	uint64_t	     empty;
	struct dnode	     dn;
	struct bpobj	     head;

	if (pool_tx_directory(dl->w->tx, "empty_bpobj", &empty) && l->object == empty) {
		dl->w->empty_refs--;
		return 0;
	}
	if (objset_write_get(mos, l->object, &dn, e) < 0 || bpobj_decode(dn.bonus, &head, e) < 0)
		return -1;
	if (head.size >= BPOBJ_V2_SIZE && head.subobjs != 0)
		return err_set(e, ERR_UNSUPPORTED, "a list of lists");
	return objset_write_drop(mos, l->object, e);
}

int deadlist_drop(struct dsl_write *w, uint64_t number, struct err *e)
{
	struct deadlist *dl;
	int		 rc = 0;

	if (deadlist_open(w, number, &dl, e) < 0)
		return -1;
	for (size_t i = 0; rc == 0 && !dl->old_form && i < dl->count; i++)
		rc = drop_list(dl, &dl->lists[i], e);
	deadlist_free(dl);
	return rc < 0 ? -1 : objset_write_drop(pool_tx_mos(w->tx), number, e);
}

bool deadlist_is_old(const struct deadlist *dl)
{
	return dl->old_form && pool_layout_of(pool_tx_version(dl->w->tx)).deadlist_maps;
}

int deadlist_clone(struct deadlist *dl, uint64_t *number, struct err *e)
{
	if (deadlist_make(dl->w, number, e) < 0)
		return -1;
	for (size_t i = 0; !dl->old_form && i < dl->count; i++) {
		if (deadlist_add_key(dl->w, *number, dl->lists[i].key, false, e) < 0)
			return -1;
	}
	return 0;
}
