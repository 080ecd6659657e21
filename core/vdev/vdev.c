/*
 * The vdev tree. Today a top-level vdev is one disk or file; a kind with several ways to read (a
 * mirror's sides, raidz reconstruction) becomes another row of `kinds` and more leaves in a range.
 */
#include "core/vdev/vdev.h"

#include "core/base/mem.h"
#include "formats/base/limits.h"

/*
 * A config names at most this many top-level vdevs; a DVA has 24 bits, genuine pools have hundreds.
 */
enum { TOPS_MAX = 4096 };

struct leaf {
	uint64_t    guid;
	struct dev *dev; /* NULL: missing */
};

struct top {
	struct vdev_top facts;
	/* offsets end here: the larger of the config's and the device's idea */
	uint64_t	reach;
	unsigned	first_leaf, leaf_count;
};

struct vdev_tree {
	struct top  *tops;
	unsigned     top_count;
	struct leaf *leaves;
	unsigned     leaf_count;
};

static void close_devs(struct vdev_member *members, size_t count)
{
	for (size_t i = 0; i < count; i++)
		dev_close(members[i].dev);
}

void vdev_tree_close(struct vdev_tree *t)
{
	if (t == NULL)
		return;
	for (unsigned i = 0; i < t->leaf_count; i++)
		dev_close(t->leaves[i].dev);
	free(t->leaves);
	free(t->tops);
	free(t);
}

/* The device of this guid, taken out of the list. */
static struct dev *take_dev(struct vdev_member *members, size_t count, uint64_t guid)
{
	for (size_t i = 0; i < count; i++) {
		if (members[i].guid == guid && members[i].dev != NULL) {
			struct dev *d = members[i].dev;

			members[i].dev = NULL;
			return d;
		}
	}
	return NULL;
}

/* Bytes that a device of this size has for data. */
static uint64_t data_size(uint64_t dev_size)
{
	uint64_t labels = VDEV_DATA_START + VDEV_END_SIZE;

	dev_size = align_down(dev_size, VDEV_LABEL_SIZE);
	return dev_size > labels ? dev_size - labels : 0;
}

static int top_open(struct vdev_tree *t, const struct vdev_config *c, struct top *top,
		    struct vdev_member *members, size_t count, struct err *e)
{
	switch (c->kind) {
	case VDEV_HOLE:
	case VDEV_MISSING:
		return 0;
	case VDEV_DISK:
	case VDEV_FILE:
		break;
	default:
		return err_set(e, ERR_UNSUPPORTED,
			       "vdev %llu is of kind %s, which is not supported",
			       (unsigned long long)c->id,
			       c->type_name != NULL ? c->type_name : vdev_kind_name(c->kind));
	}

	struct leaf *leaf = &t->leaves[t->leaf_count];

	*leaf = (struct leaf){ .guid = c->guid, .dev = take_dev(members, count, c->guid) };
	top->first_leaf = t->leaf_count++;
	top->leaf_count = 1;
	top->facts = (struct vdev_top){ .guid = c->guid,
					.asize = c->asize,
					.metaslab_array = c->metaslab_array,
					.metaslab_shift = (unsigned)min64(c->metaslab_shift, 64),
					.ashift = (unsigned)min64(c->ashift, 64),
					.present = leaf->dev != NULL };
	top->reach = c->asize;
	if (leaf->dev != NULL)
		top->reach = max64(top->reach, data_size(leaf->dev->size));
	return 0;
}

static int tops_open(struct vdev_tree *t, const struct vdev_config *root,
		     struct vdev_member *members, size_t count, struct err *e)
{
	if (root->child_count > TOPS_MAX)
		return err_set(e, ERR_UNSUPPORTED, "%zu top-level vdevs are more than %d",
			       root->child_count, TOPS_MAX);
	t->tops = mem_array(root->child_count, sizeof *t->tops, e);
	t->leaves = mem_array(root->child_count, sizeof *t->leaves, e);
	if (t->tops == NULL || t->leaves == NULL)
		return -1;
	t->top_count = (unsigned)root->child_count;
	/* A config's order of children is their index in addresses. */
	for (unsigned i = 0; i < t->top_count; i++) {
		if (top_open(t, root->children[i], &t->tops[i], members, count, e) < 0)
			return -1;
	}
	return 0;
}

int vdev_tree_open(const struct vdev_config *root, struct vdev_member *members, size_t count,
		   struct vdev_tree **out, struct err *e)
{
	struct vdev_tree *t = mem_zero(sizeof *t, e);
	int		  rc = t == NULL ? -1 : tops_open(t, root, members, count, e);

	if (rc == 0) {
		*out = t;
		t = NULL;
	}
	close_devs(members, count);
	vdev_tree_close(t);
	return rc;
}

unsigned vdev_tree_count(const struct vdev_tree *t)
{
	return t->top_count;
}

const struct vdev_top *vdev_tree_top(const struct vdev_tree *t, unsigned vdev)
{
	return vdev < t->top_count ? &t->tops[vdev].facts : NULL;
}

unsigned vdev_ways(const struct vdev_tree *t, unsigned vdev)
{
	(void)t;
	(void)vdev;
	return 1;
}

/* The device that serves an address this way, and that the range is within the vdev. */
static int locate(const struct vdev_tree *t, unsigned vdev, uint64_t offset, uint64_t n,
		  unsigned way, struct dev **out, struct err *e)
{
	if (vdev >= t->top_count)
		return err_set(e, ERR_CORRUPT, "vdev %u does not exist", vdev);

	const struct top *top = &t->tops[vdev];

	if (way >= top->leaf_count || t->leaves[top->first_leaf + way].dev == NULL)
		return err_set(e, ERR_IO, "vdev %u is missing", vdev);
	if (offset > top->reach || n > top->reach - offset)
		return err_set(e, ERR_CORRUPT,
			       "vdev %u: %llu bytes at 0x%llx are past its end (0x%llx)", vdev,
			       (unsigned long long)n, (unsigned long long)offset,
			       (unsigned long long)top->reach);
	/* Before it becomes a device's offset; no device is that large. */
	if (offset > INT64_MAX - VDEV_DATA_START)
		return err_set(e, ERR_CORRUPT, "vdev %u: offset 0x%llx is absurd", vdev,
			       (unsigned long long)offset);
	*out = t->leaves[top->first_leaf + way].dev;
	return 0;
}

int vdev_read(struct vdev_tree *t, unsigned vdev, uint64_t offset, unsigned way, void *buf,
	      size_t n, struct err *e)
{
	struct dev *d;

	if (locate(t, vdev, offset, n, way, &d, e) < 0)
		return -1;
	return dev_read(d, VDEV_DATA_START + offset, buf, n, e);
}

int vdev_writev(struct vdev_tree *t, unsigned vdev, uint64_t offset, const struct iovec *iov,
		int count, struct err *e)
{
	struct dev *d;
	uint64_t    n = 0;

	for (int i = 0; i < count; i++)
		n += iov[i].iov_len;
	if (locate(t, vdev, offset, n, 0, &d, e) < 0)
		return -1;
	return dev_writev(d, VDEV_DATA_START + offset, iov, count, e);
}

unsigned vdev_leaf_count(const struct vdev_tree *t)
{
	return t->leaf_count;
}

struct dev *vdev_leaf_dev(const struct vdev_tree *t, unsigned leaf)
{
	return t->leaves[leaf].dev;
}

uint64_t vdev_leaf_guid(const struct vdev_tree *t, unsigned leaf)
{
	return t->leaves[leaf].guid;
}
