/* Published vectors of Skein, Edon-R and BLAKE3. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/codec/keyed.h"

static void hex(const uint8_t *p, size_t n, char *out)
{
	for (size_t i = 0; i < n; i++)
		snprintf(out + 2 * i, 3, "%02x", p[i]);
}

static void equal(const uint8_t *p, size_t n, const char *want)
{
	char got[2 * EDONR_DIGEST + 1];

	hex(p, n, got);
	cr_assert_str_eq(got, want);
}

/* Known answers of the submission to NIST, and of any message that is filled up just so. */
Test(keyed, edonr_vectors)
{
	static const char long_text[] =
		"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqkl"
		"mnopqrlmnopqrsmnopqrstnopqrstu";
	struct edonr_key k;
	uint8_t		 out[EDONR_DIGEST];

	edonr_key_none(&k);
	edonr_digest(&k, (const uint8_t *)"abc", 3, out);
	equal(out, sizeof out,
	      "1b14db155f1d406594b8cef70a4362ec6b5de6a5daf50ec999e987c19d3049e2"
	      "de5977bb05b1bb220050a1ea5b46a9f1740acafbf6b45032adc90c628372c22b");
	edonr_digest(&k, (const uint8_t *)long_text, sizeof long_text - 1, out);
	equal(out, sizeof out,
	      "5351070dc51c3b2baca5a60d0252ccb4e4921a96fe5a69e76dad48fd21a0845a"
	      "d57f880b3e4a907bc503151842bb949e1cba7439a6409a34b8436cb46921583c");
}

/* Skein-512-256: of nothing, as all libraries have it; and the state that it begins with. */
Test(keyed, skein_vectors)
{
	struct skein_key k;
	uint8_t		 out[KEYED_DIGEST];

	skein_key_init(&k, NULL, 0);
	cr_assert_eq(k.chain[0], UINT64_C(0xccd044a12fdb3e13));
	cr_assert_eq(k.chain[7], UINT64_C(0x3eedba1833edfc13));
	skein_digest(&k, NULL, 0, out);
	equal(out, sizeof out, "39ccc4554a8b31853b9de7a1fe638a24cce6b35a55f2431009e18780335d2621");
}

/* The authors' test_vectors.json: bytes 0 to 250 over and over. */
Test(keyed, blake3_vectors)
{
	static const struct {
		size_t	    n;
		const char *hash, *keyed;
	} all[] = {
		{ 0, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
		  "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26" },
		{ 1, "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213",
		  "6d7878dfff2f485635d39013278ae14f1454b8c0a3a2d34bc1ab38228a80c95b" },
		{ 1023, "10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11",
		  "c951ecdf03288d0fcc96ee3413563d8a6d3589547f2c2fb36d9786470f1b9d6e" },
		{ 1024, "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7",
		  "75c46f6f3d9eb4f55ecaaee480db732e6c2105546f1e675003687c31719c7ba4" },
		{ 1025, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444",
		  "357dc55de0c7e382c900fd6e320acc04146be01db6a8ce7210b7189bd664ea69" },
		{ 2048, "e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a",
		  "879cf1fa2ea0e79126cb1063617a05b6ad9d0b696d0d757cf053439f60a99dd1" },
		{ 3073, "7124b49501012f81cc7f11ca069ec9226cecb8a2c850cfe644e327d22d3e1cd3",
		  "68dede9bef00ba89e43f31a6825f4cf433389fedae75c04ee9f0cf16a427c95a" },
		{ 8193, "bab6c09cb8ce8cf459261398d2e7aef35700bf488116ceb94a36d0f5f1b7bc3b",
		  "954a2a75420c8d6547e3ba5b98d963e6fa6491addc8c023189cc519821b4a1f5" },
		{ 16384, "f875d6646de28985646f34ee13be9a576fd515f76b5b0a26bb324735041ddde4",
		  "9e9fc4eb7cf081ea7c47d1807790ed211bfec56aa25bb7037784c13c4b707b0d" },
		{ 31744, "62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47",
		  "efa53b389ab67c593dba624d898d0f7353ab99e4ac9d42302ee64cbf9939a419" },
		{ 102400, "bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085",
		  "1c35d1a5811083fd7119f5d5d1ba027b4d01c0c6c49fb6ff2cf75393ea5db4a7" },
	};
	struct blake3_key plain, keyed;
	uint8_t		  out[KEYED_DIGEST], *data = malloc(102400);

	for (size_t i = 0; i < 102400; i++)
		data[i] = (uint8_t)(i % 251);
	blake3_key_none(&plain);
	blake3_key_init(&keyed, (const uint8_t *)"whats the Elvish word for friend");
	for (int fast = 0; fast < 2; fast++) {
		for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
			blake3_digest(&plain, data, all[i].n, out);
			equal(out, sizeof out, all[i].hash);
			blake3_digest(&keyed, data, all[i].n, out);
			equal(out, sizeof out, all[i].keyed);
		}
		keyed_init();
	}
	free(data);
}
