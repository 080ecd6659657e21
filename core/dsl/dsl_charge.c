/*
 * Charging: what a dataset uses more is its directory's, and its parents' up to the root. A
 * directory with a reservation costs its parent at least that much, whatever it uses.
 * Source: OpenZFS dsl_dir.c (dsl_dir_diduse_space, dsl_dir_diduse_transfer_space, parent_delta).
 */
#include "core/dsl/dsl_write_impl.h"
#include "formats/base/limits.h"

static void add(uint64_t *to, int64_t delta)
{
	*to += (uint64_t)delta;
}

/* One directory; *c becomes what its parent is charged. */
static int charge_one(struct pool_tx *tx, uint64_t number, struct dsl_change *c, uint64_t *parent,
		      struct err *e)
{
	struct dsl_dir dir;
	uint64_t       before;
	int64_t	       up;

	if (dsl_get_dir(tx, number, &dir, e) < 0)
		return -1;
	before = max64(dir.used, dir.reserved);
	add(&dir.used, c->used);
	add(&dir.compressed, c->comp);
	add(&dir.uncompressed, c->uncomp);
	for (unsigned k = 0; dir.flags & DSL_DIR_FLAG_USED_BREAKDOWN && k < USED_COUNT; k++)
		add(&dir.used_by[k], c->by[k]);
	up = (int64_t)(max64(dir.used, dir.reserved) - before);
	*c = (struct dsl_change){
		.used = up, .comp = c->comp, .uncomp = c->uncomp,
		.by = { [USED_CHILD] = c->used, [USED_CHILD_RSRV] = up - c->used },
	};
	*parent = dir.parent;
	return dsl_put_dir(tx, number, &dir, e);
}

int dsl_charge(struct pool_tx *tx, uint64_t dir, const struct dsl_change *c, struct err *e)
{
	struct dsl_change change = *c;

	for (int depth = 0; dir != 0; depth++) {
		if (depth > DATASET_DEPTH_MAX + 1)
			return err_set(e, ERR_CORRUPT, "DSL directories form a loop");
		if (charge_one(tx, dir, &change, &dir, e) < 0)
			return err_in(e, "DSL directory %llu", (unsigned long long)dir);
	}
	return 0;
}

int dsl_charge_mos(struct pool_tx *tx, uint64_t dir, const struct space *mos, struct err *e)
{
	struct dsl_change c = { mos->used, mos->comp, mos->uncomp, { [USED_HEAD] = mos->used } };

	return dsl_charge(tx, dir, &c, e);
}
