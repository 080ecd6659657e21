/*
 * Edon-R-512: a chain of quasigroup operations over eight words of 64 bits.
 *
 * Each operation takes two vectors. Every word of either becomes the sum of five of its words,
 * rotated, then the exclusive or of three of those sums: which ones say the columns of two
 * orthogonal Latin squares of order 8, the first five rows for the sums, the last three for the
 * rest. The results are added, and turned by five places.
 */
#include "formats/codec/keyed.h"

#include "formats/base/bytes.h"

enum { WORDS = 8, BLOCK = 128, LENGTH_SIZE = 8 };

static inline uint64_t rotate(uint64_t v, unsigned r)
{
	return v << r | v >> (64 - r);
}

/* The left operand: what its words become, before they are added to the right one's. */
static inline void left(const uint64_t *x, uint64_t *u)
{
	uint64_t s0 = UINT64_C(0xaaaaaaaaaaaaaaaa) + x[0] + x[1] + x[2] + x[4] + x[7];
	uint64_t s1 = rotate(x[0] + x[1] + x[3] + x[4] + x[7], 5);
	uint64_t s2 = rotate(x[0] + x[1] + x[4] + x[6] + x[7], 15);
	uint64_t s3 = rotate(x[2] + x[3] + x[5] + x[6] + x[7], 22);
	uint64_t s4 = rotate(x[1] + x[2] + x[3] + x[5] + x[6], 31);
	uint64_t s5 = rotate(x[0] + x[2] + x[3] + x[4] + x[5], 40);
	uint64_t s6 = rotate(x[0] + x[1] + x[5] + x[6] + x[7], 50);
	uint64_t s7 = rotate(x[2] + x[3] + x[4] + x[5] + x[6], 59);

	u[0] = s3 ^ s5 ^ s6;
	u[1] = s2 ^ s5 ^ s6;
	u[2] = s2 ^ s3 ^ s5;
	u[3] = s0 ^ s1 ^ s4;
	u[4] = s0 ^ s4 ^ s7;
	u[5] = s1 ^ s6 ^ s7;
	u[6] = s2 ^ s3 ^ s4;
	u[7] = s0 ^ s1 ^ s7;
}

static inline void right(const uint64_t *y, uint64_t *v)
{
	uint64_t s0 = UINT64_C(0x5555555555555555) + y[0] + y[1] + y[2] + y[5] + y[7];
	uint64_t s1 = rotate(y[0] + y[1] + y[3] + y[4] + y[6], 10);
	uint64_t s2 = rotate(y[0] + y[1] + y[2] + y[3] + y[5], 19);
	uint64_t s3 = rotate(y[2] + y[3] + y[4] + y[6] + y[7], 29);
	uint64_t s4 = rotate(y[0] + y[1] + y[3] + y[4] + y[5], 36);
	uint64_t s5 = rotate(y[2] + y[4] + y[5] + y[6] + y[7], 44);
	uint64_t s6 = rotate(y[1] + y[2] + y[5] + y[6] + y[7], 48);
	uint64_t s7 = rotate(y[0] + y[3] + y[4] + y[6] + y[7], 55);

	v[0] = s3 ^ s4 ^ s6;
	v[1] = s2 ^ s5 ^ s7;
	v[2] = s4 ^ s6 ^ s7;
	v[3] = s0 ^ s1 ^ s5;
	v[4] = s2 ^ s6 ^ s7;
	v[5] = s0 ^ s1 ^ s3;
	v[6] = s0 ^ s3 ^ s4;
	v[7] = s1 ^ s2 ^ s5;
}

/* z may be x or y. */
static inline void combine(const uint64_t *x, const uint64_t *y, uint64_t *z)
{
	uint64_t u[WORDS], v[WORDS];

	left(x, u);
	right(y, v);
	z[5] = u[0] + v[0];
	z[6] = u[1] + v[1];
	z[7] = u[2] + v[2];
	z[0] = u[3] + v[3];
	z[1] = u[4] + v[4];
	z[2] = u[5] + v[5];
	z[3] = u[6] + v[6];
	z[4] = u[7] + v[7];
}

static void reversed(const uint64_t *in, uint64_t *out)
{
	for (unsigned i = 0; i < WORDS; i++)
		out[i] = in[WORDS - 1 - i];
}

/* One block into the pipe, whose halves and the block's meet in four rows of two operations. */
static void compress(uint64_t *pipe, const uint8_t *block)
{
	struct bytes in = bytes_of(block, BLOCK, ORDER_LITTLE);
	uint64_t     m[2 * WORDS], turned[WORDS], p[WORDS], q[WORDS];

	for (unsigned i = 0; i < 2 * WORDS; i++)
		m[i] = get64(in, i * 8);
	reversed(m + WORDS, turned);
	combine(turned, m, p);
	combine(p, m + WORDS, q);
	combine(pipe + WORDS, p, p);
	combine(p, q, q);
	combine(p, pipe, p);
	combine(q, p, q);
	reversed(m, turned);
	combine(turned, p, p);
	combine(p, q, q);
	for (unsigned i = 0; i < WORDS; i++) {
		pipe[i] ^= m[WORDS + i] ^ p[i];
		pipe[WORDS + i] ^= m[i] ^ q[i];
	}
}

/* The rest of the contents, a one bit, zeros, and the length in bits. */
static void finish(uint64_t *pipe, const uint8_t *p, size_t n, uint64_t total)
{
	uint8_t last[BLOCK] = { 0 };

	if (n > 0)
		memcpy(last, p, n);
	last[n] = 0x80;
	if (n >= BLOCK - LENGTH_SIZE) {
		compress(pipe, last);
		memset(last, 0, sizeof last);
	}
	put64(wbytes_of(last, sizeof last, ORDER_LITTLE), BLOCK - LENGTH_SIZE, total * 8);
	compress(pipe, last);
}

void edonr_digest(const struct edonr_key *k, const uint8_t *p, size_t n, uint8_t out[EDONR_DIGEST])
{
	struct wbytes to = wbytes_of(out, EDONR_DIGEST, ORDER_LITTLE);
	uint64_t      pipe[2 * WORDS], total = k->before + n;

	memcpy(pipe, k->pipe, sizeof pipe);
	for (; n >= BLOCK; n -= BLOCK, p += BLOCK)
		compress(pipe, p);
	finish(pipe, p, n, total);
	for (unsigned i = 0; i < WORDS; i++)
		put64(to, i * 8, pipe[WORDS + i]);
}

/* The bytes 0x80 to 0xff, as big-endian words. */
void edonr_key_none(struct edonr_key *k)
{
	*k = (struct edonr_key){ .pipe[0] = UINT64_C(0x8081828384858687) };
	for (unsigned i = 1; i < 2 * WORDS; i++)
		k->pipe[i] = k->pipe[i - 1] + UINT64_C(0x0808080808080808);
}

void edonr_key_init(struct edonr_key *k, const uint8_t salt[SALT_SIZE])
{
	uint8_t block[2 * EDONR_DIGEST];

	edonr_key_none(k);
	edonr_digest(k, salt, SALT_SIZE, block);
	edonr_digest(k, block, EDONR_DIGEST, block + EDONR_DIGEST);
	compress(k->pipe, block);
	k->before = sizeof block;
}
