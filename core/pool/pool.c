/*
 * Opening a pool: members -> labels -> uberblock -> MOS. What is odd on the way becomes a warning.
 * Which features may be there is pool_features.c, the MOS's own config pool_config.c.
 */
#include "core/pool/pool.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/base/mem.h"
#include "core/dmu/zap_read.h"
#include "core/pool/pool_impl.h"
#include "formats/base/limits.h"

enum {
	ATTEMPTS_MAX = 64,	/* uberblocks tried before giving up */
	WARNINGS_MAX = 200,
	/* top-level vdevs that a label may name; a guard, not a format limit */
	VDEVS_MAX = 4096,
	VERSION_OLD_LAST = 28,	/* sys/fs/zfs.h, SPA_VERSION_BEFORE_FEATURES and _FEATURES */
};

void pool_warn(struct pool *p, const char *fmt, ...)
{
	char	line[1024];
	char   *copy;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (p->warning_count == WARNINGS_MAX ||
	    mem_grow(&p->warnings, &p->warning_cap, p->warning_count + 1, sizeof *p->warnings,
		     NULL) < 0)
		return;
	copy = mem_copy_text(line, strlen(line), NULL);
	if (copy != NULL)
		p->warnings[p->warning_count++] = copy;
}

void pool_close(struct pool *p)
{
	if (p == NULL)
		return;
	block_reader_free(p->reader);
	vdev_tree_close(p->vdevs);
	pool_config_free(p->label);
	pool_config_free(p->mos_config);
	for (size_t i = 0; i < p->warning_count; i++)
		free(p->warnings[i]);
	free(p->warnings);
	free(p);
}

/* Labels that could not be read, and members whose labels disagree. */
static void warn_of_labels(struct pool *p, const struct members *m)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct member *one = &m->list[i];

		for (unsigned l = 0; l < LABEL_COUNT; l++) {
			if (one->labels[l].config == NULL)
				pool_warn(p, "%s: label %u: %s", one->dev->name, l,
					  one->labels[l].why.text);
		}
		if (one->labels_differ)
			pool_warn(p, "%s: its labels differ; the one of txg %" PRIu64 " is used",
				  one->dev->name, one->labels[one->best].config->txg);
	}
}

static struct pool_config *config_of(const struct member *m)
{
	return m->labels[m->best].config;
}

/* The member with the newest config. */
static struct member *newest_member(const struct members *m)
{
	struct member *best = &m->list[0];

	for (size_t i = 1; i < m->count; i++) {
		if (config_of(&m->list[i])->txg > config_of(best)->txg)
			best = &m->list[i];
	}
	return best;
}

/* The newest config that describes the top-level vdev of this index; NULL when none does. */
static struct vdev_config *top_config(const struct members *m, uint64_t id)
{
	const struct pool_config *best = NULL;

	for (size_t i = 0; i < m->count; i++) {
		const struct pool_config *c = config_of(&m->list[i]);

		if (c->tree != NULL && c->tree->id == id && (best == NULL || c->txg > best->txg))
			best = c;
	}
	return best != NULL ? best->tree : NULL;
}

/*
 * A root vdev whose children are borrowed from the labels; vdevs that no label describes are
 * missing. Free root->children.
 */
static int compose_root(struct pool *p, const struct members *m, struct vdev_config *root,
			struct vdev_config *missing, struct err *e)
{
	uint64_t count = p->label->vdev_children;

	for (size_t i = 0; i < m->count; i++) {
		if (config_of(&m->list[i])->tree != NULL)
			count = max64(count,
				      min64(config_of(&m->list[i])->tree->id, VDEVS_MAX) + 1);
	}
	if (count == 0 || count > VDEVS_MAX)
		return err_set(e, ERR_CORRUPT, "labels that speak of %" PRIu64 " top-level vdevs",
			       count);
	root->children = mem_array((size_t)count, sizeof *root->children, e);
	if (root->children == NULL)
		return -1;
	for (uint64_t i = 0; i < count; i++) {
		struct vdev_config *c = top_config(m, i);

		if (c == NULL)
			pool_warn(p, "top-level vdev %" PRIu64 " is missing", i);
		root->children[root->child_count++] = c != NULL ? c : missing;
	}
	return 0;
}

/*
 * The devices, newest first for each guid; what is left over (a second copy of a member) is closed.
 */
static struct vdev_member *take_devices(struct pool *p, struct members *m, struct err *e)
{
	struct vdev_member *out = mem_array(m->count, sizeof *out, e);

	for (size_t i = 0; out != NULL && i < m->count; i++) {
		struct member *one = &m->list[i];
		bool	       older = false;

		for (size_t k = 0; k < m->count; k++) {
			const struct pool_config *a = config_of(one), *b = config_of(&m->list[k]);

			if (k != i && a->guid == b->guid &&
			    (b->txg > a->txg || (b->txg == a->txg && k < i)))
				older = true;
		}
		if (older) {
			pool_warn(p, "%s: another copy of this member is used", one->dev->name);
			continue;
		}
		out[i] = (struct vdev_member){ .guid = config_of(one)->guid, .dev = one->dev };
		one->dev = NULL;
	}
	return out;
}

static int open_vdevs(struct pool *p, struct members *m, struct err *e)
{
	struct vdev_config  root = { .kind = VDEV_ROOT }, missing = { .kind = VDEV_MISSING };
	struct vdev_member *devs = NULL;
	int		    rc = -1;

	if (compose_root(p, m, &root, &missing, e) < 0)
		goto out;
	devs = take_devices(p, m, e);
	if (devs == NULL)
		goto out;
	rc = vdev_tree_open(&root, devs, m->count, &p->vdevs, e);
out:
	free(devs);
	free(root.children);
	return rc;
}

/* Every uberblock on every member. Labels that cannot be read give none. */
static int collect_uberblocks(const struct members *m, struct uberblock_found **out, size_t *count,
			      struct err *e)
{
	struct uberblock_found *all = NULL, *some;
	size_t			n = 0, cap = 0, got;

	for (size_t i = 0; i < m->count; i++) {
		const struct pool_config *c = config_of(&m->list[i]);
		uint64_t ashift = c->tree != NULL ? min64(c->tree->ashift, ASHIFT_MAX) : 0;

		for (unsigned l = 0; l < LABEL_COUNT; l++) {
			if (member_uberblocks(m->list[i].dev, l, (unsigned)ashift, &some, &got,
					      NULL) < 0)
				continue;
			if (mem_grow(&all, &cap, n + got + 1, sizeof *all, e) < 0) {
				free(some);
				free(all);
				return -1;
			}
			memcpy(all + n, some, got * sizeof *some);
			n += got;
			free(some);
		}
	}
	*out = all;
	*count = n;
	return 0;
}

static int newest_first(const void *a, const void *b)
{
	const struct uberblock_found *x = a, *y = b;

	return uberblock_compare(&y->ub, &x->ub);
}

static int check_version(uint64_t version, struct err *e)
{
	if ((version >= 1 && version <= VERSION_OLD_LAST) || version == 5000)
		return 0;
	return err_set(e, ERR_UNSUPPORTED, "pool version %" PRIu64, version);
}

/* Does this uberblock lead to a MOS that can be read? */
static int try_uberblock(struct pool *p, const struct uberblock *ub, struct err *e)
{
	struct object directory;
	uint64_t      root_dir;

	if (check_version(ub->version, e) < 0)
		return -1;
	if (objset_open(p->reader, &ub->rootbp, 0, &p->mos, e) < 0)
		return -1;
	if (p->mos.phys.type != OBJSET_META)
		return err_set(e, ERR_CORRUPT,
			       "its root is no MOS but an object set of type %" PRIu64,
			       p->mos.phys.type);
	if (object_open(&p->mos, 1, &directory, e) < 0)
		return -1;

	int rc = zap_u64(&directory, "root_dataset", &root_dir, e);

	object_close(&directory);
	if (rc == 0)
		p->uberblock = *ub;
	return rc < 0 ? err_in(e, "object directory") : 0;
}

static int choose_uberblock(struct pool *p, struct uberblock_found *found, size_t count,
			    const struct pool_options *o, struct err *e)
{
	const struct uberblock *last = NULL;
	unsigned		tried = 0;
	struct err		first = { 0 }, why = { 0 };

	if (count > 0)
		qsort(found, count, sizeof *found, newest_first);
	for (size_t i = 0; i < count && tried < ATTEMPTS_MAX; i++) {
		const struct uberblock *ub = &found[i].ub;

		if (o->txg_given && ub->txg > o->txg)
			continue;
		/* The four labels, and all members, hold the same ones. */
		if (last != NULL && uberblock_compare(last, ub) == 0)
			continue;
		last = ub;
		tried++;
		if (try_uberblock(p, ub, &why) == 0)
			return 0;
		pool_warn(p, "uberblock of txg %" PRIu64 " passed over: %s", ub->txg, why.text);
		if (tried == 1)
			first = why;
		/* A newer one of a version that we do not read must not make us show older data. */
		if (why.kind == ERR_UNSUPPORTED)
			break;
	}
	if (tried > 0)
		return err_set(e, first.kind,
			       "no uberblock leads to a readable pool; the newest: %s", first.text);
	if (o->txg_given && count > 0)
		return err_set(e, ERR_NOTFOUND, "no uberblock of txg %" PRIu64 " or older", o->txg);
	return err_set(e, ERR_CORRUPT, "no valid uberblock");
}

static void warn_of_state(struct pool *p)
{
	if (p->label->state == POOL_DESTROYED)
		pool_warn(p, "the pool was destroyed");
	if (p->uberblock.txg < p->label->txg)
		pool_warn(p, "the uberblock's txg %" PRIu64 " is older than the label's, %" PRIu64,
			  p->uberblock.txg, p->label->txg);
}

/* Everything that needs the members; they are closed by the caller. */
static int open_on_members(struct pool *p, struct members *m, const struct pool_options *o,
			   struct err *e)
{
	struct uberblock_found *found = NULL;
	struct member	       *newest = newest_member(m);
	size_t			count = 0;
	int			rc = -1;

	warn_of_labels(p, m);
	p->label = config_of(newest);
	if (check_version(p->label->version, e) < 0 || pool_check_label_features(p, e) < 0 ||
	    collect_uberblocks(m, &found, &count, e) < 0 || open_vdevs(p, m, e) < 0)
		goto out;

	struct block_reader_options how = { .vdevs = p->vdevs,
					    .on_event = o->on_event,
					    .ctx = o->ctx };

	if (block_reader_new(&how, &p->reader, e) < 0 ||
	    choose_uberblock(p, found, count, o, e) < 0 || pool_check_features(p, e) < 0)
		goto out;
	pool_load_salt(p);
	pool_load_mos_config(p);
	warn_of_state(p);
	rc = 0;
out:
	/* The label's config is the pool's from here on. */
	newest->labels[newest->best].config = NULL;
	newest->best = -1;
	free(found);
	return rc;
}

/* Takes the members in any case. */
static int open_members(struct members *m, const struct pool_options *o, struct pool **out,
			struct err *e)
{
	struct pool *p = mem_zero(sizeof *p, e);
	int	     rc = -1;

	if (p == NULL || members_choose(m, o->name, e) < 0)
		goto out;

	rc = open_on_members(p, m, o, e);
	if (rc < 0) {
		char	    quoted[256];
		struct text t = text_in(quoted, sizeof quoted);

		text_name(&t, p->label->name, strlen(p->label->name));
		err_in(e, "pool %s", quoted);
	}
out:
	members_close(m);
	if (rc < 0)
		pool_close(p);
	else
		*out = p;
	return rc;
}

int pool_open(const struct pool_options *o, struct pool **out, struct err *e)
{
	struct members_options how = { .paths = o->paths,
				       .path_count = o->path_count,
				       .offset_given = o->offset_given,
				       .offset = o->offset,
				       .mode = o->mode };
	struct members	       m;

	if (members_open(&how, &m, e) < 0)
		return -1;
	return open_members(&m, o, out, e);
}

int pool_open_devs(struct dev **devs, size_t count, const struct pool_options *o, struct pool **out,
		   struct err *e)
{
	struct members m;

	if (members_of_devs(devs, count, &m, e) < 0)
		return -1;
	return open_members(&m, o, out, e);
}

const char *pool_name(const struct pool *p)
{
	return p->label->name;
}

uint64_t pool_guid(const struct pool *p)
{
	return p->label->pool_guid;
}

uint64_t pool_version(const struct pool *p)
{
	return p->uberblock.version;
}

const struct uberblock *pool_uberblock(const struct pool *p)
{
	return &p->uberblock;
}

const struct pool_config *pool_config(const struct pool *p)
{
	return p->mos_config != NULL ? p->mos_config : p->label;
}

struct vdev_tree *pool_vdevs(struct pool *p)
{
	return p->vdevs;
}

struct block_reader *pool_reader(struct pool *p)
{
	return p->reader;
}

struct objset *pool_mos(struct pool *p)
{
	return &p->mos;
}

size_t pool_warning_count(const struct pool *p)
{
	return p->warning_count;
}

const char *pool_warning(const struct pool *p, size_t i)
{
	return p->warnings[i];
}

int pool_directory_u64(struct pool *p, const char *name, uint64_t *out, struct err *e)
{
	return zap_u64_at(&p->mos, 1, name, out, e);
}
