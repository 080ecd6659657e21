/*
 * What a pool says of itself in words: the configuration in the MOS and in the labels.
 * Source: OpenZFS spa_config.c (spa_config_generate), vdev_label.c (vdev_label_init).
 */
#include "core/pool/sizing.h"
#include "core/pool/tx_impl.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"
#include "formats/label.h"

enum {
	CONFIG_BLOCK_SIZE = 16 << 10,	/* spa.h, SPA_CONFIG_BLOCKSIZE */
};

/* -- the configuration ------------------------------------------------------------------------- */

static int disk_config(const struct pool_tx *tx, struct vdev_config **out, struct err *e)
{
	bool		    file = strcmp(tx->create.vdev_type, "file") == 0;
	struct vdev_config *v = vdev_config_new(file ? VDEV_FILE : VDEV_DISK, e);

	if (v == NULL)
		return -1;
	v->guid = tx->vdev_guid;
	v->metaslab_array = tx->array_object;
	v->metaslab_shift = tx->metaslab_shift;
	v->ashift = tx->ashift;
	v->asize = sizing_asize(tx->size);
	v->create_txg = TXG_INITIAL;
	v->path = mem_copy_text(tx->create.vdev_path, strlen(tx->create.vdev_path), e);
	if (v->path == NULL) {
		vdev_config_free(v);
		return -1;
	}
	*out = v;
	return 0;
}

/* Features that a reader must know before it reads the MOS, while they are active. */
static int features_for_read(const struct pool_tx *tx, struct nvlist *nv, struct err *e)
{
	struct nvlist *list;
	int	       rc;

	if (!tx->layout.features)
		return 0;
	list = nvlist_new(e);
	rc = list == NULL ? -1 : 0;
	for (size_t i = 0; rc == 0 && i < feature_count(); i++) {
		const struct feature *f = &feature_table[i];
		uint64_t	      count = 0;

		if (f->mos && tx->features_read != NULL &&
		    zap_edit_get(tx->features_read, f->guid, &count) && count > 0)
			rc = nvlist_add_flag(list, f->guid, e);
	}
	if (rc == 0)
		rc = nvlist_add_list(nv, "features_for_read", list, e);
	nvlist_free(list);
	return rc;
}

static int common_part(const struct pool_tx *tx, struct nvlist *nv, struct err *e)
{
	if (nvlist_add_u64(nv, "version", tx->version, e) < 0 ||
	    nvlist_add_string(nv, "name", tx->name, e) < 0 ||
	    nvlist_add_u64(nv, "state", POOL_EXPORTED, e) < 0 ||
	    nvlist_add_u64(nv, "txg", tx->txg, e) < 0 ||
	    nvlist_add_u64(nv, "pool_guid", tx->pool_guid, e) < 0 ||
	    nvlist_add_u64(nv, "errata", 0, e) < 0)
		return -1;
	if (tx->create.comment != NULL &&
	    nvlist_add_string(nv, "comment", tx->create.comment, e) < 0)
		return -1;
	if (tx->create.compatibility != NULL &&
	    nvlist_add_string(nv, "compatibility", tx->create.compatibility, e) < 0)
		return -1;
	return 0;
}

static int add_tree(struct nvlist *nv, const struct vdev_config *v, struct err *e)
{
	struct nvlist *tree = NULL;
	int	       rc = vdev_config_encode(v, &tree, e);

	if (rc == 0)
		rc = nvlist_add_list(nv, "vdev_tree", tree, e);
	nvlist_free(tree);
	return rc;
}

/* The label's list: the member's own vdev as the tree. */
static int label_list(const struct pool_tx *tx, const struct vdev_config *disk, struct nvlist *nv,
		      struct err *e)
{
	if (common_part(tx, nv, e) < 0 || nvlist_add_u64(nv, "top_guid", tx->vdev_guid, e) < 0 ||
	    nvlist_add_u64(nv, "guid", tx->vdev_guid, e) < 0 ||
	    nvlist_add_u64(nv, "vdev_children", 1, e) < 0 || add_tree(nv, disk, e) < 0)
		return -1;
	return features_for_read(tx, nv, e);
}

/* The MOS's: a root vdev over all of them. */
static int mos_list(const struct pool_tx *tx, struct vdev_config *disk, struct nvlist *nv,
		    struct err *e)
{
	struct vdev_config  root = { .kind = VDEV_ROOT,
				     .type_name = (char *)vdev_kind_name(VDEV_ROOT),
				     .guid = tx->pool_guid,
				     .create_txg = TXG_INITIAL };
	struct vdev_config *children[] = { disk };

	root.children = children;
	root.child_count = 1;
	if (common_part(tx, nv, e) < 0 || nvlist_add_u64(nv, "vdev_children", 1, e) < 0 ||
	    add_tree(nv, &root, e) < 0)
		return -1;
	return features_for_read(tx, nv, e);
}

int pool_tx_write_config(struct pool_tx *tx, struct err *e)
{
	struct vdev_config *disk = NULL;
	struct nvlist	   *nv = nvlist_new(e);
	uint8_t		   *packed = NULL, size[8];
	size_t		    n;
	int		    rc = -1;

	if (nv == NULL || disk_config(tx, &disk, e) < 0 || mos_list(tx, disk, nv, e) < 0 ||
	    nvlist_encode(nv, &packed, &n, e) < 0)
		goto out;
	put64(wbytes_of(size, sizeof size, ORDER_NATIVE), 0, n);

	struct object_spec spec = {
		.number = tx->config_object, .type = OT_PACKED_NVLIST,
		.bonus_type = OT_PACKED_NVLIST_SIZE,
		.bonus = bytes_of(size, sizeof size, ORDER_NATIVE),
		.block_size = CONFIG_BLOCK_SIZE,
	};

	rc = object_write_bytes(tx->mos, &spec, packed, n, e);
out:
	free(packed);
	vdev_config_free(disk);
	nvlist_free(nv);
	return rc;
}

/* -- labels ------------------------------------------------------------------------------------ */

static int write_label(struct pool_tx *tx, const struct nvlist *nv, unsigned index, uint8_t *buf,
		       struct err *e)
{
	uint64_t at = label_offset(tx->dev->size, index);

	memset(buf, 0, LABEL_RING_OFFSET);
	if (label_bootenv_encode(
		    wbytes_of(buf + LABEL_BOOTENV_OFFSET, LABEL_BOOTENV_SIZE, ORDER_NATIVE), at,
		    e) < 0 ||
	    label_config_encode(
		    nv, wbytes_of(buf + LABEL_NVLIST_OFFSET, LABEL_NVLIST_SIZE, ORDER_NATIVE), at,
		    e) < 0 ||
	    dev_write(tx->dev, at, buf, LABEL_RING_OFFSET, e) < 0)
		return err_in(e, "label %u", index);
	return 0;
}

int pool_tx_write_labels(struct pool_tx *tx, bool even, struct err *e)
{
	struct vdev_config *disk = NULL;
	struct nvlist	   *nv = nvlist_new(e);
	uint8_t		   *buf = mem_raw(LABEL_RING_OFFSET, e);
	int		    rc = -1;

	if (nv == NULL || buf == NULL || disk_config(tx, &disk, e) < 0 ||
	    label_list(tx, disk, nv, e) < 0)
		goto out;
	rc = 0;
	for (unsigned i = even ? 0 : 1; rc == 0 && i < LABEL_COUNT; i += 2)
		rc = write_label(tx, nv, i, buf, e);
out:
	free(buf);
	vdev_config_free(disk);
	nvlist_free(nv);
	return rc;
}

int pool_tx_wipe_labels(struct dev *dev, struct err *e)
{
	uint8_t *zeros = mem_zero(LABEL_SIZE, e);
	int	 rc = zeros == NULL ? -1 : 0;

	for (unsigned i = 0; rc == 0 && i < LABEL_COUNT; i++) {
		uint64_t at = label_offset(dev->size, i);

		if (dev->size >= LABEL_SIZE && at <= dev->size - LABEL_SIZE)
			rc = dev_write(dev, at, zeros, LABEL_SIZE, e);
	}
	free(zeros);
	return rc == 0 ? dev_sync(dev, e) : -1;
}
