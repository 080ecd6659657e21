#include "formats/golden_test.h"
#include "formats/objset.h"

static struct objset_phys decoded(struct bytes in)
{
	struct objset_phys os;
	struct err	   e;

	cr_assert_eq(objset_decode(in, &os, &e), 0, "%s", e.text);
	return os;
}

Test(objset, a_file_system_of_openzfs_2_3)
{
	uint8_t		   buf[4096];
	struct objset_phys os = decoded(golden("records/objset-fs", buf, sizeof buf));

	cr_assert_eq(os.size, OBJSET_V3_SIZE);
	cr_assert_eq(os.type, OBJSET_ZPL);
	cr_assert_eq(os.flags, OBJSET_FLAG_USERACCOUNTING | OBJSET_FLAG_USEROBJACCOUNTING |
				       OBJSET_FLAG_PROJECTQUOTA);
	cr_assert_eq(os.meta.levels, 6);
	cr_assert_eq(os.meta.max_blkid, 1);
	cr_assert_eq(os.userused.type, OT_USERGROUP_USED);
	cr_assert_eq(os.groupused.type, OT_USERGROUP_USED);
	cr_assert_eq(os.projectused.type, OT_USERGROUP_USED);
	cr_assert_not(objset_has_log(&os));
}

Test(objset, a_file_system_of_zfs_fuse)
{
	uint8_t		   buf[4096];
	struct objset_phys os = decoded(golden("records/objset-fs-fuse", buf, sizeof buf));

	cr_assert_eq(os.size, OBJSET_V2_SIZE);
	cr_assert_eq(os.type, OBJSET_ZPL);
	cr_assert_eq(os.flags, OBJSET_FLAG_USERACCOUNTING);
	cr_assert_eq(os.meta.levels, 7);
	cr_assert_eq(os.projectused.type, OT_NONE);
}

Test(objset, genuine_ones_are_reproduced_and_survive_the_other_order)
{
	static const char *const names[] = { "records/objset-fs", "records/objset-mos",
					     "records/objset-fs-fuse" };

	for (int i = 0; i < 3; i++) {
		uint8_t		   buf[4096], big[4096], again[4096];
		struct bytes	   in = golden(names[i], buf, sizeof buf);
		struct objset_phys os = decoded(in);

		memset(again, 0xee, sizeof again);
		objset_encode(&os, wbytes_of(again, sizeof again, ORDER_LITTLE));
		cr_assert_arr_eq(again, buf, in.n, "%s", names[i]);

		objset_encode(&os, wbytes_of(big, in.n, ORDER_BIG));
		os = decoded(bytes_of(big, in.n, ORDER_BIG));
		objset_encode(&os, wbytes_of(again, in.n, ORDER_LITTLE));
		cr_assert_arr_eq(again, buf, in.n, "%s", names[i]);
	}
}

Test(objset, the_oldest_size_has_no_accounting)
{
	uint8_t	     buf[4096], again[OBJSET_V1_SIZE];
	struct bytes in = golden("records/objset-fs-fuse", buf, sizeof buf);

	in.n = OBJSET_V1_SIZE;

	struct objset_phys os = decoded(in);

	cr_assert_eq(os.userused.type, OT_NONE);
	cr_assert_eq(os.groupused.type, OT_NONE);
	objset_encode(&os, wbytes_of(again, sizeof again, ORDER_LITTLE));
	cr_assert_arr_eq(again, buf, sizeof again);
}

Test(objset, other_sizes_are_corrupt_and_leave_out_alone)
{
	uint8_t		   buf[4096];
	struct bytes	   in = golden("records/objset-fs", buf, sizeof buf);
	struct objset_phys os = { .size = 7 };

	for (in.n = 0; in.n < sizeof buf; in.n++) {
		struct err e = { 0 };

		if (in.n == OBJSET_V1_SIZE || in.n == OBJSET_V2_SIZE)
			continue;
		cr_assert_eq(objset_decode(in, &os, &e), -1);
		cr_assert_eq(e.kind, ERR_CORRUPT);
		cr_assert_eq(os.size, 7);
	}
}

Test(objset, damage_is_named_by_its_place)
{
	static const struct {
		size_t	    at;
		uint8_t	    value;
		const char *start;
	} edits[] = {
		{ 0x000, OT_PLAIN_FILE, "meta-dnode has type 19" },
		{ 0x008, 1, "meta-dnode has blocks of 512 bytes" },
		{ 0x00c, 1, "meta-dnode: " },
		{ 0x002, 200, "meta-dnode: " },
		{ 0x403, 0, "userused dnode: " },
		{ 0x603, 9, "groupused dnode: " },
		{ 0x80c, 31, "projectused dnode: " },
	};

	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
		uint8_t		   buf[4096];
		struct bytes	   in = golden("records/objset-fs", buf, sizeof buf);
		struct objset_phys os;
		struct err	   e = { 0 };

		buf[edits[i].at] = edits[i].value;
		cr_assert_eq(objset_decode(in, &os, &e), -1, "edit %zu", i);
		cr_assert_eq(strncmp(e.text, edits[i].start, strlen(edits[i].start)), 0, "%s",
			     e.text);
	}
}

Test(objset, an_intent_log_macs_and_flags_come_back_in_both_orders)
{
	for (enum order o = ORDER_LITTLE; o <= ORDER_BIG; o++) {
		uint8_t		   buf[4096];
		struct objset_phys os = decoded(golden("records/objset-fs", buf, sizeof buf));

		os.zil = (struct zil_header){
			.claim_txg = 11,
			.replay_seq = 12,
			.claim_blk_seq = 13,
			.flags = 2,
			.claim_lr_seq = 14,
			.log = { .lsize = 4096, .psize = 4096, .birth = 9, .checksum = 9,
				 .compress = 2, .type = OT_INTENT_LOG,
				 .dva = { { .offset = 0x8000, .asize = 4096 } } },
		};
		memset(os.portable_mac, 0x11, sizeof os.portable_mac);
		memset(os.local_mac, 0x22, sizeof os.local_mac);
		os.flags = UINT64_C(0x8000000000000001);
		objset_encode(&os, wbytes_of(buf, sizeof buf, o));

		struct objset_phys back = decoded(bytes_of(buf, sizeof buf, o));
		char		   out[1024];
		struct text	   t = text_in(out, sizeof out);

		cr_assert(objset_has_log(&back));
		cr_assert_eq(back.zil.log.dva[0].offset, 0x8000);
		cr_assert_eq(back.zil.claim_lr_seq, 14);
		cr_assert_arr_eq(back.portable_mac, os.portable_mac, 32);
		cr_assert_arr_eq(back.local_mac, os.local_mac, 32);
		objset_describe(&back, &t);
		cr_assert_not_null(strstr(out, "type: ZPL (2)\n"
					       "flags: USERACCOUNTING 0x8000000000000000\n"
					       "ZIL header: claim_txg 11, claim_blk_seq 13, "
					       "claim_lr_seq 14, replay_seq 12, flags 0x2\n"
					       "ZIL log: "),
				   "%s", out);
		cr_assert_not_null(strstr(out, "portable MAC: 1111"), "%s", out);
	}
}

Test(objset, type_names)
{
	cr_assert_str_eq(objset_type_name(OBJSET_META), "META");
	cr_assert_str_eq(objset_type_name(OBJSET_ZVOL), "ZVOL");
	cr_assert_str_eq(objset_type_name(UINT64_MAX), "unknown");
}
