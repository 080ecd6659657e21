/*
 * Fletcher-2 and -4. Fletcher-4 runs four interleaved sums in the lanes of a 256-bit register where
 * the processor allows, and folds them into the one sum that the format wants; all arithmetic is
 * modulo 2^64, so the folding is exact.
 */
#include "formats/codec/fletcher.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { LANES = 4, ROUND = LANES * FLETCHER_4_UNIT };

/* Four sums; lane j has seen words j, j + 4, j + 8, ... */
struct lanes {
	uint64_t a[LANES], b[LANES], c[LANES], d[LANES];
};

typedef void lanes_fn(const uint8_t *p, size_t rounds, enum order order, struct lanes *out);

static lanes_fn *fast_lanes;

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void lanes_avx2(const uint8_t *p, size_t rounds,
						       enum order order, struct lanes *out)
{
	const __m128i  flip = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
	__m256i	       a = _mm256_setzero_si256(), b = a, c = a, d = a;
	const uint8_t *end = p + rounds * ROUND;

	/* Two loops, so that the native one pays nothing for the other. */
	if (order == ORDER_NATIVE) {
		for (; p != end; p += ROUND) {
			__m128i w = _mm_loadu_si128((const __m128i *)(const void *)p);

			a = _mm256_add_epi64(a, _mm256_cvtepu32_epi64(w));
			b = _mm256_add_epi64(b, a);
			c = _mm256_add_epi64(c, b);
			d = _mm256_add_epi64(d, c);
		}
	} else {
		for (; p != end; p += ROUND) {
			__m128i w = _mm_loadu_si128((const __m128i *)(const void *)p);

			a = _mm256_add_epi64(a, _mm256_cvtepu32_epi64(_mm_shuffle_epi8(w, flip)));
			b = _mm256_add_epi64(b, a);
			c = _mm256_add_epi64(c, b);
			d = _mm256_add_epi64(d, c);
		}
	}
	_mm256_storeu_si256((__m256i *)(void *)out->a, a);
	_mm256_storeu_si256((__m256i *)(void *)out->b, b);
	_mm256_storeu_si256((__m256i *)(void *)out->c, c);
	_mm256_storeu_si256((__m256i *)(void *)out->d, d);
}
#endif

void fletcher_init(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2"))
		fast_lanes = lanes_avx2;
#endif
}

/*
 * A word that its lane saw s rounds before the end (the last round is s = 1) stands k = 4s - j
 *words before the end of the whole. Its weight in a, b, c, d is 1, k, k(k+1)/2, k(k+1)(k+2)/6; in
 *the lane's own sums the same with s for k. Written in terms of the latter, the former are: k
 *= 4 S1 - j k(k+1)/2	= 16 S2 - (6 + 4j) S1 + j(j-1)/2 k(k+1)(k+2)/6	= 64 S3 - (48 + 16j) S2 + (4
 *+ 4j + 2j^2) S1 - j(j-1)(j-2)/6
 */
static struct digest fold(const struct lanes *l)
{
	struct digest sum = { { 0 } };

	for (uint64_t j = 0; j < LANES; j++) {
		uint64_t a = l->a[j], b = l->b[j], c = l->c[j], d = l->d[j];

		sum.w[0] += a;
		sum.w[1] += 4 * b - j * a;
		sum.w[2] += 16 * c - (6 + 4 * j) * b + (j == 0 ? 0 : j * (j - 1) / 2) * a;
		sum.w[3] += 64 * d - (48 + 16 * j) * c + (4 + 4 * j + 2 * j * j) * b;
		if (j == 3)
			sum.w[3] -= a;
	}
	return sum;
}

/* The sum of `before` and then n words whose own sum is `part`. */
static void append(struct digest *before, const struct digest *part, uint64_t n)
{
	const uint64_t third = 0xaaaaaaaaaaaaaaab; /* 3 * third = 1: exact division modulo 2^64 */
	uint64_t       t2 = n * (n + 1) / 2, t3 = t2 * (n + 2) * third;
	uint64_t       a = before->w[0], b = before->w[1], c = before->w[2], d = before->w[3];

	before->w[0] = a + part->w[0];
	before->w[1] = b + n * a + part->w[1];
	before->w[2] = c + n * b + t2 * a + part->w[2];
	before->w[3] = d + n * c + t2 * b + t3 * a + part->w[3];
}

void fletcher4_add_portable(struct digest *sum, struct bytes in)
{
	uint64_t a = sum->w[0], b = sum->w[1], c = sum->w[2], d = sum->w[3];
	size_t	 n = in.n - in.n % FLETCHER_4_UNIT;

	for (size_t i = 0; i < n; i += FLETCHER_4_UNIT) {
		a += get32(in, i);
		b += a;
		c += b;
		d += c;
	}
	*sum = (struct digest){ { a, b, c, d } };
}

void fletcher4_add(struct digest *sum, struct bytes in)
{
	size_t rounds = in.n / ROUND;

	if (fast_lanes != NULL && rounds > 0) {
		struct lanes l;

		fast_lanes(in.p, rounds, in.order, &l);

		struct digest part = fold(&l);

		append(sum, &part, rounds * LANES);
		in = bytes_from(in, rounds * ROUND);
	}
	fletcher4_add_portable(sum, in);
}

/* Two independent chains: wide enough to keep up with memory without help. */
void fletcher2_add(struct digest *sum, struct bytes in)
{
	uint64_t a0 = sum->w[0], a1 = sum->w[1], b0 = sum->w[2], b1 = sum->w[3];
	size_t	 n = in.n - in.n % FLETCHER_2_UNIT;

	for (size_t i = 0; i < n; i += FLETCHER_2_UNIT) {
		a0 += get64(in, i);
		a1 += get64(in, i + 8);
		b0 += a0;
		b1 += a1;
	}
	*sum = (struct digest){ { a0, a1, b0, b1 } };
}
