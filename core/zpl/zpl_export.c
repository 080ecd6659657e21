/*
 * A tree out of a file system into a sink. Directories are read whole, to have their names
 * in order, and kept on a stack; paths live in one buffer. One file's contents and
 * attributes are export_file.c.
 */
#include <stdio.h>

#include "core/base/mem.h"
#include "core/zpl/export_impl.h"

/* Names of one directory, in an arena; offsets, since it moves when it grows. */
struct name {
	size_t	 at;
	uint32_t n;
	uint64_t object;
};

struct level {
	char	    *arena;
	size_t	     arena_n, arena_cap;
	struct name *names;
	size_t	     count, cap, next;
	size_t	     path_n; /* of the directory itself */
};

struct stack {
	struct level *levels;
	size_t	      depth, cap;
};

void export_report(struct export *x, const struct err *why)
{
	if (x->what->report != NULL)
		x->what->report(x->what->ctx, x->path, x->path_n, why);
}

static void report_contents(void *ctx, const struct err *why)
{
	export_report(ctx, why);
}

/* Reports a fault in a name that has no path of its own. */
static void report_name(struct export *x, const char *name, size_t n, const char *fault)
{
	char	    quoted[512];
	struct text t = text_in(quoted, sizeof quoted);
	struct err  why = { 0 };

	text_name(&t, name, n);
	err_set(&why, ERR_CORRUPT, "entry \"%s\": %s", quoted, fault);
	export_report(x, &why);
}

/* A name that could mean another place, or none, is never handed out. */
static bool name_is_plain(const char *name, size_t n)
{
	if (n == 0 || memchr(name, 0, n) != NULL || memchr(name, '/', n) != NULL)
		return false;
	return !(n == 1 && name[0] == '.') && !(n == 2 && name[0] == '.' && name[1] == '.');
}

struct filling {
	struct export *x;
	struct level  *level;
};

static int add_name(void *ctx, const struct zpl_dirent *d, struct err *e)
{
	struct filling *f = ctx;
	struct level   *l = f->level;

	if (!name_is_plain(d->name, d->name_size)) {
		report_name(f->x, d->name, d->name_size, "not a name");
		return 0;
	}
	if (mem_grow(&l->arena, &l->arena_cap, l->arena_n + d->name_size, 1, e) < 0 ||
	    mem_grow(&l->names, &l->cap, l->count + 1, sizeof *l->names, e) < 0)
		return EXPORT_STOP;
	memcpy(l->arena + l->arena_n, d->name, d->name_size);
	l->names[l->count++] = (struct name){ .at = l->arena_n,
					      .n = (uint32_t)d->name_size,
					      .object = d->object };
	l->arena_n += d->name_size;
	return 0;
}

static int compare(const char *a, size_t an, const char *b, size_t bn)
{
	int c = memcmp(a, b, an < bn ? an : bn);

	return c != 0 ? c : (an > bn) - (an < bn);
}

/* Heap sort: no library call sorts with a context, and names are offsets into the arena. */
static bool before(const struct level *l, size_t a, size_t b)
{
	const struct name *x = &l->names[a], *y = &l->names[b];

	return compare(l->arena + x->at, x->n, l->arena + y->at, y->n) < 0;
}

static void swap(struct level *l, size_t a, size_t b)
{
	struct name t = l->names[a];

	l->names[a] = l->names[b];
	l->names[b] = t;
}

static void sift(struct level *l, size_t at, size_t n)
{
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= n)
			return;
		if (child + 1 < n && before(l, child, child + 1))
			child++;
		if (!before(l, at, child))
			return;
		swap(l, at, child);
		at = child;
	}
}

static void sort_names(struct level *l)
{
	for (size_t i = l->count / 2; i-- > 0;)
		sift(l, i, l->count);
	for (size_t n = l->count; n > 1; n--) {
		swap(l, 0, n - 1);
		sift(l, 0, n - 1);
	}
}

static void level_fini(struct level *l)
{
	free(l->arena);
	free(l->names);
}

/* Reads the directory at x->path onto the stack. What of it cannot be read is reported. */
static int enter(struct export *x, struct stack *s, uint64_t dir, struct err *e)
{
	struct level   l = { .path_n = x->path_n };
	struct filling f = { .x = x, .level = &l };
	struct err     why = { 0 };
	int	       rc = idmap_add(&x->entered, dir, e);

	if (rc < 0)
		return -1;
	if (rc == 0) {
		err_set(&why, ERR_CORRUPT, "directory %llu was met before under another name",
			(unsigned long long)dir);
		export_report(x, &why);
		return 0;
	}
	rc = zpl_readdir(x->z, dir, add_name, &f, &why);
	if (rc == EXPORT_STOP || mem_grow(&s->levels, &s->cap, s->depth + 1, sizeof l, e) < 0) {
		level_fini(&l);
		return err_nomem(e);
	}
	if (rc != 0)
		export_report(x, &why);
	sort_names(&l);
	s->levels[s->depth++] = l;
	return 0;
}

static enum zpl_wanted wanted(const struct export *x, bool dir)
{
	return x->what->wanted == NULL ? ZPL_WANTED
				       : x->what->wanted(x->what->ctx, x->path, x->path_n, dir);
}

/* The object at x->path: into the sink, and onto the stack when it is a directory. */
static int do_object(struct export *x, struct stack *s, uint64_t object, struct err *e)
{
	struct zpl_attr a;
	struct err	why = { 0 };
	bool		dir;
	enum zpl_wanted how;

	if (zpl_getattr(x->z, object, &a, &why) < 0) {
		export_report(x, &why);
		return 0;
	}
	dir = entry_kind_of_mode(a.mode) == ENTRY_DIR;
	how = wanted(x, dir);
	if (how == ZPL_NOT_WANTED)
		return 0;
	if (how == ZPL_WANTED && export_one(x, &a, e) < 0)
		return -1;
	return dir ? enter(x, s, object, e) : 0;
}

/* Sets x->path to "directory/name"; false when that is too long. */
static bool set_path(struct export *x, const struct level *l, const struct name *n)
{
	size_t at = l->path_n, slash = at > 0 ? 1 : 0;

	if (n->n > ENTRY_PATH_MAX - at || slash > ENTRY_PATH_MAX - at - n->n)
		return false;
	if (slash > 0)
		x->path[at++] = '/';
	memcpy(x->path + at, l->arena + n->at, n->n);
	x->path_n = at + n->n;
	x->path[x->path_n] = '\0';
	return true;
}

static int next_name(struct export *x, struct stack *s, struct err *e)
{
	struct level *l = &s->levels[s->depth - 1];
	struct name   n;

	x->path_n = l->path_n;
	x->path[x->path_n] = '\0';
	if (l->next == l->count) {
		level_fini(l);
		s->depth--;
		return 0;
	}
	n = l->names[l->next++];
	if (!set_path(x, l, &n)) {
		report_name(x, l->arena + n.at, n.n, "its path is too long");
		return 0;
	}
	return do_object(x, s, n.object, e);
}

int zpl_export(struct zpl *z, const struct zpl_export *what, struct entry_sink *sink, struct err *e)
{
	struct export x = { .z = z, .what = what, .sink = sink };
	struct stack  s = { 0 };
	int	      rc;

	x.contents = (struct contents){ .sink = sink, .report = report_contents, .ctx = &x };
	rc = do_object(&x, &s, what->object, e);
	while (rc == 0 && s.depth > 0)
		rc = next_name(&x, &s, e);
	while (s.depth > 0)
		level_fini(&s.levels[--s.depth]);
	free(s.levels);
	export_fini(&x);
	return rc;
}
