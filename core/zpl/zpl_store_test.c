/* File systems whose blocks are stored in other ways than the usual one. */
#include <criterion/criterion.h>

#include "core/dmu/zap_read.h"
#include "core/zpl/pool_rig_test.h"

static unsigned checksum, copies;

static void policy(struct store_policy *p)
{
	store_policy_set_checksum(p, checksum);
	store_policy_set_copies(p, copies);
}

/* The file of `size` bytes, the n'th of them being n in its own way. */
static uint8_t *contents(size_t size)
{
	uint8_t *p = malloc(size);

	for (size_t i = 0; i < size; i++)
		p[i] = (uint8_t)(i * 2654435761u >> 13);
	return p;
}

static void write_file(struct rig *r, const char *path, size_t size)
{
	struct entry in = an_entry(ENTRY_FILE, path);
	uint8_t	    *data = contents(size);

	in.size = size;
	cr_assert_eq(give(r, &in, data), 0, "%s", r->e.text);
	free(data);
}

static int count_copies(void *ctx, const struct block_where *where, const struct blkptr *bp,
			const struct err *failed, struct err *e)
{
	(void)ctx;
	(void)e;
	cr_assert_null(failed);
	if (blkptr_is_hole(bp) || bp->embedded)
		return 0;
	cr_assert_eq(bp->checksum, checksum == CHECKSUM_OFF && where->level > 0
					   ? CHECKSUM_FLETCHER_4
					   : checksum);
	cr_assert_eq(blkptr_copies(bp), where->level > 0 && copies < 3 ? copies + 1 : copies);
	return 0;
}

static void read_file(struct rig *r, const char *path, size_t size)
{
	struct object	   o;
	struct zpl	  *z;
	uint64_t	   number;
	uint8_t		  *want = contents(size);
	struct dataset	   ds;

	cr_assert_eq(dataset_open(r->pool, "t", &ds, &r->e), 0, "%s", r->e.text);
	cr_assert_eq(zpl_open(&ds, &z, &r->e), 0, "%s", r->e.text);
	cr_assert_eq(zpl_lookup(z, path, &number, NULL), 0);
	cr_assert_eq(object_open(zpl_objset(z), number, &o, NULL), 0);
	for (size_t at = 0; at < size; at += o.dn.block_size) {
		struct block *b;

		cr_assert_eq(object_block(&o, at / o.dn.block_size, &b, &r->e), 0, "%s", r->e.text);
		cr_assert_eq(memcmp(b->bytes.p, want + at, min64(b->bytes.n, size - at)), 0);
		block_put(pool_reader(r->pool), b);
	}
	cr_assert_eq(object_visit(&o, count_copies, NULL, NULL), 0);
	object_close(&o);
	zpl_close(z);
	free(want);
}

static bool has_salt(struct rig *r)
{
	struct object directory;
	uint8_t	      salt[SALT_SIZE + 1];
	unsigned      int_size;
	size_t	      n;

	cr_assert_eq(object_open(pool_mos(r->pool), 1, &directory, NULL), 0);

	bool found = zap_lookup(&directory, POOL_SALT, &int_size, salt, sizeof salt, &n, NULL) == 0;

	cr_assert(!found || (int_size == 1 && n == SALT_SIZE));
	object_close(&directory);
	return found;
}

Test(zpl_store, every_checksum_and_number_of_copies)
{
	static const unsigned all[] = { CHECKSUM_OFF,	 CHECKSUM_FLETCHER_4, CHECKSUM_SHA256,
					CHECKSUM_SHA512, CHECKSUM_SKEIN,      CHECKSUM_EDONR };

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		struct rig r;

		checksum = all[i];
		copies = (unsigned)i % 3 + 1;
		rig_init(&r);
		r.policy = policy;
		rig_create(&r);
		write_file(&r, "small", 700);
		write_file(&r, "large", 300000);
		rig_commit(&r);
		rig_pool(&r);
		cr_assert_eq(pool_warning_count(r.pool), 0);
		cr_assert_eq(has_salt(&r), checksum_salted(checksum));
		read_file(&r, "small", 700);
		read_file(&r, "large", 300000);
		pool_close(r.pool);
		r.pool = NULL;
		/* And once more: the pool's salt, not a new one. */
		rig_reopen(&r);
		put_file(&r, "more", "text");
		rig_commit(&r);
		rig_pool(&r);
		read_file(&r, "large", 300000);
		pool_close(r.pool);
		rig_fini(&r);
	}
}

Test(zpl_store, records_of_every_size)
{
	static const struct {
		uint32_t record;
		size_t	 size;
	} all[] = { { 512, 100000 },		    { 8192, 100001 },
		    { 1 << 20, (3 << 20) + 1 },	    { 16 << 20, (16 << 20) + 5 },
		    { 16 << 20, (16 << 20) - 511 }, { 4 << 20, 4 << 20 } };

	checksum = CHECKSUM_FLETCHER_4;
	copies = 1;
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		struct rig r;

		rig_init(&r);
		r.policy = policy;
		rig_options.record_size = all[i].record;
		rig_create(&r);
		write_file(&r, "first", 513);
		write_file(&r, "large", all[i].size);
		rig_commit(&r);
		rig_pool(&r);
		read_file(&r, "first", 513);
		read_file(&r, "large", all[i].size);
		pool_close(r.pool);
		rig_fini(&r);
	}
	rig_options.record_size = 128 << 10;
}
