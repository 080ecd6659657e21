#include <criterion/criterion.h>
#include <stdlib.h>
#include <threads.h>

#include "formats/codec/checksum.h"

static void start(void)
{
	cr_assert_eq(checksum_init(NULL), 0);
}

TestSuite(checksum, .init = start);
TestSuite(trailer, .init = start);

Test(checksum, names_and_numbers)
{
	cr_assert_str_eq(checksum_name(CHECKSUM_FLETCHER_4), "fletcher4");
	cr_assert_str_eq(checksum_name(CHECKSUM_ZILOG2), "zilog2");
	cr_assert_null(checksum_name(CHECKSUM_COUNT));
	cr_assert_eq(checksum_by_name("on"), CHECKSUM_ON);
	cr_assert_eq(checksum_by_name("sha512"), CHECKSUM_SHA512);
	cr_assert_eq(checksum_by_name("label"), -1);
	cr_assert_eq(checksum_by_name("fletcher"), -1);
}

Test(checksum, sha256_of_abc_is_the_published_one)
{
	/* FIPS 180-4, SHA-256 example 1. */
	struct digest want = { { 0xba7816bf8f01cfea, 0x414140de5dae2223, 0xb00361a396177a9c,
				 0xb410ff61f20015ad } };
	struct digest have;

	for (enum order o = ORDER_LITTLE; o <= ORDER_BIG; o++) {
		cr_assert_eq(checksum_compute(CHECKSUM_SHA256, bytes_of("abc", 3, o), &have, NULL),
			     0);
		cr_assert(digest_equal(&have, &want));
	}
}

Test(checksum, sha512_256_of_abc_takes_the_order_of_the_block)
{
	/* FIPS 180-4, SHA-512/256 example 1, begins 53048e26 81941ef9. */
	struct digest d;

	cr_assert_eq(checksum_compute(CHECKSUM_SHA512, bytes_of("abc", 3, ORDER_BIG), &d, NULL), 0);
	cr_assert_eq(d.w[0], 0x53048e2681941ef9);
	cr_assert_eq(checksum_compute(CHECKSUM_SHA512, bytes_of("abc", 3, ORDER_LITTLE), &d, NULL),
		     0);
	cr_assert_eq(d.w[0], 0xf91e9481268e0453);
}

Test(checksum, off_gives_zeros_and_others_are_refused_by_name)
{
	struct digest d = { { 1, 2, 3, 4 } }, zero = { { 0 } };
	struct bytes  in = bytes_of("abcd", 4, ORDER_LITTLE);
	struct err    e;

	cr_assert_eq(checksum_compute(CHECKSUM_OFF, in, &d, NULL), 0);
	cr_assert(digest_equal(&d, &zero));
	cr_assert_eq(checksum_compute(CHECKSUM_SKEIN, in, &d, &e), -1);
	cr_assert_eq(e.kind, ERR_UNSUPPORTED);
	cr_assert_not_null(strstr(e.text, "skein"));
	cr_assert_eq(checksum_compute(99, in, &d, &e), -1);
	cr_assert_eq(e.kind, ERR_UNSUPPORTED);
	cr_assert(checksum_supported(CHECKSUM_FLETCHER_2));
	cr_assert_not(checksum_supported(CHECKSUM_LABEL));
	cr_assert_not(checksum_supported(CHECKSUM_OFF));
	cr_assert_not(checksum_supported(99));
}

Test(checksum, salted_ones_need_the_salt_and_carry_the_blocks_order)
{
	static const unsigned ids[] = { CHECKSUM_SKEIN, CHECKSUM_EDONR, CHECKSUM_BLAKE3 };
	uint8_t		      salt[SALT_SIZE] = { 1, 2, 3 }, block[1536];
	struct checksum_keys  none = { 0 }, keys, other;
	struct digest	      little, big, changed;

	memset(block, 0x5a, sizeof block);
	checksum_keys_init(&keys, salt);
	salt[31] = 1;
	checksum_keys_init(&other, salt);
	for (size_t i = 0; i < 3; i++) {
		struct bytes in = bytes_of(block, sizeof block, ORDER_LITTLE);

		cr_assert(checksum_salted(ids[i]) && checksum_supported(ids[i]));
		cr_assert_eq(checksum_keyed(ids[i], &none, in, &little, NULL), -1);
		cr_assert_eq(checksum_keyed(ids[i], &keys, in, &little, NULL), 0);
		cr_assert_eq(checksum_keyed(ids[i], &other, in, &changed, NULL), 0);
		cr_assert_not(digest_equal(&little, &changed));
		in.order = ORDER_BIG;
		cr_assert_eq(checksum_keyed(ids[i], &keys, in, &big, NULL), 0);
		for (int w = 0; w < 4; w++)
			cr_assert_eq(big.w[w], __builtin_bswap64(little.w[w]));
	}
	cr_assert_not(checksum_salted(CHECKSUM_SHA512) || checksum_salted(99));
}

Test(checksum, text)
{
	struct digest d = { { 0, 1, UINT64_MAX, 0xabc } };
	char	      text[DIGEST_TEXT];

	digest_text(&d, text);
	cr_assert_str_eq(text,
			 "0000000000000000:0000000000000001:ffffffffffffffff:0000000000000abc");
}

static int hash_some(void *out)
{
	static const uint8_t block[512];

	for (int i = 0; i < 100; i++) {
		if (checksum_compute(CHECKSUM_SHA256, bytes_of(block, 512, ORDER_LITTLE), out,
				     NULL) < 0)
			return -1;
	}
	return 0;
}

Test(checksum, threads_hash_side_by_side)
{
	thrd_t	      t[2];
	struct digest d[2];

	for (int i = 0; i < 2; i++)
		cr_assert_eq(thrd_create(&t[i], hash_some, &d[i]), thrd_success);
	for (int i = 0; i < 2; i++) {
		int rc;

		thrd_join(t[i], &rc);
		cr_assert_eq(rc, 0);
	}
	cr_assert(digest_equal(&d[0], &d[1]));
}

/* ---- trailers ---- */

enum { BLOCK = 8192 };

static const unsigned kinds[] = { CHECKSUM_LABEL, CHECKSUM_GANG_HEADER, CHECKSUM_ZILOG,
				  CHECKSUM_ZILOG2 };

static void fill(struct wbytes w, unsigned kind)
{
	for (size_t i = 0; i < w.n; i++)
		w.p[i] = (uint8_t)(i * 7 + i / 256);
	if (kind == CHECKSUM_ZILOG2)
		put64(w, 136, 5000); /* in use: covers both 4 KiB halves */
}

Test(trailer, what_is_sealed_verifies_in_both_orders)
{
	struct digest who = { { 0x1122334455667788, 2, 3, 4 } }, other = { { 1 } };
	uint8_t	      block[BLOCK];

	for (size_t k = 0; k < 4; k++) {
		for (enum order o = ORDER_LITTLE; o <= ORDER_BIG; o++) {
			struct wbytes w = wbytes_of(block, BLOCK, o);
			struct bytes  in = bytes_of(block, BLOCK, order_other(o));
			enum order    seen = order_other(o);

			fill(w, kinds[k]);
			cr_assert_eq(checksum_trailer_seal(kinds[k], w, &who, NULL), 0);
			cr_assert_eq(checksum_trailer_verify(kinds[k], in, &who, &seen, NULL), 0);
			cr_assert_eq(seen, o);
			cr_assert_eq(checksum_trailer_verify(kinds[k], in, &other, &seen, NULL),
				     -1);
			block[200] ^= 1;
			cr_assert_eq(checksum_trailer_verify(kinds[k], in, &who, &seen, NULL), -1);
		}
	}
}

/* Against the definition: the whole block with the verifier in the digest's place. */
Test(trailer, the_digest_is_that_of_the_block_with_the_verifier_in_place)
{
	struct digest who = { { 7, 8, 9, 10 } }, want;
	uint8_t	      block[BLOCK], plain[BLOCK];

	for (enum order o = ORDER_LITTLE; o <= ORDER_BIG; o++) {
		struct wbytes w = wbytes_of(block, BLOCK, o), p = wbytes_of(plain, BLOCK, o);

		fill(w, CHECKSUM_LABEL);
		cr_assert_eq(checksum_trailer_seal(CHECKSUM_LABEL, w, &who, NULL), 0);
		memcpy(plain, block, BLOCK);
		for (size_t i = 0; i < 4; i++)
			put64(p, BLOCK - 32 + i * 8, who.w[i]);
		cr_assert_eq(checksum_compute(CHECKSUM_SHA256, wbytes_view(p), &want, NULL), 0);
		for (size_t i = 0; i < 4; i++)
			cr_assert_eq(get64(wbytes_view(w), BLOCK - 32 + i * 8), want.w[i]);
	}
}

Test(trailer, a_log_block_is_covered_only_as_far_as_it_is_used)
{
	struct digest who = { { 1, 2, 3, 4 } };
	uint8_t	      block[BLOCK];
	struct wbytes w = wbytes_of(block, BLOCK, ORDER_BIG);
	struct bytes  in = wbytes_view(w);
	enum order    o;

	fill(w, CHECKSUM_ZILOG2);
	put64(w, 136, 4096);
	cr_assert_eq(checksum_trailer_seal(CHECKSUM_ZILOG2, w, &who, NULL), 0);
	block[4096] ^= 1;
	cr_assert_eq(checksum_trailer_verify(CHECKSUM_ZILOG2, in, &who, &o, NULL), 0);
	block[4095] ^= 1;
	cr_assert_eq(checksum_trailer_verify(CHECKSUM_ZILOG2, in, &who, &o, NULL), -1);
}

Test(trailer, impossible_used_lengths_are_corrupt)
{
	const uint64_t used[] = { 0, BLOCK + 1, UINT64_MAX, UINT64_MAX - 4094, UINT64_C(1) << 63 };
	struct digest  who = { { 1 } };
	uint8_t	       block[BLOCK];
	struct wbytes  w = wbytes_of(block, BLOCK, ORDER_LITTLE);
	struct err     e;
	enum order     o;

	fill(w, CHECKSUM_ZILOG2);
	cr_assert_eq(checksum_trailer_seal(CHECKSUM_ZILOG2, w, &who, NULL), 0);
	for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
		put64(w, 136, used[i]);
		cr_assert_eq(checksum_trailer_verify(CHECKSUM_ZILOG2, wbytes_view(w), &who, &o, &e),
			     -1);
		cr_assert_eq(e.kind, ERR_CORRUPT);
	}
}

Test(trailer, every_shorter_length_is_refused)
{
	struct digest who = { { 1, 2, 3, 4 } };

	for (size_t k = 0; k < 4; k++) {
		uint8_t	      block[BLOCK];
		struct wbytes w = wbytes_of(block, BLOCK, ORDER_LITTLE);
		enum order    o;

		fill(w, kinds[k]);
		cr_assert_eq(checksum_trailer_seal(kinds[k], w, &who, NULL), 0);
		for (size_t n = 0; n < 600; n++) {
			uint8_t *cut = malloc(n + 1);

			memcpy(cut, block, n);
			cr_assert_eq(checksum_trailer_verify(kinds[k],
							     bytes_of(cut, n, ORDER_LITTLE), &who,
							     &o, NULL),
				     -1);
			free(cut);
		}
	}
}

Test(trailer, kinds_without_a_trailer_are_refused)
{
	uint8_t	      block[512] = { 0 };
	struct digest who = { { 0 } };
	struct err    e;
	enum order    o;

	cr_assert_eq(checksum_trailer_verify(CHECKSUM_SHA256, bytes_of(block, 512, ORDER_LITTLE),
					     &who, &o, &e),
		     -1);
	cr_assert_eq(e.kind, ERR_UNSUPPORTED);
	cr_assert_eq(checksum_trailer_verify(77, bytes_of(block, 512, ORDER_LITTLE), &who, &o, &e),
		     -1);
}
