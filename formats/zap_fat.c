/* The header of a fat ZAP and its pointer table. Leaves are read in zap_leaf.c. */
#include "formats/zap_layout.h"
#include "formats/base/limits.h"

/* The table's place and size against each other; the object's size is the caller's to know. */
static int check_table(const struct zap_fat *z, struct err *e)
{
	unsigned block_shift = log2_floor(z->block_size), shift = (unsigned)z->table_shift;
	uint64_t end;

	if ((z->table_block == 0) != (z->table_blocks == 0))
		return err_set(e, ERR_CORRUPT, "pointer table at block %llu has %llu blocks",
			       (unsigned long long)z->table_block,
			       (unsigned long long)z->table_blocks);
	if (z->table_shift > 60)
		return err_set(e, ERR_CORRUPT, "pointer table of 2^%llu pointers",
			       (unsigned long long)z->table_shift);
	if (z->table_blocks == 0) {
		if (shift > block_shift - 4)
			return err_set(e, ERR_CORRUPT,
				       "embedded pointer table of 2^%u pointers in %zu bytes",
				       shift, z->block_size);
		return 0;
	}
	if (!add_ok(z->table_block, z->table_blocks, &end) || end > UINT64_MAX >> block_shift)
		return err_set(e, ERR_CORRUPT, "pointer table ends past 2^64 bytes");
	if (((UINT64_C(1) << shift) - 1) >> (block_shift - 3) >= z->table_blocks)
		return err_set(e, ERR_CORRUPT, "pointer table of 2^%u pointers in %llu blocks",
			       shift, (unsigned long long)z->table_blocks);
	return 0;
}

int zap_fat_decode(struct bytes block, struct zap_fat *out, struct err *e)
{
	if (block.n < FAT_BLOCK_MIN || block.n > FAT_BLOCK_MAX || !is_pow2(block.n))
		return err_set(e, ERR_CORRUPT, "fat zap with blocks of %zu bytes", block.n);

	struct zap_fat z = {
		.magic = get64(block, FAT_MAGIC),
		.block_type = get64(block, FAT_TYPE),
		.salt = get64(block, FAT_SALT),
		.normflags = get64(block, FAT_NORMFLAGS),
		.flags = get64(block, FAT_FLAGS),
		.table_block = get64(block, FAT_TABLE_BLOCK),
		.table_blocks = get64(block, FAT_TABLE_BLOCKS),
		.table_shift = get64(block, FAT_TABLE_SHIFT),
		.free_block = get64(block, FAT_FREE_BLOCK),
		.leaf_count = get64(block, FAT_LEAVES),
		.entry_count = get64(block, FAT_ENTRIES),
		.block_size = block.n,
	};

	if (z.block_type != ZAP_BLOCK_HEADER)
		return err_set(e, ERR_CORRUPT, "fat zap of block type %#llx",
			       (unsigned long long)z.block_type);
	if (z.magic != ZAP_MAGIC)
		return err_set(e, ERR_CORRUPT, "fat zap of magic %#llx",
			       (unsigned long long)z.magic);
	if (check_table(&z, e) < 0)
		return -1;
	*out = z;
	return 0;
}

void zap_fat_pointer_at(const struct zap_fat *z, uint64_t index, uint64_t *blkid, size_t *offset)
{
	assert(index >> z->table_shift == 0);
	if (z->table_blocks == 0) {
		*blkid = 0;
		*offset = z->block_size / 2 + (size_t)index * 8;
	} else {
		unsigned shift = log2_floor(z->block_size) - 3;

		*blkid = z->table_block + (index >> shift);
		*offset = (size_t)bits(index, 0, shift) * 8;
	}
}

uint64_t zap_fat_index(const struct zap_fat *z, uint64_t hash)
{
	return z->table_shift == 0 ? 0 : hash >> (64 - z->table_shift);
}
