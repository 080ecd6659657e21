/* For tests: an object set that is written, finished and opened again, for as many commits as one
 * likes. */
#ifndef CORE_DMU_OBJSET_RIG_TEST_H
#define CORE_DMU_OBJSET_RIG_TEST_H

#include "core/block/write_rig_test.h"
#include "core/dmu/object_write.h"

struct set_rig {
	struct disk_rig	     disk;
	struct objset_write *set;
	struct objset	     os; /* as finished last */
	struct space	     space;
	uint64_t	     txg, freed;
};

static int set_freed(void *ctx, const struct blkptr *bp, struct err *e)
{
	struct set_rig *r = ctx;

	r->freed += blkptr_asize(bp);
	for (unsigned c = 0; c < blkptr_copies(bp); c++) {
		if (alloc_freed(r->disk.alloc, bp->dva[c].offset, bp->dva[c].asize, e) < 0)
			return -1;
	}
	return 0;
}

/* A new set, or the one that was finished last once more. */
static inline void set_begin(struct set_rig *r)
{
	struct compress_choice	    lz4 = { .id = COMPRESS_LZ4 };
	struct objset_write_options o = {
		.writer = r->disk.writer,
		.reader = r->disk.reader,
		.id = 5,
		.type = OBJSET_ZPL,
		.policy = { .data_compress = lz4,
			    .meta_compress = lz4,
			    .data_checksum = CHECKSUM_FLETCHER_4,
			    .meta_checksum = CHECKSUM_FLETCHER_4,
			    .data_copies = 1,
			    .meta_copies = 2,
			    .hole_birth = true },
		.phys_size = OBJSET_V3_SIZE,
		.freed = set_freed,
		.freed_ctx = r,
	};

	r->txg = r->txg == 0 ? 4 : r->txg + 1;
	block_writer_set_txg(r->disk.writer, r->txg);
	if (r->os.reader != NULL)
		o.old = &r->os;
	cr_assert_eq(objset_write_new(&o, &r->set, &r->disk.e), 0, "%s", r->disk.e.text);
}

static int set_add(void *ctx, const struct block_where *where, const struct blkptr *bp,
		   const struct err *failed, struct err *e)
{
	(void)e;
	cr_assert_null(failed, "object %llu: %s", (unsigned long long)where->object,
		       failed == NULL ? "" : failed->text);
	space_add(ctx, space_of(bp));
	return 0;
}

/* The set's deltas are what a walk over all of it sums up. */
static inline void set_finish(struct set_rig *r)
{
	struct blkptr root;
	struct space  sum = { 0 }, meta = { 0 };
	struct object o;

	cr_assert_eq(objset_write_finish(r->set, &root, &r->disk.e), 0, "%s", r->disk.e.text);
	space_add(&r->space, *objset_write_space(r->set));
	objset_write_free(r->set);
	r->set = NULL;
	cr_assert_eq(objset_open(r->disk.reader, &root, 5, &r->os, &r->disk.e), 0, "%s",
		     r->disk.e.text);
	cr_assert_eq(objset_visit(&r->os, set_add, &sum, NULL), 0);
	cr_assert_eq(memcmp(&sum, &r->space, sizeof sum), 0, "%lld used, a walk finds %lld",
		     (long long)r->space.used, (long long)sum.used);
	cr_assert_eq(object_open(&r->os, 0, &o, NULL), 0);
	cr_assert_eq(object_visit(&o, set_add, &meta, NULL), 0);
	cr_assert_eq(o.dn.used, (uint64_t)meta.used);
	object_close(&o);
}

static inline void set_open(struct set_rig *r)
{
	memset(r, 0, sizeof *r);
	disk_rig_open(&r->disk, (struct disk_rig_options){ .ashift = 12 });
	set_begin(r);
}

static inline void set_close(struct set_rig *r)
{
	objset_write_free(r->set);
	disk_rig_close(&r->disk);
}

/* An object without blocks whose bonus is one number. */
static inline struct dnode plain_dnode(const uint64_t *mark)
{
	return (struct dnode){ .type = OT_PLAIN_FILE,
			       .bonus_type = OT_SA,
			       .indirect_shift = 17,
			       .levels = 1,
			       .nblkptr = 1,
			       .block_size = 512,
			       .flags = DNODE_FLAG_USED_BYTES,
			       .bonus = bytes_of(mark, sizeof *mark, ORDER_NATIVE) };
}

#endif
