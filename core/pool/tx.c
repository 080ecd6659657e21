/*
 * What a transaction is made of, its features and derived numbers. tx_create.c begins one for a new
 * pool, tx_open.c one on a pool that exists, and commit.c ends both.
 */
#include "core/pool/tx_impl.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

enum { GROW_STEP = 64 << 20 };

struct block_writer *pool_tx_writer(struct pool_tx *tx)
{
	return tx->writer;
}

struct block_reader *pool_tx_reader(struct pool_tx *tx)
{
	return tx->reader;
}

struct objset_write *pool_tx_mos(struct pool_tx *tx)
{
	return tx->mos;
}

struct pool *pool_tx_pool(struct pool_tx *tx)
{
	return tx->pool;
}

uint64_t pool_tx_txg(const struct pool_tx *tx)
{
	return tx->txg;
}

uint64_t pool_tx_time(const struct pool_tx *tx)
{
	return tx->time;
}

void pool_tx_set_time(struct pool_tx *tx, uint64_t time)
{
	tx->time = time;
}

void pool_tx_set_room(struct pool_tx *tx, uint64_t own, uint64_t least)
{
	tx->create.size.least = least;
	tx->create.size.own = own;
}

uint64_t pool_tx_version(const struct pool_tx *tx)
{
	return tx->version;
}

uint64_t pool_tx_software_version(const struct pool_tx *tx)
{
	return tx->pool != NULL ? pool_uberblock(tx->pool)->software_version
				: tx->layout.software_version;
}

const char *pool_tx_name(const struct pool_tx *tx)
{
	return tx->name;
}

void pool_tx_on_charge(struct pool_tx *tx, pool_tx_charge_fn *fn, uint64_t dir)
{
	tx->charge = fn;
	tx->charge_dir = dir;
}

/* -- features ---------------------------------------------------------------------------------- */

static struct zap_edit *features_of(const struct pool_tx *tx, const char *guid)
{
	const struct feature *f = feature_by_guid(guid);

	return f != NULL && f->readonly_compatible ? tx->features_write : tx->features_read;
}

bool pool_tx_feature_count(const struct pool_tx *tx, const char *guid, uint64_t *count)
{
	struct zap_edit *z = features_of(tx, guid);

	return z != NULL && zap_edit_get(z, guid, count);
}

bool pool_tx_has(const struct pool_tx *tx, const char *guid)
{
	uint64_t count;

	return pool_tx_feature_count(tx, guid, &count);
}

static bool is_salted(const char *guid)
{
	return strcmp(guid, "org.illumos:skein") == 0 || strcmp(guid, "org.illumos:edonr") == 0 ||
	       strcmp(guid, "org.openzfs:blake3") == 0;
}

static int store_salt(struct pool_tx *tx, struct err *e)
{
	if (tx->salt_stored)
		return 0;
	tx->salt_stored = true;
	return zap_edit_set_key(tx->directory, POOL_SALT, strlen(POOL_SALT), 1, tx->keys.salt,
				SALT_SIZE, e);
}

int pool_tx_feature(struct pool_tx *tx, const char *guid, int delta, struct err *e)
{
	struct zap_edit *z = features_of(tx, guid);
	uint64_t	 count;

	if (!pool_tx_feature_count(tx, guid, &count))
		return err_set(e, ERR_UNSUPPORTED, "feature %s is not enabled in this pool", guid);
	if (delta < 0 && count < (uint64_t)-delta)
		return err_set(e, ERR_CORRUPT, "feature %s: its count would fall below 0", guid);
	if (delta > 0 && is_salted(guid) && store_salt(tx, e) < 0)
		return -1;
	tx->features_changed = true;
	return zap_edit_set(z, guid, count + (uint64_t)delta, e);
}

struct store_policy pool_tx_mos_policy(const struct pool_tx *tx)
{
	bool		       lz4 = pool_tx_has(tx, "org.illumos:lz4_compress");
	struct compress_choice codec = { .id = lz4 ? COMPRESS_LZ4 : COMPRESS_LZJB };

	return (struct store_policy){
		.data_compress = codec, .meta_compress = codec,
		.data_checksum = CHECKSUM_FLETCHER_4, .meta_checksum = CHECKSUM_FLETCHER_4,
		.data_copies = 3, .meta_copies = 3,
		.hole_birth = pool_tx_has(tx, "com.delphix:hole_birth"),
	};
}

/* -- the object directory ---------------------------------------------------------------------- */

int pool_tx_set_directory(struct pool_tx *tx, const char *name, uint64_t value, struct err *e)
{
	tx->directory_changed = true;
	return zap_edit_set(tx->directory, name, value, e);
}

int pool_tx_clear_directory(struct pool_tx *tx, const char *name, struct err *e)
{
	tx->directory_changed = true;
	return zap_edit_remove(tx->directory, name, strlen(name), e);
}

bool pool_tx_directory(const struct pool_tx *tx, const char *name, uint64_t *out)
{
	return zap_edit_get(tx->directory, name, out);
}

/* -- derived numbers --------------------------------------------------------------------------- */

static uint64_t derive(const struct pool_tx *tx, const struct digest *roots, const char *role,
		       uint64_t index)
{
	char		text[1024];
	struct text	t = text_in(text, sizeof text);
	struct digest	d = { 0 };
	const uint64_t *w = roots->w;

	text_put(&t, "%s|%s|%016llx%016llx%016llx%016llx|%s|%llu",
		 tx->create.seed != NULL ? tx->create.seed : "", tx->name, (unsigned long long)w[0],
		 (unsigned long long)w[1], (unsigned long long)w[2], (unsigned long long)w[3], role,
		 (unsigned long long)index);
	/* SHA-256 is there: the pipeline could not have been made without checksum_init. */
	if (checksum_compute(CHECKSUM_SHA256, bytes_of(text, t.n, ORDER_BIG), &d, NULL) < 0)
		return index + 1;
	return d.w[0] == 0 ? 1 : d.w[0];
}

uint64_t pool_tx_salt(const struct pool_tx *tx, const char *role, uint64_t index)
{
	static const struct digest none;

	return derive(tx, &none, role, index);
}

uint64_t pool_tx_guid(const struct pool_tx *tx, const char *role, uint64_t index)
{
	return derive(tx, &tx->roots, role, index);
}

void pool_tx_note_root(struct pool_tx *tx, const struct blkptr *root)
{
	struct digest both[2] = { tx->roots, root->cksum };

	(void)!checksum_compute(CHECKSUM_SHA256, bytes_of(both, sizeof both, ORDER_NATIVE),
				&tx->roots, NULL);
}

/*
 * OpenZFS makes a salt from noise, so that nobody can prepare two blocks with one checksum. Ours
 * depends on the seed.
 */
static void make_salt(struct pool_tx *tx)
{
	uint64_t of = tx->pool != NULL ? pool_guid(tx->pool) : 0;
	uint8_t	 salt[SALT_SIZE];

	if (tx->pool != NULL && block_reader_keys(tx->reader)->ready) {
		tx->keys = *block_reader_keys(tx->reader);
		return;
	}
	for (size_t i = 0; i < SALT_SIZE; i += 8)
		put64(wbytes_of(salt, sizeof salt, ORDER_LITTLE), i,
		      pool_tx_salt(tx, "checksums", of + i));
	checksum_keys_init(&tx->keys, salt);
	block_reader_set_salt(tx->reader, salt);
}

/* -- objects of the MOS ------------------------------------------------------------------------ */

int pool_tx_object(struct pool_tx *tx, uint8_t type, uint8_t bonus_type, struct bytes bonus,
		   uint32_t block_size, uint64_t *number, struct err *e)
{
	struct object_spec spec = { .type = type, .bonus_type = bonus_type, .bonus = bonus,
				    .block_size = block_size };

	if (objset_write_alloc(tx->mos, OBJECT_SETTLES_SOON, &spec.number, e) < 0)
		return -1;
	*number = spec.number;
	return object_write_bytes(tx->mos, &spec, NULL, 0, e);
}

int pool_tx_step(struct pool_tx *tx, struct err *e)
{
	if (tx->txg == UINT64_MAX)
		return err_set(e, ERR_CORRUPT, "no txg is left");
	if (block_writer_drain(tx->writer, e) < 0)
		return -1;
	block_writer_set_txg(tx->writer, ++tx->txg);
	return 0;
}

/* -- making and ending ------------------------------------------------------------------------- */

/* A block of the MOS as it was. */
static int mos_freed(void *ctx, const struct blkptr *bp, struct err *e)
{
	struct pool_tx *tx = ctx;

	return pool_tx_release(tx, bp, e);
}

static int release_range(void *ctx, uint32_t vdev, uint64_t offset, uint64_t asize, unsigned copy)
{
	struct release {
		struct pool_tx *tx;
		struct err     *e;
	} *r = ctx;

	(void)copy;
	const struct vdev_top *top = vdev_tree_top(r->tx->vdevs, vdev);

	if (vdev != alloc_vdev(r->tx->alloc) || top == NULL)
		return err_set(r->e, ERR_UNSUPPORTED,
			       "a block on vdev %u: several vdevs cannot be written yet", vdev);
	if (offset % alloc_unit(r->tx->alloc) != 0 || asize % alloc_unit(r->tx->alloc) != 0 ||
	    offset > top->asize || asize > top->asize - offset)
		return err_set(r->e, ERR_CORRUPT, "a block at offset %#llx size %#llx",
			       (unsigned long long)offset, (unsigned long long)asize);
	return alloc_freed(r->tx->alloc, offset, asize, r->e);
}

int pool_tx_release(struct pool_tx *tx, const struct blkptr *bp, struct err *e)
{
	struct block_where where = { 0 };
	struct release {
		struct pool_tx *tx;
		struct err     *e;
	} r = { tx, e };

	if (blkptr_is_hole(bp) || bp->embedded)
		return 0;
	if (bp->dedup)
		return err_set(e, ERR_UNSUPPORTED, "a deduplicated block would have to be freed");
	return block_ranges(tx->reader, bp, &where, release_range, &r, e) == 0 ? 0 : -1;
}

int pool_tx_grow(void *ctx, uint64_t high_water, struct err *e)
{
	struct pool_tx *tx = ctx;
	uint64_t	need = VDEV_DATA_START + high_water + VDEV_END_SIZE;

	if (tx->dev->size >= need)
		return 0;
	return dev_resize(tx->dev, align_up(need, GROW_STEP), e);
}

int pool_tx_make_pipeline(struct pool_tx *tx, unsigned threads, bool embed, struct err *e)
{
	struct block_writer_options o = { .vdevs = tx->vdevs,
					  .alloc = tx->alloc,
					  .threads = threads,
					  .embed = embed,
					  .order = ORDER_NATIVE,
					  .keys = &tx->keys,
					  .txg = tx->txg };

	make_salt(tx);
	if (tx->dev != NULL) {
		o.grow = pool_tx_grow;
		o.grow_ctx = tx;
	}
	return block_writer_new(&o, &tx->writer, e);
}

int pool_tx_open_mos(struct pool_tx *tx, struct err *e)
{
	struct objset_write_options o = { .writer = tx->writer, .reader = tx->reader,
					  .policy = pool_tx_mos_policy(tx), .type = OBJSET_META,
					  .phys_size = tx->layout.mos_size, .freed = mos_freed,
					  .freed_ctx = tx };

	if (tx->pool != NULL)
		o.old = pool_mos(tx->pool);
	return objset_write_new(&o, &tx->mos, e);
}

void pool_tx_free(struct pool_tx *tx)
{
	if (tx == NULL)
		return;
	zap_edit_free(tx->directory);
	zap_edit_free(tx->features_read);
	zap_edit_free(tx->features_write);
	zap_edit_free(tx->properties);
	/* The pipeline first: blocks under way refer to the sets. */
	block_writer_free(tx->writer);
	objset_write_free(tx->mos);
	spacemaps_fini(&tx->maps);
	alloc_free(tx->alloc);
	block_reader_free(tx->own_reader);
	vdev_tree_close(tx->own_vdevs);
	free((char *)tx->create.seed);
	free((char *)tx->create.history);
	free((char *)tx->create.vdev_path);
	free((char *)tx->create.vdev_type);
	free(tx->name);
	free(tx->history);
	free(tx);
}
