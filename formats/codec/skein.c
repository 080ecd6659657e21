/* Skein-512: the block cipher Threefish-512, chained into a hash. */
#include "formats/codec/keyed.h"

#include "formats/base/bytes.h"

enum { WORDS = 8, BLOCK = 64, SUBKEYS = 19, CONFIG_SIZE = 32 };

/* What a chain is over; the order of the calls. Table 6 of the specification. */
enum { TYPE_KEY = 0, TYPE_CONFIG = 4, TYPE_MESSAGE = 48, TYPE_OUTPUT = 63 };

#define KEY_PARITY UINT64_C(0x1bd11bdaa9fc1a22)
#define TWEAK_FIRST (UINT64_C(1) << 62)
#define TWEAK_FINAL (UINT64_C(1) << 63)

static uint64_t tweak_type(unsigned type)
{
	return (uint64_t)type << 56;
}

static inline void mix(uint64_t *a, uint64_t *b, unsigned r)
{
	*a += *b;
	*b = (*b << r | *b >> (64 - r)) ^ *a;
}

/* Four rounds; the permutation between them is in which words meet. */
#define ROUNDS_4(x, r00, r01, r02, r03, r10, r11, r12, r13, r20, r21, r22, r23, r30, r31, r32,    \
		 r33)                                                                              \
	do {                                                                                       \
		mix(&x[0], &x[1], r00), mix(&x[2], &x[3], r01);                                    \
		mix(&x[4], &x[5], r02), mix(&x[6], &x[7], r03);                                    \
		mix(&x[2], &x[1], r10), mix(&x[4], &x[7], r11);                                    \
		mix(&x[6], &x[5], r12), mix(&x[0], &x[3], r13);                                    \
		mix(&x[4], &x[1], r20), mix(&x[6], &x[3], r21);                                    \
		mix(&x[0], &x[5], r22), mix(&x[2], &x[7], r23);                                    \
		mix(&x[6], &x[1], r30), mix(&x[0], &x[7], r31);                                    \
		mix(&x[2], &x[5], r32), mix(&x[4], &x[3], r33);                                    \
	} while (0)

/* Subkeys take their words and the tweak's in turn: written out, so that none needs a modulo. */
struct schedule {
	uint64_t key[SUBKEYS + WORDS], tweak[SUBKEYS + 1];
};

static void schedule_init(struct schedule *s, const uint64_t *chain, uint64_t t0, uint64_t t1)
{
	uint64_t parity = KEY_PARITY;

	for (unsigned i = 0; i < WORDS; i++) {
		s->key[i] = chain[i];
		parity ^= chain[i];
	}
	s->key[WORDS] = parity;
	for (unsigned i = WORDS + 1; i < SUBKEYS + WORDS; i++)
		s->key[i] = s->key[i - WORDS - 1];
	s->tweak[0] = t0;
	s->tweak[1] = t1;
	s->tweak[2] = t0 ^ t1;
	for (unsigned i = 3; i <= SUBKEYS; i++)
		s->tweak[i] = s->tweak[i - 3];
}

static inline void add_subkey(uint64_t *x, const struct schedule *s, unsigned i)
{
	x[0] += s->key[i];
	x[1] += s->key[i + 1];
	x[2] += s->key[i + 2];
	x[3] += s->key[i + 3];
	x[4] += s->key[i + 4];
	x[5] += s->key[i + 5] + s->tweak[i];
	x[6] += s->key[i + 6] + s->tweak[i + 1];
	x[7] += s->key[i + 7] + i;
}

/* One block of a chain: it is enciphered under the chain value, and added to what comes out. */
static void chain_block(uint64_t *chain, const uint8_t *p, uint64_t t0, uint64_t t1)
{
	struct bytes	in = bytes_of(p, BLOCK, ORDER_LITTLE);
	struct schedule s;
	uint64_t	m[WORDS], x[WORDS];

	schedule_init(&s, chain, t0, t1);
	for (unsigned i = 0; i < WORDS; i++)
		m[i] = x[i] = get64(in, i * 8);
	for (unsigned i = 0; i < SUBKEYS - 1; i += 2) {
		add_subkey(x, &s, i);
		ROUNDS_4(x, 46, 36, 19, 37, 33, 27, 14, 42, 17, 49, 36, 39, 44, 9, 54, 56);
		add_subkey(x, &s, i + 1);
		ROUNDS_4(x, 39, 30, 34, 24, 13, 50, 10, 17, 25, 29, 39, 43, 8, 35, 56, 22);
	}
	add_subkey(x, &s, SUBKEYS - 1);
	for (unsigned i = 0; i < WORDS; i++)
		chain[i] = x[i] ^ m[i];
}

/* A whole chain ("UBI"): the last block, which may be empty, is filled up with zeros. */
static void chain_all(uint64_t *chain, const uint8_t *p, size_t n, unsigned type)
{
	uint64_t done = 0, t1 = tweak_type(type) | TWEAK_FIRST;
	uint8_t	 last[BLOCK] = { 0 };

	for (; n > BLOCK; n -= BLOCK, p += BLOCK) {
		done += BLOCK;
		chain_block(chain, p, done, t1);
		t1 &= ~TWEAK_FIRST;
	}
	if (n > 0)
		memcpy(last, p, n);
	chain_block(chain, last, done + n, t1 | TWEAK_FINAL);
}

void skein_key_init(struct skein_key *k, const uint8_t *key, size_t size)
{
	uint8_t	      config[CONFIG_SIZE] = { 0 };
	struct wbytes c = wbytes_of(config, sizeof config, ORDER_LITTLE);

	put32(c, 0, 0x33414853); /* "SHA3" */
	put16(c, 4, 1);		 /* version */
	put64(c, 8, UINT64_C(8) * KEYED_DIGEST);
	memset(k->chain, 0, sizeof k->chain);
	if (size > 0)
		chain_all(k->chain, key, size, TYPE_KEY);
	chain_all(k->chain, config, sizeof config, TYPE_CONFIG);
}

void skein_digest(const struct skein_key *k, const uint8_t *p, size_t n, uint8_t out[KEYED_DIGEST])
{
	static const uint8_t counter[8];
	uint64_t	     chain[WORDS];

	memcpy(chain, k->chain, sizeof chain);
	chain_all(chain, p, n, TYPE_MESSAGE);
	chain_all(chain, counter, sizeof counter, TYPE_OUTPUT);
	for (unsigned i = 0; i < KEYED_DIGEST / 8; i++)
		put64(wbytes_of(out, KEYED_DIGEST, ORDER_LITTLE), i * 8, chain[i]);
}
