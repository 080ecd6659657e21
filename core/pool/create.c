/*
 * The objects that every new pool has in its MOS, apart from datasets: directory, features,
 * history, lists of frees, the array of space maps.
 * Source: OpenZFS spa.c (spa_create), dsl_pool.c (dsl_pool_create), spa_history.c.
 */
#include "core/pool/tx_impl.h"

#include <assert.h>
#include <string.h>

#include "formats/base/limits.h"
#include "formats/dsl.h"

enum {
	BPOBJ_BLOCK_SIZE = 128 << 10, /* dsl_pool.c: SPA_OLD_MAXBLOCKSIZE */
	SYNC_BPLIST_BLOCK_SIZE = 16 << 10,
};

/* Features count from the beginning when enabling them is using them. */
static int list_feature(struct pool_tx *tx, struct zap_edit *descriptions, struct zap_edit *txgs,
			const struct feature *f, struct err *e)
{
	struct zap_edit *z = f->readonly_compatible ? tx->features_write : tx->features_read;
	const char	*text = f->description;

	if (zap_edit_set(z, f->guid, f->activate_on_enable ? 1 : 0, e) < 0 ||
	    zap_edit_set_key(descriptions, f->guid, strlen(f->guid), 1, text, strlen(text) + 1, e) <
		    0)
		return -1;
	return txgs == NULL ? 0 : zap_edit_set(txgs, f->guid, TXG_INITIAL, e);
}

static int list_features(struct pool_tx *tx, struct zap_edit *descriptions, struct zap_edit *txgs,
			 struct err *e)
{
	for (size_t i = 0; i < feature_count(); i++) {
		if (feature_set_has(tx->create.features, &feature_table[i]) &&
		    list_feature(tx, descriptions, txgs, &feature_table[i], e) < 0)
			return -1;
	}
	/* enabled_txg counts the features that it keeps a txg of. */
	if (txgs == NULL)
		return 0;
	return zap_edit_set(tx->features_write, "com.delphix:enabled_txg", zap_edit_count(txgs), e);
}

/* A ZAP that is edited until the commit, and its name in the directory. */
static int new_list(struct pool_tx *tx, const char *name, uint8_t type, struct zap_edit **out,
		    struct err *e)
{
	uint64_t number;

	if (objset_write_alloc(tx->mos, OBJECT_SETTLES_SOON, &number, e) < 0 ||
	    pool_tx_set_directory(tx, name, number, e) < 0)
		return -1;
	return zap_edit_new(tx->mos, number, type, pool_tx_salt(tx, name, 0) | 1, out, e);
}

static int new_feature_list(struct pool_tx *tx, const char *name, struct zap_edit **out,
			    struct err *e)
{
	return new_list(tx, name, OTN_ZAP_METADATA, out, e);
}

/* Source: OpenZFS spa.c (spa_sync_props), dmu.h (DMU_POOL_PROPS). */
int pool_tx_set_property(struct pool_tx *tx, const char *name, uint64_t number, const char *text,
			 struct err *e)
{
	assert(tx->pool == NULL);
	if (tx->properties == NULL &&
	    new_list(tx, "pool_props", OT_POOL_PROPS, &tx->properties, e) < 0)
		return -1;
	if (text != NULL)
		return zap_edit_set_key(tx->properties, name, strlen(name), 1, text,
					strlen(text) + 1, e);
	return zap_edit_set(tx->properties, name, number, e);
}

static int make_features(struct pool_tx *tx, struct err *e)
{
	struct zap_edit *descriptions = NULL, *txgs = NULL;
	bool enabled_txg = feature_set_has(tx->create.features, feature_by_name("enabled_txg"));
	int  rc = -1;

	if (new_feature_list(tx, "features_for_read", &tx->features_read, e) < 0 ||
	    new_feature_list(tx, "features_for_write", &tx->features_write, e) < 0 ||
	    new_feature_list(tx, "feature_descriptions", &descriptions, e) < 0)
		goto out;
	if (enabled_txg && new_feature_list(tx, "feature_enabled_txg", &txgs, e) < 0)
		goto out;
	if (list_features(tx, descriptions, txgs, e) < 0 || zap_edit_write(descriptions, e) < 0 ||
	    (txgs != NULL && zap_edit_write(txgs, e) < 0))
		goto out;
	rc = 0;
out:
	zap_edit_free(descriptions);
	zap_edit_free(txgs);
	return rc;
}

static int make_bpobj(struct pool_tx *tx, const char *name, uint32_t block_size, struct err *e)
{
	uint8_t	     bonus[BPOBJ_V3_SIZE];
	struct bpobj b = { .size = tx->layout.bpobj_size };
	uint64_t     number;

	bpobj_encode(&b, wbytes_of(bonus, b.size, ORDER_NATIVE));
	if (pool_tx_object(tx, OT_BPOBJ, OT_BPOBJ_HDR, bytes_of(bonus, b.size, ORDER_NATIVE),
			   block_size, &number, e) < 0)
		return -1;
	return pool_tx_set_directory(tx, name, number, e);
}

int pool_tx_make_objects(struct pool_tx *tx, struct err *e)
{
	if (objset_write_claim(tx->mos, 1, e) < 0 ||
	    zap_edit_new(tx->mos, 1, OT_OBJECT_DIRECTORY, pool_tx_salt(tx, "directory", 0) | 1,
			 &tx->directory, e) < 0 ||
	    (tx->layout.features && make_features(tx, e) < 0))
		return -1;
	if ((tx->layout.free_dir && make_bpobj(tx, "free_bpobj", BPOBJ_BLOCK_SIZE, e) < 0) ||
	    make_bpobj(tx, "sync_bplist", SYNC_BPLIST_BLOCK_SIZE, e) < 0)
		return -1;
	if (objset_write_alloc(tx->mos, OBJECT_SETTLES_SOON, &tx->config_object, e) < 0 ||
	    objset_write_alloc(tx->mos, OBJECT_SETTLES_SOON, &tx->history_object, e) < 0 ||
	    objset_write_alloc(tx->mos, OBJECT_SETTLES_SOON, &tx->array_object, e) < 0)
		return -1;
	if (pool_tx_set_directory(tx, "config", tx->config_object, e) < 0 ||
	    pool_tx_set_directory(tx, "history", tx->history_object, e) < 0 ||
	    pool_tx_set_directory(tx, "creation_version", tx->version, e) < 0)
		return -1;
	return pool_tx_set_directory(tx, "deflate", 1, e);
}
