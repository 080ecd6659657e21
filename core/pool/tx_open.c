/*
 * A transaction on a pool that exists: what is refused because a commit could not keep it true, and
 * what the pool is opened to. Datasets are looked at by core/dsl.
 */
#include <string.h>

#include "core/base/mem.h"
#include "core/dmu/zap_read.h"
#include "core/pool/tx_impl.h"
#include "formats/base/limits.h"

/* Active features whose structures a commit leaves true; others it could not maintain. */
static const char *const kept_features[] = {
	"async_destroy",
	"blake3",
	"bookmarks",
	"bookmark_v2",
	"bookmark_written",
	"edonr",
	"embedded_data",
	"empty_bpobj",
	"enabled_txg",
	"extensible_dataset",
	"filesystem_limits",
	"head_errlog",
	"hole_birth",
	"large_blocks",
	"large_dnode",
	"large_microzap",
	"livelist",
	"log_spacemap",
	"longname",
	"lz4_compress",
	"multi_vdev_crash_dump",
	"project_quota",
	"redaction_bookmarks",
	"redaction_list_spill",
	"resilver_defer",
	"sha512",
	"skein",
	"spacemap_histogram",
	"spacemap_v2",
	"userobj_accounting",
	"vdev_zaps_v2",
	"zilsaxattr",
	"zstd_compress",
	NULL,
};

static int feature_kept(void *ctx, const struct zap_entry *entry, struct err *e)
{
	char		      guid[128] = "";
	const struct feature *f;

	(void)ctx;
	if (entry->name.n >= sizeof guid || entry->int_size != 8 || entry->value.n != 8)
		return err_set(e, ERR_CORRUPT, "feature list: odd entry");
	memcpy(guid, entry->name.p, entry->name.n);
	if (zap_entry_int(entry, 0) == 0)
		return 0;
	f = feature_by_guid(guid);
	for (size_t i = 0; f != NULL && kept_features[i] != NULL; i++) {
		if (strcmp(kept_features[i], f->name) == 0)
			return 0;
	}
	return err_set(e, ERR_UNSUPPORTED,
		       "feature %s is active: writing to such a pool is not supported", guid);
}

/* What must hold before a pool is written to, apart from its datasets (core/dsl looks at those). */
static int check_writable(struct pool *p, struct err *e)
{
	static const char *const lists[] = { "features_for_read", "features_for_write" };
	const struct uberblock	*ub = pool_uberblock(p);

	if (pool_config(p)->state != POOL_EXPORTED)
		return err_set(e, ERR_REFUSED, "the pool was not exported: it may be in use");
	if (ub->order != ORDER_NATIVE)
		return err_set(e, ERR_UNSUPPORTED,
			       "written on a machine of the other byte order: it can only be read");
	if (vdev_tree_count(pool_vdevs(p)) != 1)
		return err_set(e, ERR_UNSUPPORTED, "several vdevs cannot be written yet");
	if (vdev_tree_top(pool_vdevs(p), 0)->ashift < ASHIFT_MIN ||
	    vdev_tree_top(pool_vdevs(p), 0)->ashift > ASHIFT_MAX)
		return err_set(e, ERR_CORRUPT, "sectors of 2^%u bytes",
			       vdev_tree_top(pool_vdevs(p), 0)->ashift);
	if (ub->txg == UINT64_MAX)
		return err_set(e, ERR_CORRUPT, "no txg is left");
	if (ub->checkpoint_txg != 0)
		return err_set(e, ERR_UNSUPPORTED, "the pool has a checkpoint");
	for (size_t i = 0; i < 2 && pool_layout_of(pool_version(p)).features; i++) {
		uint64_t object;

		if (pool_directory_u64(p, lists[i], &object, e) < 0 ||
		    zap_each_at(pool_mos(p), object, feature_kept, NULL, e) < 0)
			return -1;
	}
	return 0;
}

static int open_features(struct pool_tx *tx, struct err *e)
{
	uint64_t read, write;

	if (!tx->layout.features)
		return 0;
	if (pool_directory_u64(tx->pool, "features_for_read", &read, e) < 0 ||
	    pool_directory_u64(tx->pool, "features_for_write", &write, e) < 0)
		return -1;
	if (zap_edit_open(tx->mos, read, &tx->features_read, e) < 0)
		return -1;
	return zap_edit_open(tx->mos, write, &tx->features_write, e);
}

static bool pool_has_embedded_data(struct pool *p)
{
	uint64_t count;

	return pool_layout_of(pool_version(p)).features &&
	       pool_feature(p, "com.delphix:embedded_data", &count, NULL) == 0;
}

int pool_tx_open(struct pool *p, const struct pool_tx_options *o, struct pool_tx **out,
		 struct err *e)
{
	const struct vdev_top *top = vdev_tree_top(pool_vdevs(p), 0);
	struct pool_tx	      *tx;

	if (checksum_init(e) < 0 || check_writable(p, e) < 0)
		return -1;
	tx = mem_zero(sizeof *tx, e);
	if (tx == NULL)
		return -1;
	tx->pool = p;
	tx->version = pool_version(p);
	tx->layout = pool_layout_of(tx->version);
	tx->txg = pool_uberblock(p)->txg + 1;
	tx->time = max64(o->time, pool_uberblock(p)->timestamp);
	tx->ashift = top->ashift;
	tx->vdevs = pool_vdevs(p);
	tx->reader = pool_reader(p);
	tx->name = mem_copy_text(pool_name(p), strlen(pool_name(p)), e);
	if (o->history != NULL)
		tx->history = mem_copy_text(o->history, strlen(o->history), e);
	if (tx->name == NULL || (o->history != NULL && tx->history == NULL) ||
	    alloc_new(0, UINT64_C(1) << top->ashift, &tx->alloc, e) < 0 ||
	    spacemaps_load(p, 0, tx->alloc, &tx->maps, e) < 0 ||
	    pool_tx_make_pipeline(tx, o->threads, pool_has_embedded_data(p), e) < 0 ||
	    pool_tx_open_mos(tx, e) < 0 || zap_edit_open(tx->mos, 1, &tx->directory, e) < 0 ||
	    open_features(tx, e) < 0) {
		pool_tx_free(tx);
		return -1;
	}
	/* Only now is it known which codec the features allow. */
	objset_write_set_policy(tx->mos, pool_tx_mos_policy(tx));
	*out = tx;
	return 0;
}
