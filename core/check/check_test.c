/* Whole pools, made in memory by the write half, whole and hurt in one place each. */
#include "core/check/check_rig_test.h"

static const char *long_text(void)
{
	static char text[300000];

	/* Nothing that compresses to nothing. */
	for (uint32_t i = 0, x = 1; i < sizeof text - 1; i++) {
		x = x * 1664525 + 1013904223;
		text[i] = (char)(' ' + x % 90);
	}
	return text;
}

static void make_pool(struct rig *r)
{
	rig_init(r);
	rig_create(r);
	put_file(r, "dir/small", "a few bytes");
	put_file(r, "dir/large", long_text());
	put_symlink(r, "link", "dir/large");
	rig_commit(r);
}

/* A pointer of the file at this path. */
static struct blkptr pointer_of(struct rig *r, const char *path, unsigned level, uint64_t blkid)
{
	struct dataset ds;
	struct zpl    *z;
	struct object  o;
	struct blkptr  bp;
	uint64_t       number;

	rig_pool(r);
	cr_assert_eq(dataset_open(r->pool, "t", &ds, NULL), 0);
	cr_assert_eq(zpl_open(&ds, &z, NULL), 0);
	cr_assert_eq(zpl_lookup(z, path, &number, NULL), 0);
	cr_assert_eq(object_open(zpl_objset(z), number, &o, NULL), 0);
	cr_assert_eq(object_blkptr(&o, level, blkid, &bp, NULL), 0);
	object_close(&o);
	zpl_close(z);
	pool_close(r->pool);
	r->pool = NULL;
	return bp;
}

static void flip(struct rig *r, uint64_t offset)
{
	uint8_t byte;

	cr_assert_eq(dev_read(r->disk, offset, &byte, 1, NULL), 0);
	byte ^= 0x10;
	cr_assert_eq(dev_write(r->disk, offset, &byte, 1, NULL), 0);
}

static void flip_copy(struct rig *r, const struct blkptr *bp, unsigned copy)
{
	flip(r, VDEV_DATA_START + bp->dva[copy].offset + bp->psize / 2);
}

Test(check, a_new_pool_is_clean)
{
	struct rig r;

	make_pool(&r);
	cr_assert_clean(&r);
	rig_fini(&r);
}

Test(check, a_pool_is_clean_after_a_second_commit)
{
	struct rig r;

	make_pool(&r);
	rig_reopen(&r);
	put_file(&r, "dir/large", "small now");
	put_file(&r, "new", long_text());
	rig_commit(&r);
	cr_assert_clean(&r);
	rig_fini(&r);
}

Test(check, a_flipped_bit_in_a_file_names_the_file_and_the_bytes)
{
	struct rig    r;
	struct blkptr bp;
	struct found *f;

	make_pool(&r);
	bp = pointer_of(&r, "dir/large", 0, 1);
	flip_copy(&r, &bp, 0);
	f = check_twice(&r);
	cr_assert_finds(f, "data-lost t@/dir/large: block 1 (bytes 131072-262143): no good copy");
	cr_assert_eq(f->result.errors, 1);
	cr_assert_eq(f->result.lost, 1);
	rig_fini(&r);
}

Test(check, of_an_indirect_block_one_copy_is_bad_then_all)
{
	struct rig    r;
	struct blkptr bp;
	struct found *f;

	make_pool(&r);
	bp = pointer_of(&r, "dir/large", 1, 0);
	cr_assert_eq(blkptr_copies(&bp), 2);
	flip_copy(&r, &bp, 1);
	f = check_twice(&r);
	cr_assert_finds(f, "copy-bad t@/dir/large: level 1 block 0 (bytes 0-393215): another copy "
			   "is good; copy 1");
	cr_assert_eq(f->result.errors, 1);
	flip_copy(&r, &bp, 0);
	f = check_twice(&r);
	cr_assert_finds(f, "metadata-lost t@/dir/large: level 1 block 0 (bytes 0-393215): no good "
			   "copy; copy 0");
	/* What lies below is out of reach, so nothing is said to leak, nor about accounts. */
	cr_assert_eq(f->result.errors, 1, "%s", f->text);
	rig_fini(&r);
}

Test(check, a_block_that_nothing_refers_to_is_a_leak)
{
	struct rig	     r;
	struct found	    *f;
	struct blkptr	     bp;
	struct block_request lost = {
		.type = OT_PLAIN_FILE, .checksum = CHECKSUM_FLETCHER_4, .copies = 1, .size = 8192
	};

	make_pool(&r);
	rig_reopen(&r);
	cr_assert_eq(block_place(pool_tx_writer(r.tx), &lost, &bp, &r.e), 0, "%s", r.e.text);
	put_file(&r, "new", "x");
	rig_commit(&r);
	f = check_twice(&r);
	cr_assert_finds(f, "space-leak vdev 0: 8192 bytes in 1 ranges");
	cr_assert_eq(f->result.errors, 2, "%s", f->text);
	rig_fini(&r);
}

Test(check, a_block_in_free_space_is_named_and_so_is_what_is_written_over_it)
{
	struct rig    r;
	struct blkptr bp;
	struct found *f;

	make_pool(&r);
	bp = pointer_of(&r, "dir/large", 0, 0);
	rig_reopen(&r);
	cr_assert_eq(pool_tx_release(r.tx, &bp, &r.e), 0, "%s", r.e.text);
	put_file(&r, "new", "x");
	rig_commit(&r);
	f = check_twice(&r);
	cr_assert_finds(f, "space-free vdev 0: 131072 bytes in 1 ranges");
	cr_assert_finds(f, "space-free t@/dir/large: block 0 (bytes 0-131071) at vdev 0 offset");
	cr_assert_no_finding(f, "space-leak");
	rig_fini(&r);
}

Test(check, a_label_and_its_ring_that_are_gone)
{
	static const uint8_t zeros[LABEL_SIZE];
	struct rig	     r;
	struct found	    *f;

	make_pool(&r);
	cr_assert_eq(dev_write(r.disk, label_offset(r.disk->size, 2), zeros, sizeof zeros, NULL),
		     0);
	f = check_twice(&r);
	cr_assert_finds(f, "label-bad memory: label 2");
	cr_assert_finds(f, "uber-missing memory: label 2");
	cr_assert_eq(f->result.errors, 2, "%s", f->text);
	rig_fini(&r);
}

/* Writes a block of pointers that are all the same. */
static struct blkptr same_pointers(struct rig *r, const struct blkptr *below, unsigned level)
{
	struct block_request up = { .type = OT_PLAIN_OTHER,
				    .level = (uint8_t)level,
				    .checksum = CHECKSUM_FLETCHER_4,
				    .copies = 1,
				    .size = 128 << 10 };
	uint8_t		    *raw = calloc(1, up.size);
	struct blkptr	     bp;

	for (size_t i = 0; i < up.size / BLKPTR_SIZE; i++)
		blkptr_encode(below, wbytes_of(raw + i * BLKPTR_SIZE, BLKPTR_SIZE, ORDER_NATIVE));
	cr_assert_eq(block_place(pool_tx_writer(r->tx), &up, &bp, &r->e), 0, "%s", r->e.text);
	cr_assert_eq(block_write_placed(pool_tx_writer(r->tx), &bp, raw, &r->e), 0, "%s",
		     r->e.text);
	free(raw);
	return bp;
}

Test(check, a_tree_that_branches_into_itself_ends, .timeout = 20)
{
	struct rig	     r;
	struct found	    *f;
	struct block_request leaf = {
		.type = OT_PLAIN_OTHER, .checksum = CHECKSUM_FLETCHER_4, .copies = 1, .size = 4096
	};
	uint8_t		     zeros[4096] = { 1 };
	struct blkptr	     bp;
	struct objset_write *os;
	uint64_t	     number;

	make_pool(&r);
	rig_reopen(&r);
	os = dataset_write_objset(r.d);
	cr_assert_eq(block_place(pool_tx_writer(r.tx), &leaf, &bp, &r.e), 0);
	cr_assert_eq(block_write_placed(pool_tx_writer(r.tx), &bp, zeros, &r.e), 0);
	/* 1024 to the power of 5 blocks, if one went down everywhere. */
	for (unsigned level = 1; level <= 5; level++)
		bp = same_pointers(&r, &bp, level);
	cr_assert_eq(objset_write_alloc(os, OBJECT_SETTLES_SOON, &number, &r.e), 0, "%s", r.e.text);

	struct dnode dn = { .type = OT_PLAIN_OTHER,
			    .levels = 6,
			    .nblkptr = 1,
			    .indirect_shift = 17,
			    .block_size = 4096,
			    .max_blkid = 1 << 30,
			    .bp = { bp } };

	cr_assert_eq(objset_write_put(os, number, &dn, &r.e), 0, "%s", r.e.text);
	rig_commit(&r);
	f = check_twice(&r);
	cr_assert_finds(f, "space-double vdev 0");
	rig_fini(&r);
}
