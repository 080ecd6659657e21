#include <criterion/criterion.h>
#include <stdlib.h>

#include "formats/codec/fletcher.h"

enum { LARGE = (1 << 20) + 12 };

/* The recurrences as the format states them, over the words the test itself puts together. */
static struct digest naive4(const uint8_t *p, size_t n, enum order order)
{
	struct digest s = { { 0 } };

	for (size_t i = 0; i + 4 <= n; i += 4) {
		uint64_t f = 0;

		for (int k = 0; k < 4; k++)
			f = f << 8 | p[i + (order == ORDER_BIG ? k : 3 - k)];
		s.w[0] += f;
		s.w[1] += s.w[0];
		s.w[2] += s.w[1];
		s.w[3] += s.w[2];
	}
	return s;
}

static struct digest naive2(const uint8_t *p, size_t n, enum order order)
{
	struct digest s = { { 0 } };

	for (size_t i = 0; i + 16 <= n; i += 16) {
		for (int half = 0; half < 2; half++) {
			uint64_t f = 0;

			for (int k = 0; k < 8; k++)
				f = f << 8 | p[i + half * 8 + (order == ORDER_BIG ? k : 7 - k)];
			s.w[half] += f;
			s.w[2 + half] += s.w[half];
		}
	}
	return s;
}

static uint8_t *noise(size_t n)
{
	uint8_t *p = malloc(n);
	uint64_t x = 88172645463325252u;

	for (size_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		p[i] = (uint8_t)(x >> 32);
	}
	return p;
}

static void same4(const uint8_t *p, size_t n, enum order order)
{
	struct digest want = naive4(p, n, order), fast = { { 0 } }, slow = { { 0 } };

	fletcher4_add(&fast, bytes_of(p, n, order));
	fletcher4_add_portable(&slow, bytes_of(p, n, order));
	cr_assert(digest_equal(&fast, &want), "%zu bytes", n);
	cr_assert(digest_equal(&slow, &want), "%zu bytes", n);
}

Test(fletcher, four_known_words)
{
	const uint8_t p[16] = { 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0 };
	struct digest want = { { 10, 20, 35, 56 } }, have = { { 0 } };

	fletcher_init();
	fletcher4_add(&have, bytes_of(p, sizeof p, ORDER_LITTLE));
	cr_assert(digest_equal(&have, &want));
}

Test(fletcher, lanes_fold_into_the_one_sum_at_every_length)
{
	uint8_t *p = noise(LARGE);

	fletcher_init();
	for (enum order o = ORDER_LITTLE; o <= ORDER_BIG; o++) {
		for (size_t n = 0; n <= 1024; n++)
			same4(p, n, o);
		same4(p, LARGE, o);
		same4(p + 1, LARGE - 1, o); /* unaligned */
	}
	free(p);
}

Test(fletcher, sums_wrap_in_blocks_of_the_largest_size)
{
	size_t	 n = 16 << 20;
	uint8_t *p = malloc(n);

	fletcher_init();
	memset(p, 0xff, n);
	same4(p, n, ORDER_LITTLE);
	free(p);
}

Test(fletcher, pieces_add_up_to_the_whole)
{
	uint8_t *p = noise(LARGE);
	size_t	 cuts[] = { 4, 152, 184, 4096, 131072, LARGE - 4 };

	fletcher_init();
	for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
		struct digest want = naive4(p, LARGE, ORDER_BIG), have = { { 0 } };
		struct bytes  in = bytes_of(p, LARGE, ORDER_BIG);

		fletcher4_add(&have, bytes_sub(in, 0, cuts[i]));
		fletcher4_add(&have, bytes_from(in, cuts[i]));
		cr_assert(digest_equal(&have, &want));
	}
	free(p);
}

Test(fletcher, fletcher2_in_both_orders)
{
	uint8_t *p = noise(LARGE);

	for (enum order o = ORDER_LITTLE; o <= ORDER_BIG; o++) {
		for (size_t n = 0; n <= 512; n++) {
			struct digest want = naive2(p, n, o), have = { { 0 } };

			fletcher2_add(&have, bytes_of(p, n, o));
			cr_assert(digest_equal(&have, &want), "%zu bytes", n);
		}
	}
	free(p);
}
