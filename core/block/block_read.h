/*
 * One block by pointer: read, verified, decompressed, and carrying its byte order.
 *
 * Copies are tried in turn, each in every way its vdev offers; a failed attempt is an event, not an
 * end. Gang blocks are put together, embedded blocks unpacked; both look like any other block.
 * Metadata is kept in a cache capped in bytes. One reader belongs to one thread.
 */
#ifndef CORE_BLOCK_BLOCK_READ_H
#define CORE_BLOCK_BLOCK_READ_H

#include "core/vdev/vdev.h"
#include "formats/blkptr.h"

/* Which block of what: OpenZFS calls it a bookmark. */
struct block_where {
	uint64_t objset; /* dataset's object number; 0 the MOS */
	uint64_t object;
	uint64_t blkid;
	uint8_t	 level;
};

/* No levels and no block id: an object set's own block, its intent log, an object's spill block. */
enum { LEVEL_OBJSET = 0xff, LEVEL_LOG = 0xfe };
#define BLKID_SPILL UINT64_MAX

/* "the MOS, object 5, block 3", "object set 5, object 9, level 1, block 0", "..., its own block" */
void block_where_text(const struct block_where *where, struct text *t);

/* A read that did not give the right bytes. */
struct block_event {
	const struct block_where *where;
	const struct blkptr	 *bp;
	unsigned		  copy; /* DVA index */
	unsigned		  way;
	uint32_t		  vdev;
	uint64_t		  offset; /* on the vdev */
	uint64_t		  size;
	bool			  checksum_failed; /* else the device failed */
	struct digest		  expected, actual; /* when checksum_failed */
	const struct err	 *why;
};
typedef void block_event_fn(void *ctx, const struct block_event *event);

struct block_reader;

struct block_reader_options {
	struct vdev_tree *vdevs; /* borrowed */
	size_t		  cache_bytes; /* 0: 32 MiB */
	const struct checksum_keys *keys; /* copied; NULL: the salt is not known yet */
	block_event_fn	 *on_event;    /* may be NULL */
	void		 *ctx;
};
int  block_reader_new(const struct block_reader_options *o, struct block_reader **out,
		      struct err *e) MUST_CHECK;
void block_reader_free(struct block_reader *r);
struct vdev_tree *block_reader_vdevs(const struct block_reader *r);
void block_reader_on_event(struct block_reader *r, block_event_fn *fn, void *ctx);

/* The pool's salt, when it is known. The keys are the reader's own; never NULL. */
void block_reader_set_salt(struct block_reader *r, const uint8_t salt[SALT_SIZE]);
const struct checksum_keys *block_reader_keys(const struct block_reader *r);

/* A block in memory, counted; bytes.n == lsize. A hole gives zeros. */
struct block {
	struct bytes bytes; /* carries the block's order */
	uint8_t	     type, level;
};

/* Gets one reference; block_put gives it back. Holes, embedded and gang blocks included. */
int block_read(struct block_reader *r, const struct blkptr *bp, const struct block_where *where,
	       struct block **out, struct err *e) MUST_CHECK;
void block_put(struct block_reader *r, struct block *b); /* NULL is fine */

/* The same into the caller's buffer of bp->lsize bytes, past the cache: for file contents. */
int block_read_into(struct block_reader *r, const struct blkptr *bp,
		    const struct block_where *where, uint8_t *buf, struct err *e) MUST_CHECK;

/*
 * Reads exactly one copy (DVA index) in one way and verifies it: what a scrub does. `buf` (psize
 * bytes) receives the bytes as stored; decompression is left out. Gang members are verified too.
 */
int block_verify_copy(struct block_reader *r, const struct blkptr *bp,
		      const struct block_where *where, unsigned copy, unsigned way, uint8_t *buf,
		      struct err *e) MUST_CHECK;

/*
 * Do bp->psize bytes as stored match the pointer's checksum? *mismatch: it was that, and *actual is
 * set. For whoever reads many blocks at once; thread-safe.
 */
int block_verify_stored(const struct checksum_keys *keys, const struct blkptr *bp,
			const uint8_t *stored, struct digest *actual, bool *mismatch,
			struct err *e) MUST_CHECK;

/* The byte ranges that a pointer claims, gang headers and members included, one call each;
 * stops and returns what fn returns when that is not 0. */
typedef int block_range_fn(void *ctx, uint32_t vdev, uint64_t offset, uint64_t asize,
			   unsigned copy);
int block_ranges(struct block_reader *r, const struct blkptr *bp, const struct block_where *where,
		 block_range_fn *fn, void *ctx, struct err *e) MUST_CHECK;

#endif
