#include "formats/dnode.h"
#include "formats/golden_test.h"

static const char *const names[] = {
	"dnode-bpobj",		"dnode-bpobj-fuse",	 "dnode-deadlist",
	"dnode-dir-0755",	"dnode-dir-1777",	 "dnode-dsl-dataset",
	"dnode-dsl-dataset-fuse", "dnode-dsl-dir",	 "dnode-dsl-dir-fuse",
	"dnode-file-0000",	"dnode-file-0644",	 "dnode-file-4755",
	"dnode-file-fuse",	"dnode-file-sparse-fuse", "dnode-history",
	"dnode-history-fuse",	"dnode-root-0755",	 "dnode-root-fuse",
	"dnode-spacemap",	"dnode-spacemap-fuse",	 "dnode-symlink",
};
enum { NAMES = sizeof names / sizeof *names };

static struct bytes load(const char *name, uint8_t buf[512])
{
	char path[64];

	snprintf(path, sizeof path, "records/%s", name);
	return golden(path, buf, 512);
}

static struct dnode decoded(struct bytes in)
{
	struct dnode dn;
	struct err   e;

	cr_assert_eq(dnode_decode(in, &dn, &e), 0, "%s", e.text);
	return dn;
}

Test(dnode, a_file_of_openzfs_2_3)
{
	uint8_t	     buf[512];
	struct dnode dn = decoded(load("dnode-file-0644", buf));

	cr_assert_eq(dn.type, OT_PLAIN_FILE);
	cr_assert_eq(dn.levels, 1);
	cr_assert_eq(dn.nblkptr, 1);
	cr_assert_eq(dn.indirect_shift, 17);
	cr_assert_eq(dn.block_size, 4096);
	cr_assert_eq(dn.used, 512);
	cr_assert_eq(dn.bonus_type, OT_SA);
	cr_assert_eq(dn.bonus.n, 176);
	cr_assert_eq(dn.bonus.p, buf + 0xc0);
	cr_assert_eq(dn.flags, DNODE_FLAG_USED_BYTES | DNODE_FLAG_USERUSED_ACCOUNTED |
				       DNODE_FLAG_USEROBJ_ACCOUNTED);
	cr_assert_eq(dnode_size(&dn), 512);
	cr_assert_eq(dnode_bonus_space(&dn), DNODE_OLD_BONUS_MAX);
	cr_assert_eq(dnode_fanout(&dn), 1024);
	cr_assert_eq(dn.bp[0].lsize, 4096);
}

Test(dnode, a_sparse_file_of_zfs_fuse)
{
	uint8_t	     buf[512];
	struct dnode dn = decoded(load("dnode-file-sparse-fuse", buf));

	cr_assert_eq(dn.levels, 4);
	cr_assert_eq(dn.indirect_shift, 14);
	cr_assert_eq(dn.max_blkid, 40959);
	cr_assert_eq(dn.used, 403456);
	cr_assert_eq(dn.bonus_type, OT_ZNODE);
	cr_assert_eq(dn.bonus.n, 264);
	cr_assert_eq(dn.bp[0].level, 3);
}

Test(dnode, genuine_ones_are_reproduced_byte_for_byte)
{
	for (int i = 0; i < NAMES; i++) {
		uint8_t	     buf[512], again[512];
		struct bytes in = load(names[i], buf);
		struct dnode dn = decoded(in);

		memset(again, 0xee, sizeof again);
		dnode_encode(&dn, wbytes_of(again, sizeof again, ORDER_LITTLE));
		cr_assert_arr_eq(again, buf, 512, "%s", names[i]);
	}
}

Test(dnode, the_other_order_says_the_same)
{
	for (int i = 0; i < NAMES; i++) {
		uint8_t	     buf[512], big[512], back[512];
		struct dnode dn = decoded(load(names[i], buf));

		dnode_encode(&dn, wbytes_of(big, sizeof big, ORDER_BIG));
		cr_assert(memcmp(big, buf, 512) != 0);
		dn = decoded(bytes_of(big, sizeof big, ORDER_BIG));
		dnode_encode(&dn, wbytes_of(back, sizeof back, ORDER_LITTLE));
		cr_assert_arr_eq(back, buf, 512, "%s", names[i]);
	}
}

Test(dnode, a_short_buffer_is_corrupt_and_leaves_out_alone)
{
	uint8_t	     buf[512];
	struct bytes in = load("dnode-file-0644", buf);
	struct dnode dn = { .type = 0x77 };
	struct err   e = { 0 };

	for (in.n = 0; in.n < 512; in.n++) {
		e.kind = ERR_NONE;
		cr_assert_eq(dnode_decode(in, &dn, &e), -1);
		cr_assert_eq(e.kind, ERR_CORRUPT);
		cr_assert_eq(dn.type, 0x77);
	}
}

Test(dnode, a_free_slot_has_no_type_whatever_else_it_holds)
{
	uint8_t	     buf[512];
	struct dnode dn;

	memset(buf, 0xff, sizeof buf);
	buf[0] = 0;
	dn = decoded(bytes_of(buf, sizeof buf, ORDER_BIG));
	cr_assert_eq(dn.type, OT_NONE);
	cr_assert_eq(dnode_size(&dn), 512);
	dnode_encode(&dn, wbytes_of(buf, sizeof buf, ORDER_BIG));
	cr_assert(bytes_zero(bytes_of(buf, sizeof buf, ORDER_BIG)));
}

Test(dnode, shapes_that_cannot_be_are_corrupt)
{
	static const struct {
		size_t	at;
		uint8_t value;
	} edits[] = {
		{ 0x01, 8 },  { 0x01, 25 },   { 0x01, 255 },  { 0x02, 0 }, { 0x02, 13 },
		{ 0x03, 0 },  { 0x03, 4 },    { 0x03, 255 },  { 0x08, 0 }, /* with 0x09 zero */
		{ 0x0b, 2 },  /* bonus of 0x2b0 bytes */ { 0x0c, 1 }, { 0x0c, 255 },
		{ 0x09, 129 } /* past 16 MiB */
	};

	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
		uint8_t	     buf[512];
		struct bytes in = load("dnode-file-0644", buf);
		struct dnode dn;
		struct err   e = { 0 };

		buf[edits[i].at] = edits[i].value;
		cr_assert_eq(dnode_decode(in, &dn, &e), -1, "edit %zu", i);
		cr_assert_eq(e.kind, ERR_CORRUPT, "edit %zu", i);
	}
}

Test(dnode, indirect_shifts_of_other_times_are_read)
{
	for (unsigned shift = 9; shift <= 24; shift++) {
		uint8_t	     buf[512];
		struct bytes in = load("dnode-file-0644", buf);

		buf[1] = (uint8_t)shift;

		struct dnode dn = decoded(in);

		cr_assert_eq(dnode_fanout(&dn), UINT64_C(1) << (shift - 7));
	}
}

Test(dnode, a_large_dnode_has_its_spill_pointer_at_its_end)
{
	uint8_t	     buf[2048], bonus[1000] = { 0 };
	struct dnode dn = {
		.type = OT_PLAIN_FILE,
		.indirect_shift = 17,
		.levels = 1,
		.nblkptr = 3,
		.bonus_type = OT_SA,
		.flags = DNODE_FLAG_SPILL | DNODE_FLAG_USED_BYTES,
		.extra_slots = 3,
		.block_size = 512,
		.bonus = bytes_of(bonus, sizeof bonus, ORDER_LITTLE),
		.spill = { .lsize = 1024, .psize = 1024, .birth = 5, .type = OT_SA, .level = 0,
			   .checksum = 7, .compress = 2, .fill = 1,
			   .dva = { { .vdev = 0, .offset = 0x4000, .asize = 0x400 } } },
	};

	memset(bonus, 0xab, sizeof bonus);
	cr_assert_eq(dnode_size(&dn), 2048);
	cr_assert_eq(dnode_bonus_space(&dn), 2048 - 64 - 4 * 128);
	for (enum order o = ORDER_LITTLE; o <= ORDER_BIG; o++) {
		dnode_encode(&dn, wbytes_of(buf, sizeof buf, o));

		struct dnode back = decoded(bytes_of(buf, sizeof buf, o));

		cr_assert_eq(back.bonus.n, 1000);
		cr_assert_arr_eq(back.bonus.p, bonus, 1000);
		cr_assert_eq(back.spill.dva[0].offset, 0x4000);
		cr_assert_eq(back.spill.lsize, 1024);
		cr_assert_eq(get64(bytes_of(buf, sizeof buf, o), 2048 - 128 + 8), 0x4000 >> 9);
		cr_assert_eq(dnode_decode(bytes_of(buf, 2047, o), &back, NULL), -1);
	}
}

Test(dnode, the_third_pointer_and_the_spill_pointer_do_not_share_a_place)
{
	uint8_t	     buf[512];
	struct bytes in = load("dnode-bpobj", buf);
	struct dnode dn;

	cr_assert_eq(buf[3], 3);
	buf[7] |= DNODE_FLAG_SPILL;
	buf[0x0a] = buf[0x0b] = 0;
	cr_assert_eq(dnode_decode(in, &dn, NULL), -1);
}

Test(dnode, used_counts_sectors_without_its_flag)
{
	uint8_t	     buf[512];
	struct bytes in = load("dnode-file-0644", buf);

	buf[7] &= (uint8_t)~DNODE_FLAG_USED_BYTES;

	struct dnode dn = decoded(in);

	cr_assert_eq(dn.used, 512 * 512);
	dn.used = 513;
	dnode_encode(&dn, wbytes_of(buf, sizeof buf, ORDER_LITTLE));
	cr_assert_eq(get64(in, 0x18), 2);

	memset(buf + 0x18, 0xff, 8);
	dn = decoded(in);
	cr_assert_eq(dn.used, UINT64_MAX - 511);
}

Test(dnode, spans_grow_by_the_fanout_and_saturate)
{
	struct dnode dn = { .indirect_shift = 17 };

	cr_assert_eq(dnode_span(&dn, 0), 1);
	cr_assert_eq(dnode_span(&dn, 1), 1024);
	cr_assert_eq(dnode_span(&dn, 6), UINT64_C(1) << 60);
	cr_assert_eq(dnode_span(&dn, 7), UINT64_MAX);
	cr_assert_eq(dnode_span(&dn, UINT32_MAX), UINT64_MAX);
}

Test(dnode, description)
{
	uint8_t	     buf[512];
	char	     out[1024];
	struct text  t = text_in(out, sizeof out);
	struct dnode dn = decoded(load("dnode-file-0644", buf));

	dnode_describe(&dn, &t);
	cr_assert_str_eq(out, "type: ZFS plain file (19)\n"
			      "lvl: 1\niblk: 131072\ndblk: 4096\ndsize: 512\ndnsize: 512\n"
			      "bonus: 176 bytes, System attributes (44)\n"
			      "checksum: inherit\ncompression: inherit\n"
			      "dnode flags: USED_BYTES USERUSED_ACCOUNTED USEROBJUSED_ACCOUNTED\n"
			      "dnode maxblkid: 0\n");
}
