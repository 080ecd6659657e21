/*
 * Reading leaves of fat ZAPs.
 *
 * A chain of array chunks is followed for exactly as many chunks as its length takes and must end
 * there, so that one which leads into itself is noticed before its bytes are used; the chain of a
 * hash slot is bounded by the leaf's number of chunks.
 */
#include "formats/zap_layout.h"
#include "formats/base/limits.h"

int zap_leaf_decode(struct bytes block, struct zap_leaf *out, struct err *e)
{
	if (block.n < FAT_BLOCK_MIN || block.n > FAT_BLOCK_MAX || !is_pow2(block.n))
		return err_set(e, ERR_CORRUPT, "zap leaf of %zu bytes", block.n);

	uint64_t	type = get64(block, LEAF_TYPE);
	uint32_t	magic = get32(block, LEAF_MAGIC);
	struct zap_leaf l = { .block = block,
			      .prefix = get64(block, LEAF_PREFIX),
			      .prefix_len = get16(block, LEAF_PREFIX_LEN),
			      .free_chunks = get16(block, LEAF_FREE),
			      .entries = get16(block, LEAF_ENTRIES),
			      .flags = get8(block, LEAF_FLAGS),
			      .hash_slots = leaf_hash_slots(block.n),
			      .chunks = leaf_chunks(block.n) };

	if (type != ZAP_BLOCK_LEAF)
		return err_set(e, ERR_CORRUPT, "zap leaf of block type %#llx",
			       (unsigned long long)type);
	if (magic != LEAF_MAGIC_VALUE)
		return err_set(e, ERR_CORRUPT, "zap leaf of magic %#x", magic);
	if (l.prefix_len > 64 - log2_floor(l.hash_slots) || l.prefix >> l.prefix_len != 0)
		return err_set(e, ERR_CORRUPT, "zap leaf of prefix %#llx, %u bits",
			       (unsigned long long)l.prefix, l.prefix_len);
	if (l.free_chunks > l.chunks || l.entries > (l.chunks - l.free_chunks) / 2)
		return err_set(e, ERR_CORRUPT, "zap leaf of %u entries in %zu chunks, %u free",
			       l.entries, l.chunks, l.free_chunks);
	*out = l;
	return 0;
}

static struct bytes chunk_of(const struct zap_leaf *leaf, size_t chunk)
{
	return bytes_sub(leaf->block, leaf_chunk_at(leaf->block.n, chunk), CHUNK_SIZE);
}

/* One array chunk's content; *next is the chain's next. */
static int array_chunk(const struct zap_leaf *leaf, uint16_t *next, struct bytes *out,
		       struct err *e)
{
	if (*next >= leaf->chunks)
		return err_set(e, ERR_CORRUPT, "chunk %u of %zu", *next, leaf->chunks);

	struct bytes c = chunk_of(leaf, *next);

	if (get8(c, 0) != CHUNK_ARRAY)
		return err_set(e, ERR_CORRUPT, "chunk %u is of kind %u, not array", *next,
			       get8(c, 0));
	*next = get16(c, CHUNK_NEXT);
	*out = bytes_sub(c, 1, ARRAY_BYTES);
	return 0;
}

/* The n bytes that start in `chunk`: as they lie in the leaf when they fit one chunk, else gathered
 * at `to`. */
static int array_get(const struct zap_leaf *leaf, uint16_t chunk, size_t n, uint8_t *to,
		     struct bytes *out, struct err *e)
{
	struct bytes part = bytes_of(to, 0, ORDER_BIG);

	for (size_t done = 0; done < n; done += part.n) {
		if (array_chunk(leaf, &chunk, &part, e) < 0)
			return -1;
		if (part.n > n - done)
			part.n = n - done;
		if (n > ARRAY_BYTES)
			memcpy(to + done, part.p, part.n);
	}
	if (chunk != CHAIN_END)
		return err_set(e, ERR_CORRUPT, "chain goes on past its %zu bytes", n);
	*out = bytes_of(n > ARRAY_BYTES ? to : part.p, n, ORDER_BIG);
	return 0;
}

static int number_key(const struct zap_leaf *leaf, uint16_t chunk, size_t count, uint8_t *to,
		      struct bytes *out, struct err *e)
{
	if (count == 0 || count > ZAP_FAT_NAME_MAX / 8)
		return err_set(e, ERR_CORRUPT, "%zu integers", count);
	if (array_get(leaf, chunk, count * 8, to, out, e) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		put64(wbytes_of(to, count * 8, ORDER_NATIVE), i * 8, get64(*out, i * 8));
	*out = bytes_of(to, count * 8, ORDER_NATIVE);
	return 0;
}

static int string_key(const struct zap_leaf *leaf, uint16_t chunk, size_t count, uint8_t *to,
		      struct bytes *out, struct err *e)
{
	if (count == 0 || count > ZAP_FAT_NAME_MAX)
		return err_set(e, ERR_CORRUPT, "%zu bytes", count);
	if (array_get(leaf, chunk, count, to, out, e) < 0)
		return -1;
	if (memchr(out->p, 0, count) != out->p + count - 1)
		return err_set(e, ERR_CORRUPT, "its NUL is not at the end");
	out->n--;
	return 0;
}

static int entry_name(const struct zap_leaf *leaf, struct bytes c, uint64_t zap_flags,
		      uint8_t *scratch, struct zap_entry *out, struct err *e)
{
	uint16_t chunk = get16(c, ENTRY_NAME_CHUNK);
	size_t	 count = get16(c, ENTRY_NAME_COUNT);
	int	 rc;

	out->number_key = (zap_flags & ZAP_FLAG_UINT64_KEY) != 0;
	if (out->number_key)
		rc = number_key(leaf, chunk, count, scratch, &out->name, e);
	else
		rc = string_key(leaf, chunk, count, scratch, &out->name, e);
	return rc < 0 ? err_in(e, "name") : 0;
}

static int entry_value(const struct zap_leaf *leaf, struct bytes c, uint8_t *scratch,
		       struct zap_entry *out, struct err *e)
{
	size_t n = get16(c, ENTRY_VALUE_COUNT);

	out->int_size = get8(c, ENTRY_INT_SIZE);
	if (!int_size_ok(out->int_size))
		return err_set(e, ERR_CORRUPT, "value: integers of %u bytes", out->int_size);
	n *= out->int_size;
	if (n > ZAP_FAT_VALUE_MAX)
		return err_set(e, ERR_CORRUPT, "value: %zu bytes", n);
	if (array_get(leaf, get16(c, ENTRY_VALUE_CHUNK), n, scratch + ZAP_FAT_NAME_MAX, &out->value,
		      e) < 0)
		return err_in(e, "value");
	return 0;
}

static int entry_rest(const struct zap_leaf *leaf, struct bytes c, uint8_t *scratch,
		      struct zap_entry *out, struct err *e)
{
	out->cd = get32(c, ENTRY_CD);
	out->hash = get64(c, ENTRY_HASH);
	return entry_value(leaf, c, scratch, out, e);
}

static int entry_get(const struct zap_leaf *leaf, size_t chunk, uint64_t zap_flags,
		     uint8_t *scratch, struct zap_entry *out, struct err *e)
{
	struct bytes c = chunk_of(leaf, chunk);

	if (entry_name(leaf, c, zap_flags, scratch, out, e) < 0 ||
	    entry_rest(leaf, c, scratch, out, e) < 0)
		return err_in(e, "entry in chunk %zu", chunk);
	return 0;
}

int zap_leaf_each(const struct zap_leaf *leaf, uint64_t zap_flags, uint8_t *scratch,
		  zap_leaf_fn *fn, void *ctx, struct err *e)
{
	struct err why; /* the first reason; fn may write to e meanwhile */
	size_t	   found = 0;
	int	   broken = 0;

	for (size_t i = 0; i < leaf->chunks; i++) {
		struct zap_entry entry = { 0 };

		if (get8(chunk_of(leaf, i), 0) != CHUNK_ENTRY)
			continue;
		found++;
		if (entry_get(leaf, i, zap_flags, scratch, &entry, broken < 0 ? NULL : &why) < 0) {
			broken = -1;
			continue;
		}

		int rc = fn(ctx, &entry, e);

		if (rc != 0)
			return rc;
	}
	if (broken == 0 && found != leaf->entries)
		broken = err_set(&why, ERR_CORRUPT, "leaf says %u entries, has %zu", leaf->entries,
				 found);
	if (broken < 0 && e != NULL)
		*e = why;
	return broken;
}

int zap_leaf_find(const struct zap_leaf *leaf, uint64_t zap_flags, uint64_t hash, struct bytes name,
		  uint8_t *scratch, struct zap_entry *out, struct err *e)
{
	size_t	 slot = leaf_slot_of(leaf->hash_slots, leaf->prefix_len, hash);
	uint16_t at = get16(leaf->block, LEAF_HEADER_SIZE + 2 * slot);

	for (size_t steps = 0; at != CHAIN_END; steps++) {
		if (at >= leaf->chunks || steps >= leaf->entries)
			return err_set(e, ERR_CORRUPT, "hash slot %zu: %s", slot,
				       at >= leaf->chunks ? "a chunk past the end"
							  : "the chain leads into itself");

		struct bytes	 c = chunk_of(leaf, at);
		struct zap_entry entry = { 0 };

		if (get8(c, 0) != CHUNK_ENTRY)
			return err_set(e, ERR_CORRUPT, "hash slot %zu: chunk %u is not an entry",
				       slot, at);
		if (get64(c, ENTRY_HASH) == hash) {
			if (entry_name(leaf, c, zap_flags, scratch, &entry, e) < 0)
				return err_in(e, "entry in chunk %u", at);
			if (entry.name.n == name.n && memcmp(entry.name.p, name.p, name.n) == 0) {
				if (entry_rest(leaf, c, scratch, &entry, e) < 0)
					return err_in(e, "entry in chunk %u", at);
				*out = entry;
				return 1;
			}
		}
		at = get16(c, ENTRY_NEXT);
	}
	return 0;
}
