/*
 * Bad copies become findings: one for each block and each dataset or snapshot that holds the block,
 * with every bad copy of it in the sentence.
 */
#include <inttypes.h>

#include "core/base/mem.h"
#include "core/check/check_impl.h"

/* Looking for a block in other datasets costs a look into each; there is an end to it. */
enum { LOOKS_MAX = 200000 };

static const char *loss_text(const struct check_damage *d)
{
	return d->lost ? "no good copy" : "another copy is good";
}

static enum finding_code code_of(const struct check_damage *d)
{
	if (!d->lost)
		return FINDING_COPY_BAD;
	if (d->where.level == 0 && (d->type == OT_PLAIN_FILE || d->type == OT_ZVOL))
		return FINDING_DATA_LOST;
	return FINDING_METADATA_LOST;
}

/* Damages [first, past) are of one block. */
static void put_copies(const struct check_damage *first, const struct check_damage *past,
		       struct text *t)
{
	for (const struct check_damage *d = first; d < past; d++)
		text_put(t, "%scopy %u at vdev %u offset %" PRIx64 " size %x: %s",
			 d > first ? ", " : "", d->copy, d->vdev, d->offset, d->psize,
			 d->cksum ? "checksum" : "cannot be read");
}

static void say(struct check *c, const struct check_dataset *ds, const struct check_damage *first,
		const struct check_damage *past)
{
	char	    where[WHERE_TEXT], block[FINDING_TEXT / 4], copies[FINDING_TEXT / 2];
	struct text w = text_in(where, sizeof where), b = text_in(block, sizeof block),
		    k = text_in(copies, sizeof copies);

	check_where(c, ds, first->where.level >= LEVEL_LOG ? 0 : first->where.object, first->type,
		    &w);
	check_block_text(c, &first->where, first->lsize, &b);
	put_copies(first, past, &k);
	check_found(c, code_of(first), where, "%s: %s; %s", block, loss_text(first), copies);
}

/* Does this dataset's object have the block at the same place? */
static bool holds(struct objset *os, const struct check_damage *d)
{
	struct object o;
	struct blkptr bp = { 0 };
	bool	      same;

	if (object_open(os, d->where.object, &o, NULL) < 0)
		return false;
	if (d->where.blkid == BLKID_SPILL)
		bp = o.dn.spill;
	else if (object_blkptr(&o, d->where.level, d->where.blkid, &bp, NULL) < 0)
		bp = (struct blkptr){ 0 };
	same = bp.birth == d->birth && !bp.embedded && bp.dva[d->copy].asize != 0 &&
	       bp.dva[d->copy].vdev == d->vdev && bp.dva[d->copy].offset == d->offset;
	object_close(&o);
	return same;
}

static bool open_objset(struct check *c, const struct check_dataset *one, struct objset *os)
{
	struct dataset ds;

	return dataset_open_object(c->pool, one->object, &ds, NULL) == 0 &&
	       dataset_objset(&ds, os, NULL) == 0;
}

static const struct check_damage *next_block(const struct check *c, const struct check_damage *d)
{
	const struct check_damage *end = c->damages + c->damage_count;

	while (d < end && !d->last)
		d++;
	return d < end ? d + 1 : end;
}

/* All that one dataset holds; `own`: visited there, else shared with where it was visited. */
static int say_dataset(struct check *c, const struct check_dataset *ds, uint64_t *looks,
		       struct err *e)
{
	const struct check_damage *end = c->damages + c->damage_count, *past;
	struct objset		   os;
	bool			   open = false, failed = false;

	if (e != NULL && check_tick(c, e) < 0)
		return -1;
	for (const struct check_damage *d = c->damages; d < end; d = past) {
		bool own = d->where.objset == ds->object;

		past = next_block(c, d);
		if (!own && (d->where.objset == 0 || d->where.level >= LEVEL_LOG || failed))
			continue;
		if (!own) {
			if (*looks == LOOKS_MAX)
				continue;
			if (++*looks % 1024 == 0 && e != NULL && check_tick(c, e) < 0)
				return -1;
			if (!open)
				failed = !open_objset(c, ds, &os);
			open = true;
			if (failed || !holds(&os, d))
				continue;
		}
		say(c, ds, d, past);
	}
	return 0;
}

/* What belongs to the MOS, or to a dataset that is not in the list. */
static void say_mos(struct check *c)
{
	const struct check_damage *end = c->damages + c->damage_count, *past;

	for (const struct check_damage *d = c->damages; d < end; d = past) {
		past = next_block(c, d);
		if (d->where.objset == 0)
			say(c, NULL, d, past);
	}
}

int check_damages(struct check *c, struct err *e)
{
	uint64_t looks = 0;

	if (c->damage_count == 0)
		return 0;
	say_mos(c);
	for (size_t i = 0; i < c->dataset_count; i++) {
		if (say_dataset(c, &c->datasets[i], &looks, e) < 0)
			return -1;
	}
	if (c->damages_unlisted > 0)
		check_found(c, FINDING_UNLISTED, pool_name(c->pool),
			    "%" PRIu64 " more copies are bad than are listed", c->damages_unlisted);
	if (looks == LOOKS_MAX)
		check_found(
			c, FINDING_UNLISTED, pool_name(c->pool),
			"not every dataset was searched for the blocks that it shares with others");
	return 0;
}
