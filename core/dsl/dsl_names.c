/* Names of datasets: what may be one, where it leads. Counts of them. */
#include "core/dsl/dsl_names.h"

#include <ctype.h>
#include <string.h>

#include "formats/base/limits.h"

#define LIMITS		 "com.joyent:filesystem_limits" /* the feature */
#define FILESYSTEM_COUNT "com.joyent:filesystem_count"	/* dsl_dir.h, DD_FIELD_* */
#define SNAPSHOT_COUNT	 "com.joyent:snapshot_count"

/* -- what may be a name ------------------------------------------------------------------------ */

/* Source: OpenZFS zfs_namecheck.c (valid_char, entity_namecheck). */
static bool may_be_in_name(unsigned char c)
{
	return c < 0x80 && (isalnum(c) || (c != '\0' && strchr("-_.: ", c) != NULL));
}

static int check_part(const char *p, size_t n, struct err *e)
{
	if (n == 0)
		return err_set(e, ERR_USAGE, "a part of the name is empty");
	if ((n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.'))
		return err_set(e, ERR_USAGE, "'.' and '..' are no names");
	for (size_t i = 0; i < n; i++) {
		if (!may_be_in_name((unsigned char)p[i]))
			return err_set(e, ERR_USAGE, "a character that may not be in a name");
	}
	return 0;
}

static int check_whole(const char *name, struct err *e)
{
	unsigned    depth = 0;
	const char *at = name;

	if (strlen(name) >= DATASET_NAME_MAX)
		return err_set(e, ERR_USAGE, "the name is too long");
	for (;;) {
		size_t n = strcspn(at, "/");

		if (check_part(at, n, e) < 0)
			return -1;
		if (at[n] == '\0')
			break;
		at += n + 1;
		if (++depth > DATASET_DEPTH_MAX)
			return err_set(e, ERR_USAGE, "datasets nest at most %d deep",
				       DATASET_DEPTH_MAX);
	}
	return 0;
}

static int bad_name(const char *name, struct err *e)
{
	char	    quoted[256];
	struct text t = text_in(quoted, sizeof quoted);

	text_name(&t, name, strlen(name));
	return err_in(e, "%s", quoted);
}

int dsl_check_name(const char *name, struct err *e)
{
	return check_whole(name, e) < 0 ? bad_name(name, e) : 0;
}

int dsl_check_snapshot_name(const char *dataset, const char *name, struct err *e)
{
	if (check_part(name, strlen(name), e) < 0)
		return bad_name(name, e);
	if (strlen(dataset) + 1 + strlen(name) < DATASET_NAME_MAX)
		return 0;
	err_set(e, ERR_USAGE, "the name is too long");
	return bad_name(name, e);
}

/* -- where a name leads ------------------------------------------------------------------------ */

static int find_child(struct dsl_write *w, uint64_t *dir, const char *part, size_t n, struct err *e)
{
	char	       name[DATASET_NAME_MAX];
	struct dsl_dir record;

	if (n >= sizeof name)
		return err_set(e, ERR_NOTFOUND, "no dataset has a name that long");
	memcpy(name, part, n);
	name[n] = '\0';
	if (dsl_get_dir(w->tx, *dir, &record, e) < 0)
		return -1;
	return dsl_zap_get(w, record.child_map, name, dir, e);
}

int dsl_find_dir(struct dsl_write *w, const char *name, size_t n, uint64_t *dir, struct err *e)
{
	const char *pool = pool_tx_name(w->tx);
	size_t	    at = strlen(pool);
	struct err  why = { 0 };

	if (n < at || memcmp(name, pool, at) != 0 || (n > at && name[at] != '/'))
		return err_set(e, ERR_NOTFOUND, "%.*s is not in pool %s", (int)n, name, pool);
	*dir = w->root_dir;
	while (at < n) {
		const char *part = name + at + 1, *end = memchr(part, '/', n - at - 1);
		size_t	    size = end != NULL ? (size_t)(end - part) : n - at - 1;

		at += 1 + size;
		if (find_child(w, dir, part, size, &why) == 0)
			continue;
		if (why.kind == ERR_NOTFOUND)
			return err_set(e, ERR_NOTFOUND, "no dataset %.*s", (int)at, name);
		return err_set(e, why.kind, "%.*s: %s", (int)at, name, why.text);
	}
	return 0;
}

/* -- counts ------------------------------------------------------------------------------------ */

/* One more, from `dir` up as far as there are counts. */
static int count_up(struct dsl_write *w, uint64_t dir, const char *what, struct err *e)
{
	for (unsigned depth = 0; dir != 0 && depth <= DATASET_DEPTH_MAX; depth++) {
		struct zap_edit *z;
		struct dsl_dir	 record;
		uint64_t	 count;
		int		 got = dsl_record_entry(w, dir, what, &count, e);

		if (got <= 0)
			return got;
		if (dsl_record_zap(w, dir, &z, e) < 0 || zap_edit_set(z, what, count + 1, e) < 0 ||
		    dsl_get_dir(w->tx, dir, &record, e) < 0)
			return -1;
		dir = record.parent;
	}
	return 0;
}

static int start_counts(struct dsl_write *w, uint64_t dir, struct err *e)
{
	struct zap_edit *z;

	if (dsl_record_zap(w, dir, &z, e) < 0 || zap_edit_set(z, FILESYSTEM_COUNT, 0, e) < 0)
		return -1;
	return zap_edit_set(z, SNAPSHOT_COUNT, 0, e);
}

/* Limits are in force as soon as one dataset has one. */
static bool counting(struct dsl_write *w)
{
	uint64_t active;

	return pool_tx_feature_count(w->tx, LIMITS, &active) && active > 0;
}

int dsl_count_dataset(struct dsl_write *w, uint64_t dir, struct err *e)
{
	struct dsl_dir record;

	if (!counting(w))
		return 0;
	if (dsl_get_dir(w->tx, dir, &record, e) < 0 ||
	    count_up(w, record.parent, FILESYSTEM_COUNT, e) < 0)
		return -1;
	return start_counts(w, dir, e);
}

int dsl_count_from(struct dsl_write *w, uint64_t dir, struct err *e)
{
	if (!pool_tx_has(w->tx, LIMITS))
		return err_set(e, ERR_USAGE, "the pool has no feature filesystem_limits");
	if (!counting(w) && pool_tx_feature(w->tx, LIMITS, 1, e) < 0)
		return -1;
	return start_counts(w, dir, e);
}

int dsl_count_snapshot(struct dsl_write *w, uint64_t dir, struct err *e)
{
	return count_up(w, dir, SNAPSHOT_COUNT, e);
}
