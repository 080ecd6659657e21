/* Paths are turned into a dataset and a path in it; then it is the dataset's own sink that writes.
 */
#include "cmd/mkpool/fill.h"

#include <string.h>

#include "cmd/mkpool/mounts.h"

/* A directory that merely leads to mount points is not in the pool, and not missed there. */
static bool on_the_way(const struct fill *f, const struct entry *n)
{
	size_t index;

	if (n->kind != ENTRY_DIR || mounts_find(f->s, n->path, n->path_size, &index, NULL) == 0)
		return false;
	for (size_t i = 0; i < f->s->count; i++) {
		const char *at = mounts_point(&f->s->list[i]);

		if (at != NULL && (n->path_size == 0 || (strlen(at) > n->path_size &&
							 memcmp(at, n->path, n->path_size) == 0 &&
							 at[n->path_size] == '/')))
			return true;
	}
	return false;
}

/* -- paths ------------------------------------------------------------------------------------- */

/* Where a path of the source is: the dataset, and its path there in `out`. */
static int route(const struct fill *f, const char *path, size_t n, size_t *index, char *out,
		 size_t *out_n, struct err *e)
{
	size_t dir_n = strlen(f->step->dir), cut = 0;

	if (f->step->dataset == PLAN_SPLIT) {
		if (mounts_find(f->s, path, n, index, e) < 0)
			return -1;
		cut = strlen(f->s->list[*index].plan->mountpoint);
		cut += cut > 0 && cut < n;
	} else {
		*index = f->step->dataset;
	}
	path += cut;
	n -= cut;
	if (dir_n + 1 + n > ENTRY_PATH_MAX)
		return err_set(e, ERR_REFUSED, "below %s: longer than %d bytes", f->step->dir,
			       ENTRY_PATH_MAX);
	memcpy(out, f->step->dir, dir_n);
	if (dir_n > 0 && n > 0)
		out[dir_n++] = '/';
	memcpy(out + dir_n, path, n);
	out[dir_n + n] = '\0';
	*out_n = dir_n + n;
	return 0;
}

static int route_link(struct fill *f, const struct entry *n, size_t index, struct entry *out,
		      struct err *e)
{
	size_t other;

	if (route(f, n->target, n->target_size, &other, f->target, &out->target_size, e) < 0)
		return err_in(e, "hard link");
	out->target = f->target;
	if (other == index)
		return 0;
	err_set(e, ERR_REFUSED,
		"--split: is in %s, and a hard link to a file in %s: links do not lead from one "
		"dataset to another",
		f->s->list[index].plan->name, f->s->list[other].plan->name);
	return entry_err_in(e, n->path, n->path_size);
}

/* A whiteout must not mean what another dataset holds. */
static int check_whiteout(const struct fill *f, const struct entry *n, struct err *e)
{
	static const char prefix[] = ".wh.";
	const size_t	  prefix_n = sizeof prefix - 1;
	size_t		  dir_n = n->path_size;
	char		  gone[ENTRY_PATH_MAX + 1];

	while (dir_n > 0 && n->path[dir_n - 1] != '/')
		dir_n--;
	if (n->path_size - dir_n <= prefix_n || memcmp(n->path + dir_n, prefix, prefix_n) != 0)
		return 0;

	const char *name = n->path + dir_n + prefix_n;
	size_t	    name_n = n->path_size - dir_n - prefix_n;
	bool	    opaque = name_n == 8 && memcmp(name, ".wh..opq", 8) == 0;

	memcpy(gone, n->path, dir_n);
	memcpy(gone + dir_n, name, name_n);
	gone[opaque ? dir_n - (dir_n > 0) : dir_n + name_n] = '\0';
	for (size_t i = 0; i < f->s->count; i++) {
		const char *at = mounts_point(&f->s->list[i]);

		if (at == NULL || !mounts_leads(gone, at, strlen(at)) ||
		    (opaque && strcmp(gone, at) == 0))
			continue;
		err_set(e, ERR_REFUSED,
			"--split: a whiteout that takes away /%s, the mountpoint of %s", at,
			f->s->list[i].plan->name);
		return entry_err_in(e, n->path, n->path_size);
	}
	return 0;
}

/* -- the sink ---------------------------------------------------------------------------------- */

void fill_begin_source(struct fill *f, struct datasets *s, const struct plan_step *step)
{
	f->s = s;
	f->step = step;
	f->to = NULL;
	for (size_t i = 0; i < s->count; i++)
		layers_next(&s->list[i].layers);
}

static int put(struct fill *f, size_t index, const struct entry *n, struct err *e)
{
	struct made_dataset *m = &f->s->list[index];
	struct entry_sink    sink;
	int		     rc = 1;

	if (datasets_open(f->s, index, e) < 0)
		return -1;
	if (f->s->o->layers)
		rc = layers_take(&m->layers, n, e);
	if (rc <= 0)
		return rc;
	sink = zpl_write_sink(m->z);
	f->to = m;
	return sink.begin(sink.self, n, e);
}

/*
 * The directory that a dataset is mounted on, when the source has it, is in the dataset above too:
 * a read-only one could not be given it later.
 */
static int put_mountpoint(struct fill *f, const struct entry *n, struct err *e)
{
	char	     path[ENTRY_PATH_MAX + 1];
	struct entry dir = *n;
	size_t	     up = n->path_size, index;

	if (n->kind != ENTRY_DIR) {
		err_set(e, ERR_REFUSED, "--split: is a mountpoint, and no directory");
		return entry_err_in(e, n->path, n->path_size);
	}
	while (up > 0 && n->path[up - 1] != '/')
		up--;
	up -= up > 0;
	if (mounts_find(f->s, n->path, up, &index, NULL) < 0)
		return 0;

	size_t cut = strlen(f->s->list[index].plan->mountpoint);

	cut += cut > 0;
	memcpy(path, n->path + cut, n->path_size - cut);
	dir.path = path;
	dir.path_size = n->path_size - cut;
	if (put(f, index, &dir, e) < 0)
		return -1;
	return fill_end(f, e);
}

int fill_begin(struct fill *f, const struct entry *n, struct err *e)
{
	bool	     split = f->step->dataset == PLAN_SPLIT;
	struct entry routed = *n;
	size_t	     index;

	f->to = NULL;
	if (split && on_the_way(f, n))
		return 0;
	if (split && mounts_at(f->s, n->path, n->path_size) != SIZE_MAX &&
	    put_mountpoint(f, n, e) < 0)
		return -1;
	if (split && f->s->o->layers && check_whiteout(f, n, e) < 0)
		return -1;
	if (route(f, n->path, n->path_size, &index, f->path, &routed.path_size, e) < 0)
		return entry_err_in(e, n->path, n->path_size);
	routed.path = f->path;
	if (n->kind == ENTRY_HARDLINK && route_link(f, n, index, &routed, e) < 0)
		return -1;
	return put(f, index, &routed, e);
}

int fill_data(struct fill *f, uint64_t offset, struct bytes piece, struct err *e)
{
	struct entry_sink sink;

	if (f->to == NULL)
		return 0;
	sink = zpl_write_sink(f->to->z);
	return sink.data(sink.self, offset, piece, e);
}

int fill_end(struct fill *f, struct err *e)
{
	struct entry_sink sink;

	if (f->to == NULL)
		return 0;
	sink = zpl_write_sink(f->to->z);
	f->to = NULL;
	return sink.end(sink.self, NULL, e);
}
