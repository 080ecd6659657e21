#include "formats/blkptr.h"
#include "formats/codec/compress.h"
#include "formats/golden_test.h"
#include "formats/objtype.h"

static struct blkptr decoded(const void *p, enum order order)
{
	struct blkptr bp;
	struct err    e = { 0 };

	cr_assert_eq(blkptr_decode(bytes_of(p, BLKPTR_SIZE, order), &bp, &e), 0, "%s", e.text);
	return bp;
}

static struct blkptr genuine(const char *name, uint8_t *raw)
{
	golden(name, raw, BLKPTR_SIZE);
	return decoded(raw, ORDER_LITTLE);
}

static void same_text(const struct blkptr *bp, const char *expected)
{
	char	    buf[512];
	struct text t = text_in(buf, sizeof buf);

	blkptr_describe(bp, &t);
	cr_assert_str_eq(buf, expected);
}

Test(blkptr, a_genuine_one_reads_as_zdb_reads_it)
{
	uint8_t	      raw[BLKPTR_SIZE];
	struct blkptr bp = genuine("labels/blkptr-root", raw);

	cr_assert_eq(bp.dva[1].offset, 0x1032c00);
	cr_assert_eq(bp.lsize, 0x1000);
	cr_assert_eq(bp.psize, 0x200);
	cr_assert_eq(bp.type, OT_OBJSET);
	cr_assert_eq(bp.compress, COMPRESS_LZ4);
	cr_assert_eq(bp.checksum, CHECKSUM_FLETCHER_4);
	cr_assert_eq(bp.order, ORDER_LITTLE);
	cr_assert_eq(blkptr_copies(&bp), 3);
	cr_assert_eq(blkptr_asize(&bp), 0x600);
	cr_assert_eq(blkptr_phys_birth(&bp), 22);
	cr_assert_eq(blkptr_check(&bp, NULL), 0);
	same_text(&bp, "DVA[0]=<0:52600:200> DVA[1]=<0:1032c00:200> DVA[2]=<0:201da00:200> "
		       "[L0 DMU objset] fletcher4 lz4 unencrypted LE contiguous unique triple "
		       "size=1000L/200P birth=22L/22P fill=56 "
		       "cksum=0000000fa6d5246a:0000056587cb7ab8:0000f96618c863e4:001f4c30df712dcb");
}

Test(blkptr, an_embedded_payload_skips_the_words_that_are_not_its_own)
{
	uint8_t	      raw[BLKPTR_SIZE], out[512];
	struct blkptr bp = genuine("labels/blkptr-embedded", raw);
	struct codec *codec = codec_new(NULL);

	cr_assert(bp.embedded);
	cr_assert_not(blkptr_is_hole(&bp));
	cr_assert_eq(bp.etype, BP_EMBEDDED_DATA);
	cr_assert_eq(bp.lsize, 0x200);
	cr_assert_eq(bp.psize, 52);
	cr_assert_eq(blkptr_copies(&bp), 0);
	cr_assert_eq(blkptr_check(&bp, NULL), 0);
	cr_assert_eq(decompress_block(codec, bp.compress,
				      bytes_of(bp.payload, bp.psize, ORDER_LITTLE), out, sizeof out,
				      NULL),
		     0);
	/* a micro ZAP, and the name of its first entry */
	cr_assert_eq(get64(bytes_of(out, sizeof out, ORDER_LITTLE), 0), UINT64_C(1) << 63 | 3);
	cr_assert_str_eq((char *)out + 64 + 14, "0");
	same_text(&bp, "EMBEDDED [L0 DSL deadlist map] et=0 lz4 size=200L/34P birth=10L");
	codec_free(codec);
}

Test(blkptr, every_form_goes_round_in_both_orders)
{
	static const char *const names[] = { "labels/blkptr-root", "labels/blkptr-embedded" };

	for (size_t i = 0; i < 2; i++) {
		uint8_t	      raw[BLKPTR_SIZE], again[BLKPTR_SIZE], swapped[BLKPTR_SIZE];
		struct blkptr bp = genuine(names[i], raw);

		blkptr_encode(&bp, wbytes_of(again, sizeof again, ORDER_LITTLE));
		cr_assert_arr_eq(again, raw, sizeof raw);
		blkptr_encode(&bp, wbytes_of(swapped, sizeof swapped, ORDER_BIG));
		for (size_t w = 0; w < BLKPTR_SIZE; w += 8)
			cr_assert_eq(get64(bytes_of(swapped, sizeof swapped, ORDER_BIG), w),
				     get64(bytes_of(raw, sizeof raw, ORDER_LITTLE), w));

		struct blkptr other = decoded(swapped, ORDER_BIG);

		cr_assert_arr_eq(other.payload, bp.payload, sizeof bp.payload);
		blkptr_encode(&other, wbytes_of(again, sizeof again, ORDER_LITTLE));
		cr_assert_arr_eq(again, raw, sizeof raw);
	}
}

Test(blkptr, a_short_buffer_is_corrupt_and_leaves_out_alone)
{
	uint8_t	      raw[BLKPTR_SIZE] = { 0 };
	struct blkptr bp = { .birth = 99 };

	for (size_t n = 0; n < BLKPTR_SIZE; n++) {
		struct err e = { 0 };

		cr_assert_lt(blkptr_decode(bytes_of(raw, n, ORDER_LITTLE), &bp, &e), 0);
		cr_assert_eq(e.kind, ERR_CORRUPT);
		cr_assert_eq(bp.birth, 99);
	}
}

Test(blkptr, an_offset_past_the_address_space_is_corrupt)
{
	uint8_t	      raw[BLKPTR_SIZE] = { 0 };
	struct blkptr bp;
	struct err    e = { 0 };

	put64(wbytes_of(raw, sizeof raw, ORDER_LITTLE), 0x18, UINT64_C(1) << 55);
	cr_assert_lt(blkptr_decode(bytes_of(raw, sizeof raw, ORDER_LITTLE), &bp, &e), 0);
	cr_assert_str_eq(e.text, "copy 1: offset of 0x80000000000000 sectors is past 2^64 bytes");
}

Test(blkptr, a_fresh_struct_is_a_hole_never_written)
{
	uint8_t	      raw[BLKPTR_SIZE];
	struct blkptr bp = { 0 };

	memset(raw, 0xff, sizeof raw);
	blkptr_encode(&bp, wbytes_of(raw, sizeof raw, ORDER_LITTLE));
	cr_assert(bytes_zero(bytes_of(raw, sizeof raw, ORDER_LITTLE)));
	bp = decoded(raw, ORDER_LITTLE);
	cr_assert(blkptr_is_hole(&bp));
	cr_assert_eq(blkptr_check(&bp, NULL), 0);
	same_text(&bp, "HOLE [L0 unallocated] size=200L birth=0L");
}

Test(blkptr, a_hole_over_a_former_block_keeps_what_it_was)
{
	uint8_t	      raw[BLKPTR_SIZE];
	struct blkptr bp = { .lsize = 131072, .type = OT_PLAIN_FILE, .level = 1, .birth = 77 };

	blkptr_encode(&bp, wbytes_of(raw, sizeof raw, ORDER_BIG));
	/* no byte order, as OpenZFS leaves it */
	cr_assert_eq(get64(bytes_of(raw, sizeof raw, ORDER_BIG), 0x30),
		     UINT64_C(0x01130000000000ff));
	bp = decoded(raw, ORDER_BIG);
	same_text(&bp, "HOLE [L1 ZFS plain file] size=20000L birth=77L");
}

static struct blkptr plain(void)
{
	return (struct blkptr){
		.dva = { { .vdev = 1, .offset = 0x4000, .asize = 0x1000 } },
		.lsize = 4096,
		.psize = 1024,
		.birth = 9,
		.phys_birth = 8,
		.fill = 1,
		.type = OT_PLAIN_FILE,
		.checksum = CHECKSUM_SHA256,
		.compress = COMPRESS_ZSTD,
	};
}

Test(blkptr, an_encrypted_one_keeps_salt_and_iv_in_place_of_the_third_copy)
{
	uint8_t	      raw[BLKPTR_SIZE], again[BLKPTR_SIZE];
	struct blkptr bp = plain();

	bp.crypt = true;
	bp.salt = UINT64_C(0xaeb4749e548a9320);
	bp.iv = UINT64_C(0xf768ccc48686debf);
	bp.fill = UINT64_C(0x5daec217) << 32 | 1;
	blkptr_encode(&bp, wbytes_of(raw, sizeof raw, ORDER_LITTLE));
	bp = decoded(raw, ORDER_LITTLE);
	cr_assert(blkptr_is_encrypted(&bp));
	cr_assert_eq(blkptr_copies(&bp), 1);
	cr_assert_eq(blkptr_asize(&bp), 0x1000);
	cr_assert_eq(bp.iv, UINT64_C(0xf768ccc48686debf));
	blkptr_encode(&bp, wbytes_of(again, sizeof again, ORDER_LITTLE));
	cr_assert_arr_eq(again, raw, sizeof raw);
	same_text(&bp, "DVA[0]=<1:4000:1000> salt=aeb4749e548a9320 iv=f768ccc48686debf:5daec217 "
		       "[L0 ZFS plain file] sha256 zstd encrypted LE contiguous unique single "
		       "size=1000L/400P birth=9L/8P fill=1 "
		       "cksum=0000000000000000:0000000000000000:0000000000000000:0000000000000000");
}

Test(blkptr, authenticated_and_indirect_ones_have_three_copies)
{
	uint8_t	      raw[BLKPTR_SIZE];
	struct blkptr bp = plain();

	bp.crypt = true;
	bp.dva[2] = (struct dva){ .offset = 512, .asize = 512, .gang = true };
	bp.type = OT_MASTER_NODE;
	blkptr_encode(&bp, wbytes_of(raw, sizeof raw, ORDER_LITTLE));
	bp = decoded(raw, ORDER_LITTLE);
	cr_assert_not(blkptr_is_encrypted(&bp));
	cr_assert_eq(blkptr_copies(&bp), 2);
	cr_assert(bp.dva[2].gang);
	bp.type = OT_PLAIN_FILE;
	bp.level = 1;
	blkptr_encode(&bp, wbytes_of(raw, sizeof raw, ORDER_LITTLE));
	bp = decoded(raw, ORDER_LITTLE);
	cr_assert_eq(blkptr_copies(&bp), 2);
}

Test(blkptr, flags_go_round)
{
	uint8_t	      raw[BLKPTR_SIZE];
	struct blkptr bp = plain();

	bp.dedup = bp.rewrite = true;
	bp.order = ORDER_BIG;
	blkptr_encode(&bp, wbytes_of(raw, sizeof raw, ORDER_BIG));
	bp = decoded(raw, ORDER_BIG);
	cr_assert(bp.dedup && bp.rewrite);
	cr_assert_eq(bp.order, ORDER_BIG);
	cr_assert_eq(blkptr_phys_birth(&bp), 8);
}

static void refused(const struct blkptr *bp, const char *why)
{
	struct err e = { 0 };

	cr_assert_lt(blkptr_check(bp, &e), 0, "%s", why);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	cr_assert_not_null(strstr(e.text, why), "%s", e.text);
}

Test(blkptr, values_without_sense_are_refused)
{
	struct blkptr good = plain(), bp;

	cr_assert_eq(blkptr_check(&good, NULL), 0);
#define BAD(why, ...)              \
	do {                       \
		bp = good;         \
		__VA_ARGS__;       \
		refused(&bp, why); \
	} while (0)
	BAD("type", bp.type = 99);
	BAD("level", bp.level = 12);
	BAD("compression", bp.compress = COMPRESS_COUNT);
	BAD("checksum", bp.checksum = CHECKSUM_COUNT);
	BAD("block size", bp.lsize = 32 << 20);
	BAD("more than", bp.psize = 8192);
	BAD("copy", bp.dva[0].asize = 0);
	BAD("embedded", bp.embedded = true; bp.psize = 113);
	BAD("embedded", bp.embedded = true; bp.etype = 3);
#undef BAD
	bp = good;
	bp.psize = 8192;
	bp.crypt = true;
	cr_assert_eq(blkptr_check(&bp, NULL), 0);
}
