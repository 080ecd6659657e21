/* Blocks that OpenZFS wrote; testdata/golden/codec/README.md tells where they come from. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/codec/checksum.h"
#include "formats/codec/compress.h"
#include "formats/codec/compress_own.h"

enum { FULL = 131072 };

struct golden {
	const char   *name;   /* the property value, and the file's name */
	struct digest stored; /* fletcher-4 in the block pointer */
	struct digest plain;  /* SHA-256 of the block expanded */
};

static const struct golden blocks[] = {
	{ "lzjb",
	  { { 0x000003ee1785e471, 0x000e19caeebd598b, 0x2087e020c41bd071, 0x85dcfd6e3cfc1468 } },
	  { { 0x70c19c1bfd0bd1c6, 0x0f2bab57790418f0, 0x26bed42452b3325f, 0x63e576aeb1ddbd7f } } },
	{ "gzip-1",
	  { { 0x000002a7e672310b, 0x000587ae4d21bc17, 0x076e5c7b04651c2e, 0x7858c6d7b2f93ed8 } },
	  { { 0x5a1f31d2848ac23b, 0xef6e9084bda8679b, 0xbff2462dfa6866a8, 0x5816bd6dff14cc44 } } },
	{ "gzip-6",
	  { { 0x00000263b882dfb3, 0x00055177d6e77d09, 0x073729c9ad83dd16, 0x4610892ad654f41d } },
	  { { 0x11b14376da635632, 0x54616f6a3ad6aad1, 0x30b0d96ca68e4864, 0x2df93df6ee7f66c4 } } },
	{ "gzip-9",
	  { { 0x00000261cc109cd7, 0x00054f959fc8bc3c, 0x072d5509464077e9, 0x31d1a8aba2515b90 } },
	  { { 0xa211e0aa1abdf334, 0x9bdd700806405129, 0xa0074f82c5283085, 0x5f6cfe725aea4b77 } } },
	{ "zle",
	  { { 0x00000066983fe76a, 0x00006cce202de643, 0x00997dfbcec3fc4b, 0xdad490e9e7cf64b0 } },
	  { { 0x56e8041ca34bc6fc, 0xe67987c1583239fa, 0x3223c7dbbba2a04e, 0xfe7d754dd8193af7 } } },
	{ "lz4",
	  { { 0x000002249376beec, 0x000702d418c688fd, 0x111aec1644c2eddc, 0xe563fd7afabde13d } },
	  { { 0xc922f5e5178466b0, 0x4325e8cee27a9dd2, 0x31f77ac8bb5d7217, 0x52ed5cde0524452c } } },
	{ "zstd-1",
	  { { 0x000000bbec25ff52, 0x0000a07ba6407132, 0x004f32e9d54b1136, 0x1d219fe404773663 } },
	  { { 0xacaa8b9f2eb1c772, 0xcaa2e1075e40c8b1, 0xeca17fbb024bbbe3, 0xe6d96eb36d8acbd6 } } },
	{ "zstd-3",
	  { { 0x000000bb20fc1a14, 0x00009f7646b1acb0, 0x004e8a457bd6ac82, 0x1cd8dd420f38f447 } },
	  { { 0x58e673e80e6d0a5e, 0xdd16d7747c8a9e58, 0xee41d9a2c4b66f24, 0x2314ed4d8600c6af } } },
	{ "zstd-19",
	  { { 0x00000067adaad70a, 0x0000668ea72b3ad9, 0x003849485950d42f, 0x15d9fa0dcc8e0688 } },
	  { { 0xea25f6851373202a, 0x78c5bfef769705b0, 0x19b023ccfb097dee, 0x6c3d318db7a937e5 } } },
	{ "zstd-fast-1",
	  { { 0x00000083f3999f0d, 0x0000785d336bcd38, 0x004edffb3facd2c0, 0x281f37de1e511a23 } },
	  { { 0xc6306230e13a080b, 0x8abffc552eb015c6, 0x9fc22ba05ad1a96e, 0x2ce7cfaa579ae7d1 } } },
	{ "zstd-fast-10",
	  { { 0x000000a5a0edebad, 0x0000d50778f29f05, 0x00a9c37853482c3a, 0x68819db870c4ac36 } },
	  { { 0x1d26e4c897f82f17, 0x0fb4f5739d5d421f, 0x122d2b4cef2de7bb, 0x7902177d341a3cba } } },
	{ "zstd-fast-1000",
	  { { 0x000006a9e336a086, 0x004685b0ecba7942, 0xe56fc554f5379b08, 0x8693cacbffb854ab } },
	  { { 0xf02b251e431c2e17, 0x2a58a977eaf7fe51, 0x62c44411f9166e03, 0x0a7dbd3c4cfd412d } } },
};

enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

/* The file's bytes in memory of exactly that size; the caller frees p. */
static struct wbytes load(const char *name)
{
	char  path[128];
	FILE *f;

	snprintf(path, sizeof path, "testdata/golden/codec/%s.bin", name);
	f = fopen(path, "rb");
	cr_assert_not_null(f, "%s", path);
	fseek(f, 0, SEEK_END);

	struct wbytes w = wbytes_of(NULL, (size_t)ftell(f), ORDER_LITTLE);

	rewind(f);
	w.p = malloc(w.n);
	cr_assert_eq(fread(w.p, 1, w.n, f), w.n);
	fclose(f);
	return w;
}

/* By the beginning of a name: a zstd block says its level itself. */
static unsigned compressor(const char *name)
{
	unsigned id = COMPRESS_COUNT - 1;

	while (strncmp(name, compress_name(id), strlen(compress_name(id))) != 0)
		id--;
	return id;
}

static void start(void)
{
	cr_assert_eq(checksum_init(NULL), 0);
}

TestSuite(golden, .init = start);

Test(golden, blocks_of_every_compressor_verify_and_expand)
{
	struct codec *c = codec_new(NULL);
	uint8_t	     *out = malloc(FULL);

	for (size_t i = 0; i < BLOCKS; i++) {
		struct wbytes w = load(blocks[i].name);
		struct digest d;
		cr_assert_eq(checksum_compute(CHECKSUM_FLETCHER_4, wbytes_view(w), &d, NULL), 0);
		cr_assert(digest_equal(&d, &blocks[i].stored), "%s", blocks[i].name);
		cr_assert_eq(decompress_block(c, compressor(blocks[i].name), wbytes_view(w), out,
					      FULL, NULL),
			     0, "%s", blocks[i].name);
		cr_assert_eq(checksum_compute(CHECKSUM_SHA256, bytes_of(out, FULL, ORDER_LITTLE),
					      &d, NULL),
			     0);
		cr_assert(digest_equal(&d, &blocks[i].plain), "%s", blocks[i].name);
		free(w.p);
	}
	free(out);
	codec_free(c);
}

/* The salt is what the object directory of the pool had. */
Test(golden, salted_checksums_are_what_openzfs_computed)
{
	static const uint8_t salt[SALT_SIZE] = {
		0x2c, 0x4f, 0x03, 0xbb, 0x84, 0xe1, 0x7d, 0x99, 0x3b, 0x3f, 0xfe,
		0x99, 0x71, 0xab, 0x81, 0x8c, 0xf5, 0xb3, 0xb5, 0x6f, 0x4c, 0x77,
		0x2f, 0xf8, 0x6f, 0xc8, 0xf8, 0xa0, 0x67, 0xc2, 0xd1, 0x03,
	};
	static const struct {
		const char   *name;
		struct digest cksum;
	} all[] = {
		{ "skein",
		  { { 0x78c78cdb5c28576f, 0x17e969dcc6f70ebd, 0xe7dd1e1f71c5a82e,
		      0x9123e026dc7daef9 } } },
		{ "edonr",
		  { { 0x28d4b0c300b2ba1e, 0xb43bb8e6a1e49c2c, 0x8a95a18d6f5174ab,
		      0x2f073fa2e4b24ae3 } } },
		{ "blake3",
		  { { 0xdcfe273b452c1cac, 0x01aea6d13c1b26be, 0x36de24b9190f2db1,
		      0xe720e20e6e4ec269 } } },
	};
	struct checksum_keys keys;

	checksum_keys_init(&keys, salt);
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		struct wbytes w = load(all[i].name);
		struct digest d;

		cr_assert_eq(checksum_keyed((unsigned)checksum_by_name(all[i].name), &keys,
					    wbytes_view(w), &d, NULL),
			     0);
		cr_assert(digest_equal(&d, &all[i].cksum), "%s", all[i].name);
		free(w.p);
	}
}

/* Not promised, but where the algorithm leaves no choice ours comes to the same bytes. */
Test(golden, own_compressors_write_what_openzfs_wrote)
{
	static const char *const names[] = { "lzjb", "zle" };
	uint8_t			*plain = malloc(FULL), *again = malloc(FULL);

	for (int i = 0; i < 2; i++) {
		struct wbytes w = load(names[i]);
		size_t	      n;

		if (i == 0) {
			cr_assert(lzjb_decompress(wbytes_view(w), plain, FULL));
			n = lzjb_compress(bytes_of(plain, FULL, ORDER_LITTLE), again, FULL);
		} else {
			cr_assert(zle_decompress(wbytes_view(w), plain, FULL));
			n = zle_compress(bytes_of(plain, FULL, ORDER_LITTLE), again, FULL);
		}
		cr_assert(n > w.n - 512 && n <= w.n, "%s", names[i]);
		cr_assert(memcmp(again, w.p, n) == 0, "%s", names[i]);
		free(w.p);
	}
	free(plain);
	free(again);
}

Test(golden, an_uberblock_verifies_where_it_was_and_nowhere_else)
{
	struct wbytes w = load("uberblock");
	struct digest here = { { 206848 } }, there = { { 206848 + 1024 } }, d;
	enum order    o = ORDER_BIG;

	cr_assert_eq(checksum_trailer_verify(CHECKSUM_LABEL, wbytes_view(w), &here, &o, NULL), 0);
	cr_assert_eq(o, ORDER_LITTLE);
	cr_assert_eq(checksum_trailer_verify(CHECKSUM_LABEL, wbytes_view(w), &there, &o, NULL), -1);

	/* Sealing gives the same bytes again. */
	for (size_t i = 0; i < 4; i++)
		d.w[i] = get64(wbytes_view(w), w.n - 32 + i * 8);
	memset(w.p + w.n - ECK_SIZE, 0, ECK_SIZE);
	cr_assert_eq(checksum_trailer_seal(CHECKSUM_LABEL, w, &here, NULL), 0);
	for (size_t i = 0; i < 4; i++)
		cr_assert_eq(get64(wbytes_view(w), w.n - 32 + i * 8), d.w[i]);
	free(w.p);
}

Test(golden, a_log_block_verifies_by_what_points_to_it)
{
	struct wbytes w = load("zilog2");
	struct digest link = { { 0x73eae39466a3f612, 0x2b2f6f0d27254887, 0x59, 0xd } };
	enum order    o = ORDER_BIG;

	cr_assert_eq(checksum_trailer_verify(CHECKSUM_ZILOG2, wbytes_view(w), &link, &o, NULL), 0);
	cr_assert_eq(o, ORDER_LITTLE);
	link.w[3]++; /* the sequence number of another block */
	cr_assert_eq(checksum_trailer_verify(CHECKSUM_ZILOG2, wbytes_view(w), &link, &o, NULL), -1);
	free(w.p);
}
