/* For tests: a disk in memory, what is free on it, and both halves over it: a writer and a reader.
 */
#ifndef CORE_BLOCK_WRITE_RIG_TEST_H
#define CORE_BLOCK_WRITE_RIG_TEST_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/block/block_read.h"
#include "core/block/block_write.h"
#include "formats/base/limits.h"
#include "formats/objtype.h"

struct disk_rig {
	struct dev	    *dev;
	struct vdev_tree    *vdevs;
	struct alloc	    *alloc;
	struct block_writer *writer;
	struct block_reader *reader;
	struct err	     e;
};

struct disk_rig_options {
	unsigned   ashift, threads;
	uint64_t   size; /* of the device; 0: 256 MiB */
	bool	   no_embed;
	enum order order;
};

static inline void disk_rig_open(struct disk_rig *r, struct disk_rig_options o)
{
	uint64_t	    size = o.size != 0 ? o.size : 256 << 20;
	struct vdev_config  disk = { .kind = VDEV_DISK,
				     .guid = 1,
				     .ashift = o.ashift,
				     .asize = size - VDEV_DATA_START - VDEV_END_SIZE };
	struct vdev_config *children[] = { &disk };
	struct vdev_config  root = { .kind = VDEV_ROOT, .children = children, .child_count = 1 };
	struct vdev_member  member = { .guid = 1 };

	*r = (struct disk_rig){ 0 };
	cr_assert_eq(checksum_init(NULL), 0);
	cr_assert_eq(dev_mem_new("memory", size, &r->dev, NULL), 0);
	member.dev = r->dev;
	cr_assert_eq(vdev_tree_open(&root, &member, 1, &r->vdevs, NULL), 0);
	cr_assert_eq(alloc_new(0, UINT64_C(1) << o.ashift, &r->alloc, NULL), 0);
	cr_assert_eq(alloc_add_free(r->alloc, 0, disk.asize, NULL), 0);

	struct block_writer_options wo = { .vdevs = r->vdevs,
					   .alloc = r->alloc,
					   .txg = 4,
					   .threads = o.threads == 0 ? 1 : o.threads,
					   .embed = !o.no_embed,
					   .order = o.order };
	struct block_reader_options ro = { .vdevs = r->vdevs };

	cr_assert_eq(block_writer_new(&wo, &r->writer, NULL), 0);
	cr_assert_eq(block_reader_new(&ro, &r->reader, NULL), 0);
}

static inline void disk_rig_close(struct disk_rig *r)
{
	block_writer_free(r->writer);
	block_reader_free(r->reader);
	alloc_free(r->alloc);
	vdev_tree_close(r->vdevs);
}

/* n bytes that depend on the seed: compressible to about a quarter, or not at all. */
static inline void fill_bytes(uint8_t *p, size_t n, uint32_t seed, bool compressible)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		p[i] = compressible && i % 64 < 48 ? (uint8_t)(i / 64) : (uint8_t)(seed >> 24);
	}
}

#endif
