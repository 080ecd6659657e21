/* Filling one leaf of a fat ZAP: chunks are taken in ascending order, what is left is the free
 * list. */
#include "formats/zap_layout.h"
#include "formats/base/limits.h"

void leaf_out_init(struct leaf_out *l, struct wbytes block, uint64_t first_hash,
		   unsigned prefix_len, bool normalising)
{
	*l = (struct leaf_out){ .block = block,
				.slots = leaf_hash_slots(block.n),
				.chunks = leaf_chunks(block.n),
				.prefix_len = prefix_len };
	memset(block.p, 0, block.n);
	memset(block.p + LEAF_HEADER_SIZE, 0xff, 2 * l->slots);
	put64(block, LEAF_TYPE, ZAP_BLOCK_LEAF);
	put64(block, LEAF_PREFIX, prefix_len == 0 ? 0 : first_hash >> (64 - prefix_len));
	put32(block, LEAF_MAGIC, LEAF_MAGIC_VALUE);
	put16(block, LEAF_PREFIX_LEN, (uint16_t)prefix_len);
	put8(block, LEAF_FLAGS, normalising ? LEAF_FLAG_CD_SORTED : 0);
}

static struct wbytes chunk_at(const struct leaf_out *l, size_t chunk)
{
	return wbytes_sub(l->block, leaf_chunk_at(l->block.n, chunk), CHUNK_SIZE);
}

static uint16_t chunk_take(struct leaf_out *l)
{
	assert(l->used < l->chunks);
	return (uint16_t)l->used++;
}

/* An array in the making. */
struct array_out {
	struct leaf_out *leaf;
	uint16_t	 head;
	struct wbytes	 last; /* the chunk being filled; p is NULL before the first */
	size_t		 fill;
};

static struct array_out array_begin(struct leaf_out *l)
{
	return (struct array_out){ .leaf = l, .head = CHAIN_END, .fill = ARRAY_BYTES };
}

static void array_grow(struct array_out *a)
{
	uint16_t chunk = chunk_take(a->leaf);

	if (a->last.p == NULL)
		a->head = chunk;
	else
		put16(a->last, CHUNK_NEXT, chunk);
	a->last = chunk_at(a->leaf, chunk);
	a->fill = 0;
	put8(a->last, 0, CHUNK_ARRAY);
	put16(a->last, CHUNK_NEXT, CHAIN_END);
}

static void array_put(struct array_out *a, const void *p, size_t n)
{
	const uint8_t *from = p;

	while (n > 0) {
		if (a->fill == ARRAY_BYTES)
			array_grow(a);

		size_t part = (size_t)min64(ARRAY_BYTES - a->fill, n);

		memcpy(a->last.p + 1 + a->fill, from, part);
		a->fill += part;
		from += part;
		n -= part;
	}
}

/* `count` integers of `size` bytes in native order, to big-endian. */
static void array_put_ints(struct array_out *a, const void *p, size_t size, size_t count)
{
	struct bytes in = bytes_of(p, size * count, ORDER_NATIVE);

	if (size == 1 || ORDER_NATIVE == ORDER_BIG) {
		array_put(a, p, size * count);
		return;
	}
	for (size_t at = 0; at < in.n; at += size) {
		uint8_t	      be[8];
		struct wbytes out = wbytes_of(be, sizeof be, ORDER_BIG);

		if (size == 8)
			put64(out, 0, get64(in, at));
		else if (size == 4)
			put32(out, 0, get32(in, at));
		else
			put16(out, 0, get16(in, at));
		array_put(a, be, size);
	}
}

/* Into the chain of its hash slot, which is kept ascending by differentiator (zap_leaf.c,
 * zap_leaf_rehash_entry). */
static void link_entry(struct leaf_out *l, uint16_t chunk, uint64_t hash, uint32_t cd)
{
	struct wbytes link = wbytes_sub(
		l->block, LEAF_HEADER_SIZE + 2 * leaf_slot_of(l->slots, l->prefix_len, hash), 2);
	uint16_t next;

	while ((next = get16(wbytes_view(link), 0)) != CHAIN_END) {
		struct wbytes other = chunk_at(l, next);

		if (get32(wbytes_view(other), ENTRY_CD) > cd)
			break;
		link = wbytes_sub(other, ENTRY_NEXT, 2);
	}
	put16(chunk_at(l, chunk), ENTRY_NEXT, next);
	put16(link, 0, chunk);
}

void leaf_out_add(struct leaf_out *l, const struct zap_item *item, uint64_t zap_flags)
{
	uint16_t	 chunk = chunk_take(l);
	struct wbytes	 w = chunk_at(l, chunk);
	struct array_out name = array_begin(l), value = array_begin(l);
	bool		 number = zap_flags & ZAP_FLAG_UINT64_KEY;

	if (number) {
		array_put_ints(&name, item->name, 8, item->name_size / 8);
	} else {
		array_put(&name, item->name, item->name_size);
		array_put(&name, "", 1);
	}
	array_put_ints(&value, item->value, item->int_size, item->value_count);
	put8(w, 0, CHUNK_ENTRY);
	put8(w, ENTRY_INT_SIZE, item->int_size);
	put16(w, ENTRY_NAME_CHUNK, name.head);
	put16(w, ENTRY_NAME_COUNT, (uint16_t)(number ? item->name_size / 8 : item->name_size + 1));
	put16(w, ENTRY_VALUE_CHUNK, value.head);
	put16(w, ENTRY_VALUE_COUNT, (uint16_t)item->value_count);
	put32(w, ENTRY_CD, item->cd);
	put64(w, ENTRY_HASH, item->hash);
	link_entry(l, chunk, item->hash, item->cd);
	l->entries++;
}

void leaf_out_finish(struct leaf_out *l)
{
	for (size_t i = l->used; i < l->chunks; i++) {
		struct wbytes w = chunk_at(l, i);

		put8(w, 0, CHUNK_FREE);
		put16(w, CHUNK_NEXT, (uint16_t)(i + 1 < l->chunks ? i + 1 : CHAIN_END));
	}
	put16(l->block, LEAF_FREE, (uint16_t)(l->chunks - l->used));
	put16(l->block, LEAF_FREE_LIST, (uint16_t)(l->used < l->chunks ? l->used : CHAIN_END));
	put16(l->block, LEAF_ENTRIES, (uint16_t)l->entries);
}
