/*
 * Fat ZAPs of any bytes: the input is split into the header block and one leaf. Whatever entries
 * the leaf gives are built into a new ZAP, in the other order, in which each must be found again.
 */
#include <stdlib.h>

#include "formats/zap_fat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { ITEMS_MAX = 64, BLOCK = 4096 };

struct state {
	struct zap_item items[ITEMS_MAX];
	uint8_t		names[ITEMS_MAX][ZAP_FAT_NAME_MAX];
	uint64_t	values[ITEMS_MAX][2];
	size_t		count;
	uint64_t	flags;
	uint8_t		blocks[4][BLOCK];
	uint8_t		scratch[ZAP_FAT_SCRATCH];
};

static int keep(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct state *s = ctx;

	(void)e;
	if (s->count == ITEMS_MAX)
		return 1;

	size_t		 i = s->count++;
	struct zap_item *item = &s->items[i];

	memcpy(s->names[i], entry->name.p, entry->name.n);
	*item = (struct zap_item){ .hash = zap_hash(1, s->flags, entry->name.p, entry->name.n),
				   .cd = entry->cd,
				   .cd_new = entry->cd & 1,
				   .int_size = 8,
				   .name = s->names[i],
				   .name_size = (uint32_t)entry->name.n,
				   .value = s->values[i] };
	for (; item->value_count < 2 && item->value_count < entry->value.n / entry->int_size;
	     item->value_count++)
		s->values[i][item->value_count] = zap_entry_int(entry, item->value_count);
	return 0;
}

static int store(void *ctx, uint64_t blkid, struct bytes block, struct err *e)
{
	struct state *s = ctx;

	if (blkid >= sizeof s->blocks / BLOCK)
		return err_set(e, ERR_NOSPACE, "enough");
	memcpy(s->blocks[blkid], block.p, block.n);
	return 0;
}

/* A damaged leaf can have a name twice, even with the same differentiator: any of those will do. */
static bool is_one_of_them(const struct state *s, const struct zap_item *item,
			   const struct zap_entry *found)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct zap_item *x = &s->items[i];

		if (x->name_size == item->name_size && x->cd == found->cd &&
		    found->value.n == x->value_count * 8u &&
		    memcmp(x->name, item->name, item->name_size) == 0)
			return true;
	}
	return false;
}

static void build_again(struct state *s, enum order order)
{
	struct zap_fat_plan plan = {
		.salt = 1, .flags = s->flags, .block_size = BLOCK, .order = order
	};
	uint64_t blocks = 0;

	zap_items_sort(s->items, s->count);
	if (zap_fat_build(&plan, s->items, s->count, store, s, &blocks, NULL) != 0)
		return;
	for (size_t i = 0; i < s->count; i++) {
		const struct zap_item *item = &s->items[i];
		struct zap_fat	       z;
		struct zap_leaf	       leaf;
		struct zap_entry       found;
		uint64_t	       blkid;
		size_t		       offset;

		if (zap_fat_decode(bytes_of(s->blocks[0], BLOCK, order), &z, NULL) < 0)
			abort();
		zap_fat_pointer_at(&z, zap_fat_index(&z, item->hash), &blkid, &offset);
		blkid = get64(bytes_of(s->blocks[blkid], BLOCK, order), offset);
		if (zap_leaf_decode(bytes_of(s->blocks[blkid], BLOCK, order), &leaf, NULL) < 0 ||
		    zap_leaf_find(&leaf, s->flags, item->hash,
				  bytes_of(item->name, item->name_size, ORDER_NATIVE), s->scratch,
				  &found, NULL) != 1 ||
		    !is_one_of_them(s, item, &found))
			abort();
	}
}

static void header(struct bytes in)
{
	struct zap_fat z;
	uint64_t       blkid;
	size_t	       offset;

	if (zap_fat_decode(in, &z, NULL) < 0)
		return;
	zap_fat_pointer_at(&z, zap_fat_index(&z, UINT64_MAX), &blkid, &offset);
	if (offset > z.block_size - 8)
		abort();
}

static void leaf(struct bytes in, uint64_t flags)
{
	struct zap_leaf	 l;
	struct zap_entry entry;
	struct state	*s;

	if (zap_leaf_decode(in, &l, NULL) < 0)
		return;
	s = calloc(1, sizeof *s);
	if (s != NULL) {
		s->flags = flags;
		if (zap_leaf_each(&l, flags, s->scratch, keep, s, NULL) >= 0)
			build_again(s, order_other(in.order));
		for (uint64_t i = 0; i < l.hash_slots; i++)
			(void)!zap_leaf_find(&l, flags, i << 54 >> l.prefix_len,
					     bytes_of("abcdefgh", 8, ORDER_NATIVE), s->scratch,
					     &entry, NULL);
	}
	free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	for (enum order o = ORDER_LITTLE; o <= ORDER_BIG; o++) {
		header(bytes_of(data, n / 2, o));
		header(bytes_of(data, n, o));
		for (uint64_t flags = 0; flags <= ZAP_FLAG_UINT64_KEY;
		     flags += ZAP_FLAG_UINT64_KEY) {
			leaf(bytes_of(data + n / 2, n - n / 2, o), flags);
			leaf(bytes_of(data, n, o), flags);
		}
	}
	return 0;
}
