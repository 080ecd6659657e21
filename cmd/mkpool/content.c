/* What -d names: archives and directories, entry by entry. */
#include "cmd/mkpool/content.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/mkpool/fill.h"
#include "core/base/mem.h"
#include "core/entries/archive_in.h"
#include "core/entries/dirtree_in.h"
#include "core/entries/mtree_in.h"

static const char stdin_name[] = "standard input";

struct load {
	struct options	   *o;
	struct datasets	   *s;
	struct entry_source from;
	struct fill	    to;
	bool		    host; /* a directory of this machine */
};

static void warn(void *ctx, const char *sentence)
{
	cli_say(ctx, "%s", sentence);
}

static bool stop(void *ctx)
{
	(void)ctx;
	return cli_interrupted();
}

static bool skip(void *ctx, const char *path, size_t n)
{
	return edit_excludes(ctx, path, n);
}

static int open_source(struct load *l, const struct plan_step *step, struct err *e)
{
	struct archive_in_options a = { .warn = l->o->cli.verbose >= 0 ? warn : NULL,
					.stop = stop, .ctx = &l->o->cli };
	const char		 *source = step->source;
	struct stat		  st;

	if (step->mtree) {
		if (mtree_in_open(source, &l->from, e) < 0)
			return -1;
		mtree_in_skip(&l->from, skip, &l->o->edit);
		return 0;
	}
	if (strcmp(source, "-") == 0)
		return archive_in_open_fd(STDIN_FILENO, stdin_name, &a, &l->from, e);
	if (stat(source, &st) == 0 && S_ISDIR(st.st_mode)) {
		l->host = true;
		if (dirtree_in_open(source, &l->from, e) < 0)
			return -1;
		dirtree_in_skip(&l->from, skip, &l->o->edit);
		return 0;
	}
	return archive_in_open(source, &a, &l->from, e);
}

/*
 * What an entry says and the pool does not take is the source's matter: its name comes first, as it
 * does when the source itself is at fault.
 */
static int not_taken(const struct load *l, struct err *e)
{
	const char *source = l->to.step->source;

	switch (e->kind) {
	case ERR_REFUSED:
	case ERR_UNSUPPORTED:
	case ERR_EXISTS:
	case ERR_NOTFOUND:
		return err_in(e, "%s", strcmp(source, "-") == 0 ? stdin_name : source);
	default:
		return -1;
	}
}

static int copy_data(struct load *l, struct err *e)
{
	struct bytes piece;
	uint64_t     offset;
	int	     got;

	while ((got = l->from.data(l->from.self, &offset, &piece, e)) > 0) {
		if (cli_check_interrupt(e) < 0)
			return -1;
		if (fill_data(&l->to, offset, piece, e) < 0)
			return not_taken(l, e);
		l->s->read += piece.n;
	}
	return got;
}

static int copy_entry(struct load *l, struct entry *entry, struct err *e)
{
	/* When a file of this machine was read or copied last says nothing of its contents. */
	if (l->host)
		entry->have_atime = entry->have_ctime = entry->have_crtime = false;
	if (!edit_entry(&l->o->edit, entry))
		return 0;
	if (fill_begin(&l->to, entry, e) < 0)
		return not_taken(l, e);
	if (entry->kind == ENTRY_FILE && copy_data(l, e) < 0)
		return -1;
	return fill_end(&l->to, e) < 0 ? not_taken(l, e) : 0;
}

static int copy_all(struct load *l, struct err *e)
{
	struct entry entry;
	int	     got;

	while ((got = l->from.next(l->from.self, &entry, e)) > 0) {
		progress_at(&l->o->cli.progress, l->s->read);
		if (cli_check_interrupt(e) < 0 || copy_entry(l, &entry, e) < 0)
			return -1;
	}
	return got;
}

int content_write(struct options *o, struct datasets *s, const struct plan_step *step,
		  struct err *e)
{
	struct load *l = mem_zero(sizeof *l, e);
	int	     rc;

	if (l == NULL)
		return -1;
	l->o = o;
	l->s = s;
	fill_begin_source(&l->to, s, step);
	rc = open_source(l, step, e);
	if (rc == 0) {
		rc = copy_all(l, e);
		l->from.close(l->from.self);
	}
	free(l);
	return rc;
}
