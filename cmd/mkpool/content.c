/* What -d names: archives and directories, entry by entry. */
#include "cmd/mkpool/content.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/entries/archive_in.h"
#include "core/entries/dirtree_in.h"

struct load {
	struct options	   *o;
	struct zpl_write   *z;
	struct entry_source from;
	struct entry_sink   to;
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

static int open_source(struct load *l, const char *source, struct err *e)
{
	struct archive_in_options a = { .warn = l->o->cli.verbose >= 0 ? warn : NULL,
					.stop = stop, .ctx = &l->o->cli };
	struct stat		  st;

	l->host = false;
	if (strcmp(source, "-") == 0)
		return archive_in_open_fd(STDIN_FILENO, "standard input", &a, &l->from, e);
	if (stat(source, &st) == 0 && S_ISDIR(st.st_mode)) {
		l->host = true;
		if (dirtree_in_open(source, &l->from, e) < 0)
			return -1;
		dirtree_in_skip(&l->from, skip, &l->o->edit);
		return 0;
	}
	return archive_in_open(source, &a, &l->from, e);
}

static int copy_data(struct load *l, struct err *e)
{
	struct bytes piece;
	uint64_t     offset;
	int	     got;

	while ((got = l->from.data(l->from.self, &offset, &piece, e)) > 0) {
		if (cli_check_interrupt(e) < 0 || l->to.data(l->to.self, offset, piece, e) < 0)
			return -1;
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
	if (l->to.begin(l->to.self, entry, e) < 0)
		return -1;
	if (entry->kind == ENTRY_FILE && copy_data(l, e) < 0)
		return -1;
	return l->to.end(l->to.self, NULL, e);
}

static int copy_source(struct load *l, const char *source, struct err *e)
{
	struct entry entry;
	int	     got;

	if (open_source(l, source, e) < 0)
		return -1;
	while ((got = l->from.next(l->from.self, &entry, e)) > 0) {
		progress_at(&l->o->cli.progress, zpl_write_counts(l->z).bytes);
		if (cli_check_interrupt(e) < 0 || copy_entry(l, &entry, e) < 0) {
			got = -1;
			break;
		}
	}
	l->from.close(l->from.self);
	return got;
}

int content_write(struct options *o, struct zpl_write *z, struct err *e)
{
	struct load l = { .o = o, .z = z, .to = zpl_write_sink(z) };
	int	    rc = 0;

	progress_begin(&o->cli.progress, "reading", 0, o->cli.progress_given);
	for (size_t i = 0; rc == 0 && i < o->source_count; i++)
		rc = copy_source(&l, o->sources[i], e);
	if (rc == 0)
		rc = l.to.finish(l.to.self, e);
	progress_end(&o->cli.progress);
	return rc;
}
