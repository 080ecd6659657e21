/*
 * Blocks in memory, counted, and a cache of them capped in bytes.
 *
 * A block that is referenced stays whatever the cap says; others leave, the longest unused first.
 * One cache belongs to one thread.
 */
#ifndef CORE_BLOCK_CACHE_H
#define CORE_BLOCK_CACHE_H

#include "core/block/block_read.h"

struct cache;

struct cache *cache_new(size_t cap_bytes, struct err *e);
void	      cache_free(struct cache *c); /* every reference must have been given back */

/*
 * The block that the pointer names, with one more reference, or NULL. Found by first
 * address and birth; all else that decides its bytes must be equal too, since pointers
 * are not trusted to agree.
 */
struct block *cache_get(struct cache *c, const struct blkptr *bp);

/* A new block of n bytes (not set) with one reference, in no cache. */
struct block *cache_block_new(size_t n, struct err *e);

/* Where its bytes can be written, before it is shown to anyone. */
uint8_t *cache_block_buffer(struct block *b);

/* Puts a block that cache_block_new made into the cache under this pointer. */
void cache_add(struct cache *c, struct block *b, const struct blkptr *bp);

/* Gives back one reference. */
void cache_put(struct cache *c, struct block *b);

#endif
