/*
 * Borrowed bytes that know their byte order, and the readers and writers of integers over them.
 *
 * A pool holds structures of both byte orders at once; a view carries its order so that no decoder
 * has to ask. Offsets are checked once by the decoder (`in.n < X_SIZE`); get and put then assert.
 */
#ifndef FORMATS_BASE_BYTES_H
#define FORMATS_BASE_BYTES_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum order { ORDER_LITTLE = 0, ORDER_BIG = 1 };

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ORDER_NATIVE ORDER_BIG
#else
#define ORDER_NATIVE ORDER_LITTLE
#endif

/* To read. */
struct bytes {
	const uint8_t *p;
	size_t	       n;
	enum order     order;
};

/* To write. */
struct wbytes {
	uint8_t	  *p;
	size_t	   n;
	enum order order;
};

static inline enum order order_other(enum order o)
{
	return o == ORDER_LITTLE ? ORDER_BIG : ORDER_LITTLE;
}

static inline struct bytes bytes_of(const void *p, size_t n, enum order order)
{
	return (struct bytes){ .p = p, .n = n, .order = order };
}

static inline struct wbytes wbytes_of(void *p, size_t n, enum order order)
{
	return (struct wbytes){ .p = p, .n = n, .order = order };
}

static inline struct bytes wbytes_view(struct wbytes w)
{
	return (struct bytes){ .p = w.p, .n = w.n, .order = w.order };
}

/* The part [off, off+n), which must lie within. */
static inline struct bytes bytes_sub(struct bytes in, size_t off, size_t n)
{
	assert(off <= in.n && n <= in.n - off);
	return (struct bytes){ .p = in.p + off, .n = n, .order = in.order };
}

static inline struct bytes bytes_from(struct bytes in, size_t off)
{
	assert(off <= in.n);
	return bytes_sub(in, off, in.n - off);
}

static inline struct wbytes wbytes_sub(struct wbytes w, size_t off, size_t n)
{
	assert(off <= w.n && n <= w.n - off);
	return (struct wbytes){ .p = w.p + off, .n = n, .order = w.order };
}

static inline struct wbytes wbytes_from(struct wbytes w, size_t off)
{
	assert(off <= w.n);
	return wbytes_sub(w, off, w.n - off);
}

static inline uint8_t get8(struct bytes in, size_t off)
{
	assert(off < in.n);
	return in.p[off];
}

static inline uint16_t get16(struct bytes in, size_t off)
{
	uint16_t v;

	assert(in.n >= sizeof v && off <= in.n - sizeof v);
	memcpy(&v, in.p + off, sizeof v);
	return in.order == ORDER_NATIVE ? v : __builtin_bswap16(v);
}

static inline uint32_t get32(struct bytes in, size_t off)
{
	uint32_t v;

	assert(in.n >= sizeof v && off <= in.n - sizeof v);
	memcpy(&v, in.p + off, sizeof v);
	return in.order == ORDER_NATIVE ? v : __builtin_bswap32(v);
}

static inline uint64_t get64(struct bytes in, size_t off)
{
	uint64_t v;

	assert(in.n >= sizeof v && off <= in.n - sizeof v);
	memcpy(&v, in.p + off, sizeof v);
	return in.order == ORDER_NATIVE ? v : __builtin_bswap64(v);
}

static inline void put8(struct wbytes w, size_t off, uint8_t v)
{
	assert(off < w.n);
	w.p[off] = v;
}

static inline void put16(struct wbytes w, size_t off, uint16_t v)
{
	assert(w.n >= sizeof v && off <= w.n - sizeof v);
	if (w.order != ORDER_NATIVE)
		v = __builtin_bswap16(v);
	memcpy(w.p + off, &v, sizeof v);
}

static inline void put32(struct wbytes w, size_t off, uint32_t v)
{
	assert(w.n >= sizeof v && off <= w.n - sizeof v);
	if (w.order != ORDER_NATIVE)
		v = __builtin_bswap32(v);
	memcpy(w.p + off, &v, sizeof v);
}

static inline void put64(struct wbytes w, size_t off, uint64_t v)
{
	assert(w.n >= sizeof v && off <= w.n - sizeof v);
	if (w.order != ORDER_NATIVE)
		v = __builtin_bswap64(v);
	memcpy(w.p + off, &v, sizeof v);
}

/* `len` bits of `w` from bit `low` up, and the same put into place. len is 1..64. */
static inline uint64_t bits(uint64_t w, unsigned low, unsigned len)
{
	return w >> low & UINT64_MAX >> (64 - len);
}

static inline uint64_t bits_put(uint64_t v, unsigned low, unsigned len)
{
	assert(v <= UINT64_MAX >> (64 - len));
	return v << low;
}

/* All zero? An empty view is. */
bool bytes_zero(struct bytes in);

/*
 * A reader for data of variable length. Past the end it yields zeros and stays `spent`, so that a
 * record can be read field by field and the question asked once.
 */
struct cursor {
	struct bytes in;
	size_t	     at;
	bool	     spent;
};

static inline struct cursor cursor_of(struct bytes in)
{
	return (struct cursor){ .in = in };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return c->spent ? 0 : c->in.n - c->at;
}

/* The next n bytes; when fewer are left, the cursor is spent and the view is empty with p NULL. */
struct bytes cursor_take(struct cursor *c, size_t n);
uint8_t	     cursor_8(struct cursor *c);
uint16_t     cursor_16(struct cursor *c);
uint32_t     cursor_32(struct cursor *c);
uint64_t     cursor_64(struct cursor *c);

#endif
