#include "formats/bonus_test.h"
#include "formats/dsl.h"

Test(dsl, a_directory_of_openzfs_2_3_as_zdb_shows_it)
{
	uint8_t	       buf[512];
	char	       out[2048];
	struct text    t = text_in(out, sizeof out);
	struct dsl_dir d;

	cr_assert_eq(dsl_dir_decode(bonus("dnode-dsl-dir", buf), &d, NULL), 0);
	cr_assert_eq(d.head_dataset, 54);
	cr_assert_eq(d.used_by[USED_HEAD], 61952); /* 60.5K */
	cr_assert_eq(d.flags, DSL_DIR_FLAG_USED_BREAKDOWN);
	dsl_dir_describe(&d, &t);
	cr_assert_str_eq(out, "creation_time = Mon Nov 30 07:58:41 2026\n"
			      "head_dataset_obj = 54\nparent_dir_obj = 0\norigin_obj = 48\n"
			      "child_dir_zapobj = 34\nused_bytes = 325120\n"
			      "compressed_bytes = 203264\nuncompressed_bytes = 745984\n"
			      "quota = 0\nreserved = 0\nprops_zapobj = 33\ndeleg_zapobj = 0\n"
			      "flags = 1\nused_breakdown[HEAD] = 61952\n"
			      "used_breakdown[SNAP] = 0\nused_breakdown[CHILD] = 263168\n"
			      "used_breakdown[CHILD_RSRV] = 0\nused_breakdown[REFRSRV] = 0\n"
			      "clones = 0\n");
}

Test(dsl, datasets_of_both_ages)
{
	uint8_t		   buf[512];
	char		   out[2048];
	struct text	   t = text_in(out, sizeof out);
	struct dsl_dataset d;

	cr_assert_eq(dsl_dataset_decode(bonus("dnode-dsl-dataset-fuse", buf), &d, NULL), 0);
	cr_assert_eq(d.dir, 2);
	cr_assert_eq(d.prev_snap_txg, 1);
	cr_assert_eq(d.deadlist, 18);
	cr_assert_eq(d.fsid_guid, UINT64_C(67003217134168963));
	cr_assert_eq(d.bp.dva[0].offset, 0x18b7600);

	cr_assert_eq(dsl_dataset_decode(bonus("dnode-dsl-dataset", buf), &d, NULL), 0);
	cr_assert_eq(d.prev_snap, 85);
	cr_assert_eq(d.guid, UINT64_C(14720024701694177392));
	cr_assert_eq(d.bp.dva[1].offset, 0x1021a00);
	dsl_dataset_describe(&d, &t);
	cr_assert_not_null(strstr(out, "num_children = 0\nuserrefs_obj = 0\n"
				       "creation_time = Mon Nov 30 07:58:41 2026\n"
				       "creation_txg = 1\ndeadlist_obj = 86\nused_bytes = 61952\n"),
			   "%s", out);
	cr_assert_not_null(strstr(out, "props_obj = 0\nbp = DVA[0]=<0:3da00:200>"), "%s", out);
}

Test(dsl, lists_of_both_ages)
{
	uint8_t		    buf[512];
	char		    out[512];
	struct text	    t = text_in(out, sizeof out);
	struct bpobj	    b;
	struct dsl_deadlist l;

	cr_assert_eq(bpobj_decode(bonus("dnode-bpobj", buf), &b, NULL), 0);
	cr_assert_eq(b.size, BPOBJ_V2_SIZE);
	cr_assert_eq(b.count, 12);
	cr_assert_eq(b.bytes, 26112);
	bpobj_describe(&b, &t);
	cr_assert_str_eq(out, "num_blkptrs = 12\nbytes = 26112\ncomp = 16384\nuncomp = 75776\n"
			      "subobjs = 0\nnum_subobjs = 0\n");

	cr_assert_eq(bpobj_decode(bonus("dnode-bpobj-fuse", buf), &b, NULL), 0);
	cr_assert_eq(b.size, BPOBJ_V1_SIZE);
	cr_assert_eq(b.count, 0);

	t = text_in(out, sizeof out);
	cr_assert_eq(dsl_deadlist_decode(bonus("dnode-deadlist", buf), &l, NULL), 0);
	dsl_deadlist_describe(&l, &t);
	cr_assert_str_eq(out, "used = 0\ncomp = 0\nuncomp = 0\n");
}

/* Decodes a genuine bonus, encodes it big-endian, decodes that, and encodes it back. */
#define ROUND_TRIP(type, name, size) \
	do { \
		uint8_t	     buf_[512], mid_[512] = { 0 }, back_[512] = { 0 }; \
		struct bytes in_ = bonus(name, buf_); \
		struct type  d_; \
		cr_assert_eq(in_.n, (size_t)(size), "%s", name); \
		cr_assert_eq(type##_decode(in_, &d_, NULL), 0, "%s", name); \
		type##_encode(&d_, wbytes_of(mid_, in_.n, ORDER_BIG)); \
		cr_assert_eq(type##_decode(bytes_of(mid_, in_.n, ORDER_BIG), &d_, NULL), 0); \
		type##_encode(&d_, wbytes_of(back_, in_.n, ORDER_LITTLE)); \
		cr_assert_arr_eq(back_, in_.p, in_.n, "%s", name); \
	} while (0)

Test(dsl, genuine_records_survive_the_other_order)
{
	ROUND_TRIP(dsl_dir, "dnode-dsl-dir", DSL_DIR_SIZE);
	ROUND_TRIP(dsl_dir, "dnode-dsl-dir-fuse", DSL_DIR_SIZE);
	ROUND_TRIP(dsl_dataset, "dnode-dsl-dataset", DSL_DATASET_SIZE);
	ROUND_TRIP(dsl_dataset, "dnode-dsl-dataset-fuse", DSL_DATASET_SIZE);
	ROUND_TRIP(dsl_deadlist, "dnode-deadlist", DSL_DEADLIST_SIZE);
	ROUND_TRIP(bpobj, "dnode-bpobj", BPOBJ_V2_SIZE);
	ROUND_TRIP(bpobj, "dnode-bpobj-fuse", BPOBJ_V1_SIZE);
}

Test(dsl, every_word_has_its_own_place)
{
	uint8_t		   raw[512], back[512];
	struct dsl_dir	   dir;
	struct dsl_dataset ds;

	/* Bytes past the known words stay zero; the dataset's pointer is left a hole. */
	memset(raw, 0, sizeof raw);
	for (size_t i = 0; i < 0x98; i++)
		raw[i] = (uint8_t)(i * 7 + 1);
	cr_assert_eq(dsl_dir_decode(bytes_of(raw, DSL_DIR_SIZE, ORDER_BIG), &dir, NULL), 0);
	dsl_dir_encode(&dir, wbytes_of(back, sizeof back, ORDER_BIG));
	cr_assert_arr_eq(back, raw, DSL_DIR_SIZE);

	memset(raw, 0, sizeof raw);
	for (size_t i = 0; i < 0x118; i++)
		raw[i] = i < 0x80 || i >= 0x100 ? (uint8_t)(i * 5 + 1) : 0;
	cr_assert_eq(dsl_dataset_decode(bytes_of(raw, DSL_DATASET_SIZE, ORDER_BIG), &ds, NULL), 0);
	dsl_dataset_encode(&ds, wbytes_of(back, sizeof back, ORDER_BIG));
	cr_assert_arr_eq(back, raw, DSL_DATASET_SIZE);
}

Test(dsl, short_buffers_are_corrupt_and_leave_out_alone)
{
	uint8_t		    raw[512] = { 1 };
	struct dsl_dir	    dir = { .used = 5 };
	struct dsl_dataset  ds = { .dir = 5 };
	struct dsl_deadlist dl = { .used = 5 };
	struct bpobj	    b = { .size = 5 };

	for (size_t n = 0; n < DSL_DATASET_SIZE; n++) {
		struct bytes in = bytes_of(raw, n, ORDER_LITTLE);
		struct err   e = { 0 };

		cr_assert_eq(dsl_dataset_decode(in, &ds, &e), -1);
		cr_assert_eq(e.kind, ERR_CORRUPT);
		cr_assert_eq(dsl_deadlist_decode(in, &dl, NULL), -1);
		if (n < DSL_DIR_SIZE)
			cr_assert_eq(dsl_dir_decode(in, &dir, NULL), -1);
		if (n < BPOBJ_V0_SIZE)
			cr_assert_eq(bpobj_decode(in, &b, NULL), -1);
	}
	cr_assert_eq(dir.used, 5);
	cr_assert_eq(ds.dir, 5);
	cr_assert_eq(dl.used, 5);
	cr_assert_eq(b.size, 5);
}

Test(dsl, the_size_of_a_block_pointer_list_is_its_version)
{
	uint8_t raw[64];

	memset(raw, 1, sizeof raw);
	for (size_t n = BPOBJ_V0_SIZE; n <= sizeof raw; n++) {
		struct bpobj b;
		size_t	     want = n >= 56 ? 56 : n >= 48 ? 48 : n >= 32 ? 32 : 16;

		cr_assert_eq(bpobj_decode(bytes_of(raw, n, ORDER_LITTLE), &b, NULL), 0);
		cr_assert_eq(b.size, want);
		cr_assert_eq(b.comp != 0, want >= 32);
		cr_assert_eq(b.num_subobjs != 0, want >= 48);
		cr_assert_eq(b.num_freed != 0, want >= 56);
	}
}

Test(dsl, impossible_times_are_printed_as_numbers)
{
	char		   out[2048];
	struct text	   t = text_in(out, sizeof out);
	struct dsl_dataset d = { .creation_time = UINT64_MAX };

	dsl_dataset_describe(&d, &t);
	cr_assert_not_null(strstr(out, "creation_time = 18446744073709551615\n"));
	t = text_in(out, sizeof out);
	d.creation_time = INT64_MAX;
	dsl_dataset_describe(&d, &t);
	cr_assert_not_null(strstr(out, "creation_time = 9223372036854775807\n"));
	t = text_in(out, sizeof out);
	d.creation_time = 951786061;
	dsl_dataset_describe(&d, &t);
	cr_assert_not_null(strstr(out, "creation_time = Tue Feb 29 01:01:01 2000\n"), "%s", out);
}
