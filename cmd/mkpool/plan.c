/* Words into datasets and steps; names and properties are checked as zfs does. */
#include "cmd/mkpool/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/items.h"
#include "cmd/mkpool/words.h"
#include "core/base/mem.h"
#include "core/zpl/entry.h"
#include "formats/base/limits.h"

/* -- datasets ---------------------------------------------------------------------------------- */

static struct plan_dataset *find(const struct plan *p, const char *name, size_t n)
{
	for (size_t i = 0; i < p->dataset_count; i++) {
		struct plan_dataset *d = &p->datasets[i];

		if (strncmp(d->name, name, n) == 0 && d->name[n] == '\0')
			return d;
	}
	return NULL;
}

static char *copy(const char *text, size_t n, struct err *e)
{
	char *to = mem_raw(n + 1, e);

	if (to != NULL) {
		memcpy(to, text, n);
		to[n] = '\0';
	}
	return to;
}

static void dataset_fini(struct plan_dataset *d)
{
	if (!d->borrowed)
		dsl_props_free(d->props);
	free(d->name);
	free(d->words);
	free(d->mountpoint);
	free(d->raw);
}

static void step_fini(struct plan_step *s)
{
	free(s->dir);
	free(s->snapshot);
}

void plan_fini(struct plan *p)
{
	for (size_t i = 0; i < p->dataset_count; i++)
		dataset_fini(&p->datasets[i]);
	for (size_t i = 0; i < p->step_count; i++)
		step_fini(&p->steps[i]);
	free(p->datasets);
	free(p->steps);
	*p = (struct plan){ 0 };
}

static int add_step(struct plan *p, struct plan_step s, struct err *e)
{
	if (mem_grow(&p->steps, &p->step_cap, p->step_count + 1, sizeof p->steps[0], e) < 0) {
		step_fini(&s);
		return -1;
	}
	p->steps[p->step_count++] = s;
	return 0;
}

/* The dataset's place below its parent's mount point. */
static int below(struct plan_dataset *d, const char *parent, struct err *e)
{
	const char *last = strrchr(d->name, '/');
	size_t	    n = parent != NULL ? strlen(parent) : 0, m;

	last = last != NULL ? last + 1 : d->name;
	m = strlen(last);
	d->mountpoint = mem_raw(n + m + 2, e);
	if (d->mountpoint == NULL)
		return -1;
	snprintf(d->mountpoint, n + m + 2, "%s%s%s", n > 0 ? parent : "", n > 0 ? "/" : "", last);
	return 0;
}

/* Source: OpenZFS libzfs_dataset.c (zfs_get_prop_mountpoint): inherited ones go on with the name.
 */
static int find_mountpoint(struct plan_dataset *d, const struct plan_dataset *parent, struct err *e)
{
	const char *text;
	size_t	    n;

	if (d->volume)
		return 0;
	if (dsl_props_source(d->props, PROP_MOUNTPOINT) != DSL_PROP_LOCAL) {
		if (parent != NULL && parent->mountpoint == NULL)
			return 0;
		return below(d, parent != NULL ? parent->mountpoint : NULL, e);
	}
	text = dsl_props_text(d->props, PROP_MOUNTPOINT);
	if (text == NULL || text[0] != '/')
		return 0;
	d->mountpoint = mem_raw(strlen(text) + 1, e);
	if (d->mountpoint == NULL || entry_path_clean(text, strlen(text), d->mountpoint, &n, e) < 0)
		return err_in(e, "mountpoint");
	return 0;
}

static int add_dataset(struct plan *p, struct plan_dataset *d, const struct plan_dataset *parent,
		       struct err *e)
{
	/* Before the array moves: parent points into it. */
	if (find_mountpoint(d, parent, e) < 0 ||
	    mem_grow(&p->datasets, &p->dataset_cap, p->dataset_count + 1, sizeof p->datasets[0],
		     e) < 0)
		return -1;
	p->datasets[p->dataset_count++] = *d;
	*d = (struct plan_dataset){ 0 };
	return add_step(
		p, (struct plan_step){ .kind = PLAN_CREATE, .dataset = p->dataset_count - 1 }, e);
}

int plan_root(struct plan *p, const char *pool, struct dsl_props *root, struct err *e)
{
	struct plan_dataset d = { .name = copy(pool, strlen(pool), e),
				  .props = root,
				  .borrowed = true };
	int		    rc = d.name == NULL ? -1 : add_dataset(p, &d, NULL, e);

	p->pool = pool;
	dataset_fini(&d);
	return rc;
}

/* Name and parent of a new dataset, in zfs's words. */
static int check_new(const struct plan *p, const char *name, const struct plan_dataset **parent,
		     struct err *e)
{
	const char *slash = strrchr(name, '/');

	if (words_check_dataset(name, p->pool, e) < 0)
		return -1;
	if (find(p, name, strlen(name)) != NULL)
		return err_set(e, ERR_USAGE, "cannot create '%s': dataset already exists", name);
	*parent = find(p, name, (size_t)(slash - name));
	if (*parent == NULL)
		return err_set(e, ERR_USAGE,
			       "cannot create '%s': parent does not exist; -c %.*s goes before it",
			       name, (int)(slash - name), name);
	if ((*parent)->volume)
		return err_set(e, ERR_USAGE, "cannot create '%s': parent is not a filesystem",
			       name);
	return 0;
}

static int set_items(struct plan_dataset *d, const struct items *items, struct err *e)
{
	for (size_t i = 1; i < items->count; i++) {
		const struct item *item = &items->list[i];

		if (item->value == NULL)
			return err_set(e, ERR_USAGE, "'%s' is not property=value", item->key);
		if (props_set(d->props, item->key, item->value, e) < 0)
			return -1;
	}
	return 0;
}

/* A volume has the size that it is given, else that of its contents, in whole blocks. */
static int size_of_raw(struct plan_dataset *d, struct err *e)
{
	uint64_t block = dsl_props_number(d->props, PROP_VOLBLOCKSIZE);
	uint64_t given = dsl_props_number(d->props, PROP_VOLSIZE), size;
	char	 text[24];

	if (words_raw_size(d->raw, &size, e) < 0)
		return -1;
	if (given > 0 && size > given)
		return err_set(e, ERR_USAGE, "%s has %llu bytes, more than volsize=%llu", d->raw,
			       (unsigned long long)size, (unsigned long long)given);
	if (given > 0)
		return 0;
	if (size == 0 || size > INT64_MAX - block)
		return err_set(e, ERR_USAGE, "%s is empty: volsize=SIZE says how large it is to be",
			       d->raw);
	snprintf(text, sizeof text, "%llu", (unsigned long long)align_up(size, block));
	return dsl_props_set(d->props, "volsize", text, e);
}

/* Its space is its own, as zfs create -V without -s has it; refreservation=none makes it thin. */
static int end_volume(struct plan_dataset *d, struct err *e)
{
	if (d->raw != NULL && size_of_raw(d, e) < 0)
		return -1;
	if (dsl_props_number(d->props, PROP_VOLSIZE) == 0)
		return err_set(e, ERR_USAGE,
			       "volsize=SIZE or a file with its contents is needed");
	if (dsl_props_source(d->props, PROP_REFRESERVATION) == DSL_PROP_LOCAL)
		return 0;
	return dsl_props_set(d->props, "refreservation", "auto", e);
}

static int begin_volume(struct plan_dataset *d, const struct item *first,
			const struct plan_dataset *parent, struct err *e)
{
	d->volume = true;
	if (dsl_props_new_volume(parent->props, &d->props, e) < 0)
		return -1;
	if (first->value == NULL)
		return 0;
	if (first->value[0] == '\0')
		return err_set(e, ERR_USAGE, "no file after '='");
	d->raw = copy(first->value, strlen(first->value), e);
	return d->raw == NULL ? -1 : 0;
}

static int begin_file_system(struct plan_dataset *d, const struct item *first,
			     const struct plan_dataset *parent, struct err *e)
{
	if (first->value != NULL)
		return err_set(
			e, ERR_USAGE,
			"'%s=...' is no dataset; contents are given with -d, a volume with -V",
			first->key);
	return dsl_props_new(parent->props, &d->props, e);
}

/* The words behind the name. */
static int keep_words(struct plan_dataset *d, const char *word, struct err *e)
{
	size_t n = items_find_bare(word, strlen(word), ',');

	if (word[n] == '\0')
		return 0;
	d->words = copy(word + n, strlen(word + n), e);
	return d->words == NULL ? -1 : 0;
}

static int make(struct plan *p, const char *word, bool volume, struct err *e)
{
	const struct plan_dataset *parent = NULL;
	struct plan_dataset	   d = { 0 };
	struct items		   items;
	const struct item	  *first;
	int			   rc = -1;

	if (items_parse(word, strlen(word), &items, e) < 0)
		return -1;
	first = &items.list[0];
	d.name = copy(first->key, strlen(first->key), e);
	if (d.name == NULL || check_new(p, d.name, &parent, e) < 0 || keep_words(&d, word, e) < 0)
		goto out;
	if (volume ? begin_volume(&d, first, parent, e) < 0
		   : begin_file_system(&d, first, parent, e) < 0)
		goto out;
	if (set_items(&d, &items, e) < 0 || (volume && end_volume(&d, e) < 0))
		goto named;
	rc = add_dataset(p, &d, parent, e);
named:
	if (rc < 0 && d.name != NULL)
		err_in(e, "%s", d.name);
out:
	dataset_fini(&d);
	items_free(&items);
	return rc;
}

int plan_create(struct plan *p, const char *word, struct err *e)
{
	return make(p, word, false, e);
}

int plan_volume(struct plan *p, const char *word, struct err *e)
{
	return make(p, word, true, e);
}

/* -- contents and snapshots -------------------------------------------------------------------- */

/* A file system that was made before this step. */
static int need(const struct plan *p, const char *name, size_t n, size_t *index, struct err *e)
{
	const struct plan_dataset *d = find(p, name, n);

	if (d == NULL)
		return err_set(e, ERR_USAGE,
			       "dataset '%.*s' does not exist; -c %.*s goes before it", (int)n,
			       name, (int)n, name);
	*index = (size_t)(d - p->datasets);
	return 0;
}

/* "tank/home@/dir": a file system and a directory in it. */
static int take_target(const struct plan *p, const char *word, size_t n, struct plan_step *s,
		       struct err *e)
{
	const char *at = memchr(word, '@', n);
	size_t	    name_n = at != NULL ? (size_t)(at - word) : n, dir_n;

	if (at != NULL && at[1] != '/')
		return err_set(e, ERR_USAGE,
			       "%.*s: contents go into a dataset, or a directory of it "
			       "(DATASET@/DIR=), not into a snapshot",
			       (int)n, word);
	if (need(p, word, name_n, &s->dataset, e) < 0)
		return -1;
	if (p->datasets[s->dataset].volume)
		return err_set(e, ERR_USAGE,
			       "%s is a volume; its contents are given with -V %s=RAWFILE",
			       p->datasets[s->dataset].name, p->datasets[s->dataset].name);
	s->dir = mem_zero(n + 1, e);
	if (s->dir == NULL)
		return -1;
	if (at != NULL &&
	    entry_path_clean(at + 1, (size_t)(word + n - at) - 1, s->dir, &dir_n, NULL) < 0)
		return err_set(e, ERR_USAGE, "%.*s: no path that can be in a dataset", (int)n,
			       word);
	return 0;
}

int plan_fill(struct plan *p, const char *word, struct err *e)
{
	size_t	    n = strlen(p->pool);
	const char *eq = strchr(word, '=');
	bool	    named = eq != NULL && strncmp(word, p->pool, n) == 0 &&
		     (word[n] == '=' || word[n] == '/' || word[n] == '@');
	struct plan_step s = { .kind = PLAN_FILL, .dataset = p->split ? PLAN_SPLIT : 0 };

	if (named && take_target(p, word, (size_t)(eq - word), &s, e) < 0)
		goto fail;
	if (!named) {
		s.dir = copy("", 0, e);
		if (s.dir == NULL)
			return -1;
	}
	s.source = named ? eq + 1 : word;
	s.mtree = strncmp(s.source, "mtree:", 6) == 0;
	if (s.mtree)
		s.source += 6;
	if (s.source[0] == '\0') {
		err_set(e, ERR_USAGE, "'%s': no source", word);
		goto fail;
	}
	if (strncmp(s.source, "oci:", 4) == 0) {
		err_set(e, ERR_USAGE, "%s: such sources are not built yet", s.source);
		goto fail;
	}
	return add_step(p, s, e);
fail:
	step_fini(&s);
	return -1;
}

static bool taken(const struct plan *p, size_t dataset, const char *snapshot)
{
	for (size_t i = 0; i < p->step_count; i++) {
		const struct plan_step *s = &p->steps[i];

		if (s->kind == PLAN_SNAPSHOT && s->dataset == dataset &&
		    strcmp(s->snapshot, snapshot) == 0)
			return true;
	}
	return false;
}

int plan_snapshot(struct plan *p, const char *word, struct err *e)
{
	const char	*at = strchr(word, '@');
	struct plan_step s = { .kind = PLAN_SNAPSHOT };

	if (at == NULL)
		return err_set(e, ERR_USAGE, "'%s' is not DATASET@SNAPSHOT", word);
	if (words_check_snapshot(word, e) < 0 ||
	    need(p, word, (size_t)(at - word), &s.dataset, e) < 0)
		return -1;
	if (taken(p, s.dataset, at + 1))
		return err_set(e, ERR_USAGE, "cannot create snapshot '%s': dataset already exists",
			       word);
	s.snapshot = copy(at + 1, strlen(at + 1), e);
	return s.snapshot == NULL ? -1 : add_step(p, s, e);
}

/* -- together ---------------------------------------------------------------------------------- */

static int check_bootfs(struct plan *p, const char *name, struct err *e)
{
	const struct plan_dataset *d = find(p, name, strlen(name));

	if (d == NULL)
		return err_set(e, ERR_USAGE, "-o bootfs: dataset '%s' does not exist; -c makes it",
			       name);
	if (d->volume)
		return err_set(e, ERR_USAGE, "-o bootfs: '%s' is a volume", name);
	p->bootfs = (size_t)(d - p->datasets);
	return 0;
}

int plan_check(struct plan *p, const struct props *props, struct err *e)
{
	for (size_t i = 1; i < p->dataset_count; i++) {
		if (props_allow(props, p->datasets[i].props, e) < 0)
			return err_in(e, "%s", p->datasets[i].name);
	}
	return props->bootfs != NULL ? check_bootfs(p, props->bootfs, e) : 0;
}
