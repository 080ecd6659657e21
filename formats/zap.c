/*
 * What both forms of a ZAP share (the hash, integers of a value), and the micro form. The fat form
 * is in zap_fat.c, zap_leaf.c and zap_fat_build.c.
 */
#include "formats/zap.h"
#include "formats/crc64.h"

enum {
	MICRO_TYPE = 0x00,
	MICRO_SALT = 0x08,
	MICRO_NORMFLAGS = 0x10,
	ENTRY_VALUE = 0x00,
	ENTRY_CD = 0x08,
	ENTRY_NAME = 0x0e,

	HASH_BITS = 28, /* OpenZFS zap_hashbits */
	HASH_BITS_64 = 48,
};

uint64_t zap_entry_int(const struct zap_entry *entry, size_t i)
{
	switch (entry->int_size) {
	case 8:
		return get64(entry->value, i * 8);
	case 4:
		return get32(entry->value, i * 4);
	case 2:
		return get16(entry->value, i * 2);
	default:
		return get8(entry->value, i);
	}
}

/* Number keys are hashed by value, least significant byte first, whatever the host's order. */
static uint64_t hash_words(uint64_t crc, const uint8_t *p, size_t n)
{
	for (; n >= 8; p += 8, n -= 8) {
		uint64_t word = get64(bytes_of(p, 8, ORDER_NATIVE), 0);

		for (unsigned i = 0; i < 8; i++)
			crc = crc64_byte(crc, (uint8_t)(word >> 8 * i));
	}
	return crc;
}

uint64_t zap_hash(uint64_t salt, uint64_t flags, const void *name, size_t n)
{
	unsigned significant = flags & ZAP_FLAG_HASH64 ? HASH_BITS_64 : HASH_BITS;
	uint64_t hash;

	if (flags & ZAP_FLAG_PRE_HASHED_KEY)
		hash = n < 8 ? 0 : get64(bytes_of(name, n, ORDER_NATIVE), 0);
	else if (flags & ZAP_FLAG_UINT64_KEY)
		hash = hash_words(salt, name, n);
	else
		hash = crc64_of(salt, name, n);
	return hash & UINT64_MAX << (64 - significant);
}

int zap_micro_decode(struct bytes block, struct zap_micro *out, struct err *e)
{
	if (block.n < ZAP_MICRO_HEADER)
		return err_set(e, ERR_CORRUPT, "micro zap needs %d bytes, has %zu",
			       ZAP_MICRO_HEADER, block.n);

	uint64_t type = get64(block, MICRO_TYPE);

	if (type != ZAP_BLOCK_MICRO)
		return err_set(e, ERR_CORRUPT, "micro zap of block type %#llx",
			       (unsigned long long)type);
	*out = (struct zap_micro){ .salt = get64(block, MICRO_SALT),
				   .normflags = get64(block, MICRO_NORMFLAGS),
				   .slots = (block.n - ZAP_MICRO_HEADER) / ZAP_MICRO_ENTRY };
	return 0;
}

static size_t slot_offset(size_t slot)
{
	return ZAP_MICRO_HEADER + slot * ZAP_MICRO_ENTRY;
}

int zap_micro_entry(struct bytes block, const struct zap_micro *m, size_t slot,
		    struct zap_entry *out, struct err *e)
{
	struct bytes   in = bytes_sub(block, slot_offset(slot), ZAP_MICRO_ENTRY);
	struct bytes   name = bytes_from(in, ENTRY_NAME);
	const uint8_t *end = memchr(name.p, 0, name.n);

	if (end == NULL)
		return err_set(e, ERR_CORRUPT, "micro zap slot %zu: the name has no end", slot);
	name.n = (size_t)(end - name.p);
	if (name.n == 0)
		return 0;
	*out = (struct zap_entry){ .name = name,
				   .cd = get32(in, ENTRY_CD),
				   .hash = zap_hash(m->salt, 0, name.p, name.n),
				   .int_size = 8,
				   .value = bytes_sub(in, ENTRY_VALUE, 8) };
	return 1;
}

void zap_micro_init(struct wbytes block, uint64_t salt, uint64_t normflags)
{
	assert(block.n >= ZAP_MICRO_HEADER);
	memset(block.p, 0, block.n);
	put64(block, MICRO_TYPE, ZAP_BLOCK_MICRO);
	put64(block, MICRO_SALT, salt);
	put64(block, MICRO_NORMFLAGS, normflags);
}

void zap_micro_put(struct wbytes block, size_t slot, const void *name, size_t n, uint64_t value,
		   uint32_t cd)
{
	struct wbytes at = wbytes_sub(block, slot_offset(slot), ZAP_MICRO_ENTRY);

	assert(n > 0 && n <= ZAP_MICRO_NAME_MAX);
	memset(at.p, 0, at.n);
	put64(at, ENTRY_VALUE, value);
	put32(at, ENTRY_CD, cd);
	memcpy(at.p + ENTRY_NAME, name, n);
}
