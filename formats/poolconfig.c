/*
 * The pool configuration between its nvlist and structs. What has no field of its own is found in
 * pool_config.nv. Vdev trees nest as the disk says, so they are walked with a stack.
 */
#include "formats/poolconfig.h"

#include <stdlib.h>

#include "formats/base/limits.h"

static const char *const kind_names[VDEV_UNKNOWN + 1] = {
	[VDEV_ROOT] = "root",		[VDEV_DISK] = "disk",	    [VDEV_FILE] = "file",
	[VDEV_MIRROR] = "mirror",	[VDEV_RAIDZ] = "raidz",	    [VDEV_DRAID] = "draid",
	[VDEV_REPLACING] = "replacing", [VDEV_SPARE] = "spare",	    [VDEV_DSPARE] = "dspare",
	[VDEV_INDIRECT] = "indirect",	[VDEV_HOLE] = "hole",	    [VDEV_MISSING] = "missing",
	[VDEV_L2CACHE] = "l2cache",	[VDEV_UNKNOWN] = "unknown",
};

const char *vdev_kind_name(enum vdev_kind kind)
{
	return kind_names[kind <= VDEV_UNKNOWN ? kind : VDEV_UNKNOWN];
}

static enum vdev_kind kind_by_name(const char *name)
{
	unsigned kind = VDEV_ROOT;

	while (kind < VDEV_UNKNOWN && strcmp(kind_names[kind], name) != 0)
		kind++;
	return (enum vdev_kind)kind;
}

static void free_one(struct vdev_config *v)
{
	free(v->type_name);
	free(v->path);
	free(v->devid);
	free(v->phys_path);
	free(v->children);
	free(v);
}

/* The way down to a vdev, and which child comes next at each step. */
struct step {
	struct vdev_config	   *v;
	const struct nvlist *const *lists; /* of the children, when decoding */
	struct nvlist		  **done;  /* the children's, when encoding */
	size_t			    count, next;
};

/* More than decode and encode allow: encode refuses what the caller then frees. */
enum { FREE_DEPTH_MAX = 2 * NVLIST_DEPTH_MAX };

void vdev_config_free(struct vdev_config *v)
{
	struct vdev_config *path[FREE_DEPTH_MAX];
	unsigned	    depth = 0;

	if (v == NULL)
		return;
	path[depth++] = v;
	while (depth > 0) {
		struct vdev_config *at = path[depth - 1];

		if (at->child_count > 0) {
			struct vdev_config *child = at->children[--at->child_count];

			assert(depth < FREE_DEPTH_MAX);
			if (child != NULL)
				path[depth++] = child;
		} else {
			free_one(at);
			depth--;
		}
	}
}

struct vdev_config *vdev_config_new(enum vdev_kind kind, struct err *e)
{
	struct vdev_config *v = calloc(1, sizeof *v);

	if (v != NULL) {
		v->kind = kind;
		v->type_name = strdup(vdev_kind_name(kind));
	}
	if (v == NULL || v->type_name == NULL) {
		free(v);
		err_nomem(e);
		return NULL;
	}
	return v;
}

/* Decoding. */

static uint64_t number(const struct nvlist *nv, const char *name)
{
	uint64_t v = 0;

	nvlist_u64(nv, name, &v);
	return v;
}

/* A copy of the string of that name; *out stays NULL when there is none. */
static int take_string(const struct nvlist *nv, const char *name, char **out, struct err *e)
{
	const char *s;

	if (!nvlist_string(nv, name, &s))
		return 0;
	*out = strdup(s);
	return *out == NULL ? err_nomem(e) : 0;
}

static void take_numbers(const struct nvlist *nv, struct vdev_config *v)
{
	v->id = number(nv, "id");
	v->guid = number(nv, "guid");
	v->asize = number(nv, "asize");
	v->ashift = number(nv, "ashift");
	v->metaslab_array = number(nv, "metaslab_array");
	v->metaslab_shift = number(nv, "metaslab_shift");
	v->nparity = number(nv, "nparity");
	v->create_txg = number(nv, "create_txg");
	v->dtl = number(nv, "DTL");
	v->whole_disk = number(nv, "whole_disk");
	v->zap_leaf = number(nv, "com.delphix:vdev_zap_leaf");
	v->zap_top = number(nv, "com.delphix:vdev_zap_top");
	v->zap_root = number(nv, "com.klarasystems:vdev_zap_root");
	v->is_log = number(nv, "is_log") != 0;
	v->offline = number(nv, "offline") != 0;
	v->faulted = number(nv, "faulted") != 0;
	v->degraded = number(nv, "degraded") != 0;
	v->removed = number(nv, "removed") != 0;
	v->not_present = number(nv, "not_present") != 0;
	/* Source: OpenZFS vdev_raidz.c, vdev_raidz_init: pools older than raidz2 do not say. */
	if (v->kind == VDEV_RAIDZ && v->nparity == 0)
		v->nparity = 1;
}

/* All but the children, for which only the room is made. On failure nothing is left. */
static int decode_one(const struct nvlist *nv, struct vdev_config **out, size_t child_count,
		      struct err *e)
{
	struct vdev_config *v = calloc(1, sizeof *v);

	if (v == NULL)
		return err_nomem(e);
	if (take_string(nv, "type", &v->type_name, e) < 0)
		goto fail;
	if (v->type_name == NULL) {
		err_set(e, ERR_CORRUPT, "a vdev without a type");
		goto fail;
	}
	v->kind = kind_by_name(v->type_name);
	take_numbers(nv, v);
	if (take_string(nv, "path", &v->path, e) < 0 ||
	    take_string(nv, "devid", &v->devid, e) < 0 ||
	    take_string(nv, "phys_path", &v->phys_path, e) < 0)
		goto fail;
	if (child_count > 0) {
		v->children = calloc(child_count, sizeof(struct vdev_config *));
		if (v->children == NULL) {
			err_nomem(e);
			goto fail;
		}
	}
	*out = v;
	return 0;
fail:
	free_one(v);
	return -1;
}

static int decode_step(const struct nvlist *nv, struct step *step, struct err *e)
{
	*step = (struct step){ 0 };
	nvlist_lists(nv, "children", &step->lists, &step->count);
	return decode_one(nv, &step->v, step->count, e);
}

static int decode_tree(const struct nvlist *nv, struct vdev_config **out, struct err *e)
{
	struct step path[NVLIST_DEPTH_MAX + 1];
	unsigned    depth = 1;

	if (decode_step(nv, &path[0], e) < 0)
		return -1;
	while (depth > 0) {
		struct step *at = &path[depth - 1];

		if (at->next == at->count) {
			depth--;
			continue;
		}
		/* Lists do not nest deeper than this, and each vdev below is one list down. */
		assert(depth <= NVLIST_DEPTH_MAX);
		if (decode_step(at->lists[at->next++], &path[depth], e) < 0) {
			vdev_config_free(path[0].v);
			return -1;
		}
		at->v->children[at->v->child_count++] = path[depth].v;
		depth++;
	}
	*out = path[0].v;
	return 0;
}

static int fill_config(struct pool_config *c, struct err *e)
{
	const struct nvlist *tree;

	c->version = number(c->nv, "version");
	c->txg = number(c->nv, "txg");
	c->pool_guid = number(c->nv, "pool_guid");
	c->top_guid = number(c->nv, "top_guid");
	c->guid = number(c->nv, "guid");
	c->hostid = number(c->nv, "hostid");
	c->vdev_children = number(c->nv, "vdev_children");
	c->errata = number(c->nv, "errata");
	c->state = (enum pool_state)min64(number(c->nv, "state"), INT32_MAX);
	nvlist_list(c->nv, "features_for_read", &c->features_for_read);
	if (take_string(c->nv, "name", &c->name, e) < 0 ||
	    take_string(c->nv, "hostname", &c->hostname, e) < 0)
		return -1;
	if (!nvlist_list(c->nv, "vdev_tree", &tree))
		return 0;
	return decode_tree(tree, &c->tree, e) < 0 ? err_in(e, "vdev tree") : 0;
}

int pool_config_decode(struct nvlist *take, struct pool_config **out, struct err *e)
{
	struct pool_config *c = calloc(1, sizeof *c);

	if (c == NULL) {
		nvlist_free(take);
		return err_nomem(e);
	}
	c->nv = take;
	if (fill_config(c, e) < 0) {
		pool_config_free(c);
		return -1;
	}
	*out = c;
	return 0;
}

void pool_config_free(struct pool_config *c)
{
	if (c == NULL)
		return;
	vdev_config_free(c->tree);
	nvlist_free(c->nv);
	free(c->name);
	free(c->hostname);
	free(c);
}

/* Encoding. */

enum when { WHEN_SET, ALWAYS };

static int put(struct nvlist *nv, const char *name, uint64_t v, enum when when, struct err *e)
{
	return v != 0 || when == ALWAYS ? nvlist_add_u64(nv, name, v, e) : 0;
}

static int put_string(struct nvlist *nv, const char *name, const char *s, struct err *e)
{
	return s != NULL ? nvlist_add_string(nv, name, s, e) : 0;
}

/* What only a top-level vdev has. */
static int put_top(struct nvlist *nv, const struct vdev_config *v, struct err *e)
{
	if (put(nv, "metaslab_array", v->metaslab_array, ALWAYS, e) < 0 ||
	    put(nv, "metaslab_shift", v->metaslab_shift, ALWAYS, e) < 0 ||
	    put(nv, "ashift", v->ashift, ALWAYS, e) < 0 ||
	    put(nv, "asize", v->asize, ALWAYS, e) < 0)
		return -1;
	return put(nv, "is_log", v->is_log, ALWAYS, e);
}

static int put_before_top(struct nvlist *nv, const struct vdev_config *v, struct err *e)
{
	if (nvlist_add_string(nv, "type", v->type_name, e) < 0 ||
	    put(nv, "id", v->id, ALWAYS, e) < 0 || put(nv, "guid", v->guid, ALWAYS, e) < 0 ||
	    put_string(nv, "path", v->path, e) < 0 || put_string(nv, "devid", v->devid, e) < 0 ||
	    put_string(nv, "phys_path", v->phys_path, e) < 0 ||
	    put(nv, "nparity", v->nparity, WHEN_SET, e) < 0 ||
	    put(nv, "whole_disk", v->whole_disk, v->kind == VDEV_DISK ? ALWAYS : WHEN_SET, e) < 0)
		return -1;
	return put(nv, "not_present", v->not_present, WHEN_SET, e);
}

static int put_after_top(struct nvlist *nv, const struct vdev_config *v, struct err *e)
{
	if (put(nv, "DTL", v->dtl, WHEN_SET, e) < 0 ||
	    put(nv, "create_txg", v->create_txg, WHEN_SET, e) < 0 ||
	    put(nv, "com.delphix:vdev_zap_leaf", v->zap_leaf, WHEN_SET, e) < 0 ||
	    put(nv, "com.delphix:vdev_zap_top", v->zap_top, WHEN_SET, e) < 0)
		return -1;
	return put(nv, "com.klarasystems:vdev_zap_root", v->zap_root, WHEN_SET, e);
}

static int put_state(struct nvlist *nv, const struct vdev_config *v, struct err *e)
{
	if (put(nv, "offline", v->offline, WHEN_SET, e) < 0 ||
	    put(nv, "faulted", v->faulted, WHEN_SET, e) < 0 ||
	    put(nv, "degraded", v->degraded, WHEN_SET, e) < 0 ||
	    put(nv, "removed", v->removed, WHEN_SET, e) < 0)
		return -1;
	return put(nv, "is_hole", v->kind == VDEV_HOLE, WHEN_SET, e);
}

/* children: their lists, in order. */
static int encode_one(const struct vdev_config *v, struct nvlist *const *children,
		      struct nvlist **out, struct err *e)
{
	struct nvlist *nv = nvlist_new(e);

	if (nv == NULL)
		return -1;
	if (put_before_top(nv, v, e) < 0)
		goto fail;
	if ((v->ashift != 0 || v->kind == VDEV_HOLE) && put_top(nv, v, e) < 0)
		goto fail;
	if (put_after_top(nv, v, e) < 0)
		goto fail;
	if (v->child_count > 0 &&
	    nvlist_add_lists(nv, "children", (const struct nvlist *const *)children, v->child_count,
			     e) < 0)
		goto fail;
	if (put_state(nv, v, e) < 0)
		goto fail;
	*out = nv;
	return 0;
fail:
	nvlist_free(nv);
	return -1;
}

static void free_done(struct step *step)
{
	for (size_t i = 0; step->done != NULL && i < step->next; i++)
		nvlist_free(step->done[i]);
	free(step->done);
}

static int encode_step(struct vdev_config *v, struct step *step, struct err *e)
{
	*step = (struct step){ .v = v };
	if (v->child_count == 0)
		return 0;
	step->done = calloc(v->child_count, sizeof(struct nvlist *));
	return step->done == NULL ? err_nomem(e) : 0;
}

int vdev_config_encode(const struct vdev_config *v, struct nvlist **out, struct err *e)
{
	struct step    path[NVLIST_DEPTH_MAX];
	unsigned       depth = 1;
	struct nvlist *nv;

	if (encode_step((struct vdev_config *)v, &path[0], e) < 0)
		return -1;
	for (;;) {
		struct step *at = &path[depth - 1];

		if (at->next < at->v->child_count) {
			if (depth == NVLIST_DEPTH_MAX) {
				err_set(e, ERR_UNSUPPORTED, "vdev tree is too deep");
				goto fail;
			}
			if (encode_step(at->v->children[at->next], &path[depth], e) < 0)
				goto fail;
			depth++;
			continue;
		}
		if (encode_one(at->v, at->done, &nv, e) < 0)
			goto fail;
		free_done(at);
		if (--depth == 0)
			break;
		path[depth - 1].done[path[depth - 1].next++] = nv;
	}
	*out = nv;
	return 0;
fail:
	while (depth > 0)
		free_done(&path[--depth]);
	return -1;
}
