/* Byte views: the parts that are not worth inlining. */
#include "formats/base/bytes.h"

bool bytes_zero(struct bytes in)
{
	if (in.n == 0)
		return true;
	/* The first byte is zero and every byte equals its predecessor; memcmp is vectorised. */
	return in.p[0] == 0 && memcmp(in.p, in.p + 1, in.n - 1) == 0;
}

struct bytes cursor_take(struct cursor *c, size_t n)
{
	if (c->spent || n > c->in.n - c->at) {
		c->spent = true;
		return (struct bytes){ .order = c->in.order };
	}

	struct bytes out = bytes_sub(c->in, c->at, n);

	c->at += n;
	return out;
}

uint8_t cursor_8(struct cursor *c)
{
	struct bytes b = cursor_take(c, 1);

	return b.p == NULL ? 0 : get8(b, 0);
}

uint16_t cursor_16(struct cursor *c)
{
	struct bytes b = cursor_take(c, 2);

	return b.p == NULL ? 0 : get16(b, 0);
}

uint32_t cursor_32(struct cursor *c)
{
	struct bytes b = cursor_take(c, 4);

	return b.p == NULL ? 0 : get32(b, 0);
}

uint64_t cursor_64(struct cursor *c)
{
	struct bytes b = cursor_take(c, 8);

	return b.p == NULL ? 0 : get64(b, 0);
}
