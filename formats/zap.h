/*
 * ZAPs: names (or number keys) to arrays of integers. The hash, the shared entry, and the micro
 * form; the fat form is zap_fat.h.
 *
 * Micro: one block; 64-byte header (type, salt, normflags), then 64-byte entries
 * (value u64, differentiator u32, pad u16, name[50]).
 * Source: on-disk format, "ZAP"; OpenZFS zap_impl.h (mzap_phys_t), zap_impl.c (zap_hash: CRC-64 of
 * the name, upper 28 or 48 bits), zap_micro.c.
 */
#ifndef FORMATS_ZAP_H
#define FORMATS_ZAP_H

#include "formats/base/bytes.h"
#include "formats/base/err.h"
#include "formats/base/text.h"

#define ZAP_BLOCK_MICRO	 (UINT64_C(1) << 63 | 3)
#define ZAP_BLOCK_HEADER (UINT64_C(1) << 63 | 1)
#define ZAP_BLOCK_LEAF	 (UINT64_C(1) << 63 | 0)
#define ZAP_MAGIC	 UINT64_C(0x2f52ab2ab)

enum {
	ZAP_MICRO_HEADER = 64,
	ZAP_MICRO_ENTRY = 64,
	ZAP_MICRO_NAME_MAX = 49, /* without the NUL: MZAP_NAME_LEN - 1 */
	ZAP_FLAG_HASH64 = 1,	 /* zap_impl.h / zap.h, ZAP_FLAG_* */
	ZAP_FLAG_UINT64_KEY = 2,
	ZAP_FLAG_PRE_HASHED_KEY = 4,
};

/*
 * One entry of either form. All views are borrowed from the block (or a
 * scratch buffer of the walk).
 */
struct zap_entry {
	struct bytes name; /* without the NUL; for number keys count*8 bytes in native order */
	bool	     number_key;
	uint32_t     cd;   /* collision differentiator */
	uint64_t     hash; /* fat: as stored; micro: as computed */
	unsigned     int_size; /* 1, 2, 4, 8 */
	struct bytes value;    /* value.n / int_size integers, in value.order */
};

/* The i'th integer of the value, widened; i < value.n / int_size. */
uint64_t zap_entry_int(const struct zap_entry *entry, size_t i);

/*
 * The hash of a name (n bytes, no NUL) for a ZAP with this salt and these flags: 28 significant
 * upper bits, 48 with ZAP_FLAG_HASH64. Names of normalising ZAPs must be normalised by the caller.
 */
uint64_t zap_hash(uint64_t salt, uint64_t flags, const void *name, size_t n);

struct zap_micro {
	uint64_t salt, normflags;
	size_t	 slots; /* entries the block has room for */
};

/* ERR_CORRUPT when the block is too short or its type is not ZAP_BLOCK_MICRO. */
int zap_micro_decode(struct bytes block, struct zap_micro *out, struct err *e) MUST_CHECK;

/*
 * The entry in a slot (slot < m->slots): 1 and *out, 0 when it is free, -1 (ERR_CORRUPT: the name
 * has no end). Its hash is that of the name as it stands, also in a normalising ZAP.
 */
int zap_micro_entry(struct bytes block, const struct zap_micro *m, size_t slot,
		    struct zap_entry *out, struct err *e) MUST_CHECK;

/* Makes the block an empty micro ZAP (all other bytes zero); puts an entry into a slot. */
void zap_micro_init(struct wbytes block, uint64_t salt, uint64_t normflags);
void zap_micro_put(struct wbytes block, size_t slot, const void *name, size_t n, uint64_t value,
		   uint32_t cd);

#endif
