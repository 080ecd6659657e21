/*
 * BLAKE3: chunks of 1 KiB, each a chain of its own, are the leaves of a binary tree.
 *
 * The leaves of a piece of up to 128 are computed side by side, one chunk in each lane of a vector,
 * and so are the nodes over them; what no vector can be filled with is done one by one.
 */
#include "formats/codec/keyed.h"

#include "formats/base/bytes.h"
#include "formats/base/limits.h"

enum {
	BLOCK = 64,
	CHUNK = 1024,
	CV_WORDS = 8, /* of a chaining value */
	CV_SIZE = 32,
	WORDS = 16,
	ROUNDS = 7,
	LANES = 8,
	PIECE = 128, /* chunks */
	DEPTH_MAX = 64,
};

/* Table 3 of the specification. */
enum {
	FLAG_CHUNK_START = 1,
	FLAG_CHUNK_END = 2,
	FLAG_PARENT = 4,
	FLAG_ROOT = 8,
	FLAG_KEYED = 16,
};

static const uint32_t iv[CV_WORDS] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
				       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

/* Where each round finds its words: the permutation, applied again for each. */
static const uint8_t order_of[ROUNDS][WORDS] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8 },
	{ 3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1 },
	{ 10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6 },
	{ 12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4 },
	{ 9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7 },
	{ 11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13 },
};

/* -- one at a time ----------------------------------------------------------------------------- */

static inline uint32_t rotate(uint32_t v, unsigned r)
{
	return v >> r | v << (32 - r);
}

static inline void quarter(uint32_t *v, int a, int b, int c, int d, uint32_t x, uint32_t y)
{
	v[a] += v[b] + x;
	v[d] = rotate(v[d] ^ v[a], 16);
	v[c] += v[d];
	v[b] = rotate(v[b] ^ v[c], 12);
	v[a] += v[b] + y;
	v[d] = rotate(v[d] ^ v[a], 8);
	v[c] += v[d];
	v[b] = rotate(v[b] ^ v[c], 7);
}

/* The compression function, of which only the chaining value is ever used here. */
static void compress(uint32_t *cv, const uint8_t *block, uint32_t size, uint64_t counter,
		     uint32_t flags)
{
	uint32_t m[WORDS], v[WORDS] = { cv[0], cv[1], cv[2], cv[3], cv[4], cv[5], cv[6], cv[7],
					iv[0], iv[1], iv[2], iv[3], (uint32_t)counter,
					(uint32_t)(counter >> 32), size, flags };

	for (unsigned i = 0; i < WORDS; i++)
		m[i] = get32(bytes_of(block, BLOCK, ORDER_LITTLE), i * 4);
	for (unsigned r = 0; r < ROUNDS; r++) {
		const uint8_t *o = order_of[r];

		quarter(v, 0, 4, 8, 12, m[o[0]], m[o[1]]);
		quarter(v, 1, 5, 9, 13, m[o[2]], m[o[3]]);
		quarter(v, 2, 6, 10, 14, m[o[4]], m[o[5]]);
		quarter(v, 3, 7, 11, 15, m[o[6]], m[o[7]]);
		quarter(v, 0, 5, 10, 15, m[o[8]], m[o[9]]);
		quarter(v, 1, 6, 11, 12, m[o[10]], m[o[11]]);
		quarter(v, 2, 7, 8, 13, m[o[12]], m[o[13]]);
		quarter(v, 3, 4, 9, 14, m[o[14]], m[o[15]]);
	}
	for (unsigned i = 0; i < CV_WORDS; i++)
		cv[i] = v[i] ^ v[i + CV_WORDS];
}

static void cv_put(const uint32_t *cv, uint8_t *to)
{
	for (unsigned i = 0; i < CV_WORDS; i++)
		put32(wbytes_of(to, CV_SIZE, ORDER_LITTLE), i * 4, cv[i]);
}

/* A chunk of 0 to 1024 bytes; `root` when it is all there is. */
static void chunk_one(const struct blake3_key *k, const uint8_t *p, size_t n, uint64_t counter,
		      uint32_t root, uint8_t *to)
{
	uint32_t cv[CV_WORDS], flags = k->flags | FLAG_CHUNK_START;
	uint8_t	 last[BLOCK] = { 0 };

	memcpy(cv, k->words, sizeof cv);
	for (; n > BLOCK; n -= BLOCK, p += BLOCK) {
		compress(cv, p, BLOCK, counter, flags);
		flags = k->flags;
	}
	if (n > 0)
		memcpy(last, p, n);
	compress(cv, last, (uint32_t)n, counter, flags | FLAG_CHUNK_END | root);
	cv_put(cv, to);
}

/* The node over two, which stand one after the other; `to` may be where they are. */
static void parent_one(const struct blake3_key *k, const uint8_t *two, uint32_t root, uint8_t *to)
{
	uint32_t cv[CV_WORDS];

	memcpy(cv, k->words, sizeof cv);
	compress(cv, two, BLOCK, 0, k->flags | FLAG_PARENT | root);
	cv_put(cv, to);
}

/* -- eight at a time --------------------------------------------------------------------------- */

typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

#define INLINE static inline __attribute__((always_inline))

/* By pointer: how vectors are passed by value depends on what the caller is compiled for. */
INLINE void fill(lanes *to, uint32_t v)
{
	*to = (lanes){ v, v, v, v, v, v, v, v };
}

INLINE void quarter_lanes(lanes *v, int a, int b, int c, int d, const lanes *x, const lanes *y)
{
	v[a] += v[b] + *x;
	v[d] ^= v[a];
	v[d] = v[d] >> 16 | v[d] << 16;
	v[c] += v[d];
	v[b] ^= v[c];
	v[b] = v[b] >> 12 | v[b] << 20;
	v[a] += v[b] + *y;
	v[d] ^= v[a];
	v[d] = v[d] >> 8 | v[d] << 24;
	v[c] += v[d];
	v[b] ^= v[c];
	v[b] = v[b] >> 7 | v[b] << 25;
}

#define ROUND(r)                                                                                   \
	do {                                                                                       \
		quarter_lanes(v, 0, 4, 8, 12, &m[order_of[r][0]], &m[order_of[r][1]]); \
		quarter_lanes(v, 1, 5, 9, 13, &m[order_of[r][2]], &m[order_of[r][3]]); \
		quarter_lanes(v, 2, 6, 10, 14, &m[order_of[r][4]], &m[order_of[r][5]]); \
		quarter_lanes(v, 3, 7, 11, 15, &m[order_of[r][6]], &m[order_of[r][7]]); \
		quarter_lanes(v, 0, 5, 10, 15, &m[order_of[r][8]], &m[order_of[r][9]]); \
		quarter_lanes(v, 1, 6, 11, 12, &m[order_of[r][10]], &m[order_of[r][11]]); \
		quarter_lanes(v, 2, 7, 8, 13, &m[order_of[r][12]], &m[order_of[r][13]]); \
		quarter_lanes(v, 3, 4, 9, 14, &m[order_of[r][14]], &m[order_of[r][15]]); \
	} while (0)

/* Rows of eight words become columns. */
INLINE void transpose(lanes *r)
{
	lanes a, b, t[LANES];

	for (int i = 0; i < LANES; i += 2) { /* pairs of words */
		a = r[i], b = r[i + 1];
		t[i] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
		t[i + 1] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
	}
	for (int i = 0; i < LANES; i += 4) { /* pairs of those */
		for (int k = 0; k < 2; k++) {
			a = t[i + k], b = t[i + k + 2];
			r[i + k] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
			r[i + k + 2] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
		}
	}
	for (int i = 0; i < LANES / 2; i++) { /* halves */
		a = r[i], b = r[i + 4];
		t[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
		t[i + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
	}
	for (int i = 0; i < LANES; i++)
		r[i] = t[i];
}

/* Eight inputs of `blocks` whole blocks each, `stride` bytes apart, to eight chaining values. */
struct run {
	const uint8_t *p;
	size_t	       stride;
	unsigned       blocks;
	uint32_t       counter, step;	  /* of the first input; from one to the next */
	uint32_t       first, last, each; /* flags of the first, the last, and every block */
};
typedef void run_fn(const struct blake3_key *k, const struct run *r, uint8_t *to);

INLINE void load(const struct run *r, unsigned at, lanes *m)
{
	for (int i = 0; i < LANES; i++) {
		const uint8_t *from = r->p + (size_t)i * r->stride + (size_t)at * BLOCK;

		memcpy(&m[i], from, sizeof m[i]);
		memcpy(&m[i + LANES], from + sizeof m[i], sizeof m[i]);
	}
	transpose(m);
	transpose(m + LANES);
}

INLINE void run(const struct blake3_key *k, const struct run *r, uint8_t *to)
{
	const lanes numbers = { 0, 1, 2, 3, 4, 5, 6, 7 };
	lanes	    cv[CV_WORDS], m[WORDS], v[WORDS];

	for (int i = 0; i < CV_WORDS; i++)
		fill(&cv[i], k->words[i]);
	for (unsigned at = 0; at < r->blocks; at++) {
		uint32_t flags = k->flags | r->each | (at == 0 ? r->first : 0) |
				 (at + 1 == r->blocks ? r->last : 0);

		load(r, at, m);
		for (int i = 0; i < CV_WORDS; i++)
			v[i] = cv[i];
		for (int i = 0; i < 4; i++)
			fill(&v[CV_WORDS + i], iv[i]);
		v[12] = numbers * r->step + r->counter;
		fill(&v[13], 0);
		fill(&v[14], BLOCK);
		fill(&v[15], flags);
		ROUND(0);
		ROUND(1);
		ROUND(2);
		ROUND(3);
		ROUND(4);
		ROUND(5);
		ROUND(6);
		for (int i = 0; i < CV_WORDS; i++)
			cv[i] = v[i] ^ v[i + CV_WORDS];
	}
	transpose(cv);
	memcpy(to, cv, sizeof cv);
}

static void run_portable(const struct blake3_key *k, const struct run *r, uint8_t *to)
{
	run(k, r, to);
}

static run_fn *fast_run = run_portable;

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void run_avx2(const struct blake3_key *k,
						     const struct run *r, uint8_t *to)
{
	run(k, r, to);
}

/* Twice the registers, and rotations in one instruction. */
__attribute__((target("avx512f,avx512vl"))) static void run_avx512(const struct blake3_key *k,
								   const struct run *r,
								   uint8_t *to)
{
	run(k, r, to);
}
#endif

void keyed_init(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
		fast_run = run_avx512;
	else if (__builtin_cpu_supports("avx2"))
		fast_run = run_avx2;
#endif
}

/* -- the tree ---------------------------------------------------------------------------------- */

/* The vectors take their words as they lie in memory. */
static size_t in_lanes(size_t count)
{
	return ORDER_NATIVE == ORDER_LITTLE ? count - count % LANES : 0;
}

/* Chaining values of the chunks of a piece; returns how many. */
static size_t leaves(const struct blake3_key *k, const uint8_t *p, size_t n, uint64_t counter,
		     uint8_t *cvs)
{
	size_t	   count = (n + CHUNK - 1) / CHUNK, i = 0;
	struct run r = { .stride = CHUNK, .blocks = CHUNK / BLOCK, .step = 1,
			 .first = FLAG_CHUNK_START, .last = FLAG_CHUNK_END };

	/* The vectors count in 32 bits. */
	for (; counter <= UINT32_MAX - PIECE && i < in_lanes(n / CHUNK); i += LANES) {
		r.p = p + i * CHUNK;
		r.counter = (uint32_t)(counter + i);
		fast_run(k, &r, cvs + i * CV_SIZE);
	}
	for (; i < count; i++)
		chunk_one(k, p + i * CHUNK, min64(n - i * CHUNK, CHUNK), counter + i, 0,
			  cvs + i * CV_SIZE);
	return count;
}

/* The nodes over so many; one without a neighbour moves up as it is. In place. */
static size_t parents(const struct blake3_key *k, uint8_t *cvs, size_t count)
{
	struct run r = { .stride = BLOCK, .blocks = 1, .each = FLAG_PARENT };
	size_t	   i = 0, pairs = count / 2;

	for (; i < in_lanes(pairs); i += LANES) {
		r.p = cvs + i * BLOCK;
		fast_run(k, &r, cvs + i * CV_SIZE);
	}
	for (; i < pairs; i++)
		parent_one(k, cvs + i * BLOCK, 0, cvs + i * CV_SIZE);
	if (count % 2 != 0)
		memmove(cvs + pairs * CV_SIZE, cvs + (count - 1) * CV_SIZE, CV_SIZE);
	return pairs + count % 2;
}

/* A piece of 1 to PIECE chunks; `root` when it is all there is, and more than one chunk. */
static void piece(const struct blake3_key *k, const uint8_t *p, size_t n, uint64_t counter,
		  uint32_t root, uint8_t *to)
{
	uint8_t cvs[PIECE * CV_SIZE];
	size_t	count = leaves(k, p, n, counter, cvs);

	while (count > 2)
		count = parents(k, cvs, count);
	if (count == 2)
		parent_one(k, cvs, root, to);
	else
		memcpy(to, cvs, CV_SIZE);
}

void blake3_digest(const struct blake3_key *k, const uint8_t *p, size_t n,
		   uint8_t out[KEYED_DIGEST])
{
	const size_t size = (size_t)PIECE * CHUNK;
	/* Finished subtrees, the largest first, and room for the one that comes last. */
	uint8_t	 stack[(DEPTH_MAX + 1) * CV_SIZE];
	size_t	 depth = 0;
	uint64_t done = 0;

	if (n <= CHUNK) {
		chunk_one(k, p, n, 0, FLAG_ROOT, out);
		return;
	}
	for (; n > size; n -= size, p += size) {
		piece(k, p, size, done * PIECE, 0, stack + depth * CV_SIZE);
		done++;
		depth++;
		/* As many are joined as there are zero bits below the lowest that is set. */
		for (uint64_t t = done; t % 2 == 0; t /= 2, depth--)
			parent_one(k, stack + (depth - 2) * CV_SIZE, 0,
				   stack + (depth - 2) * CV_SIZE);
	}
	piece(k, p, n, done * PIECE, depth == 0 ? FLAG_ROOT : 0, stack + depth * CV_SIZE);
	for (; depth > 0; depth--)
		parent_one(k, stack + (depth - 1) * CV_SIZE, depth == 1 ? FLAG_ROOT : 0,
			   stack + (depth - 1) * CV_SIZE);
	memcpy(out, stack, KEYED_DIGEST);
}

void blake3_key_none(struct blake3_key *k)
{
	memcpy(k->words, iv, sizeof k->words);
	k->flags = 0;
}

void blake3_key_init(struct blake3_key *k, const uint8_t salt[SALT_SIZE])
{
	for (unsigned i = 0; i < CV_WORDS; i++)
		k->words[i] = get32(bytes_of(salt, SALT_SIZE, ORDER_LITTLE), i * 4);
	k->flags = FLAG_KEYED;
}
