/*
 * Name-value lists from their packed forms.
 *
 * XDR: header, version, flags, pairs; a pair is its packed and unpacked size, name, type, count,
 * value; two zero sizes end a list. Native: the writer's structs as they lay in memory, in its
 * order, with the pairs of embedded lists after the pair that holds them. Source: OpenZFS nvpair.c
 * (nvs_xdr_nvpair, nvs_xdr_nvp_op, nvs_native_*).
 */
#include <inttypes.h>

#include "formats/nvlist_impl.h"

/* A pair's lists that are being filled. */
struct level {
	struct nvlist **lists;
	size_t		index, count;
	bool		open;
};

struct parse {
	struct cursor	     c;
	bool		     native;
	struct nvlist_arena *arena;
	struct level	     stack[NVLIST_DEPTH_MAX + 1];
	unsigned	     depth;
};

static int ends_early(struct err *e)
{
	return err_set(e, ERR_CORRUPT, "name-value list ends early");
}

static int push(struct parse *p, struct nvlist **lists, size_t count, struct err *e)
{
	if (p->depth >= NVLIST_DEPTH_MAX)
		return err_set(e, ERR_CORRUPT, "name-value list nests deeper than %d",
			       NVLIST_DEPTH_MAX);
	p->stack[p->depth++] = (struct level){ .lists = lists, .count = count };
	return 0;
}

/* A NUL-terminated copy of n bytes; NULs within are refused, since nobody could see what follows.
 */
static const char *take_text(struct parse *p, struct bytes from, struct err *e)
{
	char *s;

	if (memchr(from.p, '\0', from.n) != NULL) {
		err_set(e, ERR_CORRUPT, "name-value list has text with a NUL in it");
		return NULL;
	}
	s = nvlist_alloc(p->arena, from.n + 1, 1, e);
	if (s == NULL)
		return NULL;
	memcpy(s, from.p, from.n);
	s[from.n] = '\0';
	return s;
}

/* XDR text: length, bytes, padding to four. */
static const char *xdr_text(struct parse *p, struct err *e)
{
	uint32_t     n = cursor_32(&p->c);
	struct bytes text = cursor_take(&p->c, n);

	cursor_take(&p->c, (4 - n % 4) % 4);
	if (p->c.spent) {
		ends_early(e);
		return NULL;
	}
	return take_text(p, text, e);
}

/* Native text: up to the NUL, within the pair's own bytes. */
static const char *native_text(struct parse *p, struct cursor *c, struct err *e)
{
	size_t	       left = cursor_left(c);
	const uint8_t *start = c->in.p + c->at;
	const uint8_t *end = left == 0 ? NULL : memchr(start, '\0', left);

	if (end == NULL) {
		err_set(e, ERR_CORRUPT, "name-value list has text without an end");
		return NULL;
	}

	struct bytes text = cursor_take(c, (size_t)(end - start));

	cursor_take(c, 1);
	return take_text(p, text, e);
}

static uint64_t widen(uint64_t v, enum nv_type type)
{
	unsigned shift = 64 - 8 * nv_width(type);

	v <<= shift;
	return nv_is_signed(type) ? (uint64_t)((int64_t)v >> shift) : v >> shift;
}

/* One number that takes `width` bytes there; width is 1, 2, 4 or 8. */
static uint64_t take_number(struct cursor *c, unsigned width)
{
	switch (width) {
	case 1:
		return cursor_8(c);
	case 2:
		return cursor_16(c);
	case 4:
		return cursor_32(c);
	default:
		return cursor_64(c);
	}
}

static int take_byte_array(struct parse *p, struct cursor *c, struct nvpair *pair, unsigned width,
			   struct err *e)
{
	uint8_t *v = nvlist_alloc(p->arena, pair->count, 1, e);

	if (v == NULL)
		return -1;
	for (size_t i = 0; i < pair->count; i++)
		v[i] = (uint8_t)take_number(c, width);
	pair->bytes = v;
	return 0;
}

/* An array of numbers that take `width` bytes each there. */
static int take_array(struct parse *p, struct cursor *c, struct nvpair *pair, unsigned width,
		      struct err *e)
{
	uint64_t *v;

	if (pair->count > cursor_left(c) / width)
		return ends_early(e);
	if (nv_is_bytes(pair->type))
		return take_byte_array(p, c, pair, width, e);
	v = nvlist_alloc(p->arena, pair->count, sizeof *v, e);
	if (v == NULL)
		return -1;
	for (size_t i = 0; i < pair->count; i++)
		v[i] = widen(take_number(c, width), pair->type);
	pair->u64s = v;
	return 0;
}

/* Strings take at least `least` bytes each. c is NULL for XDR. */
static int take_strings(struct parse *p, struct cursor *c, struct nvpair *pair, size_t least,
			struct err *e)
{
	const char **v;

	if (pair->count > cursor_left(c == NULL ? &p->c : c) / least)
		return ends_early(e);
	v = nvlist_alloc(p->arena, pair->count, sizeof *v, e);
	if (v == NULL)
		return -1;
	for (size_t i = 0; i < pair->count; i++) {
		v[i] = c == NULL ? xdr_text(p, e) : native_text(p, c, e);
		if (v[i] == NULL)
			return -1;
	}
	pair->strings = v;
	return 0;
}

/* Empty lists for the pair, each of which takes at least `least` bytes; they are filled next. */
static int take_lists(struct parse *p, struct cursor *c, struct nvpair *pair, size_t least,
		      struct nvlist ***lists, struct err *e)
{
	if (pair->count > cursor_left(c) / least)
		return ends_early(e);
	*lists = nvlist_alloc_lists(p->arena, pair->count, e);
	if (*lists == NULL)
		return -1;
	if (pair->type == NV_NVLIST)
		pair->list = **lists;
	else
		pair->lists = (const struct nvlist *const *)*lists;
	return push(p, *lists, pair->count, e);
}

static int check_type(const struct nvpair *pair, uint32_t type, struct err *e)
{
	if (type < NV_BOOLEAN || type > NV_DOUBLE)
		return err_set(e, ERR_CORRUPT, "'%.80s' has unknown type %" PRIu32, pair->name,
			       type);
	if (!nv_is_array(pair->type) && pair->count != (pair->type != NV_BOOLEAN))
		return err_set(e, ERR_CORRUPT, "'%.80s' has %zu values instead of one", pair->name,
			       pair->count);
	return 0;
}

/* Numbers take four bytes at least, except in byte arrays, which have no count of their own. */
static int xdr_array(struct parse *p, struct nvpair *pair, struct err *e)
{
	unsigned width = nv_width(pair->type);

	if (pair->type == NV_BYTE_ARRAY) {
		if (take_array(p, &p->c, pair, 1, e) < 0)
			return -1;
		cursor_take(&p->c, (4 - pair->count % 4) % 4);
		return 0;
	}
	if (pair->count > 0 && cursor_32(&p->c) != pair->count)
		return err_set(e, ERR_CORRUPT, "'%.80s' has two different counts", pair->name);
	return take_array(p, &p->c, pair, width < 4 ? 4 : width, e);
}

static int xdr_value(struct parse *p, struct nvpair *pair, struct err *e)
{
	enum { LIST_LEAST = 16 };
	struct nvlist **lists;
	unsigned	width = nv_width(pair->type);

	switch (pair->type) {
	case NV_BOOLEAN:
		return 0;
	case NV_STRING:
		pair->string = xdr_text(p, e);
		return pair->string == NULL ? -1 : 0;
	case NV_STRING_ARRAY:
		return take_strings(p, NULL, pair, 4, e);
	case NV_NVLIST:
	case NV_NVLIST_ARRAY:
		return take_lists(p, &p->c, pair, LIST_LEAST, &lists, e);
	default:
		if (nv_is_array(pair->type))
			return xdr_array(p, pair, e);
		pair->u64 = widen(take_number(&p->c, width < 4 ? 4 : width), pair->type);
		return 0;
	}
}

/* 1: *pair, 0: the list ends here, -1. */
static int xdr_pair(struct parse *p, struct nvpair *pair, struct err *e)
{
	uint32_t unpacked, type;

	cursor_32(&p->c); /* the packed size says nothing that the rest does not */
	unpacked = cursor_32(&p->c);
	if (p->c.spent)
		return ends_early(e);
	if (unpacked == 0)
		return 0;

	*pair = (struct nvpair){ .name = xdr_text(p, e) };
	if (pair->name == NULL)
		return -1;
	type = cursor_32(&p->c);
	pair->count = cursor_32(&p->c);
	pair->type = (enum nv_type)type;
	if (p->c.spent)
		return ends_early(e);
	if (check_type(pair, type, e) < 0 || xdr_value(p, pair, e) < 0)
		return -1;
	return p->c.spent ? ends_early(e) : 1;
}

/* Embedded lists: (pointers, when they are an array, and) one struct each, pairs to follow. */
static int native_lists(struct parse *p, struct cursor *c, struct nvpair *pair, struct err *e)
{
	struct nvlist **lists;

	if (pair->type == NV_NVLIST_ARRAY) {
		if (pair->count > cursor_left(c) / NVLIST_POINTER)
			return ends_early(e);
		cursor_take(c, pair->count * NVLIST_POINTER);
	}
	if (take_lists(p, c, pair, NVLIST_FIXED, &lists, e) < 0)
		return -1;
	for (size_t i = 0; i < pair->count; i++) {
		lists[i]->version = cursor_32(c);
		lists[i]->flags = cursor_32(c);
		cursor_take(c, NVLIST_FIXED - 8);
	}
	return 0;
}

/* c is over the value. */
static int native_value(struct parse *p, struct cursor *c, struct nvpair *pair, struct err *e)
{
	switch (pair->type) {
	case NV_BOOLEAN:
		return 0;
	case NV_STRING:
		pair->string = native_text(p, c, e);
		return pair->string == NULL ? -1 : 0;
	case NV_STRING_ARRAY:
		if (pair->count > cursor_left(c) / NVLIST_POINTER)
			return ends_early(e);
		cursor_take(c, pair->count * NVLIST_POINTER);
		return take_strings(p, c, pair, 1, e);
	case NV_NVLIST:
	case NV_NVLIST_ARRAY:
		return native_lists(p, c, pair, e);
	default:
		if (nv_is_array(pair->type))
			return take_array(p, c, pair, nv_width(pair->type), e);
		pair->u64 = widen(take_number(c, nv_width(pair->type)), pair->type);
		return 0;
	}
}

static int native_pair(struct parse *p, struct nvpair *pair, struct err *e)
{
	size_t	      start = p->c.at, value_at;
	uint32_t      size = cursor_32(&p->c), type;
	uint16_t      name_size;
	struct cursor c;

	if (p->c.spent)
		return ends_early(e);
	if (size == 0)
		return 0;
	p->c.at = start;
	c = cursor_of(cursor_take(&p->c, size));
	if (p->c.spent || size < NVPAIR_FIXED)
		return ends_early(e);

	cursor_32(&c);
	name_size = cursor_16(&c);
	cursor_16(&c);
	*pair = (struct nvpair){ .count = cursor_32(&c) };
	type = cursor_32(&c);
	pair->type = (enum nv_type)type;
	value_at = (size_t)align_up(NVPAIR_FIXED + (uint64_t)name_size, 8);
	pair->name = native_text(p, &c, e);
	if (pair->name == NULL)
		return -1;
	if (strlen(pair->name) + 1 != name_size)
		return err_set(e, ERR_CORRUPT, "name-value list has a name of the wrong length");
	if (check_type(pair, type, e) < 0)
		return -1;
	c.at = value_at < size ? value_at : size;
	if (native_value(p, &c, pair, e) < 0)
		return -1;
	return c.spent ? ends_early(e) : 1;
}

/* Native lists within others were opened by the pair that holds them. */
static void open_list(struct parse *p, struct level *at)
{
	struct nvlist *l = at->lists[at->index];

	at->open = true;
	if (p->native && p->depth > 1)
		return;
	l->version = cursor_32(&p->c);
	l->flags = cursor_32(&p->c);
}

static int parse_all(struct parse *p, struct err *e)
{
	while (p->depth > 0) {
		struct level *at = &p->stack[p->depth - 1];
		struct nvpair pair;
		int	      got;

		if (at->index == at->count) {
			p->depth--;
			continue;
		}
		if (!at->open)
			open_list(p, at);
		got = p->native ? native_pair(p, &pair, e) : xdr_pair(p, &pair, e);
		if (got < 0)
			return -1;
		if (got == 1 && nvlist_append(at->lists[at->index], &pair, e) < 0)
			return -1;
		if (got == 0) {
			at->open = false;
			at->index++;
		}
	}
	return 0;
}

int nvlist_decode(struct bytes in, struct nvlist **out, size_t *used, struct err *e)
{
	struct nvlist *l;
	struct parse   p = { .c = cursor_of(in) };

	if (in.n < NVLIST_HEADER)
		return ends_early(e);
	if (in.p[0] > NVLIST_ENCODE_XDR || in.p[1] > 1)
		return err_set(e, ERR_CORRUPT, "not a name-value list: it starts with %02x%02x",
			       in.p[0], in.p[1]);
	l = nvlist_new(e);
	if (l == NULL)
		return -1;
	l->endian = in.p[1];
	p.arena = &l->own;
	p.native = in.p[0] == NVLIST_ENCODE_NATIVE;
	p.c.in.order = p.native && l->endian == 1 ? ORDER_LITTLE : ORDER_BIG;
	cursor_take(&p.c, NVLIST_HEADER);
	if (push(&p, &l, 1, e) < 0 || parse_all(&p, e) < 0) {
		nvlist_free(l);
		return -1;
	}
	if (used != NULL)
		*used = p.c.at;
	*out = l;
	return 0;
}
