#include "formats/golden_test.h"
#include "formats/uberblock.h"

#include "formats/base/limits.h"

enum { RING = 128 << 10, SLOT_OPENZFS = RING + 22 * 1024, SLOT_FUSE = RING + 51 * 1024 };

static void init(void)
{
	cr_assert_eq(checksum_init(NULL), 0);
}
TestSuite(uberblock, .init = init);

static struct uberblock genuine(const char *name, uint64_t offset, uint8_t *slot)
{
	struct uberblock ub;
	struct err	 e = { 0 };

	cr_assert_eq(uberblock_decode(golden(name, slot, UBERBLOCK_SIZE), offset, &ub, &e), 0, "%s",
		     e.text);
	return ub;
}

Test(uberblock, slots_grow_with_the_sectors_within_bounds)
{
	cr_assert_eq(uberblock_slot_size(9), 1024);
	cr_assert_eq(uberblock_slot_size(12), 4096);
	cr_assert_eq(uberblock_slot_size(16), 8192);
	cr_assert_eq(uberblock_slot_count(0), 128);
	cr_assert_eq(uberblock_slot_count(13), 16);
	cr_assert_eq(uberblock_slot_count(UINT32_MAX), 16);
}

Test(uberblock, a_genuine_one_reads_as_zdb_reads_it)
{
	uint8_t		 slot[UBERBLOCK_SIZE];
	struct uberblock ub = genuine("labels/uberblock-openzfs", SLOT_OPENZFS, slot);
	char		 buf[2048];
	struct text	 t = text_in(buf, sizeof buf);

	cr_assert_eq(ub.txg, 22);
	cr_assert_eq(ub.order, ORDER_LITTLE);
	uberblock_describe(&ub, &t);
	cr_assert_str_eq(
		buf, "\tmagic = 0000000000bab10c\n"
		     "\tversion = 5000\n"
		     "\ttxg = 22\n"
		     "\tguid_sum = 4774821186484102738\n"
		     "\ttimestamp = 1796025531 UTC = Mon Nov 30 07:58:51 2026\n"
		     "\tbp = DVA[0]=<0:52600:200> DVA[1]=<0:1032c00:200> DVA[2]=<0:201da00:200> "
		     "[L0 DMU objset] fletcher4 lz4 unencrypted LE contiguous unique triple "
		     "size=1000L/200P birth=22L/22P fill=56 "
		     "cksum=0000000fa6d5246a:0000056587cb7ab8:0000f96618c863e4:001f4c30df712dcb\n"
		     "\tmmp_magic = 00000000a11cea11\n"
		     "\tmmp_delay = 0\n"
		     "\tmmp_valid = 0\n"
		     "\tcheckpoint_txg = 0\n"
		     "\traidz_reflow state=0 off=0\n");
}

Test(uberblock, an_old_one_reads)
{
	uint8_t		 slot[UBERBLOCK_SIZE];
	struct uberblock ub = genuine("labels/uberblock-fuse", SLOT_FUSE, slot);

	cr_assert_eq(ub.version, 23);
	cr_assert_eq(ub.mmp_magic, 0);
	cr_assert_eq(blkptr_copies(&ub.rootbp), 3);
}

Test(uberblock, what_was_read_is_written_the_same)
{
	uint8_t		 slot[UBERBLOCK_SIZE], again[UBERBLOCK_SIZE];
	struct uberblock ub = genuine("labels/uberblock-openzfs", SLOT_OPENZFS, slot);
	struct wbytes	 w = wbytes_of(again, sizeof again, ORDER_LITTLE);

	cr_assert_eq(uberblock_encode(&ub, w, SLOT_OPENZFS, NULL), 0);
	cr_assert_arr_eq(again, slot, sizeof slot);
}

Test(uberblock, the_magic_shows_the_order)
{
	uint8_t		 slot[8192];
	struct uberblock ub = genuine("labels/uberblock-openzfs", SLOT_OPENZFS, slot), back;

	ub.mmp_config = UINT64_C(0x000a000700012307);
	ub.raidz_reflow_info = UINT64_C(1) << 55 | 3;
	for (size_t n = UBERBLOCK_SIZE; n <= sizeof slot; n *= 2) {
		struct bytes in = bytes_of(slot, n, ORDER_LITTLE);

		cr_assert_eq(uberblock_encode(&ub, wbytes_of(slot, n, ORDER_BIG), 4096, NULL), 0);
		cr_assert_eq(uberblock_decode(in, 4096, &back, NULL), 0);
		cr_assert_eq(back.order, ORDER_BIG);
		cr_assert_eq(back.txg, 22);
		cr_assert_eq(back.rootbp.dva[2].offset, 0x201da00);
		cr_assert_eq(uberblock_mmp_seq(&back), 7);
	}
}

Test(uberblock, damage_and_emptiness_are_told_apart)
{
	uint8_t		 slot[UBERBLOCK_SIZE];
	struct uberblock ub = genuine("labels/uberblock-openzfs", SLOT_OPENZFS, slot);
	struct bytes	 in = bytes_of(slot, sizeof slot, ORDER_LITTLE);
	struct err	 e = { 0 };

	ub.txg = 4711;
	cr_assert_lt(uberblock_decode(in, SLOT_OPENZFS + 1024, &ub, &e), 0);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	slot[700] ^= 1;
	cr_assert_lt(uberblock_decode(in, SLOT_OPENZFS, &ub, &e), 0);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	slot[0] ^= 1;
	cr_assert_lt(uberblock_decode(in, SLOT_OPENZFS, &ub, &e), 0);
	cr_assert_eq(e.kind, ERR_NOTFOUND);
	for (in.n = 0; in.n < sizeof slot; in.n++) {
		cr_assert_lt(uberblock_decode(in, SLOT_OPENZFS, &ub, &e), 0);
		cr_assert_eq(e.kind, ERR_CORRUPT);
	}
	cr_assert_eq(ub.txg, 4711);
}

Test(uberblock, newer_is_by_txg_then_time_then_mmp)
{
	struct uberblock a = { .txg = 5, .timestamp = 9 }, b = a;

	cr_assert_eq(uberblock_compare(&a, &b), 0);
	b.mmp_config = UINT64_C(3) << 32 | 2;
	cr_assert_eq(uberblock_compare(&a, &b), 0);
	b.mmp_magic = MMP_MAGIC;
	cr_assert_lt(uberblock_compare(&a, &b), 0);
	a.timestamp = 10;
	cr_assert_gt(uberblock_compare(&a, &b), 0);
	b.txg = UINT64_MAX;
	cr_assert_lt(uberblock_compare(&a, &b), 0);
}

Test(uberblock, absurd_times_print_as_numbers)
{
	char		 buf[2048];
	struct text	 t = text_in(buf, sizeof buf);
	struct uberblock ub = { .timestamp = UINT64_MAX / 2 };

	uberblock_describe(&ub, &t);
	cr_assert_not_null(strstr(buf, "timestamp = 9223372036854775807\n"));
}
