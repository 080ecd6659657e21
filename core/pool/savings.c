/* Sums of dedup tables and of the tables of shared blocks. */
#include "core/pool/savings.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/dmu/zap_read.h"

enum {
	/* one row of a histogram: blocks, logical, stored and allocated bytes; then the same, each
	 * block as often as it is used */
	ROW_WORDS = 8,
	ROW_STORED = 3,
	ROW_USED = 7,
	ROWS = 64,
	/* bonus of a vdev's table */
	CLONE_STORED = 0x28,
	CLONE_SAVED = 0x30,
	CLONE_BONUS = 0x38,
};

static int add_histogram(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct pool_savings *s = ctx;

	(void)e;
	if (entry->int_size != 8 || entry->value.n < 8 * ROW_WORDS * ROWS)
		return 0;
	for (size_t row = 0; row < ROWS; row++) {
		s->dedup_stored += zap_entry_int(entry, row * ROW_WORDS + ROW_STORED);
		s->dedup_used += zap_entry_int(entry, row * ROW_WORDS + ROW_USED);
	}
	return 0;
}

static void add_clones(struct pool *p, unsigned vdev, struct pool_savings *s)
{
	char	      name[64];
	struct object o;
	uint64_t      number;

	snprintf(name, sizeof name, "com.fudosecurity:brt:vdev:%u", vdev);
	if (pool_directory_u64(p, name, &number, NULL) < 0 ||
	    object_open(pool_mos(p), number, &o, NULL) < 0)
		return;
	if (o.dn.bonus.n >= CLONE_BONUS) {
		s->clone_stored += get64(o.dn.bonus, CLONE_STORED);
		s->clone_saved += get64(o.dn.bonus, CLONE_SAVED);
	}
	object_close(&o);
}

struct pool_savings pool_savings(struct pool *p)
{
	struct pool_savings s = { 0 };
	uint64_t	    number;

	if (pool_directory_u64(p, "DDT-statistics", &number, NULL) == 0)
		(void)!zap_each_at(pool_mos(p), number, add_histogram, &s, NULL);
	for (unsigned i = 0; i < vdev_tree_count(pool_vdevs(p)); i++)
		add_clones(p, i, &s);
	return s;
}
