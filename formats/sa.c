/*
 * System attributes: the header, the registry's values, and the ZPL's attribute table. Which
 * attribute lies where follows from a layout, which readers take from the pool.
 */
#include "formats/sa.h"

#include "formats/base/limits.h"
#include "formats/crc64.h"

enum {
	H_MAGIC = 0x00,
	H_INFO = 0x04,
	H_LENGTHS = 0x06,
	H_MIN_SIZE = 8,

	INFO_LAYOUT_BITS = 10,
	INFO_SIZE_AT = 10,
	INFO_SIZE_BITS = 6,
	INFO_SIZE_UNIT = 8,

	REG_NUMBER_BITS = 16,
	REG_BSWAP_AT = 16,
	REG_BSWAP_BITS = 8,
	REG_LENGTH_AT = 24,
	REG_LENGTH_BITS = 16,
};

enum { U64 = 0, U8 = 3, ACL = 4 }; /* sa.h, sa_bswap_type_t */

const struct sa_attr_info zpl_attr_table[ZPL_ATTR_COUNT] = {
	[ZPL_ATIME] = { "ZPL_ATIME", 16, U64 },
	[ZPL_MTIME] = { "ZPL_MTIME", 16, U64 },
	[ZPL_CTIME] = { "ZPL_CTIME", 16, U64 },
	[ZPL_CRTIME] = { "ZPL_CRTIME", 16, U64 },
	[ZPL_GEN] = { "ZPL_GEN", 8, U64 },
	[ZPL_MODE] = { "ZPL_MODE", 8, U64 },
	[ZPL_SIZE] = { "ZPL_SIZE", 8, U64 },
	[ZPL_PARENT] = { "ZPL_PARENT", 8, U64 },
	[ZPL_LINKS] = { "ZPL_LINKS", 8, U64 },
	[ZPL_XATTR] = { "ZPL_XATTR", 8, U64 },
	[ZPL_RDEV] = { "ZPL_RDEV", 8, U64 },
	[ZPL_FLAGS] = { "ZPL_FLAGS", 8, U64 },
	[ZPL_UID] = { "ZPL_UID", 8, U64 },
	[ZPL_GID] = { "ZPL_GID", 8, U64 },
	[ZPL_PAD] = { "ZPL_PAD", 32, U64 },
	[ZPL_ZNODE_ACL] = { "ZPL_ZNODE_ACL", 88, U8 },
	[ZPL_DACL_COUNT] = { "ZPL_DACL_COUNT", 8, U64 },
	[ZPL_SYMLINK] = { "ZPL_SYMLINK", 0, U8 },
	[ZPL_SCANSTAMP] = { "ZPL_SCANSTAMP", 32, U8 },
	[ZPL_DACL_ACES] = { "ZPL_DACL_ACES", 0, ACL },
	[ZPL_DXATTR] = { "ZPL_DXATTR", 0, U8 },
	[ZPL_PROJID] = { "ZPL_PROJID", 8, U64 },
};

uint64_t sa_registry_value(uint16_t number, uint8_t bswap, uint16_t length)
{
	return bits_put(number, 0, REG_NUMBER_BITS) |
	       bits_put(bswap, REG_BSWAP_AT, REG_BSWAP_BITS) |
	       bits_put(length, REG_LENGTH_AT, REG_LENGTH_BITS);
}

void sa_registry_decode(uint64_t value, uint16_t *number, uint8_t *bswap, uint16_t *length)
{
	*number = (uint16_t)bits(value, 0, REG_NUMBER_BITS);
	*bswap = (uint8_t)bits(value, REG_BSWAP_AT, REG_BSWAP_BITS);
	*length = (uint16_t)bits(value, REG_LENGTH_AT, REG_LENGTH_BITS);
}

int sa_header_decode(struct bytes in, struct sa_header *out, struct err *e)
{
	if (in.n < H_MIN_SIZE)
		return err_set(e, ERR_CORRUPT, "attribute header needs %d bytes, has %zu",
			       H_MIN_SIZE, in.n);
	if (get32(in, H_MAGIC) != SA_MAGIC)
		return err_set(e, ERR_CORRUPT, "attribute header has magic 0x%x",
			       get32(in, H_MAGIC));

	uint16_t info = get16(in, H_INFO);
	size_t	 size = (size_t)bits(info, INFO_SIZE_AT, INFO_SIZE_BITS) * INFO_SIZE_UNIT;

	if (size < H_MIN_SIZE || size > in.n)
		return err_set(e, ERR_CORRUPT, "attribute header of %zu bytes in %zu", size, in.n);
	*out = (struct sa_header){
		.layout = (uint16_t)bits(info, 0, INFO_LAYOUT_BITS),
		.size = size,
	};
	return 0;
}

int sa_header_length(struct bytes in, const struct sa_header *h, unsigned i, uint16_t *out,
		     struct err *e)
{
	size_t limit = h->size < in.n ? h->size : in.n;

	if (limit < H_LENGTHS || i >= (limit - H_LENGTHS) / 2)
		return err_set(e, ERR_CORRUPT,
			       "variable attribute %u has no length in a header of %zu bytes", i,
			       limit);
	*out = get16(in, H_LENGTHS + (size_t)i * 2);
	return 0;
}

size_t sa_header_size(unsigned var_count)
{
	/* The fixed part has room for one length, used or not. */
	return (size_t)align_up(H_LENGTHS + 2 * max64(var_count, 1), INFO_SIZE_UNIT);
}

void sa_header_encode(struct wbytes out, uint16_t layout, const uint16_t *lengths, unsigned count)
{
	size_t size = sa_header_size(count);

	assert(out.n >= size);
	memset(out.p, 0, size);
	put32(out, H_MAGIC, SA_MAGIC);
	put16(out, H_INFO,
	      (uint16_t)(bits_put(layout, 0, INFO_LAYOUT_BITS) |
			 bits_put(size / INFO_SIZE_UNIT, INFO_SIZE_AT, INFO_SIZE_BITS)));
	for (unsigned i = 0; i < count; i++)
		put16(out, H_LENGTHS + (size_t)i * 2, lengths[i]);
}

uint64_t sa_layout_hash(const uint16_t *attrs, size_t count)
{
	uint64_t hash = UINT64_MAX;

	/* The table entry of the inverted low byte: OpenZFS sa.c, SA_ATTR_HASH. */
	for (size_t i = 0; i < count; i++)
		hash ^= crc64_table[(uint8_t)~attrs[i]];
	return hash;
}
