/*
 * Labels: the four of a member against each other, and against what the pool itself says it is made
 * of.
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/base/mem.h"
#include "core/check/check_impl.h"
#include "core/vdev/vdev.h"
#include "formats/base/limits.h"
#include "formats/label.h"

enum { MOS_CONFIG_MAX = 16 << 20 };

struct four {
	struct pool_config *config[LABEL_COUNT];
	uint8_t		   *area[LABEL_COUNT];
	int		    best; /* the newest, -1 none */
};

static void four_fini(struct four *f)
{
	for (unsigned i = 0; i < LABEL_COUNT; i++) {
		pool_config_free(f->config[i]);
		free(f->area[i]);
	}
}

static int read_four(struct check *c, struct dev *dev, struct four *f, struct err *e)
{
	for (unsigned i = 0; i < LABEL_COUNT; i++) {
		uint64_t   start = label_offset(dev->size, i);
		char	   where[WHERE_TEXT];
		struct err why = { 0 };

		f->area[i] = mem_raw(LABEL_NVLIST_SIZE, e);
		if (f->area[i] == NULL)
			return -1;
		if (dev_read(dev, start + LABEL_NVLIST_OFFSET, f->area[i], LABEL_NVLIST_SIZE,
			     &why) == 0 &&
		    label_config_decode(bytes_of(f->area[i], LABEL_NVLIST_SIZE, ORDER_NATIVE),
					start, &f->config[i], &why) == 0) {
			if (f->best < 0 || f->config[i]->txg > f->config[f->best]->txg)
				f->best = (int)i;
			continue;
		}
		snprintf(where, sizeof where, "%s", dev->name);
		check_found(c, FINDING_LABEL_BAD, where, "label %u: %s", i, why.text);
	}
	return 0;
}

/* In what two labels differ; the first thing that is found. */
static void put_difference(const struct pool_config *a, const struct pool_config *b, struct text *t)
{
	if (a->pool_guid != b->pool_guid)
		text_put(t, "pool guid %" PRIu64 ", not %" PRIu64, a->pool_guid, b->pool_guid);
	else if (a->guid != b->guid)
		text_put(t, "device guid %" PRIu64 ", not %" PRIu64, a->guid, b->guid);
	else if (a->txg != b->txg)
		text_put(t, "txg %" PRIu64 ", not %" PRIu64, a->txg, b->txg);
	else if (a->state != b->state)
		text_put(t, "state %d, not %d", (int)a->state, (int)b->state);
	else
		text_put(t, "other contents");
}

static void compare_four(struct check *c, const struct dev *dev, const struct four *f)
{
	const struct pool_config *best = f->config[f->best];

	for (unsigned i = 0; i < LABEL_COUNT; i++) {
		char	    what[256];
		struct text t = text_in(what, sizeof what);

		/* The trailer depends on where the label stands. */
		if (f->config[i] == NULL ||
		    memcmp(f->area[i], f->area[f->best], LABEL_NVLIST_SIZE - ECK_SIZE) == 0)
			continue;
		put_difference(f->config[i], best, &t);
		check_found(c, FINDING_LABEL_DIFFERS, dev->name, "label %u has %s as label %d has",
			    i, what, f->best);
	}
}

static void check_size(struct check *c, const struct dev *dev, const struct pool_config *label)
{
	uint64_t need;

	if (label->tree == NULL ||
	    (label->tree->kind != VDEV_DISK && label->tree->kind != VDEV_FILE))
		return;
	if (!add_ok(label->tree->asize, VDEV_DATA_START + VDEV_END_SIZE, &need) ||
	    need <= dev->size)
		return;
	check_found(c, FINDING_DEVICE_SHORT, dev->name,
		    "the device has %" PRIu64 " bytes, its label speaks of %" PRIu64, dev->size,
		    need);
}

/* The pool's own configuration. NULL when it cannot be had, which is no fault of the labels. */
static struct pool_config *mos_config(struct check *c)
{
	struct pool_config *out = NULL;
	struct object	    o;
	struct nvlist	   *nv;
	uint64_t	    number, size;
	uint8_t		   *raw = NULL;

	if (pool_directory_u64(c->pool, "config", &number, NULL) < 0 ||
	    object_open(pool_mos(c->pool), number, &o, NULL) < 0)
		return NULL;
	size = o.dn.bonus.n >= 8 ? get64(o.dn.bonus, 0) : 0;
	if (size > 0 && size <= MOS_CONFIG_MAX)
		raw = mem_raw((size_t)size, NULL);
	if (raw == NULL || object_read(&o, 0, raw, (size_t)size, NULL) < 0 ||
	    nvlist_decode(bytes_of(raw, (size_t)size, ORDER_NATIVE), &nv, NULL, NULL) < 0 ||
	    pool_config_decode(nv, &out, NULL) < 0)
		out = NULL;
	free(raw);
	object_close(&o);
	return out;
}

static void differ(struct check *c, const struct dev *dev, const char *what, uint64_t label,
		   uint64_t mos)
{
	if (label != mos)
		check_found(c, FINDING_LABEL_CONFIG, dev->name,
			    "%s is %" PRIu64 " in the labels, %" PRIu64
			    " in the pool's configuration",
			    what, label, mos);
}

static void compare_mos(struct check *c, const struct dev *dev, const struct pool_config *label,
			const struct pool_config *mos)
{
	const struct vdev_config *mine = label->tree, *other = NULL;

	differ(c, dev, "the pool's guid", label->pool_guid, mos->pool_guid);
	if (mine == NULL || mos->tree == NULL)
		return;
	for (size_t i = 0; i < mos->tree->child_count; i++) {
		if (mos->tree->children[i]->id == mine->id)
			other = mos->tree->children[i];
	}
	if (other == NULL) {
		check_found(c, FINDING_LABEL_CONFIG, dev->name,
			    "the pool's configuration has no top-level device %" PRIu64, mine->id);
		return;
	}
	differ(c, dev, "the top-level device's guid", mine->guid, other->guid);
	differ(c, dev, "ashift", mine->ashift, other->ashift);
	differ(c, dev, "the metaslab array", mine->metaslab_array, other->metaslab_array);
	differ(c, dev, "the metaslab shift", mine->metaslab_shift, other->metaslab_shift);
	/* A grown device is in the labels before a newer configuration is. */
	if (mine->asize < other->asize || label->txg == mos->txg)
		differ(c, dev, "the allocatable size", mine->asize, other->asize);
}

static int check_member(struct check *c, struct dev *dev, struct err *e)
{
	struct four f = { .best = -1 };
	int	    rc = read_four(c, dev, &f, e);

	if (rc == 0 && f.best >= 0) {
		compare_four(c, dev, &f);
		check_size(c, dev, f.config[f.best]);
		if (c->config != NULL)
			compare_mos(c, dev, f.config[f.best], c->config);
	}
	four_fini(&f);
	return rc;
}

int check_labels(struct check *c, struct err *e)
{
	int rc = 0;

	c->config = mos_config(c);
	for (unsigned i = 0; rc == 0 && i < vdev_leaf_count(c->vdevs); i++) {
		if (vdev_leaf_dev(c->vdevs, i) != NULL)
			rc = check_member(c, vdev_leaf_dev(c->vdevs, i), e);
	}
	return rc;
}
