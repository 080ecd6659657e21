#include <criterion/criterion.h>

#include "core/vdev/members.h"

static struct nvlist *config(const char *name, uint64_t pool, uint64_t guid, uint64_t txg)
{
	struct nvlist *l = nvlist_new(NULL), *tree = nvlist_new(NULL);

	cr_assert_eq(nvlist_add_u64(l, "version", 5000, NULL), 0);
	cr_assert_eq(nvlist_add_string(l, "name", name, NULL), 0);
	cr_assert_eq(nvlist_add_u64(l, "state", POOL_EXPORTED, NULL), 0);
	cr_assert_eq(nvlist_add_u64(l, "txg", txg, NULL), 0);
	cr_assert_eq(nvlist_add_u64(l, "pool_guid", pool, NULL), 0);
	cr_assert_eq(nvlist_add_u64(l, "top_guid", guid, NULL), 0);
	cr_assert_eq(nvlist_add_u64(l, "guid", guid, NULL), 0);
	cr_assert_eq(nvlist_add_string(tree, "type", "disk", NULL), 0);
	cr_assert_eq(nvlist_add_u64(tree, "guid", guid, NULL), 0);
	cr_assert_eq(nvlist_add_u64(tree, "ashift", 9, NULL), 0);
	cr_assert_eq(nvlist_add_list(l, "vdev_tree", tree, NULL), 0);
	nvlist_free(tree);
	return l;
}

static void put_label(struct dev *d, unsigned i, const struct nvlist *l)
{
	uint8_t	  *area = calloc(1, LABEL_NVLIST_SIZE);
	uint64_t   at = label_offset(d->size, i);
	struct err e = { 0 };

	cr_assert_eq(
		label_config_encode(l, wbytes_of(area, LABEL_NVLIST_SIZE, ORDER_LITTLE), at, &e), 0,
		"%s", e.text);
	cr_assert_eq(dev_write(d, at + LABEL_NVLIST_OFFSET, area, LABEL_NVLIST_SIZE, &e), 0);
	free(area);
}

/* A device whose label i has txg + i, so that the last is the newest. */
static struct dev *member_dev(const char *name, uint64_t pool, uint64_t guid, uint64_t txg)
{
	struct dev *d;

	cr_assert_eq(checksum_init(NULL), 0);
	cr_assert_eq(dev_mem_new(name, 64 << 20, &d, NULL), 0);
	for (unsigned i = 0; i < LABEL_COUNT; i++) {
		struct nvlist *l = config(name, pool, guid, txg + i);

		put_label(d, i, l);
		nvlist_free(l);
	}
	return d;
}

Test(members, the_newest_label_is_the_best)
{
	struct dev    *d = member_dev("a", 7, 1, 10);
	struct members m;
	struct err     e = { 0 };

	cr_assert_eq(members_of_devs(&d, 1, &m, &e), 0, "%s", e.text);
	cr_assert_eq(m.list[0].best, 3);
	cr_assert(m.list[0].labels_differ);
	cr_assert_eq(m.list[0].labels[3].config->txg, 13);
	members_close(&m);
}

Test(members, a_lost_label_says_why)
{
	struct dev    *d = member_dev("a", 7, 1, 10);
	struct members m;
	struct err     e = { 0 };

	cr_assert_eq(dev_write(d, label_offset(d->size, 3) + LABEL_NVLIST_OFFSET + 100, "spoilt", 6,
			       &e),
		     0);
	cr_assert_eq(members_of_devs(&d, 1, &m, &e), 0, "%s", e.text);
	cr_assert_eq(m.list[0].best, 2);
	cr_assert_null(m.list[0].labels[3].config);
	cr_assert_eq(m.list[0].labels[3].why.kind, ERR_CORRUPT);
	members_close(&m);
}

Test(members, two_pools_want_a_choice)
{
	struct dev    *d[] = { member_dev("a", 7, 1, 10), member_dev("b", 8, 2, 10),
			       member_dev("a", 7, 3, 10) };
	struct members m;
	struct err     e = { 0 };

	cr_assert_eq(members_of_devs(d, 3, &m, &e), 0, "%s", e.text);
	cr_assert_eq(members_choose(&m, NULL, &e), -1);
	cr_assert_eq(e.kind, ERR_REFUSED);
	cr_assert_str_eq(e.text, "two pools here: a (7), b (8)");
	cr_assert_eq(members_choose(&m, "c", &e), -1);
	cr_assert_eq(e.kind, ERR_NOTFOUND);
	cr_assert_eq(members_choose(&m, "7", &e), 0);
	cr_assert_eq(m.count, 2);
	members_close(&m);
}

Test(members, a_device_without_a_label_is_not_found)
{
	struct dev    *d[2];
	struct members m;
	struct err     e = { 0 };

	cr_assert_eq(dev_mem_new("empty", 64 << 20, &d[0], NULL), 0);
	cr_assert_eq(dev_mem_new("tiny", 512, &d[1], NULL), 0);
	cr_assert_eq(members_of_devs(d, 2, &m, &e), -1);
	cr_assert_eq(e.kind, ERR_NOTFOUND);
}

Test(members, uberblocks_come_newest_first)
{
	struct dev	       *d = member_dev("a", 7, 1, 10);
	struct uberblock_found *found;
	size_t			n;
	uint8_t			slot[1024];
	uint64_t		ring = label_offset(d->size, 1) + LABEL_RING_OFFSET;

	for (uint64_t txg = 5; txg < 8; txg++) {
		struct uberblock ub = { .version = 5000, .txg = txg, .timestamp = 100 };
		uint64_t	 at = ring + txg * sizeof slot;

		cr_assert_eq(
			uberblock_encode(&ub, wbytes_of(slot, sizeof slot, ORDER_BIG), at, NULL),
			0);
		cr_assert_eq(dev_write(d, at, slot, sizeof slot, NULL), 0);
	}
	cr_assert_eq(dev_write(d, ring + 6 * sizeof slot + 50, "spoilt", 6, NULL), 0);
	cr_assert_eq(member_uberblocks(d, 1, 9, &found, &n, NULL), 0);
	cr_assert_eq(n, 2);
	cr_assert_eq(found[0].ub.txg, 7);
	cr_assert_eq(found[1].ub.txg, 5);
	cr_assert_eq(found[1].slot, 5);
	free(found);
	dev_close(d);
}
