/*
 * System attributes: a header that names a layout, then the attributes'
 * bytes in the layout's order.
 *
 *   0x00 magic (u32)  0x04 layout number (10 bits) and header size / 8 (6 bits) (u16)
 *   0x06 lengths of the variable-size attributes (u16 each), padded to 8 bytes
 *
 * Source: OpenZFS sa_impl.h (sa_hdr_phys_t), sa.c (sa_attr_table_setup, sa_find_layout),
 * zfs_sa.c (zfs_attr_table).
 */
#ifndef FORMATS_SA_H
#define FORMATS_SA_H

#include "formats/base/bytes.h"
#include "formats/base/err.h"
#include "formats/base/text.h"

#define SA_MAGIC UINT32_C(0x2f505a)

/*
 * The ZPL's attributes in OpenZFS's registration order: the number written when we register them.
 */
enum zpl_attr_id {
	ZPL_ATIME,
	ZPL_MTIME,
	ZPL_CTIME,
	ZPL_CRTIME,
	ZPL_GEN,
	ZPL_MODE,
	ZPL_SIZE,
	ZPL_PARENT,
	ZPL_LINKS,
	ZPL_XATTR,
	ZPL_RDEV,
	ZPL_FLAGS,
	ZPL_UID,
	ZPL_GID,
	ZPL_PAD,
	ZPL_ZNODE_ACL,
	ZPL_DACL_COUNT,
	ZPL_SYMLINK,
	ZPL_SCANSTAMP,
	ZPL_DACL_ACES,
	ZPL_DXATTR,
	ZPL_PROJID,
	ZPL_ATTR_COUNT
};
struct sa_attr_info {
	const char *name;   /* "ZPL_ATIME" */
	uint16_t    length; /* bytes; 0: variable */
	/*
	 * sa.h, SA_UINT64_ARRAY 0, SA_UINT32_ARRAY 1, SA_UINT16_ARRAY 2, SA_UINT8_ARRAY 3, SA_ACL 4
	 */
	uint8_t	    bswap;
};
extern const struct sa_attr_info zpl_attr_table[ZPL_ATTR_COUNT];

/* A registry entry's value: attribute number, byte swap kind, length. */
uint64_t sa_registry_value(uint16_t number, uint8_t bswap, uint16_t length);
void	 sa_registry_decode(uint64_t value, uint16_t *number, uint8_t *bswap, uint16_t *length);

struct sa_header {
	uint16_t layout;
	size_t	 size; /* bytes, lengths included */
};
int	 sa_header_decode(struct bytes in, struct sa_header *out, struct err *e) MUST_CHECK;
/*
 * Length of the i'th variable attribute; the caller knows i from the layout.
 * ERR_CORRUPT past the header.
 */
int	 sa_header_length(struct bytes in, const struct sa_header *h, unsigned i, uint16_t *out,
			  struct err *e) MUST_CHECK;
/*
 * Header size for that many variable lengths, and the header written. lengths
 * may be NULL when count is 0.
 */
size_t	 sa_header_size(unsigned var_count);
void sa_header_encode(struct wbytes out, uint16_t layout, const uint16_t *lengths, unsigned count);

/*
 * The hash that OpenZFS finds equal layouts by; layouts with equal hash are told apart by contents.
 */
uint64_t sa_layout_hash(const uint16_t *attrs, size_t count);

#endif
