#include "formats/golden_test.h"
#include "formats/poolconfig.h"

#include "formats/base/limits.h"

static void same_text(const struct nvlist *l, const char *expected)
{
	char	    buf[4096];
	struct text t = text_in(buf, sizeof buf);

	nvlist_describe(l, 0, &t);
	cr_assert_str_eq(buf, expected);
}

static struct vdev_config *vdev(enum vdev_kind kind, uint64_t id, uint64_t guid, size_t children)
{
	struct vdev_config *v = vdev_config_new(kind, NULL);

	v->id = id;
	v->guid = guid;
	v->children = calloc(children + 1, sizeof *v->children);
	return v;
}

/* root / raidz / two disks, one of them being replaced */
static struct vdev_config *tree(void)
{
	struct vdev_config *root = vdev(VDEV_ROOT, 0, 1, 1), *raidz = vdev(VDEV_RAIDZ, 0, 2, 2);
	struct vdev_config *disk = vdev(VDEV_DISK, 0, 3, 0);
	struct vdev_config *replacing = vdev(VDEV_REPLACING, 1, 4, 1);
	struct vdev_config *file = vdev(VDEV_FILE, 0, 5, 0);

	root->zap_root = 65;
	raidz->nparity = 2;
	raidz->ashift = 12;
	raidz->asize = 1 << 30;
	raidz->create_txg = 4;
	raidz->zap_top = 66;
	disk->path = strdup("/dev/disk0");
	disk->create_txg = 4;
	disk->dtl = 70;
	disk->offline = true;
	root->children[root->child_count++] = raidz;
	raidz->children[raidz->child_count++] = disk;
	raidz->children[raidz->child_count++] = replacing;
	replacing->children[replacing->child_count++] = file;
	return root;
}

static struct pool_config *decoded(const struct nvlist *tree_list)
{
	struct nvlist	   *l = nvlist_new(NULL);
	struct pool_config *c = NULL;
	struct err	    e = { 0 };

	cr_assert_eq(nvlist_add_u64(l, "version", 28, NULL), 0);
	cr_assert_eq(nvlist_add_u64(l, "state", POOL_DESTROYED, NULL), 0);
	cr_assert_eq(nvlist_add_list(l, "vdev_tree", tree_list, NULL), 0);
	cr_assert_eq(pool_config_decode(l, &c, &e), 0, "%s", e.text);
	return c;
}

static const char tree_text[] =
	"type: 'root'\nid: 0\nguid: 1\ncom.klarasystems:vdev_zap_root: 65\n"
	"children[0]:\n"
	"    type: 'raidz'\n    id: 0\n    guid: 2\n    nparity: 2\n"
	"    metaslab_array: 0\n    metaslab_shift: 0\n    ashift: 12\n"
	"    asize: 1073741824\n    is_log: 0\n    create_txg: 4\n"
	"    com.delphix:vdev_zap_top: 66\n"
	"    children[0]:\n"
	"        type: 'disk'\n        id: 0\n        guid: 3\n"
	"        path: '/dev/disk0'\n        whole_disk: 0\n        DTL: 70\n"
	"        create_txg: 4\n        offline: 1\n"
	"    children[1]:\n"
	"        type: 'replacing'\n        id: 1\n        guid: 4\n"
	"        children[0]:\n"
	"            type: 'file'\n            id: 0\n            guid: 5\n";

Test(poolconfig, a_tree_goes_round)
{
	struct vdev_config *v = tree();
	struct nvlist	   *l = NULL, *again = NULL;
	struct pool_config *c;

	cr_assert_eq(vdev_config_encode(v, &l, NULL), 0);
	same_text(l, tree_text);
	c = decoded(l);
	cr_assert_eq(c->state, POOL_DESTROYED);
	cr_assert_eq(c->tree->children[0]->nparity, 2);
	cr_assert_eq(c->tree->children[0]->child_count, 2);
	cr_assert(c->tree->children[0]->children[0]->offline);
	cr_assert_eq(c->tree->children[0]->children[1]->children[0]->kind, VDEV_FILE);
	cr_assert_eq(vdev_config_encode(c->tree, &again, NULL), 0);
	same_text(again, tree_text);
	pool_config_free(c);
	nvlist_free(l);
	nvlist_free(again);
	vdev_config_free(v);
}

Test(poolconfig, a_genuine_disk_is_written_in_the_order_of_openzfs)
{
	uint8_t		     buf[4096];
	struct nvlist	    *l = NULL, *again = NULL;
	const struct nvlist *genuine;
	struct pool_config  *c = NULL;

	cr_assert_eq(
		nvlist_decode(golden("labels/config-openzfs", buf, sizeof buf), &l, NULL, NULL), 0);
	cr_assert_eq(pool_config_decode(l, &c, NULL), 0);
	cr_assert(nvlist_list(c->nv, "vdev_tree", &genuine));
	cr_assert_eq(vdev_config_encode(c->tree, &again, NULL), 0);
	/* min_alloc is new in 2.3, and nobody needs it */
	for (size_t i = 0, j = 0; i < nvlist_count(genuine); i++) {
		const struct nvpair *a = nvlist_pair(genuine, i);

		if (strcmp(a->name, "min_alloc") == 0)
			continue;
		cr_assert_str_eq(nvlist_pair(again, j++)->name, a->name);
	}
	pool_config_free(c);
	nvlist_free(again);
}

Test(poolconfig, an_old_raidz_has_one_parity_and_unknown_kinds_keep_their_name)
{
	struct nvlist	   *l = nvlist_new(NULL);
	struct pool_config *c;

	cr_assert_eq(nvlist_add_string(l, "type", "raidz", NULL), 0);
	c = decoded(l);
	cr_assert_eq(c->tree->nparity, 1);
	pool_config_free(c);
	cr_assert_eq(nvlist_add_string(l, "type", "future", NULL), 0);
	c = decoded(l);
	cr_assert_eq(c->tree->kind, VDEV_UNKNOWN);
	cr_assert_str_eq(c->tree->type_name, "future");
	pool_config_free(c);
	nvlist_free(l);
}

Test(poolconfig, a_vdev_without_a_type_is_corrupt)
{
	struct nvlist	   *l = nvlist_new(NULL), *v = nvlist_new(NULL), *child = nvlist_new(NULL);
	struct pool_config *c = NULL;
	struct err	    e = { 0 };

	cr_assert_eq(nvlist_add_string(v, "type", "mirror", NULL), 0);
	cr_assert_eq(nvlist_add_u64(child, "id", 3, NULL), 0);
	cr_assert_eq(
		nvlist_add_lists(v, "children", (const struct nvlist *const[]){ child }, 1, NULL),
		0);
	cr_assert_eq(nvlist_add_list(l, "vdev_tree", v, NULL), 0);
	cr_assert_lt(pool_config_decode(l, &c, &e), 0);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	cr_assert_str_eq(e.text, "vdev tree: a vdev without a type");
	nvlist_free(v);
	nvlist_free(child);
}

Test(poolconfig, a_tree_too_deep_to_write_is_refused)
{
	struct vdev_config *root = vdev(VDEV_ROOT, 0, 1, 1), *at = root;
	struct nvlist	   *l = NULL;
	struct err	    e = { 0 };

	for (int i = 0; i < NVLIST_DEPTH_MAX; i++) {
		at->children[at->child_count++] = vdev(VDEV_MIRROR, 0, 2, 1);
		at = at->children[0];
	}
	cr_assert_lt(vdev_config_encode(root, &l, &e), 0);
	cr_assert_eq(e.kind, ERR_UNSUPPORTED);
	vdev_config_free(root);
	vdev_config_free(NULL);
	pool_config_free(NULL);
}
