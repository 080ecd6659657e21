/* Places as sources: opening them, and copying what they name into a sink. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/poolcp/run.h"
#include "core/entries/volume_out.h"
#include "formats/base/text.h"

static void on_event(void *ctx, const struct block_event *event)
{
	struct run *r = ctx;
	char	    where[128];
	struct text t = text_in(where, sizeof where);

	/* A copy that failed is worth a word; whether all did, the reader's own error says. */
	if (r->cli.verbose < 0)
		return;
	block_where_text(event->where, &t);
	cli_say(&r->cli, "warning: %s: copy %u at vdev %" PRIu32 " offset %" PRIx64 ": %s", where,
		event->copy, event->vdev, event->offset, event->why->text);
}

static int open_pool(struct source *s, struct err *e)
{
	struct run	   *r = s->run;
	struct pool_options o = cli_pool_options(&r->cli, (const char *const *)s->place.members,
						 s->place.member_count);

	if (o.path_count == 0)
		return err_set(e, ERR_USAGE, "no member is named, and there is no -m");
	o.on_event = on_event;
	o.ctx = r;
	if (pool_open(&o, &s->pool, e) < 0)
		return -1;
	for (size_t i = 0; r->cli.verbose >= 0 && i < pool_warning_count(s->pool); i++)
		cli_say(&r->cli, "warning: %s", pool_warning(s->pool, i));
	return 0;
}

static int open_dataset(struct source *s, struct err *e)
{
	char *name = place_dataset_name(&s->place);

	if (name == NULL)
		return err_nomem(e);

	int rc = dataset_open(s->pool, name, &s->dataset, e);

	free(name);
	if (rc < 0)
		return -1;

	struct objset os;

	if (dataset_objset(&s->dataset, &os, e) < 0)
		return -1;
	s->is_volume = os.phys.type == OBJSET_ZVOL;
	if (s->is_volume)
		return zvol_open(&s->dataset, &s->volume, e);
	return zpl_open(&s->dataset, &s->zpl, e) < 0 ? err_in(e, "%s", s->dataset.name) : 0;
}

/* A volume is called after its dataset, without the snapshot. */
static int name_volume(struct source *s, struct err *e)
{
	const char *slash = strrchr(s->dataset.name, '/');
	const char *name = slash != NULL ? slash + 1 : s->dataset.name;

	if (s->place.path != NULL && s->place.path[0] != '\0')
		return err_set(e, ERR_NOTFOUND, "%s is a volume: there is no path in it",
			       s->dataset.name);
	s->attr.mode = S_IFREG;
	s->path = strndup(name, strcspn(name, "@"));
	return s->path != NULL ? 0 : err_nomem(e);
}

static int find_path(struct source *s, struct err *e)
{
	const char *path = s->place.path != NULL ? s->place.path : "";
	size_t	    n;
	uint64_t    object;

	if (s->is_volume)
		return name_volume(s, e);
	s->path = malloc(strlen(path) + 1);
	if (s->path == NULL)
		return err_nomem(e);
	if (entry_path_clean(path, strlen(path), s->path, &n, e) < 0)
		return err_in(e, "%s", s->dataset.name);
	if (zpl_lookup(s->zpl, s->path, &object, e) < 0)
		return -1;
	return zpl_getattr(s->zpl, object, &s->attr, e);
}

int source_open(struct run *r, size_t index, struct source *out, struct err *e)
{
	const char *word = r->cli.args[index];

	*out = (struct source){ .run = r, .index = index };
	if (place_parse(word, &out->place, e) < 0)
		return -1;
	if (out->place.dataset[0] == '\0')
		err_set(e, ERR_USAGE, "'%s' names no dataset", word);
	else if (open_pool(out, e) == 0 && open_dataset(out, e) == 0 && find_path(out, e) == 0)
		return 0;
	source_close(out);
	return -1;
}

void source_close(struct source *s)
{
	zpl_close(s->zpl);
	if (s->pool != NULL)
		pool_close(s->pool);
	place_free(&s->place);
	free(s->path);
	s->zpl = NULL;
	s->pool = NULL;
	s->path = NULL;
}

bool source_is_dir(const struct source *s)
{
	return S_ISDIR(s->attr.mode);
}

const char *source_name(const struct source *s)
{
	const char *slash = strrchr(s->path, '/');

	return slash != NULL ? slash + 1 : s->path;
}

static bool same(const struct stat *a, const char *path)
{
	struct stat b;

	return stat(path, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

int source_spares(const struct source *s, const char *path, struct err *e)
{
	struct pool_options o = cli_pool_options(
		&s->run->cli, (const char *const *)s->place.members, s->place.member_count);
	struct stat at, up;
	char	   *parent;
	bool	    hit = false;

	if (stat(path, &at) < 0 || S_ISDIR(at.st_mode))
		return 0;
	parent = strdup(path);
	if (parent == NULL)
		return err_nomem(e);

	char *slash = strrchr(parent, '/');

	if (slash != NULL)
		slash[1] = '\0';
	bool have_up = stat(slash != NULL ? parent : ".", &up) == 0;

	free(parent);
	/* In a folder of members, anything that is there already may be one. */
	for (size_t i = 0; i < o.path_count; i++)
		hit |= same(&at, o.paths[i]) || (have_up && same(&up, o.paths[i]));
	return hit ? err_set(e, ERR_REFUSED, "%s: is a member of the pool that is copied from",
			     path)
		   : 0;
}

/* The sink between a pool and where its entries go. */
struct tap {
	struct source	  *s;
	const struct copy *how;
	struct entry_sink *to;
	uint64_t	   done; /* bytes */
};

/* Objects of different datasets have the same numbers: the place goes above them. */
enum { OBJECT_BITS = 48 };

static int tap_begin(void *self, const struct entry *n, struct err *e)
{
	struct tap  *t = self;
	struct entry renamed = *n;

	if (cli_check_interrupt(e) < 0)
		return -1;
	renamed.serial |= (uint64_t)t->s->index << OBJECT_BITS;
	if (n->path_size == 0 && n->kind != ENTRY_DIR && t->how->name != NULL) {
		renamed.path = t->how->name;
		renamed.path_size = strlen(t->how->name);
	}
	/* What it would leave nothing of was not wanted. */
	if (!edit_entry(&t->s->run->edit, &renamed))
		return err_set(e, ERR_CORRUPT, "an entry that should have been left out");
	if (t->s->run->cli.verbose > 0 && !t->how->without_contents) {
		char	    buf[4 * ENTRY_PATH_MAX + 8];
		struct text shown = text_in(buf, sizeof buf);

		text_name(&shown, renamed.path, renamed.path_size);
		cli_say(&t->s->run->cli, "%s", renamed.path_size > 0 ? buf : "./");
	}
	return t->to->begin(t->to->self, &renamed, e);
}

static int tap_data(void *self, uint64_t offset, struct bytes piece, struct err *e)
{
	struct tap *t = self;

	if (cli_check_interrupt(e) < 0)
		return -1;
	t->done += piece.n;
	progress_at(&t->s->run->cli.progress, t->done);
	return t->to->data(t->to->self, offset, piece, e);
}

static int tap_end(void *self, const struct err *failed, struct err *e)
{
	struct tap *t = self;

	return t->to->end(t->to->self, failed, e);
}

/* "tank/home@[SNAP]/path: why": ready to be pasted behind the members. */
static void on_report(void *ctx, const char *path, size_t n, const struct err *why)
{
	struct tap    *t = ctx;
	struct source *s = t->s;
	char	       buf[1024];
	struct text    shown = text_in(buf, sizeof buf);

	s->run->incomplete = true;
	if (s->is_volume) {
		cli_say(&s->run->cli, "%s: %s", s->dataset.name, why->text);
		return;
	}
	text_name(&shown, s->path, strlen(s->path));
	if (s->path[0] != '\0' && n > 0)
		text_put(&shown, "/");
	text_name(&shown, path, n);
	cli_say(&s->run->cli, "%s%s/%s: %s", s->dataset.name, s->dataset.snapshot ? "" : "@", buf,
		why->text);
}

/* Exclusions win over inclusions, as in tar. */
static enum zpl_wanted wanted(void *ctx, const char *path, size_t n, bool dir)
{
	struct tap  *t = ctx;
	struct edit *edit = &t->s->run->edit;

	if (n == 0 && !dir && t->how->name != NULL) {
		path = t->how->name;
		n = strlen(path);
	}
	if (edit_excludes(edit, path, n))
		return ZPL_NOT_WANTED;
	if (edit_includes(edit, path, n) && !edit_strips_all(edit, path, n))
		return ZPL_WANTED;
	return dir ? ZPL_WANTED_BELOW : ZPL_NOT_WANTED;
}

static int copy_volume(struct tap *t, struct entry_sink *sink, struct err *e)
{
	struct volume_export what = {
		.name = t->s->path,
		.time = { .sec = (int64_t)t->s->dataset.phys.creation_time },
		.without_contents = t->how->without_contents,
		.with_ranges = t->how->with_ranges,
		.report = on_report,
		.ctx = t,
	};

	if (wanted(t, what.name, strlen(what.name), false) != ZPL_WANTED)
		return 0;
	return volume_export(&t->s->volume, &what, sink, e);
}

int source_copy(struct source *s, const struct copy *how, struct entry_sink *to, struct err *e)
{
	struct tap	  t = { .s = s, .how = how, .to = to };
	struct entry_sink sink = {
		.self = &t, .begin = tap_begin, .data = tap_data, .end = tap_end
	};
	struct zpl_export what = { .object = s->attr.object,
				   .wanted = wanted,
				   .report = on_report,
				   .ctx = &t,
				   .without_contents = how->without_contents,
				   .with_ranges = how->with_ranges };

	if (!how->without_contents)
		progress_begin(&s->run->cli.progress, "copying", 0, s->run->cli.progress_given);

	int rc = s->is_volume ? copy_volume(&t, &sink, e) : zpl_export(s->zpl, &what, &sink, e);

	progress_end(&s->run->cli.progress);
	return rc < 0 ? -1 : cli_check_interrupt(e);
}

bool run_filters(const struct run *r)
{
	return r->edit.include_count > 0 || r->edit.exclude_count > 0 || r->edit.strip > 0;
}

void run_unmatched(struct run *r)
{
	for (size_t i = 0; i < r->edit.include_count; i++) {
		if (r->edit.included[i])
			continue;
		r->incomplete = true;
		cli_say(&r->cli,
			"--include '%s': nothing matches it (it begins at the root of the place)",
			r->edit.includes[i]);
	}
}

/*
 * Times that are kept to the second are kept, and what the first directory is like is seldom what
 * an archive is made for: told, but no failure.
 */
void run_lost(void *ctx, enum lost_kind kind, uint64_t count)
{
	struct run *r = ctx;

	if (kind != LOST_FRACTIONS && kind != LOST_ROOT)
		r->incomplete = true;
	else if (r->cli.verbose < 0)
		return;
	cli_say(&r->cli, "%s that could not be kept: %" PRIu64, lost_name(kind), count);
}

void run_left_out(void *ctx, const char *path, size_t n, const struct err *why)
{
	struct run *r = ctx;
	char	    buf[1024];
	struct text shown = text_in(buf, sizeof buf);

	r->incomplete = true;
	text_name(&shown, path, n);
	cli_say(&r->cli, "%s: %s", buf, why->text);
}
