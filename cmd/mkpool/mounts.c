/* Mount points as paths from the root of the importing system. */
#include "cmd/mkpool/mounts.h"

#include <string.h>

bool mounts_leads(const char *mountpoint, const char *path, size_t n)
{
	size_t m = strlen(mountpoint);

	return m == 0 || (m <= n && memcmp(mountpoint, path, m) == 0 && (m == n || path[m] == '/'));
}

/* One that is never mounted by itself cannot show what is put into it. */
const char *mounts_point(const struct made_dataset *m)
{
	enum { CANMOUNT_OFF = 0 };

	if (m->d == NULL || m->plan->volume ||
	    dsl_props_number(m->plan->props, PROP_CANMOUNT) == CANMOUNT_OFF)
		return NULL;
	return m->plan->mountpoint;
}

int mounts_find(const struct datasets *s, const char *path, size_t n, size_t *index, struct err *e)
{
	const char *best = NULL, *at;

	for (size_t i = 0; i < s->count; i++) {
		at = mounts_point(&s->list[i]);
		if (at == NULL || !mounts_leads(at, path, n) ||
		    (best != NULL && strlen(at) < strlen(best)))
			continue;
		if (best != NULL && strlen(at) == strlen(best))
			return err_set(e, ERR_REFUSED,
				       "--split: %s and %s have the same mountpoint /%s; "
				       "canmount=off takes one of them out",
				       s->list[*index].plan->name, s->list[i].plan->name, at);
		best = at;
		*index = i;
	}
	if (best == NULL)
		return err_set(e, ERR_REFUSED,
			       "--split: no dataset has a mountpoint above it (mountpoint=/ takes "
			       "all that is left)");
	return 0;
}

size_t mounts_at(const struct datasets *s, const char *path, size_t n)
{
	for (size_t i = 0; i < s->count; i++) {
		const char *at = mounts_point(&s->list[i]);

		if (at != NULL && n > 0 && strlen(at) == n && memcmp(at, path, n) == 0)
			return i;
	}
	return SIZE_MAX;
}

static int make_dir(struct datasets *s, const char *point, struct err *e)
{
	const char *slash = strrchr(point, '/');
	struct err  why = { 0 };
	size_t	    above, cut;

	if (mounts_find(s, point, slash != NULL ? (size_t)(slash - point) : 0, &above, NULL) < 0)
		return 0;
	cut = strlen(s->list[above].plan->mountpoint);
	cut += cut > 0;
	if (datasets_open(s, above, e) < 0)
		return -1;
	if (zpl_write_make_dir(s->list[above].z, point + cut, strlen(point + cut), &why) == 0 ||
	    why.kind == ERR_EXISTS)
		return 0;
	*e = why;
	return err_in(e, "%s", s->list[above].plan->name);
}

int mounts_make_dirs(struct datasets *s, struct err *e)
{
	for (size_t i = 0; i < s->count; i++) {
		const char *point = mounts_point(&s->list[i]);

		if (point != NULL && point[0] != '\0' && make_dir(s, point, e) < 0)
			return -1;
	}
	return 0;
}
