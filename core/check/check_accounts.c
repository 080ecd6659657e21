/*
 * The accounts of datasets and their directories, against the blocks that were visited.
 *
 * A dataset refers to what the snapshot before it did, less what its deadlist has of that, plus
 * what was born since. Everything born in a directory's dataset and snapshots is the directory's.
 * Source: OpenZFS dsl_dataset.c (dsl_dataset_block_born, dsl_dataset_block_kill), dsl_dir.h
 * (dd_used_breakdown).
 */
#include <inttypes.h>

#include "core/check/check_impl.h"
#include "formats/base/limits.h"

static void compare(struct check *c, const char *name, enum finding_code code, const char *what,
		    uint64_t stored, uint64_t counted)
{
	if (stored != counted)
		check_found(c, code, name,
			    "%s: %" PRIu64 " bytes are recorded, %" PRIu64 " counted", what, stored,
			    counted);
}

static void check_dataset(struct check *c, const struct check_dataset *one,
			  const struct dataset *ds)
{
	const struct dsl_dataset *p = &ds->phys;
	struct check_sums	  before = { 0 };
	struct deadlist_sums	  dead;
	struct dataset		  prev;
	char			  name[WHERE_TEXT];
	struct text		  t = text_in(name, sizeof name);

	if (deadlist_sums(c->pool, p->deadlist, &dead, NULL) < 0)
		return;
	if (p->prev_snap != 0) {
		if (dataset_open_object(c->pool, p->prev_snap, &prev, NULL) < 0)
			return;
		before = (struct check_sums){ prev.phys.used, prev.phys.compressed,
					      prev.phys.uncompressed };
	}
	text_name(&t, one->name, strlen(one->name));
	compare(c, name, FINDING_USED, "referenced", p->used,
		before.used + one->born.used - dead.used);
	if (dead.full) {
		compare(c, name, FINDING_USED, "compressed", p->compressed,
			before.compressed + one->born.compressed - dead.comp);
		compare(c, name, FINDING_USED, "uncompressed", p->uncompressed,
			before.uncompressed + one->born.uncompressed - dead.uncomp);
	}
	if (!ds->snapshot && (p->flags & DATASET_FLAG_UNIQUE_ACCURATE) != 0)
		compare(c, name, FINDING_USED, "unique", p->unique, one->born.used);
}

/* A dataset's directory; its snapshots follow it in the list. */
static void check_dir(struct check *c, size_t head, const struct dataset *ds)
{
	const struct dsl_dir *d = &ds->dir;
	uint64_t	      born = 0, parts = 0;
	char		      name[WHERE_TEXT];
	struct text	      t = text_in(name, sizeof name);

	for (size_t i = head; i < c->dataset_count && c->datasets[i].dir == c->datasets[head].dir;
	     i++) {
		if (!c->datasets[i].whole)
			return;
		born += c->datasets[i].born.used;
	}
	if ((d->flags & DSL_DIR_FLAG_USED_BREAKDOWN) == 0)
		return;
	text_name(&t, ds->name, strlen(ds->name));
	for (int i = 0; i < USED_COUNT; i++)
		parts += d->used_by[i];
	compare(c, name, FINDING_DIR_USED, "used by dataset and snapshots",
		d->used_by[USED_HEAD] + d->used_by[USED_SNAP], born);
	if (parts != d->used)
		check_found(c, FINDING_DIR_USED, name,
			    "its used space of %" PRIu64
			    " bytes is not the sum of its parts, %" PRIu64,
			    d->used, parts);
}

int check_accounts(struct check *c, struct err *e)
{
	for (size_t i = 0; i < c->dataset_count; i++) {
		const struct check_dataset *one = &c->datasets[i];
		struct dataset		    ds;

		if (i % 256 == 0 && check_tick(c, e) < 0)
			return -1;
		if (!one->whole || dataset_open_object(c->pool, one->object, &ds, NULL) < 0)
			continue;
		check_dataset(c, one, &ds);
		if (!one->snapshot)
			check_dir(c, i, &ds);
	}
	return 0;
}
