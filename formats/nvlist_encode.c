/* Name-value lists into XDR, and into text. Both are walks. */
#include <inttypes.h>
#include <stdlib.h>

#include "formats/nvlist_impl.h"

struct sink {
	uint8_t *p;
	size_t	 n, cap;
	bool	 failed; /* out of memory: everything after is dropped */
};

static void put_raw(struct sink *s, const void *p, size_t n)
{
	if (s->failed)
		return;
	if (n > s->cap - s->n) {
		size_t	 cap = 2 * (s->n + n) + 512;
		uint8_t *grown = realloc(s->p, cap);

		if (grown == NULL) {
			s->failed = true;
			return;
		}
		s->p = grown;
		s->cap = cap;
	}
	if (n > 0)
		memcpy(s->p + s->n, p, n);
	s->n += n;
}

static void put_u32(struct sink *s, uint32_t v)
{
	uint8_t raw[4];

	put32(wbytes_of(raw, sizeof raw, ORDER_BIG), 0, v);
	put_raw(s, raw, sizeof raw);
}

static void put_u64(struct sink *s, uint64_t v)
{
	put_u32(s, (uint32_t)(v >> 32));
	put_u32(s, (uint32_t)v);
}

static void put_padded(struct sink *s, const void *p, size_t n)
{
	static const uint8_t zeros[4];

	put_raw(s, p, n);
	put_raw(s, zeros, (4 - n % 4) % 4);
}

static void put_string(struct sink *s, const char *text)
{
	put_u32(s, (uint32_t)strlen(text));
	put_padded(s, text, strlen(text));
}

static void put_number(struct sink *s, unsigned width, uint64_t v)
{
	if (width == 8)
		put_u64(s, v);
	else
		put_u32(s, (uint32_t)v);
}

/* XDR widens chars by their sign, and OpenZFS takes all three kinds of byte for chars. */
static uint64_t as_char(uint64_t v)
{
	return (uint64_t)(int64_t)(int8_t)v;
}

static void put_array(struct sink *s, const struct nvpair *pair)
{
	if (pair->type == NV_BYTE_ARRAY) {
		put_padded(s, pair->bytes, pair->count);
		return;
	}
	if (pair->count > 0)
		put_u32(s, (uint32_t)pair->count);
	for (size_t i = 0; i < pair->count; i++) {
		if (nv_is_bytes(pair->type))
			put_u32(s, (uint32_t)as_char(pair->bytes[i]));
		else
			put_number(s, nv_width(pair->type), pair->u64s[i]);
	}
}

static void put_value(struct sink *s, const struct nvpair *pair)
{
	unsigned width = nv_width(pair->type);

	if (pair->type == NV_STRING) {
		put_string(s, pair->string);
	} else if (pair->type == NV_STRING_ARRAY) {
		for (size_t i = 0; i < pair->count; i++)
			put_string(s, pair->strings[i]);
	} else if (nv_is_array(pair->type)) {
		put_array(s, pair);
	} else if (width != 0) {
		put_number(s, width, width == 1 ? as_char(pair->u64) : pair->u64);
	}
}

/* Bytes of the value in OpenZFS's memory. Source: nvpair.c, i_get_value_size. */
static uint64_t unpacked_value(const struct nvpair *pair)
{
	uint64_t n;

	switch (pair->type) {
	case NV_BOOLEAN:
		return 0;
	case NV_STRING:
		return strlen(pair->string) + 1;
	case NV_STRING_ARRAY:
		n = pair->count * (uint64_t)NVLIST_POINTER;
		for (size_t i = 0; i < pair->count; i++)
			n += strlen(pair->strings[i]) + 1;
		return n;
	case NV_NVLIST:
		return NVLIST_FIXED;
	case NV_NVLIST_ARRAY:
		return pair->count * (uint64_t)(NVLIST_POINTER + NVLIST_FIXED);
	default:
		return pair->count * (uint64_t)nv_width(pair->type);
	}
}

static uint32_t unpacked_size(const struct nvpair *pair)
{
	return (uint32_t)(align_up(NVPAIR_FIXED + strlen(pair->name) + 1, 8) +
			  align_up(unpacked_value(pair), 8));
}

static void close_pair(struct sink *s, size_t start)
{
	if (!s->failed)
		put32(wbytes_of(s->p, s->n, ORDER_BIG), start, (uint32_t)(s->n - start));
}

/* Everything but the lists that the pair may hold; returns where it starts. */
static size_t open_pair(struct sink *s, const struct nvpair *pair)
{
	size_t start = s->n;

	put_u32(s, 0); /* close_pair knows */
	put_u32(s, unpacked_size(pair));
	put_string(s, pair->name);
	put_u32(s, (uint32_t)pair->type);
	put_u32(s, (uint32_t)pair->count);
	if (!nv_is_list(pair->type)) {
		put_value(s, pair);
		close_pair(s, start);
	}
	return start;
}

static void encode(struct sink *s, const struct nvlist *l)
{
	size_t	      starts[NVLIST_DEPTH_MAX + 2], start; /* of the pairs around each level */
	struct nvwalk w;

	put_raw(s, (uint8_t[NVLIST_HEADER]){ NVLIST_ENCODE_XDR, l->endian }, NVLIST_HEADER);
	nvwalk_start(&w, l);
	for (;;) {
		switch (nvwalk_next(&w)) {
		case NVWALK_OPEN:
			put_u32(s, w.list->version);
			put_u32(s, w.list->flags);
			break;
		case NVWALK_PAIR:
			start = open_pair(s, w.pair);
			if (nv_is_list(w.pair->type))
				starts[w.depth] = start;
			break;
		case NVWALK_CLOSE:
			put_u64(s, 0);
			break;
		case NVWALK_END:
			close_pair(s, starts[w.depth + 1]);
			break;
		case NVWALK_DONE:
			return;
		}
	}
}

int nvlist_encode(const struct nvlist *l, uint8_t **out, size_t *n, struct err *e)
{
	struct sink s = { 0 };

	encode(&s, l);
	if (s.failed) {
		free(s.p);
		return err_nomem(e);
	}
	if (s.n > INT32_MAX) {
		free(s.p);
		return err_set(e, ERR_NOSPACE, "name-value list would take %zu bytes", s.n);
	}
	*out = s.p;
	*n = s.n;
	return 0;
}

/* Text. */

static void describe_string(const char *string, struct text *t)
{
	text_put(t, "'");
	text_name(t, string, strlen(string));
	text_put(t, "'");
}

static void describe_number(enum nv_type type, uint64_t v, struct text *t)
{
	double d;

	if (type == NV_BOOLEAN_VALUE) {
		text_put(t, "%s", v != 0 ? "true" : "false");
	} else if (type == NV_DOUBLE) {
		memcpy(&d, &v, sizeof d);
		text_put(t, "%g", d);
	} else if (nv_is_signed(type)) {
		text_put(t, "%" PRId64, (int64_t)v);
	} else {
		text_put(t, "%" PRIu64, v);
	}
}

static void describe_name(const struct nvpair *pair, unsigned indent, struct text *t)
{
	text_put(t, "%*s", (int)indent, "");
	text_name(t, pair->name, strlen(pair->name));
}

static void describe_element(const struct nvpair *pair, size_t i, struct text *t)
{
	if (pair->type == NV_STRING_ARRAY)
		describe_string(pair->strings[i], t);
	else if (pair->type == NV_INT8_ARRAY)
		describe_number(pair->type, as_char(pair->bytes[i]), t);
	else
		describe_number(pair->type,
				nv_is_bytes(pair->type) ? pair->bytes[i] : pair->u64s[i], t);
}

static void describe_pair(const struct nvpair *pair, unsigned indent, struct text *t)
{
	if (nv_is_array(pair->type)) {
		for (size_t i = 0; i < pair->count && !t->cut; i++) {
			describe_name(pair, indent, t);
			text_put(t, "[%zu]: ", i);
			describe_element(pair, i, t);
			text_put(t, "\n");
		}
		return;
	}
	describe_name(pair, indent, t);
	if (pair->type != NV_BOOLEAN)
		text_put(t, ": ");
	if (pair->type == NV_STRING)
		describe_string(pair->string, t);
	else if (pair->type != NV_BOOLEAN)
		describe_number(pair->type, pair->u64, t);
	text_put(t, "\n");
}

static void describe_open(const struct nvwalk *w, unsigned indent, struct text *t)
{
	if (w->pair == NULL)
		return;
	describe_name(w->pair, indent + 4 * (w->depth - 2), t);
	if (w->pair->type == NV_NVLIST_ARRAY)
		text_put(t, "[%zu]", w->index);
	text_put(t, ":\n");
}

void nvlist_describe(const struct nvlist *l, unsigned indent, struct text *t)
{
	struct nvwalk	  w;
	enum nvwalk_event event;

	nvwalk_start(&w, l);
	while ((event = nvwalk_next(&w)) != NVWALK_DONE && !t->cut) {
		if (event == NVWALK_OPEN)
			describe_open(&w, indent, t);
		else if (event == NVWALK_PAIR && !nv_is_list(w.pair->type))
			describe_pair(w.pair, indent + 4 * (w.depth - 1), t);
	}
}
