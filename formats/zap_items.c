/*
 * Entries on their way into a fat ZAP: sorted by hash, and numbered among equals.
 *
 * Entries of equal hash are told apart by their differentiator. A new one gets the lowest number
 * that is free, in the order of names, so that the result does not depend on the order of arrival.
 */
#include <stdlib.h>

#include "formats/zap_fat.h"

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_names(const struct zap_item *a, const struct zap_item *b)
{
	size_t n = a->name_size < b->name_size ? a->name_size : b->name_size;
	int    rc = n == 0 ? 0 : memcmp(a->name, b->name, n);

	return rc != 0 ? rc : compare_numbers(a->name_size, b->name_size);
}

/* Within one hash the kept come first, by number, then the new, by name. */
static int compare_items(const void *pa, const void *pb)
{
	const struct zap_item *a = pa, *b = pb;

	if (a->hash != b->hash)
		return compare_numbers(a->hash, b->hash);
	if (a->cd_new != b->cd_new)
		return a->cd_new - b->cd_new;
	return a->cd_new ? compare_names(a, b) : compare_numbers(a->cd, b->cd);
}

static int compare_cds(const void *pa, const void *pb)
{
	return compare_numbers(((const struct zap_item *)pa)->cd,
			       ((const struct zap_item *)pb)->cd);
}

/* One group of equal hashes, sorted as above. */
static void number_group(struct zap_item *group, size_t count)
{
	size_t	 kept = 0, next_kept = 0;
	uint32_t cd = 0;

	while (kept < count && !group[kept].cd_new)
		kept++;
	for (size_t i = kept; i < count; i++, cd++) {
		for (; next_kept < kept && group[next_kept].cd <= cd; next_kept++)
			cd += group[next_kept].cd == cd;
		group[i].cd = cd;
		group[i].cd_new = false;
	}
	if (kept > 0 && kept < count)
		qsort(group, count, sizeof *group, compare_cds);
}

void zap_items_sort(struct zap_item *items, size_t count)
{
	if (count > 0)
		qsort(items, count, sizeof *items, compare_items);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && items[end].hash == items[i].hash;)
			end++;
		number_group(items + i, end - i);
	}
}
