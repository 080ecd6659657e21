#include <unistd.h>

#include "core/dmu/zap_read.h"
#include "core/dsl/dsl_read.h"
#include "formats/zap_support_test.h"

/* An object in memory: its blocks, unchecked, one after the other from the start of the only vdev,
 * and one indirect block that points to them. */
struct rig {
	struct dev	    *dev;
	struct vdev_tree    *vdevs;
	struct block_reader *reader;
	struct objset	     os;
	struct object	     o;
	size_t		     events;
};

enum { INDIRECT_AT = 32 << 20, INDIRECT_SHIFT = 17 };

static void count_event(void *ctx, const struct block_event *event)
{
	(void)event;
	++*(size_t *)ctx;
}

static void rig_devices(struct rig *r)
{
	struct vdev_config *root = vdev_config_new(VDEV_ROOT, NULL);
	struct vdev_config *disk = vdev_config_new(VDEV_DISK, NULL);
	struct vdev_member  member = { .guid = 1 };

	cr_assert_eq(dev_mem_new("memory", 64 << 20, &r->dev, NULL), 0);
	member.dev = r->dev;
	disk->guid = 1;
	root->children = calloc(1, sizeof *root->children);
	root->children[0] = disk;
	root->child_count = 1;
	cr_assert_eq(vdev_tree_open(root, &member, 1, &r->vdevs, NULL), 0);
	vdev_config_free(root);
}

static struct blkptr rig_pointer(uint64_t offset, size_t size, unsigned level, enum order order)
{
	return (struct blkptr){ .dva = { { .offset = offset, .asize = size } },
				.lsize = size,
				.psize = size,
				.birth = 4,
				.fill = 1,
				.type = OT_DIRECTORY,
				.level = (uint8_t)level,
				.checksum = CHECKSUM_OFF,
				.compress = 2, /* off */
				.order = order };
}

static void rig_put_pointer(struct rig *r, uint64_t blkid, const struct blkptr *bp)
{
	uint8_t raw[BLKPTR_SIZE];

	blkptr_encode(bp, wbytes_of(raw, sizeof raw, ORDER_LITTLE));
	cr_assert_eq(dev_write(r->dev, VDEV_DATA_START + INDIRECT_AT + blkid * BLKPTR_SIZE, raw,
			       sizeof raw, NULL),
		     0);
}

static struct rig *rig_new(const struct mem_zap *m)
{
	struct rig *r = calloc(1, sizeof *r);

	rig_devices(r);
	for (size_t i = 0; i < m->blocks; i++) {
		struct blkptr bp = rig_pointer(i * m->block_size, m->block_size, 0, m->order);

		rig_put_pointer(r, i, &bp);
	}
	cr_assert_eq(dev_write(r->dev, VDEV_DATA_START, m->p, m->blocks * m->block_size, NULL), 0);

	struct block_reader_options how = { .vdevs = r->vdevs,
					    .on_event = count_event,
					    .ctx = &r->events };

	cr_assert_eq(block_reader_new(&how, &r->reader, NULL), 0);
	r->os = (struct objset){ .reader = r->reader };
	r->o = (struct object){ .os = &r->os,
				.number = 7,
				.dn = { .type = OT_DIRECTORY,
					.indirect_shift = INDIRECT_SHIFT,
					.levels = 2,
					.nblkptr = 1,
					.block_size = (uint32_t)m->block_size,
					.max_blkid = m->blocks - 1 } };
	r->o.dn.bp[0] = rig_pointer(INDIRECT_AT, 1 << INDIRECT_SHIFT, 1, ORDER_LITTLE);
	return r;
}

static void rig_free(struct rig *r, struct mem_zap *m)
{
	block_reader_free(r->reader);
	vdev_tree_close(r->vdevs);
	free(r);
	free(m->p);
}

static void rig_write(struct rig *r, uint64_t offset, const void *p, size_t n)
{
	cr_assert_eq(dev_write(r->dev, VDEV_DATA_START + offset, p, n, NULL), 0);
}

enum { MANY = 1000 };
static char	names[MANY][16];
static uint64_t values[MANY];

static struct mem_zap many(uint64_t normflags, enum order order)
{
	static struct zap_item items[MANY];

	for (size_t i = 0; i < MANY; i++) {
		int n = snprintf(names[i], sizeof names[i], "entry %zu", i);

		values[i] = i * i;
		/* As if normalising had made another name of it. */
		items[i] =
			(struct zap_item){ .hash = zap_hash(9 + normflags, 0, names[i], (size_t)n),
					   .cd_new = true,
					   .int_size = 8,
					   .name = names[i],
					   .name_size = (uint32_t)n,
					   .value = &values[i],
					   .value_count = 1 };
	}
	zap_items_sort(items, MANY);
	return mem_build(
		&(struct zap_fat_plan){
			.salt = 9, .normflags = normflags, .block_size = 2048, .order = order },
		items, MANY);
}

static int count_entry(void *ctx, const struct zap_entry *entry, struct err *e)
{
	(void)entry;
	(void)e;
	++*(size_t *)ctx;
	return 0;
}

static void expect_all(uint64_t normflags, enum order order)
{
	struct mem_zap m = many(normflags, order);
	struct rig    *r = rig_new(&m);
	struct err     e = { 0 };
	uint64_t       v;
	size_t	       n = 0;

	for (size_t i = 0; i < MANY; i += normflags != 0 ? 50 : 1) {
		cr_assert_eq(zap_u64(&r->o, names[i], &v, &e), 0, "%s", e.text);
		cr_assert_eq(v, values[i]);
	}
	cr_assert_eq(zap_u64(&r->o, "entry", &v, &e), -1);
	cr_assert_eq(e.kind, ERR_NOTFOUND);
	cr_assert_eq(zap_each(&r->o, count_entry, &n, &e), 0, "%s", e.text);
	cr_assert_eq(n, MANY);
	rig_free(r, &m);
}

Test(zap_read, every_entry_is_found_and_walked_in_both_orders)
{
	expect_all(0, ORDER_LITTLE);
	expect_all(0, ORDER_BIG);
}

Test(zap_read, normalising_zaps_are_searched_whole)
{
	expect_all(1, ORDER_LITTLE);
}

Test(zap_read, a_genuine_micro_zap)
{
	struct mem_zap m = mem_golden("micro-directory.bin", 1024);
	struct rig    *r = rig_new(&m);
	struct err     e = { 0 };
	uint64_t       v;
	size_t	       n = 0;

	cr_assert_eq(zap_u64(&r->o, "sub", &v, &e), 0, "%s", e.text);
	cr_assert_eq(v, UINT64_C(4) << 60 | 3);
	cr_assert_eq(zap_u64(&r->o, "sub ", &v, &e), -1);
	cr_assert_eq(e.kind, ERR_NOTFOUND);
	cr_assert_eq(zap_each(&r->o, count_entry, &n, &e), 0);
	cr_assert_eq(n, 9);
	rig_free(r, &m);
}

Test(zap_read, values_of_other_shapes)
{
	struct mem_zap m = mem_golden("fat-sa-layouts.bin", 16384);
	struct rig    *r = rig_new(&m);
	struct err     e = { 0 };
	uint16_t       buf[20];
	uint64_t       v;
	unsigned       int_size;
	size_t	       n;

	cr_assert_eq(zap_lookup(&r->o, "2", &int_size, buf, sizeof buf, &n, &e), 0, "%s", e.text);
	cr_assert_eq(int_size, 2);
	cr_assert_eq(n, 30);
	cr_assert_eq(buf[12], 21);
	cr_assert_eq(zap_lookup(&r->o, "2", &int_size, buf, 5, &n, &e), 0);
	cr_assert_eq(n, 4, "whole integers only");
	cr_assert_eq(zap_u64(&r->o, "2", &v, &e), -1);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	rig_free(r, &m);
}

/* Entries of all leaves but one. */
static size_t others(const struct mem_zap *m, uint64_t blkid)
{
	return MANY - mem_leaf(m, blkid).entries;
}

Test(zap_read, a_damaged_leaf_is_stepped_over_and_told)
{
	struct mem_zap m = many(0, ORDER_LITTLE);
	struct rig    *r = rig_new(&m);
	struct err     e = { 0 };
	uint8_t	       bad = 0xff;
	size_t	       n = 0;

	rig_write(r, 3 * m.block_size + LEAF_MAGIC, &bad, 1);
	cr_assert_eq(zap_each(&r->o, count_entry, &n, &e), -1);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	cr_assert_not_null(strstr(e.text, "block 3"), "%s", e.text);
	cr_assert_eq(n, others(&m, 3));
	rig_free(r, &m);
}

Test(zap_read, an_unreadable_leaf_is_an_event_and_stepped_over)
{
	struct mem_zap m = many(0, ORDER_LITTLE);
	struct rig    *r = rig_new(&m);
	struct blkptr  lost = rig_pointer(1 << 30, m.block_size, 0, m.order);
	struct err     e = { 0 };
	size_t	       n = 0;

	rig_put_pointer(r, 5, &lost);
	cr_assert_eq(zap_each(&r->o, count_entry, &n, &e), -1);
	cr_assert_eq(n, others(&m, 5));
	cr_assert_eq(r->events, 1);
	rig_free(r, &m);
}

Test(zap_read, a_hole_where_a_leaf_should_be_is_corrupt_when_looked_at)
{
	struct mem_zap m = many(0, ORDER_LITTLE);
	struct rig    *r = rig_new(&m);
	struct blkptr  hole = { 0 };
	struct err     e = { 0 };
	size_t	       missing = 0;
	uint64_t       v;

	rig_put_pointer(r, 5, &hole);
	for (size_t i = 0; i < MANY; i++) {
		if (zap_u64(&r->o, names[i], &v, &e) < 0) {
			cr_assert_eq(e.kind, ERR_CORRUPT);
			missing++;
		}
	}
	cr_assert_eq(missing, mem_leaf(&m, 5).entries);
	rig_free(r, &m);
}

Test(zap_read, other_objects_are_no_zaps)
{
	struct mem_zap m = mem_golden("micro-directory.bin", 1024);
	struct rig    *r = rig_new(&m);
	struct err     e = { 0 };
	uint64_t       v;
	uint8_t	       bad = 1;

	r->o.dn.type = OT_PLAIN_FILE;
	cr_assert_eq(zap_u64(&r->o, "sub", &v, &e), -1);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	r->o.dn.type = OT_DIRECTORY;
	rig_write(r, 0, &bad, 1);
	cr_assert_eq(zap_u64(&r->o, "sub", &v, &e), -1);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	rig_free(r, &m);
}

static int stop_at_third(void *ctx, const struct zap_entry *entry, struct err *e)
{
	(void)entry;
	return ++*(size_t *)ctx < 3 ? 0 : err_set(e, ERR_INTERRUPTED, "enough") - 6;
}

Test(zap_read, what_the_callback_returns_ends_the_walk)
{
	struct mem_zap m = many(0, ORDER_LITTLE);
	struct rig    *r = rig_new(&m);
	struct err     e = { 0 };
	size_t	       n = 0;

	cr_assert_eq(zap_each(&r->o, stop_at_third, &n, &e), -7);
	cr_assert_eq(e.kind, ERR_INTERRUPTED);
	cr_assert_eq(n, 3);
	rig_free(r, &m);
}

/* Genuine pools: every ZAP of every dataset is walked; hashes are as stored; names lead back. */
struct tally {
	struct object *o;
	uint64_t       salt, flags, entries, zaps, fats, all_entries;
	bool	       fat, normalising;
};

static int tally_entry(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct tally *t = ctx;
	uint64_t      v;

	t->entries++;
	if (t->fat && !t->normalising)
		cr_assert_eq(entry->hash,
			     zap_hash(t->salt, t->flags, entry->name.p, entry->name.n));
	if (entry->int_size == 8 && entry->value.n == 8 && (!t->normalising || t->entries < 20)) {
		cr_assert_eq(zap_u64_key(t->o, entry->name.p, entry->name.n, &v, e), 0);
		cr_assert_eq(v, zap_entry_int(entry, 0));
	}
	return 0;
}

static void tally_object(struct tally *t, struct object *o)
{
	struct block  *b;
	struct zap_fat z;
	struct err     e = { 0 };

	cr_assert_eq(object_block(o, 0, &b, &e), 0, "%s", e.text);
	t->o = o;
	t->entries = 0;
	t->fat = get64(b->bytes, 0) == ZAP_BLOCK_HEADER;
	t->normalising = false;
	if (t->fat) {
		cr_assert_eq(zap_fat_decode(b->bytes, &z, &e), 0, "%s", e.text);
		t->salt = z.salt;
		t->flags = z.flags;
		t->normalising = z.normflags != 0;
		t->fats++;
	}
	block_put(o->os->reader, b);
	cr_assert_eq(zap_each(o, tally_entry, t, &e), 0, "%s", e.text);
	if (t->fat)
		cr_assert_eq(t->entries, z.entry_count);
	t->zaps++;
	t->all_entries += t->entries;
}

static void tally_objset(struct tally *t, struct objset *os)
{
	for (uint64_t n = 0; objset_next(os, &n, NULL) == 0; n++) {
		struct object o;
		struct err    e = { 0 };

		cr_assert_eq(object_open(os, n, &o, &e), 0, "%s", e.text);
		if (objtype_payload(o.dn.type) == PAYLOAD_ZAP)
			tally_object(t, &o);
		object_close(&o);
	}
}

static int tally_dataset(void *ctx, struct dataset *ds, const struct err *failed, struct err *e)
{
	struct objset os;

	cr_assert_null(failed, "%s", failed == NULL ? "" : failed->text);
	cr_assert_eq(dataset_objset(ds, &os, e), 0);
	tally_objset(ctx, &os);
	return 0;
}

/* Unpacks an image, or a tar of one, to the file disk.img in a directory of its own. */
static void unpack(const char *from, const char *to)
{
	char cmd[8192];

	snprintf(cmd, sizeof cmd,
		 "case '%s' in *.tar.zst) tar --zstd -xOf '%s' ;; *) zstd -dcq '%s' ;; esac "
		 "| cp --sparse=always /dev/stdin '%s/disk.img'",
		 from, from, from, to);
	cr_assert_eq(system(cmd), 0, "%s", cmd);
}

static void tally_pool(const char *image)
{
	char		    dir[] = "/tmp/zap-read-XXXXXX", path[64], cmd[64];
	const char	   *paths[] = { path };
	struct pool_options how = { .paths = paths, .path_count = 1 };
	struct dsl_walk	    all = { .snapshots = true, .hidden = true };
	struct tally	    t = { 0 };
	struct pool	   *p = NULL;
	struct err	    e = { 0 };

	cr_assert_not_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/disk.img", dir);
	unpack(image, dir);
	cr_assert_eq(pool_open(&how, &p, &e), 0, "%s: %s", image, e.text);
	tally_objset(&t, pool_mos(p));
	cr_assert_eq(dataset_each(p, &all, tally_dataset, &t, &e), 0, "%s: %s", image, e.text);
	pool_close(p);
	cr_log_info("%s: %llu zaps, %llu of them fat, %llu entries", image,
		    (unsigned long long)t.zaps, (unsigned long long)t.fats,
		    (unsigned long long)t.all_entries);
	cr_assert_gt(t.zaps, 5);
	snprintf(cmd, sizeof cmd, "rm -rf '%s'", dir);
	cr_assert_eq(system(cmd), 0);
}

Test(zap_read, every_zap_of_genuine_pools)
{
	static const char *const images[] = {
		"openzfs-2.3/files/disks.tar.zst",  "openzfs-2.3/dedup/disks.tar.zst",
		"openzfs-2.3/single/disks.tar.zst", "zfs-fuse/single/disk.img.zst",
		"zfs-fuse/gzip/disk.img.zst",	    "zfs-fuse/oldver/v1.img.zst",
	};
	const char *corpus = getenv("POOLKIT_CORPUS");

	if (corpus == NULL)
		cr_skip_test("POOLKIT_CORPUS is not set");
	cr_assert_eq(checksum_init(NULL), 0);
	for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
		char path[1024];

		snprintf(path, sizeof path, "%s/%s", corpus, images[i]);
		tally_pool(path);
	}
}
