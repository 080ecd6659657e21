/* A hash of verified blocks, and a list of them by last use. */
#include "core/block/cache.h"

#include "core/base/mem.h"
#include "formats/base/limits.h"

struct entry {
	struct block  block; /* first: a struct block * is a struct entry * */
	unsigned      refs;
	bool	      cached;
	struct blkptr bp;	  /* when cached */
	struct entry *next;	  /* in its bucket */
	struct entry *newer, *older; /* by last use */
	uint8_t	      data[];
};

struct cache {
	size_t	       cap, held; /* bytes of blocks in the cache */
	struct entry **buckets;
	size_t	       bucket_count; /* a power of two */
	struct entry  *newest, *oldest;
};

struct cache *cache_new(size_t cap_bytes, struct err *e)
{
	struct cache *c = mem_zero(sizeof *c, e);

	if (c == NULL)
		return NULL;
	c->cap = cap_bytes;
	/* A bucket for each 4 KiB: blocks are rarely smaller. */
	c->bucket_count = (size_t)1 << log2_floor(cap_bytes / 4096 + 64);
	c->buckets = mem_array(c->bucket_count, sizeof *c->buckets, e);
	if (c->buckets == NULL) {
		free(c);
		return NULL;
	}
	return c;
}

static struct entry **bucket_of(struct cache *c, const struct blkptr *bp)
{
	uint64_t h = bp->dva[0].offset / SECTOR;

	h = (h ^ (uint64_t)bp->dva[0].vdev << 48 ^ bp->birth << 32) * UINT64_C(0x9e3779b97f4a7c15);
	return &c->buckets[(size_t)(h >> 32) & (c->bucket_count - 1)];
}

static bool same_bytes(const struct blkptr *a, const struct blkptr *b)
{
	return a->dva[0].offset == b->dva[0].offset && a->dva[0].vdev == b->dva[0].vdev &&
	       a->dva[0].gang == b->dva[0].gang && a->birth == b->birth && a->lsize == b->lsize &&
	       a->psize == b->psize && a->checksum == b->checksum && a->compress == b->compress &&
	       a->order == b->order && a->type == b->type && a->level == b->level &&
	       a->crypt == b->crypt && digest_equal(&a->cksum, &b->cksum);
}

static void unlink_use(struct cache *c, struct entry *n)
{
	if (n->newer != NULL)
		n->newer->older = n->older;
	else
		c->newest = n->older;
	if (n->older != NULL)
		n->older->newer = n->newer;
	else
		c->oldest = n->newer;
}

static void link_newest(struct cache *c, struct entry *n)
{
	n->newer = NULL;
	n->older = c->newest;
	if (c->newest != NULL)
		c->newest->newer = n;
	else
		c->oldest = n;
	c->newest = n;
}

struct block *cache_get(struct cache *c, const struct blkptr *bp)
{
	for (struct entry *n = *bucket_of(c, bp); n != NULL; n = n->next) {
		if (!same_bytes(&n->bp, bp))
			continue;
		n->refs++;
		if (c->newest != n) {
			unlink_use(c, n);
			link_newest(c, n);
		}
		return &n->block;
	}
	return NULL;
}

static void forget(struct cache *c, struct entry *n)
{
	struct entry **at = bucket_of(c, &n->bp);

	while (*at != n)
		at = &(*at)->next;
	*at = n->next;
	unlink_use(c, n);
	c->held -= n->block.bytes.n;
	n->cached = false;
	if (n->refs == 0)
		free(n);
}

/* Lets go of what nobody holds until the cap is kept. */
static void trim(struct cache *c)
{
	struct entry *n = c->oldest;

	while (c->held > c->cap && n != NULL) {
		struct entry *newer = n->newer;

		if (n->refs == 0)
			forget(c, n);
		n = newer;
	}
}

void cache_free(struct cache *c)
{
	if (c == NULL)
		return;
	while (c->oldest != NULL)
		forget(c, c->oldest);
	free(c->buckets);
	free(c);
}

struct block *cache_block_new(size_t n, struct err *e)
{
	struct entry *b = mem_raw(sizeof *b + n, e);

	if (b == NULL)
		return NULL;
	*b = (struct entry){ .refs = 1 };
	b->block.bytes = bytes_of(b->data, n, ORDER_NATIVE);
	return &b->block;
}

uint8_t *cache_block_buffer(struct block *b)
{
	return ((struct entry *)b)->data;
}

void cache_add(struct cache *c, struct block *b, const struct blkptr *bp)
{
	struct entry  *n = (struct entry *)b;
	struct entry **bucket = bucket_of(c, bp);

	n->bp = *bp;
	n->cached = true;
	n->next = *bucket;
	*bucket = n;
	link_newest(c, n);
	c->held += b->bytes.n;
	trim(c);
}

void cache_put(struct cache *c, struct block *b)
{
	struct entry *n = (struct entry *)b;

	assert(n->refs > 0);
	if (--n->refs > 0)
		return;
	if (!n->cached)
		free(n);
	else if (c->held > c->cap)
		trim(c);
}
