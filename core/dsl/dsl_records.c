/*
 * Records and ZAPs of the dataset layer while they are being changed. A record is an object's
 * bonus: it is changed where it stands, in the MOS's dnode. ZAPs are read whole and written by
 * dsl_zaps_write, once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/dmu/zap_read.h"
#include "core/dsl/dsl_write_impl.h"
#include "formats/base/limits.h"

static int no_record(uint64_t number, const char *kind, struct err *e)
{
	return err_set(e, ERR_CORRUPT, "MOS object %llu is no %s", (unsigned long long)number,
		       kind);
}

/* -- records ----------------------------------------------------------------------------------- */

int dsl_get_dir(struct pool_tx *tx, uint64_t number, struct dsl_dir *out, struct err *e)
{
	struct dnode dn;

	if (objset_write_get(pool_tx_mos(tx), number, &dn, e) < 0)
		return -1;
	if (dn.bonus_type != OT_DSL_DIR)
		return no_record(number, "dataset directory", e);
	return dsl_dir_decode(dn.bonus, out, e);
}

int dsl_get_dataset(struct pool_tx *tx, uint64_t number, struct dsl_dataset *out, struct err *e)
{
	struct dnode dn;

	if (objset_write_get(pool_tx_mos(tx), number, &dn, e) < 0)
		return -1;
	if (dn.bonus_type != OT_DSL_DATASET)
		return no_record(number, "dataset", e);
	return dsl_dataset_decode(dn.bonus, out, e);
}

int dsl_put_dir(struct pool_tx *tx, uint64_t number, const struct dsl_dir *dir, struct err *e)
{
	uint8_t	     bonus[DSL_DIR_SIZE];
	struct dnode dn;

	if (objset_write_get(pool_tx_mos(tx), number, &dn, e) < 0)
		return -1;
	dsl_dir_encode(dir, wbytes_of(bonus, sizeof bonus, dn.bonus.order));
	dn.bonus = bytes_of(bonus, sizeof bonus, dn.bonus.order);
	return objset_write_put(pool_tx_mos(tx), number, &dn, e);
}

int dsl_put_dataset(struct pool_tx *tx, uint64_t number, const struct dsl_dataset *ds,
		    struct err *e)
{
	uint8_t	     bonus[DSL_DATASET_SIZE];
	struct dnode dn;

	if (objset_write_get(pool_tx_mos(tx), number, &dn, e) < 0)
		return -1;
	dsl_dataset_encode(ds, wbytes_of(bonus, sizeof bonus, dn.bonus.order));
	dn.bonus = bytes_of(bonus, sizeof bonus, dn.bonus.order);
	return objset_write_put(pool_tx_mos(tx), number, &dn, e);
}

int dsl_new_number(struct pool_tx *tx, uint64_t *number, struct err *e)
{
	return objset_write_alloc(pool_tx_mos(tx), OBJECT_SETTLES_SOON, number, e);
}

/* An object that is nothing but its record. */
static int put_new(struct dsl_write *w, uint64_t number, uint8_t type, struct bytes record,
		   struct err *e)
{
	struct object_spec spec = { .number = number,
				    .type = type,
				    .bonus_type = type,
				    .bonus = record,
				    .block_size = BLOCK_MIN };

	if (mem_grow(&w->made, &w->made_cap, w->made_count + 1, sizeof w->made[0], e) < 0)
		return -1;
	w->made[w->made_count++] = number;
	return object_write_bytes(pool_tx_mos(w->tx), &spec, NULL, 0, e);
}

int dsl_new_dir(struct dsl_write *w, uint64_t number, const struct dsl_dir *dir, struct err *e)
{
	uint8_t bonus[DSL_DIR_SIZE];

	dsl_dir_encode(dir, wbytes_of(bonus, sizeof bonus, ORDER_NATIVE));
	return put_new(w, number, OT_DSL_DIR, bytes_of(bonus, sizeof bonus, ORDER_NATIVE), e);
}

int dsl_new_dataset(struct dsl_write *w, uint64_t number, const struct dsl_dataset *ds,
		    struct err *e)
{
	uint8_t bonus[DSL_DATASET_SIZE];

	dsl_dataset_encode(ds, wbytes_of(bonus, sizeof bonus, ORDER_NATIVE));
	return put_new(w, number, OT_DSL_DATASET, bytes_of(bonus, sizeof bonus, ORDER_NATIVE), e);
}

/* -- ZAPs -------------------------------------------------------------------------------------- */

/* Takes `edit`, also on failure. */
static int keep(struct dsl_write *w, struct zap_edit *edit, bool record, struct err *e)
{
	struct dsl_zap *z = mem_zero(sizeof *z, e);

	if (z == NULL ||
	    idmap_put(&w->zap_index, zap_edit_number(edit), (uint64_t)(uintptr_t)edit, e) < 0) {
		free(z);
		zap_edit_free(edit);
		return -1;
	}
	*z = (struct dsl_zap){ .next = w->zaps, .edit = edit, .record = record };
	w->zaps = z;
	return 0;
}

static struct zap_edit *kept(const struct dsl_write *w, uint64_t number)
{
	uint64_t p = 0;

	idmap_get(&w->zap_index, number, &p);
	return (struct zap_edit *)(uintptr_t)p;
}

static int begin(struct dsl_write *w, uint64_t number, uint8_t type, bool record,
		 struct zap_edit **out, struct err *e)
{
	if (zap_edit_new(pool_tx_mos(w->tx), number, type,
			 pool_tx_salt(w->tx, "zap", number) | 1, out, e) < 0)
		return -1;
	return keep(w, *out, record, e);
}

int dsl_zap_new(struct dsl_write *w, uint8_t type, uint64_t *number, struct zap_edit **out,
		struct err *e)
{
	if (dsl_new_number(w->tx, number, e) < 0)
		return -1;
	return begin(w, *number, type, false, out, e);
}

int dsl_zap(struct dsl_write *w, uint64_t number, struct zap_edit **out, struct err *e)
{
	*out = kept(w, number);
	if (*out != NULL)
		return 0;
	if (zap_edit_open(pool_tx_mos(w->tx), number, out, e) < 0)
		return -1;
	return keep(w, *out, false, e);
}

struct numbers {
	dsl_number_fn *fn;
	void	      *ctx;
};

static int give_number(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct numbers *n = ctx;

	if (entry->int_size != 8 || entry->value.n != 8)
		return err_set(e, ERR_CORRUPT, "an entry that is no number");
	return n->fn(n->ctx, (const char *)entry->name.p, entry->name.n, zap_entry_int(entry, 0),
		     e);
}

int dsl_zap_numbers(struct dsl_write *w, uint64_t number, dsl_number_fn *fn, void *ctx,
		    struct err *e)
{
	struct zap_edit *z = kept(w, number);
	struct numbers	 n = { fn, ctx };

	if (z == NULL)
		return zap_each_at(pool_mos(pool_tx_pool(w->tx)), number, give_number, &n, e);
	for (size_t i = 0; i < zap_edit_count(z); i++) {
		const struct zap_item *item = zap_edit_item(z, i);
		uint64_t	       value = 0;

		if (item->int_size == 8 && item->value_count == 1)
			memcpy(&value, item->value, sizeof value);
		if (fn(ctx, item->name, item->name_size, value, e) < 0)
			return -1;
	}
	return 0;
}

int dsl_zap_get(struct dsl_write *w, uint64_t number, const char *name, uint64_t *value,
		struct err *e)
{
	struct zap_edit *z = kept(w, number);

	if (z == NULL)
		return zap_u64_at(pool_mos(pool_tx_pool(w->tx)), number, name, value, e);
	return zap_edit_get(z, name, value) ? 0 : err_set(e, ERR_NOTFOUND, "no entry %s", name);
}

int dsl_has_record_zap(struct dsl_write *w, uint64_t number, bool *has, struct err *e)
{
	struct dnode dn;

	*has = kept(w, number) != NULL;
	if (*has)
		return 0;
	if (objset_write_get(pool_tx_mos(w->tx), number, &dn, e) < 0)
		return -1;
	*has = dn.type != OT_DSL_DATASET && dn.type != OT_DSL_DIR;
	return 0;
}

int dsl_record_entry(struct dsl_write *w, uint64_t number, const char *name, uint64_t *value,
		     struct err *e)
{
	struct err why = { 0 };
	bool	   has;

	if (dsl_has_record_zap(w, number, &has, e) < 0)
		return -1;
	if (!has)
		return 0;
	if (dsl_zap_get(w, number, name, value, &why) == 0)
		return 1;
	return why.kind == ERR_NOTFOUND ? 0 : err_set(e, why.kind, "%s", why.text);
}

/* Source: OpenZFS dmu_object.c, dmu_object_zapify. */
int dsl_record_zap(struct dsl_write *w, uint64_t number, struct zap_edit **out, struct err *e)
{
	struct dnode dn;

	*out = kept(w, number);
	if (*out != NULL)
		return 0;
	if (objset_write_get(pool_tx_mos(w->tx), number, &dn, e) < 0)
		return -1;
	if (dn.type != OT_DSL_DATASET && dn.type != OT_DSL_DIR) {
		if (zap_edit_open(pool_tx_mos(w->tx), number, out, e) < 0)
			return -1;
		return keep(w, *out, true, e);
	}
	if (pool_tx_feature(w->tx, "com.delphix:extensible_dataset", 1, e) < 0)
		return -1;
	return begin(w, number, OTN_ZAP_METADATA, true, out, e);
}

static int write_one(struct dsl_write *w, const struct dsl_zap *z, struct err *e)
{
	struct dnode dn;

	if (z->record) {
		if (objset_write_get(pool_tx_mos(w->tx), zap_edit_number(z->edit), &dn, e) < 0)
			return -1;
		if (dn.bonus.n > DNODE_OLD_BONUS_MAX)
			return err_set(e, ERR_UNSUPPORTED, "a record of %zu bytes", dn.bonus.n);
		zap_edit_bonus(z->edit, dn.bonus_type, dn.bonus);
	}
	return zap_edit_write(z->edit, e);
}

int dsl_zaps_write(struct dsl_write *w, struct err *e)
{
	for (struct dsl_zap *z = w->zaps; z != NULL; z = z->next) {
		if (write_one(w, z, e) < 0)
			return err_in(e, "MOS object %llu",
				      (unsigned long long)zap_edit_number(z->edit));
	}
	/* Their dnodes are complete when this returns: records may be changed in place again. */
	return block_writer_drain(pool_tx_writer(w->tx), e);
}

void dsl_zaps_fini(struct dsl_write *w)
{
	while (w->zaps != NULL) {
		struct dsl_zap *z = w->zaps;

		w->zaps = z->next;
		zap_edit_free(z->edit);
		free(z);
	}
	idmap_fini(&w->zap_index);
}

/* -- sets of objects --------------------------------------------------------------------------- */

int dsl_set_add(struct zap_edit *z, uint64_t object, struct err *e)
{
	char name[20];

	snprintf(name, sizeof name, "%llx", (unsigned long long)object);
	return zap_edit_set(z, name, object, e);
}

int dsl_set_remove(struct zap_edit *z, uint64_t object, struct err *e)
{
	char name[20];

	snprintf(name, sizeof name, "%llx", (unsigned long long)object);
	return zap_edit_remove(z, name, strlen(name), e);
}
