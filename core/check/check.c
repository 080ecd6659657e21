/* A check from the first label to the last account: the order of its phases, and how findings
 * leave. */
#include <stdio.h>

#include "core/base/mem.h"
#include "core/check/check_impl.h"
#include "formats/base/limits.h"

void check_found(struct check *c, enum finding_code code, const char *where, const char *fmt, ...)
{
	char	       text[FINDING_TEXT];
	struct finding f = { .code = code, .where = where, .text = text };
	va_list	       ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	switch (finding_severity(code)) {
	case FINDING_SEVERITY_ERROR:
		c->r->errors++;
		break;
	case FINDING_SEVERITY_NOTE:
		c->r->notes++;
		break;
	default:
		c->r->unchecked++;
		break;
	}
	c->o->on_finding(c->o->ctx, &f);
}

int check_tick(struct check *c, struct err *e)
{
	if (c->o->tick == NULL)
		return 0;
	return c->o->tick(c->o->ctx, c->scrub != NULL ? scrub_counts(c->scrub)->bytes : 0, e);
}

/* The scrub's counters for devices, and what is named later. */
static int on_bad(void *ctx, const struct scrub_bad *bad, struct err *e)
{
	struct check	 *c = ctx;
	const struct dva *d = &bad->bp->dva[bad->copy];
	unsigned	  device = d->vdev; /* a top-level vdev is one disk today */

	if (device < c->r->device_count) {
		if (bad->cksum)
			c->r->devices[device].cksum++;
		else
			c->r->devices[device].read++;
	}
	if (bad->last) {
		c->r->lost += bad->lost;
		c->r->damaged += !bad->lost;
	}
	if (c->damage_count == DAMAGES_MAX) {
		c->damages_unlisted++;
		return 0;
	}
	if (mem_grow(&c->damages, &c->damage_cap, c->damage_count + 1, sizeof *c->damages, e) < 0)
		return -1;
	c->damages[c->damage_count++] = (struct check_damage){ .where = *bad->where,
							       .offset = d->offset,
							       .birth = bad->bp->birth,
							       .vdev = d->vdev,
							       .psize = (uint32_t)bad->bp->psize,
							       .lsize = (uint32_t)bad->bp->lsize,
							       .copy = (uint8_t)bad->copy,
							       .type = bad->bp->type,
							       .cksum = bad->cksum,
							       .lost = bad->lost,
							       .last = bad->last };
	return 0;
}

static int on_tick(void *ctx, uint64_t bytes, struct err *e)
{
	struct check *c = ctx;

	return c->o->tick != NULL ? c->o->tick(c->o->ctx, bytes, e) : 0;
}

static int claims_open(struct check *c, struct err *e)
{
	c->vdev_count = vdev_tree_count(c->vdevs);
	c->claims = mem_array(c->vdev_count, sizeof *c->claims, e);
	c->maybe = mem_array(c->vdev_count, sizeof *c->maybe, e);
	if (c->claims == NULL || c->maybe == NULL)
		return -1;
	for (unsigned i = 0; i < c->vdev_count; i++) {
		const struct vdev_top *top = vdev_tree_top(c->vdevs, i);
		unsigned	       ashift = top->ashift < ASHIFT_MIN || top->ashift > ASHIFT_MAX
							? ASHIFT_MIN
							: top->ashift;

		c->claims[i].shift = ashift;
		c->claims[i].limit = min64(top->asize, claims_limit_max(ashift));
		c->list_budget += top->asize / SECTOR + 1;
		c->maybe[i] = c->claims[i];
		c->maybe[i].quiet = true;
	}
	return 0;
}

static int check_open(struct check *c, struct err *e)
{
	struct block_reader_options reading = { .vdevs = c->vdevs,
						.keys = block_reader_keys(pool_reader(c->pool)),
						.on_event = walk_event,
						.ctx = &c->walk };
	uint64_t		    count;

	c->r->device_count = vdev_leaf_count(c->vdevs);
	c->r->devices = mem_array(c->r->device_count, sizeof *c->r->devices, e);
	if (c->r->devices == NULL || claims_open(c, e) < 0 ||
	    block_reader_new(&reading, &c->reader, e) < 0)
		return -1;
	c->walk.reader = c->reader;
	c->cloning = pool_feature(c->pool, "com.fudosecurity:block_cloning", &count, NULL) == 0 &&
		     count > 0;

	struct scrub_options scrubbing = { .vdevs = c->vdevs,
					   .reader = c->reader,
					   .threads = c->o->threads,
					   .fast = c->o->fast,
					   .on_bad = on_bad,
					   .tick = on_tick,
					   .ctx = c };

	return scrub_new(&scrubbing, &c->scrub, e);
}

static void check_close(struct check *c)
{
	check_names_fini(c);
	scrub_free(c->scrub);
	walk_fini(&c->walk);
	for (unsigned i = 0; i < c->vdev_count; i++) {
		if (c->claims != NULL)
			claims_fini(&c->claims[i]);
		if (c->maybe != NULL)
			claims_fini(&c->maybe[i]);
	}
	pool_config_free(c->config);
	free(c->claims);
	free(c->maybe);
	for (size_t i = 0; i < c->dataset_count; i++)
		free(c->datasets[i].name);
	free(c->datasets);
	free(c->damages);
	block_reader_free(c->reader);
}

static void take_counts(struct check *c)
{
	const struct scrub_counts *n = scrub_counts(c->scrub);

	c->r->blocks = n->blocks;
	c->r->copies = n->copies;
	c->r->bytes = n->bytes;
}

static int run(struct check *c, struct err *e)
{
	if (check_open(c, e) < 0 || check_labels(c, e) < 0 || check_rings(c, e) < 0)
		return -1;

	int rc = check_blocks(c, e);

	/* What was found until an interrupt is told of, too. */
	take_counts(c);
	if (check_damages(c, rc < 0 ? NULL : e) < 0)
		rc = -1;
	if (rc == 0)
		rc = check_space(c, e);
	return rc < 0 ? -1 : check_accounts(c, e);
}

int check_pool(const struct check_options *o, struct check_result *out, struct err *e)
{
	struct check c = { .o = o, .r = out, .pool = o->pool, .vdevs = pool_vdevs(o->pool) };
	int	     rc;

	*out = (struct check_result){ 0 };
	rc = run(&c, e);
	check_close(&c);
	return rc;
}
