/*
 * Every block of the pool, once: the MOS, then of each dataset and snapshot what the snapshot
 * before it does not hold. What a block claims, how large it is and that it is to be verified is
 * noted here.
 */
#include "core/base/mem.h"
#include "core/check/check_impl.h"
#include "formats/codec/compress.h"

/* -- one block -------------------------------------------------------------------------------- */

struct claiming {
	struct check *c;
	bool	      maybe, shared;
	struct err   *e;
};

static int claim_range(void *ctx, uint32_t vdev, uint64_t offset, uint64_t asize, unsigned copy)
{
	struct claiming *k = ctx;
	struct check	*c = k->c;

	(void)copy;
	if (vdev >= c->vdev_count || offset > c->claims[vdev].limit ||
	    asize > c->claims[vdev].limit - offset) {
		c->outside += !k->maybe;
		return 0;
	}
	return claims_add(k->maybe ? &c->maybe[vdev] : &c->claims[vdev], offset, asize, k->shared,
			  k->e);
}

int check_claim(struct check *c, const struct blkptr *bp, const struct block_where *where,
		bool maybe, struct err *e)
{
	struct claiming k = { .c = c, .maybe = maybe, .shared = bp->dedup || c->cloning, .e = e };
	struct err	why = { 0 };
	int		rc = 0;

	if (bp->dva[0].gang)
		rc = block_ranges(c->reader, bp, where, claim_range, &k, &why);
	else
		for (unsigned i = 0; rc == 0 && i < BLKPTR_DVAS; i++)
			if (bp->dva[i].asize != 0)
				rc = claim_range(&k, bp->dva[i].vdev, bp->dva[i].offset,
						 bp->dva[i].asize, i);
	if (rc == 0 || why.kind == ERR_NONE)
		return rc;
	/* A gang header that cannot be read: the scrub tells of it, the space below is not known.
	 */
	c->unvisited++;
	return 0;
}

/*
 * An embedded pointer stores nothing.
 * Source: OpenZFS dsl_dataset.c (dsl_dataset_block_born), spa.h (BP_GET_PSIZE, BP_GET_UCSIZE).
 */
static void add_up(struct check_sums *sums, const struct blkptr *bp)
{
	bool	 metadata = bp->level > 0 || objtype_is_metadata(bp->type);
	uint64_t stored = bp->embedded ? 0 : bp->psize;

	sums->used += bp->embedded ? 0 : blkptr_asize(bp);
	sums->compressed += stored;
	sums->uncompressed += metadata ? stored : bp->lsize;
}

static bool is_contents(const struct blkptr *bp)
{
	return bp->level == 0 && (bp->type == OT_PLAIN_FILE || bp->type == OT_ZVOL);
}

int check_one_block(void *check, const struct blkptr *bp, const struct block_where *where,
		    bool verified, struct err *e)
{
	struct check *c = check;

	if (c->current != NULL)
		add_up(&c->current->born, bp);
	if (bp->embedded)
		return 0;
	if (check_claim(c, bp, where, false, e) < 0)
		return -1;
	if (c->o->metadata_only && is_contents(bp))
		return 0;
	return scrub_add(c->scrub, bp, where, verified, e);
}

/* What cannot be entered. A block without a good copy is the scrub's to tell of. */
static int not_entered(void *check, const struct blkptr *bp, const struct block_where *where,
		       bool damaged, const struct err *why, struct err *e)
{
	struct check *c = check;
	char	      name[WHERE_TEXT], block[FINDING_TEXT / 2];
	struct text   t = text_in(name, sizeof name), b = text_in(block, sizeof block);
	bool	      said = damaged || c->unvisited >= LINES_MAX;

	(void)e;
	c->unvisited++;
	if (c->current != NULL) {
		c->current->whole = false;
		/* One sentence for all the blocks of an encrypted dataset. */
		if (why->kind == ERR_UNSUPPORTED) {
			said |= c->current->unsupported;
			c->current->unsupported = true;
		}
	}
	if (said)
		return 0;
	check_where(c, c->current, where->level == LEVEL_OBJSET ? 0 : where->object, OT_NONE, &t);
	check_block_text(c, where, 0, &b);
	check_found(c, why->kind == ERR_UNSUPPORTED ? FINDING_NOT_CHECKED : FINDING_STRUCTURE, name,
		    "%s%s%s", bp != NULL ? block : "", bp != NULL ? ": " : "", why->text);
	return 0;
}

/* -- datasets --------------------------------------------------------------------------------- */

static int add_dataset(struct check *c, const struct dataset *ds, struct err *e)
{
	struct check_dataset *one;

	if (mem_grow(&c->datasets, &c->dataset_cap, c->dataset_count + 1, sizeof *c->datasets,
		     e) < 0)
		return -1;
	one = &c->datasets[c->dataset_count];
	*one = (struct check_dataset){
		.object = ds->object, .dir = ds->dir_object, .snapshot = ds->snapshot, .whole = true
	};
	one->name = mem_copy_text(ds->name, strlen(ds->name), e);
	if (one->name == NULL)
		return -1;
	c->dataset_count++;
	return 0;
}

static int walk_dataset(void *ctx, struct dataset *ds, const struct err *failed, struct err *e)
{
	struct check	 *c = ctx;
	struct zil_header log;
	char		  name[WHERE_TEXT];
	struct text	  t = text_in(name, sizeof name);

	if (failed != NULL) {
		c->unvisited++;
		text_name(&t, ds->name, strlen(ds->name));
		check_found(c,
			    failed->kind == ERR_UNSUPPORTED ? FINDING_NOT_CHECKED : FINDING_DATASET,
			    name, "%s", failed->text);
		return failed->kind == ERR_NOMEM ? err_nomem(e) : 0;
	}
	if (check_tick(c, e) < 0 || add_dataset(c, ds, e) < 0)
		return -1;
	c->current = &c->datasets[c->dataset_count - 1];
	c->walk.min_txg = ds->phys.prev_snap_txg;
	if (walk_objset(&c->walk, &ds->phys.bp, ds->object, &log, e) < 0)
		return -1;
	return ds->snapshot ? 0 : check_log(c, c->current, &log, e);
}

static void say_outside(struct check *c)
{
	if (c->outside > 0)
		check_found(c, FINDING_SPACE_OUTSIDE, pool_name(c->pool),
			    "%llu addresses of blocks are of no device or past its end",
			    (unsigned long long)c->outside);
}

static void say_unsupported(struct check *c)
{
	uint64_t n = scrub_counts(c->scrub)->unsupported;

	if (n > 0)
		check_found(c, FINDING_NOT_CHECKED, pool_name(c->pool),
			    "%llu blocks have checksums that cannot be computed here",
			    (unsigned long long)n);
}

int check_blocks(struct check *c, struct err *e)
{
	struct dsl_walk	  all = { .snapshots = true, .hidden = true };
	struct zil_header log;

	c->walk.fn = check_one_block;
	c->walk.lost = not_entered;
	c->walk.ctx = c;
	if (walk_objset(&c->walk, &pool_uberblock(c->pool)->rootbp, 0, &log, e) < 0 ||
	    dataset_each(c->pool, &all, walk_dataset, c, e) < 0)
		return -1;
	c->current = NULL;
	if (check_lists(c, e) < 0 || scrub_flush(c->scrub, e) < 0)
		return -1;
	say_outside(c);
	say_unsupported(c);
	return 0;
}

/* -- owners ----------------------------------------------------------------------------------- */

struct owners {
	struct check	    *c;
	unsigned	     vdev;
	const struct ranges *ranges;
	check_owner_fn	    *fn;
	void		    *ctx;
	bool		     hit;
};

static int hits(void *ctx, uint32_t vdev, uint64_t offset, uint64_t asize, unsigned copy)
{
	struct owners *o = ctx;
	size_t	       i = ranges_find(o->ranges, offset);
	uint64_t       end;

	(void)copy;
	o->hit |= vdev == o->vdev && i < o->ranges->count &&
		  !__builtin_add_overflow(offset, asize, &end) && o->ranges->list[i].start < end;
	return 0;
}

static int owner_block(void *ctx, const struct blkptr *bp, const struct block_where *where,
		       bool verified, struct err *e)
{
	struct owners *o = ctx;

	(void)verified;
	o->hit = false;
	if (bp->embedded || block_ranges(o->c->reader, bp, where, hits, o, NULL) < 0 || !o->hit)
		return 0;
	return o->fn(o->ctx, o->c->current, bp, where, e);
}

static int owner_lost(void *ctx, const struct blkptr *bp, const struct block_where *where,
		      bool damaged, const struct err *why, struct err *e)
{
	(void)ctx, (void)bp, (void)where, (void)damaged, (void)why, (void)e;
	return 0;
}

int check_owners(struct check *c, unsigned vdev, const struct ranges *ranges, check_owner_fn *fn,
		 void *ctx, struct err *e)
{
	struct owners o = { .c = c, .vdev = vdev, .ranges = ranges, .fn = fn, .ctx = ctx };
	struct walk   w = { .reader = c->reader, .fn = owner_block, .lost = owner_lost, .ctx = &o };
	struct zil_header log;
	struct dataset	  ds;
	int		  rc;

	c->current = NULL;
	rc = walk_objset(&w, &pool_uberblock(c->pool)->rootbp, 0, &log, e);
	for (size_t i = 0; rc == 0 && i < c->dataset_count; i++) {
		c->current = &c->datasets[i];
		if (dataset_open_object(c->pool, c->current->object, &ds, NULL) < 0)
			continue;
		w.min_txg = ds.phys.prev_snap_txg;
		rc = check_tick(c, e);
		if (rc == 0)
			rc = walk_objset(&w, &ds.phys.bp, ds.object, &log, e);
	}
	c->current = NULL;
	walk_fini(&w);
	return rc;
}
