/*
 * lzjb: groups of a flag byte and eight items, lowest flag first. A clear flag is a literal byte; a
 * set one is two bytes, big-endian: 6 bits of length - 3, 10 bits of distance back.
 * zle: a byte below 64 is followed by that many and one more literals; a byte v from 64 up stands
 * for v - 63 zeros.
 */
#include "formats/codec/compress_own.h"

enum {
	LZJB_ITEMS = 8,
	LZJB_MIN = 3,
	LZJB_MAX = 66,
	LZJB_WINDOW = 1024,
	LZJB_SLOTS = 1024,
	ZLE_LEVEL = 64,
	ZLE_ZEROS_MAX = 256 - ZLE_LEVEL,
};

static unsigned lzjb_slot(const uint8_t *p)
{
	unsigned h = (unsigned)p[0] << 16 | (unsigned)p[1] << 8 | p[2];

	h += h >> 9;
	h += h >> 5;
	return h % LZJB_SLOTS;
}

/*
 * The distance back to where the three bytes at `at` were last seen, 0 when they were not. Slots
 * remember 16 bits of the place; what that makes ambiguous, the comparison of the bytes settles.
 * Places count from the start of the block, so the result depends on the bytes alone.
 */
static size_t lzjb_find(uint16_t *slots, const uint8_t *p, size_t at)
{
	uint16_t *slot = &slots[lzjb_slot(p + at)];
	size_t	  distance = (at - *slot) % LZJB_WINDOW;

	*slot = (uint16_t)at;
	if (distance == 0 || distance > at || memcmp(p + at, p + at - distance, LZJB_MIN) != 0)
		return 0;
	return distance;
}

static size_t match_length(const uint8_t *a, const uint8_t *b)
{
	size_t n = LZJB_MIN;

	while (n < LZJB_MAX && a[n] == b[n])
		n++;
	return n;
}

size_t lzjb_compress(struct bytes in, uint8_t *out, size_t cap)
{
	uint16_t slots[LZJB_SLOTS] = { 0 };
	size_t	 at = 0, o = 0, flags = 0;

	for (unsigned item = 0; at < in.n; item = (item + 1) % LZJB_ITEMS) {
		if (item == 0) {
			if (o == cap)
				return 0;
			flags = o++;
			out[flags] = 0;
		}

		/* No match starts in the last bytes: a longest one would run past the end. */
		size_t back = in.n - at >= LZJB_MAX ? lzjb_find(slots, in.p, at) : 0;

		if (cap - o < (back != 0 ? 2 : 1))
			return 0;
		if (back == 0) {
			out[o++] = in.p[at++];
			continue;
		}

		size_t n = match_length(in.p + at, in.p + at - back);

		out[flags] |= (uint8_t)(1u << item);
		out[o++] = (uint8_t)((n - LZJB_MIN) << 2 | back >> 8);
		out[o++] = (uint8_t)back;
		at += n;
	}
	return o;
}

/* Bytes may repeat what this very copy has just written. */
static void copy_back(uint8_t *to, size_t distance, size_t n)
{
	const uint8_t *from = to - distance;

	if (distance >= n) {
		memcpy(to, from, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		to[i] = from[i];
}

bool lzjb_decompress(struct bytes in, uint8_t *out, size_t n)
{
	size_t	 at = 0, o = 0;
	unsigned flags = 0;

	for (unsigned item = 0; o < n; item = (item + 1) % LZJB_ITEMS) {
		if (item == 0) {
			if (at == in.n)
				return false;
			flags = in.p[at++];
		}
		if ((flags >> item & 1) == 0) {
			if (at == in.n)
				return false;
			out[o++] = in.p[at++];
			continue;
		}
		if (in.n - at < 2)
			return false;

		size_t length = (size_t)(in.p[at] >> 2) + LZJB_MIN;
		size_t back = (size_t)(in.p[at] & 3) << 8 | in.p[at + 1];

		at += 2;
		if (back == 0 || back > o)
			return false;
		/* A genuine last match may pass the end; OpenZFS cuts it there. */
		if (length > n - o)
			length = n - o;
		copy_back(out + o, back, length);
		o += length;
	}
	return true;
}

static size_t zeros_at(struct bytes in, size_t at)
{
	size_t n = 0;

	while (n < ZLE_ZEROS_MAX && n < in.n - at && in.p[at + n] == 0)
		n++;
	return n;
}

/* Literals end before two zeros (a single one costs less among them than as a run), never with one.
 */
static size_t literals_at(struct bytes in, size_t at)
{
	const uint8_t *p = in.p + at;
	size_t	       most = in.n - at < ZLE_LEVEL ? in.n - at : ZLE_LEVEL, n = 1;

	while (n < most && (p[n] != 0 || (n + 1 < most && p[n + 1] != 0)))
		n++;
	return n;
}

size_t zle_compress(struct bytes in, uint8_t *out, size_t cap)
{
	size_t at = 0, o = 0;

	while (at < in.n) {
		size_t n = zeros_at(in, at);

		if (o == cap)
			return 0;
		if (n > 0) {
			out[o++] = (uint8_t)(n - 1 + ZLE_LEVEL);
			at += n;
			continue;
		}
		n = literals_at(in, at);
		if (n > cap - o - 1)
			return 0;
		out[o++] = (uint8_t)(n - 1);
		memcpy(out + o, in.p + at, n);
		o += n;
		at += n;
	}
	return o;
}

bool zle_decompress(struct bytes in, uint8_t *out, size_t n)
{
	size_t at = 0, o = 0;

	while (o < n) {
		if (at == in.n)
			return false;

		bool   zeros = in.p[at] >= ZLE_LEVEL;
		size_t run = zeros ? (size_t)in.p[at] - ZLE_LEVEL + 1 : (size_t)in.p[at] + 1;

		at++;
		if (run > n - o)
			return false;
		if (zeros) {
			memset(out + o, 0, run);
		} else {
			if (run > in.n - at)
				return false;
			memcpy(out + o, in.p + at, run);
			at += run;
		}
		o += run;
	}
	return true;
}
