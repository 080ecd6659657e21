/*
 * Space maps: a log of allocations and frees of one metaslab (or, in a log space map, of the pool).
 *
 * Header (the object's bonus): object, length in bytes, allocated bytes, [5 words padding,
 * 32-bucket histogram]. Entries, 8 or 16 bytes: one-word (offset 47 bits, type, run 15 bits),
 * two-word (prefix 3, run 36, vdev 24; type, offset 63) and debug words. Offsets and runs are in
 * units of 1 << shift from `start`.
 * Source: on-disk format, "space maps"; OpenZFS space_map.h (SM_*, SM2_*), space_map.c.
 */
#ifndef FORMATS_SPACEMAP_H
#define FORMATS_SPACEMAP_H

#include "formats/base/bytes.h"
#include "formats/base/err.h"
#include "formats/base/text.h"

enum { SPACEMAP_V0_SIZE = 24, SPACEMAP_SIZE = 320, SPACEMAP_BUCKETS = 32 };

struct spacemap {
	size_t	 size; /* of the bonus: SPACEMAP_V0_SIZE or SPACEMAP_SIZE (with histogram) */
	uint64_t object, length;
	int64_t	 alloc; /* allocated minus freed, bytes; negative in log space maps */
	uint64_t histogram[SPACEMAP_BUCKETS]; /* free segments by log2(size / unit) */
};
int  spacemap_decode(struct bytes in, struct spacemap *out, struct err *e) MUST_CHECK;
void spacemap_encode(const struct spacemap *s, struct wbytes out);
void spacemap_describe(const struct spacemap *s, struct text *t);

#define SPACEMAP_NO_VDEV ((1u << 24) - 1)
struct spacemap_entry {
	bool	 debug; /* only txg and pass are set, and is_free */
	bool	 is_free;
	uint64_t offset, size; /* bytes; offset is absolute: `start` added */
	uint32_t vdev;	       /* SPACEMAP_NO_VDEV when the entry names none */
	uint64_t txg;
	unsigned pass;
};

/*
 * Reads the entry at the cursor; the cursor ends spent when a second word is missing. `shift` is
 * the vdev's ashift, `start` the metaslab's offset (0 for log space maps: offsets there are of the
 * vdev). 1 an entry, 0 at the end, -1 ERR_CORRUPT (overflow).
 */
int spacemap_next(struct cursor *c, uint64_t start, unsigned shift, struct spacemap_entry *out,
		  struct err *e) MUST_CHECK;

/*
 * Bytes that the entries for [offset, offset+size) take, and the entries written at *at, which
 * moves. Long runs become several one-word entries, or one two-word entry when `v2`. Whether they
 * fit must be known. A debug entry (txg, pass) is one word. The range is whole units, not empty,
 * and not before `start`. No two-word entry may lie across the end of one of the map's blocks: the
 * caller, who knows their size, fills a block's last word with spacemap_put_debug(out, at, 0, 0,
 * false) when 16 bytes come. Two-word entries name vdev 0, as OpenZFS does in a metaslab's own map.
 */
size_t spacemap_entry_size(uint64_t start, unsigned shift, uint64_t offset, uint64_t size, bool v2);
void   spacemap_put(struct wbytes out, size_t *at, uint64_t start, unsigned shift, uint64_t offset,
		    uint64_t size, bool is_free, bool v2);
void   spacemap_put_debug(struct wbytes out, size_t *at, uint64_t txg, unsigned pass, bool is_free);

#endif
