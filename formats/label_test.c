#include "formats/golden_test.h"
#include "formats/label.h"

#include <stdlib.h>

#include "formats/codec/checksum.h"

/* The nvlist area as it was on disk: zeros between the list and the trailer put back. */
static struct bytes area_of(const char *name, uint8_t *area)
{
	uint8_t	     kept[4096];
	struct bytes in = golden(name, kept, sizeof kept);
	size_t	     n = in.n - ECK_SIZE;

	cr_assert_eq(checksum_init(NULL), 0);
	memset(area, 0, LABEL_NVLIST_SIZE);
	memcpy(area, kept, n);
	memcpy(area + LABEL_NVLIST_SIZE - ECK_SIZE, kept + n, ECK_SIZE);
	return bytes_of(area, LABEL_NVLIST_SIZE, ORDER_LITTLE);
}

static struct pool_config *config_of(const char *name)
{
	static uint8_t	    area[LABEL_NVLIST_SIZE];
	struct pool_config *c = NULL;
	struct err	    e = { 0 };

	cr_assert_eq(label_config_decode(area_of(name, area), 0, &c, &e), 0, "%s", e.text);
	return c;
}

Test(label, two_stand_at_the_start_and_two_at_the_end_of_whole_labels)
{
	cr_assert_eq(label_offset(64 << 20, 0), 0);
	cr_assert_eq(label_offset(64 << 20, 1), LABEL_SIZE);
	cr_assert_eq(label_offset((64 << 20) + 4095, 2), (64 << 20) - 2 * LABEL_SIZE);
	cr_assert_eq(label_offset((64 << 20) + 4095, 3), (64 << 20) - LABEL_SIZE);
	cr_assert_eq(label_offset(4 * LABEL_SIZE, 2), 2 * LABEL_SIZE);
	cr_assert_eq(label_offset(4 * LABEL_SIZE - 1, 3), 3 * LABEL_SIZE);
}

Test(label, a_genuine_one_reads)
{
	struct pool_config *c = config_of("labels/config-openzfs");

	cr_assert_eq(c->version, 5000);
	cr_assert_eq(c->state, POOL_EXPORTED);
	cr_assert_eq(c->txg, 22);
	cr_assert_eq(c->pool_guid, UINT64_C(3974481920578475696));
	cr_assert_eq(c->hostid, 195948557);
	cr_assert_str_eq(c->name, "p_single");
	cr_assert_str_eq(c->hostname, "oracle");
	cr_assert_eq(c->vdev_children, 1);
	cr_assert(nvlist_flag(c->features_for_read, "com.delphix:hole_birth"));
	cr_assert_not(nvlist_flag(c->features_for_read, "org.openzfs:draid"));
	cr_assert_eq(c->tree->kind, VDEV_DISK);
	cr_assert_str_eq(c->tree->path, "/dev/vdb1");
	cr_assert_eq(c->tree->guid, c->guid);
	cr_assert_eq(c->tree->ashift, 9);
	cr_assert_eq(c->tree->asize, 129499136);
	cr_assert_eq(c->tree->metaslab_array, 68);
	cr_assert_eq(c->tree->metaslab_shift, 24);
	cr_assert_eq(c->tree->create_txg, 4);
	cr_assert_eq(c->tree->child_count, 0);
	pool_config_free(c);
}

Test(label, an_old_one_reads)
{
	struct pool_config *c = config_of("labels/config-fuse");

	cr_assert_eq(c->version, 23);
	cr_assert_null(c->features_for_read);
	cr_assert_eq(c->tree->guid, c->top_guid);
	pool_config_free(c);
}

Test(label, what_was_read_is_written_the_same)
{
	static const char *const names[] = { "labels/config-openzfs", "labels/config-fuse" };
	static uint8_t		 area[LABEL_NVLIST_SIZE], again[LABEL_NVLIST_SIZE];

	for (size_t i = 0; i < 2; i++) {
		struct bytes	    in = area_of(names[i], area);
		struct pool_config *c = NULL;
		struct err	    e = { 0 };

		cr_assert_eq(label_config_decode(in, 0, &c, NULL), 0);
		cr_assert_eq(label_config_encode(
				     c->nv, wbytes_of(again, sizeof again, ORDER_LITTLE), 0, &e),
			     0, "%s", e.text);
		cr_assert_arr_eq(again, area, sizeof area);
		pool_config_free(c);
	}
}

Test(label, the_place_is_part_of_the_checksum)
{
	static uint8_t	    area[LABEL_NVLIST_SIZE];
	struct bytes	    in = area_of("labels/config-openzfs", area);
	struct pool_config *c = NULL;
	struct err	    e = { 0 };

	cr_assert_lt(label_config_decode(in, LABEL_SIZE, &c, &e), 0);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	cr_assert_null(c);
	area[100] ^= 1;
	cr_assert_lt(label_config_decode(in, 0, &c, &e), 0);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	memset(area, 0, sizeof area);
	cr_assert_lt(label_config_decode(in, 0, &c, &e), 0);
	cr_assert_eq(e.kind, ERR_NOTFOUND);
	in.n--;
	cr_assert_lt(label_config_decode(in, 0, &c, &e), 0);
	cr_assert_eq(e.kind, ERR_CORRUPT);
}

Test(label, both_orders_of_the_trailer_read)
{
	static uint8_t area[LABEL_NVLIST_SIZE];
	struct nvlist *nv = nvlist_new(NULL);

	cr_assert_eq(checksum_init(NULL), 0);
	cr_assert_eq(nvlist_add_u64(nv, "version", 28, NULL), 0);
	for (enum order o = ORDER_LITTLE; o <= ORDER_BIG; o++) {
		struct wbytes	    w = wbytes_of(area, sizeof area, o);
		struct pool_config *c = NULL;

		cr_assert_eq(label_config_encode(nv, w, 512, NULL), 0);
		cr_assert_eq(label_config_decode(wbytes_view(w), 512, &c, NULL), 0);
		cr_assert_eq(c->version, 28);
		pool_config_free(c);
	}
	nvlist_free(nv);
}

Test(label, a_configuration_that_does_not_fit_is_refused)
{
	static uint8_t area[LABEL_NVLIST_SIZE], big[LABEL_NVLIST_SIZE];
	struct nvlist *nv = nvlist_new(NULL);
	struct err     e = { 0 };

	cr_assert_eq(nvlist_add_bytes(nv, "big", big, sizeof big, NULL), 0);
	cr_assert_lt(label_config_encode(nv, wbytes_of(area, sizeof area, ORDER_LITTLE), 0, &e), 0);
	cr_assert_eq(e.kind, ERR_NOSPACE);
	nvlist_free(nv);
}

Test(label, a_new_boot_environment_is_sealed_zeros)
{
	static uint8_t area[LABEL_BOOTENV_SIZE];
	struct digest  verifier = { .w = { LABEL_SIZE + LABEL_BOOTENV_OFFSET } };
	enum order     order;

	cr_assert_eq(checksum_init(NULL), 0);
	cr_assert_eq(
		label_bootenv_encode(wbytes_of(area, sizeof area, ORDER_BIG), LABEL_SIZE, NULL), 0);
	cr_assert(bytes_zero(bytes_of(area, sizeof area - ECK_SIZE, ORDER_BIG)));
	cr_assert_eq(checksum_trailer_verify(CHECKSUM_LABEL,
					     bytes_of(area, sizeof area, ORDER_LITTLE), &verifier,
					     &order, NULL),
		     0);
	cr_assert_eq(order, ORDER_BIG);
}
