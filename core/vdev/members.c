/*
 * Members: opens what the paths name, reads the labels, keeps those of one pool.
 *
 * Where a member lies within its device is decided in place_member() alone: partitions of a disk
 * image are to be looked for there.
 */
#include "core/vdev/members.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

/* Files of a directory that are looked at: a guard against a wrong path, not a format limit. */
enum { DIRECTORY_MAX = 65536 };

static void member_fini(struct member *m)
{
	for (unsigned i = 0; i < LABEL_COUNT; i++)
		pool_config_free(m->labels[i].config);
	dev_close(m->dev);
	*m = (struct member){ .best = -1 };
}

void members_close(struct members *m)
{
	for (size_t i = 0; i < m->count; i++)
		member_fini(&m->list[i]);
	free(m->list);
	*m = (struct members){ 0 };
}

static void read_label(struct member *m, unsigned i, uint8_t *area)
{
	struct member_label *l = &m->labels[i];
	struct dev	    *d = m->dev;

	l->config = NULL;
	l->why = (struct err){ 0 };
	if (d->size < LABEL_COUNT * (uint64_t)LABEL_SIZE) {
		err_set(&l->why, ERR_NOTFOUND, "%s is too small for a label", d->name);
		return;
	}
	l->offset = label_offset(d->size, i);
	if (dev_read(d, l->offset + LABEL_NVLIST_OFFSET, area, LABEL_NVLIST_SIZE, &l->why) < 0)
		return;
	if (label_config_decode(bytes_of(area, LABEL_NVLIST_SIZE, ORDER_NATIVE), l->offset,
				&l->config, &l->why) < 0)
		l->config = NULL;
}

/* The best label, and whether the four say the same pool, vdev and txg. */
static void compare_labels(struct member *m)
{
	m->best = -1;
	m->labels_differ = false;
	for (int i = 0; i < LABEL_COUNT; i++) {
		const struct pool_config *c = m->labels[i].config;

		if (c == NULL)
			continue;
		if (m->best < 0) {
			m->best = i;
			continue;
		}

		const struct pool_config *b = m->labels[m->best].config;

		if (c->txg != b->txg || c->guid != b->guid || c->pool_guid != b->pool_guid)
			m->labels_differ = true;
		if (c->txg > b->txg)
			m->best = i;
	}
}

/* Reads the labels of m->dev; 0 also when none is there. */
static int read_labels(struct member *m, struct err *e)
{
	uint8_t *area = mem_raw(LABEL_NVLIST_SIZE, e);

	if (area == NULL)
		return -1;
	for (unsigned i = 0; i < LABEL_COUNT; i++)
		read_label(m, i, area);
	compare_labels(m);
	free(area);
	return 0;
}

/*
 * Finds where in `*take` the member is, and reads its labels. Takes the device, which goes back
 * into m->dev or is closed. 0 with m->best < 0 when no label is there.
 */
static int place_member(struct dev *take, const struct members_options *o, struct member *m,
			struct err *e)
{
	*m = (struct member){ .best = -1 };
	if (o != NULL && o->offset_given) {
		uint64_t rest = take->size > o->offset ? take->size - o->offset : 0;

		if (dev_window_new(take, o->offset, rest, &take, e) < 0)
			return -1;
	}
	m->dev = take;
	return read_labels(m, e);
}

/* Appends; takes the member's contents, also on failure. */
static int append(struct members *out, size_t *cap, struct member *m, struct err *e)
{
	if (mem_grow(&out->list, cap, out->count + 1, sizeof *out->list, e) < 0) {
		member_fini(m);
		return -1;
	}
	out->list[out->count++] = *m;
	return 0;
}

/* Why a path has no label: the first label's reason, unless another one's says more. */
static int no_label(const struct member *m, const char *name, struct err *e)
{
	for (unsigned i = 0; i < LABEL_COUNT; i++) {
		const struct err *why = &m->labels[i].why;

		if (why->kind != ERR_NOTFOUND && why->kind != ERR_CORRUPT)
			return err_set(e, why->kind, "%s", why->text);
	}
	return err_set(e, ERR_NOTFOUND, "%s: no pool label here", name);
}

static int add_path(const struct members_options *o, const char *path, struct members *out,
		    size_t *cap, struct err *e)
{
	struct dev   *d;
	struct member m;

	if (dev_file_open(path, o->mode, &d, e) < 0)
		return -1;
	if (place_member(d, o, &m, e) < 0) {
		member_fini(&m);
		return -1;
	}
	if (m.best < 0) {
		no_label(&m, path, e);
		member_fini(&m);
		return -1;
	}
	return append(out, cap, &m, e);
}

/*
 * A file found in a directory: what is no member, or cannot be opened, is passed over. Looked at
 * read-only first, so that no lock is taken on a stranger.
 */
static int add_found(const struct members_options *o, const char *path, struct members *out,
		     size_t *cap, struct err *e)
{
	struct dev   *d;
	struct member m;
	bool	      is_member;

	if (dev_file_open(path, DEV_READ, &d, NULL) < 0)
		return 0;
	/* With an offset, a file that is too short for it is no member either. */
	if (o->offset_given && o->offset > d->size) {
		dev_close(d);
		return 0;
	}
	if (place_member(d, o, &m, e) < 0) {
		member_fini(&m);
		return -1;
	}
	is_member = m.best >= 0;
	if (is_member && o->mode == DEV_READ)
		return append(out, cap, &m, e);
	member_fini(&m);
	return is_member ? add_path(o, path, out, cap, e) : 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_free(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

static int list_directory(const char *path, char ***out, size_t *count, struct err *e)
{
	DIR	      *dir = opendir(path);
	char	     **names = NULL;
	size_t	       n = 0, cap = 0;
	struct dirent *d;
	int	       rc = -1;

	if (dir == NULL)
		return err_errno(e, errno, "%s", path);
	while ((d = readdir(dir)) != NULL) {
		if (d->d_name[0] == '.')
			continue;
		if (n == DIRECTORY_MAX) {
			err_set(e, ERR_REFUSED, "%s: more than %d files", path, DIRECTORY_MAX);
			goto out;
		}
		if (mem_grow(&names, &cap, n + 1, sizeof *names, e) < 0)
			goto out;
		names[n] = mem_copy_text(d->d_name, strlen(d->d_name), e);
		if (names[n] == NULL)
			goto out;
		n++;
	}
	/* The host's order of directories must not show in what we do. */
	if (n > 0)
		qsort(names, n, sizeof *names, by_name);
	*out = names;
	*count = n;
	names = NULL;
	n = 0;
	rc = 0;
out:
	names_free(names, n);
	closedir(dir);
	return rc;
}

static int add_directory(const struct members_options *o, const char *path, struct members *out,
			 size_t *cap, struct err *e)
{
	char **names = NULL;
	size_t count = 0;
	int    rc = list_directory(path, &names, &count, e);

	for (size_t i = 0; rc == 0 && i < count; i++) {
		size_t	    room = strlen(path) + strlen(names[i]) + 2;
		char	   *full = mem_raw(room, e);
		struct stat st;

		if (full == NULL) {
			rc = -1;
			break;
		}
		snprintf(full, room, "%s/%s", path, names[i]);
		if (stat(full, &st) == 0 && (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)))
			rc = add_found(o, full, out, cap, e);
		free(full);
	}
	names_free(names, count);
	return rc;
}

int members_open(const struct members_options *o, struct members *out, struct err *e)
{
	struct members m = { 0 };
	size_t	       cap = 0;
	int	       rc = checksum_init(e);

	for (size_t i = 0; rc == 0 && i < o->path_count; i++) {
		struct stat st;

		if (stat(o->paths[i], &st) == 0 && S_ISDIR(st.st_mode))
			rc = add_directory(o, o->paths[i], &m, &cap, e);
		else
			rc = add_path(o, o->paths[i], &m, &cap, e);
	}
	if (rc == 0 && m.count == 0)
		rc = err_set(e, ERR_NOTFOUND, "%s: no pool here",
			     o->path_count > 0 ? o->paths[0] : "no member given");
	if (rc == 0) {
		*out = m;
		m = (struct members){ 0 };
	}
	members_close(&m);
	return rc;
}

int members_of_devs(struct dev **devs, size_t count, struct members *out, struct err *e)
{
	struct members m = { 0 };
	size_t	       cap = 0, i;
	int	       rc = checksum_init(e);

	for (i = 0; rc == 0 && i < count; i++) {
		struct member one;

		rc = place_member(devs[i], NULL, &one, e);
		if (rc < 0)
			member_fini(&one);
		else if (one.best < 0) {
			rc = no_label(&one, one.dev->name, e);
			member_fini(&one);
		} else {
			rc = append(&m, &cap, &one, e);
		}
	}
	for (; i < count; i++)
		dev_close(devs[i]);
	if (rc == 0) {
		*out = m;
		m = (struct members){ 0 };
	}
	members_close(&m);
	return rc;
}

static const struct pool_config *best_config(const struct member *m)
{
	return m->labels[m->best].config;
}

static bool is_called(const struct pool_config *c, const char *pool)
{
	char guid[24];

	snprintf(guid, sizeof guid, "%" PRIu64, c->pool_guid);
	return (c->name != NULL && strcmp(c->name, pool) == 0) || strcmp(guid, pool) == 0;
}

/* Spares and cache devices name no pool. */
static bool names_pool(const struct pool_config *c)
{
	return c->state != POOL_SPARE && c->state != POOL_L2CACHE && c->name != NULL;
}

static int two_pools(const struct pool_config *a, const struct pool_config *b, struct err *e)
{
	char	    one[256], two[256];
	struct text t = text_in(one, sizeof one), u = text_in(two, sizeof two);

	text_name(&t, a->name, strlen(a->name));
	text_name(&u, b->name, strlen(b->name));
	return err_set(e, ERR_REFUSED, "two pools here: %s (%" PRIu64 "), %s (%" PRIu64 ")", one,
		       a->pool_guid, two, b->pool_guid);
}

int members_choose(struct members *m, const char *pool, struct err *e)
{
	const struct pool_config *chosen = NULL;
	size_t			  kept = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct pool_config *c = best_config(&m->list[i]);

		if (!names_pool(c) || (pool != NULL && !is_called(c, pool)))
			continue;
		if (chosen == NULL)
			chosen = c;
		else if (chosen->pool_guid != c->pool_guid)
			return two_pools(chosen, c, e);
	}
	if (chosen == NULL)
		return err_set(e, ERR_NOTFOUND,
			       pool == NULL ? "no member of a pool%s" : "no pool %s",
			       pool == NULL ? "" : pool);

	uint64_t guid = chosen->pool_guid;

	for (size_t i = 0; i < m->count; i++) {
		const struct pool_config *c = best_config(&m->list[i]);

		if (names_pool(c) && c->pool_guid == guid)
			m->list[kept++] = m->list[i];
		else
			member_fini(&m->list[i]);
	}
	m->count = kept;
	return 0;
}

static int newest_first(const void *a, const void *b)
{
	const struct uberblock_found *x = a, *y = b;
	int			      c = uberblock_compare(&y->ub, &x->ub);

	return c != 0 ? c : (x->slot > y->slot) - (x->slot < y->slot);
}

int member_uberblocks(struct dev *dev, unsigned label, unsigned ashift,
		      struct uberblock_found **out, size_t *count, struct err *e)
{
	size_t			slot_size = uberblock_slot_size(ashift), n = 0;
	unsigned		slots = uberblock_slot_count(ashift);
	struct uberblock_found *found = NULL;
	uint8_t		       *ring = NULL;
	uint64_t		start;
	int			rc = -1;

	if (dev->size < LABEL_COUNT * (uint64_t)LABEL_SIZE)
		return err_set(e, ERR_NOTFOUND, "%s: too small for a label", dev->name);
	start = label_offset(dev->size, label) + LABEL_RING_OFFSET;
	ring = mem_raw(UBERBLOCK_RING_SIZE, e);
	found = mem_array(slots, sizeof *found, e);
	if (ring == NULL || found == NULL)
		goto out;
	if (dev_read(dev, start, ring, UBERBLOCK_RING_SIZE, e) < 0)
		goto out;
	for (unsigned i = 0; i < slots; i++) {
		struct bytes slot = bytes_of(ring + i * slot_size, slot_size, ORDER_NATIVE);

		if (uberblock_decode(slot, start + i * slot_size, &found[n].ub, NULL) < 0)
			continue;
		found[n].label = label;
		found[n++].slot = i;
	}
	qsort(found, n, sizeof *found, newest_first);
	*out = found;
	*count = n;
	found = NULL;
	rc = 0;
out:
	free(found);
	free(ring);
	return rc;
}
