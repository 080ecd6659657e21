/* Every limit of the format, with its source, and arithmetic that notices when it overflows. */
#ifndef FORMATS_BASE_LIMITS_H
#define FORMATS_BASE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

enum {
	/* unit of most sizes on disk; OpenZFS spa.h, SPA_MINBLOCKSHIFT */
	SECTOR = 512,
	BLOCK_MIN = 512,	       /* OpenZFS spa.h, SPA_MINBLOCKSIZE */
	BLOCK_OLD_MAX = 128 << 10,     /* without large_blocks; spa.h, SPA_OLD_MAXBLOCKSIZE */
	BLOCK_MAX = 16 << 20,	       /* spa.h, SPA_MAXBLOCKSIZE */
	ASHIFT_MIN = 9,		       /* vdev_impl.h, ASHIFT_MIN */
	ASHIFT_MAX = 16,	       /* vdev_impl.h, ASHIFT_MAX */
	VDEV_MIN_SIZE = 64 << 20,      /* sys/fs/zfs.h, SPA_MINDEVSIZE */
	/* no metaslab of a new vdev is smaller; vdev.c, vdev_metaslab_set_size */
	METASLAB_SHIFT_MIN = 24,
	DATASET_NAME_MAX = 256,	       /* with the NUL; sys/fs/zfs.h, ZFS_MAX_DATASET_NAME_LEN */
	DATASET_DEPTH_MAX = 50,	       /* zfs_namecheck.c, zfs_max_dataset_nesting */
	ENTRY_NAME_MAX = 255,	       /* bytes, without longname; zap.h, ZAP_MAXNAMELEN - 1 */
	/* ours: genuine configs nest 5 deep (spare in replacing in raidz) */
	NVLIST_DEPTH_MAX = 16,
	/* 512-byte blocks, 4 KiB indirect blocks, 2^64: dnode.h, DN_MAX_LEVELS */
	DNODE_LEVELS_MAX = 12,
	/* ours: a gang of gangs divides a 16 MiB block by 3 each time */
	GANG_DEPTH_MAX = 16,
	TXG_INITIAL = 4,	       /* first txg that a new pool writes; txg.h, TXG_INITIAL */
};

static inline bool add_ok(uint64_t a, uint64_t b, uint64_t *sum)
{
	return !__builtin_add_overflow(a, b, sum);
}

static inline bool mul_ok(uint64_t a, uint64_t b, uint64_t *product)
{
	return !__builtin_mul_overflow(a, b, product);
}

/* To a multiple of `unit`, a power of two; the caller knows that up does not overflow. */
static inline uint64_t align_up(uint64_t v, uint64_t unit)
{
	return (v + unit - 1) & ~(unit - 1);
}

static inline uint64_t align_down(uint64_t v, uint64_t unit)
{
	return v & ~(unit - 1);
}

static inline bool is_pow2(uint64_t v)
{
	return v != 0 && (v & (v - 1)) == 0;
}

static inline uint64_t min64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Index of the highest bit set; v is not 0. */
static inline unsigned log2_floor(uint64_t v)
{
	return 63 - (unsigned)__builtin_clzll(v);
}

#endif
