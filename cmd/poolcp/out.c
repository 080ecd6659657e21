/* Places into files, directories, archives and standard output. The form of the last word decides
 * which. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/poolcp/run.h"
#include "core/entries/archive_out.h"
#include "core/entries/dirtree_out.h"
#include "core/entries/file_out.h"

enum form { FORM_STDOUT, FORM_ARCHIVE, FORM_DIRECTORY };

static enum form form_of(const struct run *r, const char *word)
{
	if (strcmp(word, "-") == 0)
		return FORM_STDOUT;
	return r->format != NULL || archive_out_suffix(word) ? FORM_ARCHIVE : FORM_DIRECTORY;
}

static bool same_owner(const struct run *r)
{
	return !r->no_same_owner && geteuid() == 0;
}

static bool is_host_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int open_archive(struct run *r, const char *word, struct entry_sink *out, struct err *e)
{
	struct archive_out_options o = {
		.format = r->format, .report = run_left_out, .lost = run_lost, .ctx = r
	};

	if (strcmp(word, "-") != 0)
		return archive_out_open(word, &o, out, e);
	if (isatty(STDOUT_FILENO))
		return err_set(e, ERR_REFUSED, "standard output: an archive is not for a terminal");
	return archive_out_open_fd(STDOUT_FILENO, "standard output", &o, out, e);
}

static int open_directory(struct run *r, const char *word, struct entry_sink *out, struct err *e)
{
	struct dirtree_out_options o = {
		.same_owner = same_owner(r), .report = run_left_out, .lost = run_lost, .ctx = r
	};

	return dirtree_out_open(word, &o, out, e);
}

/* A file of the pool as a file of the host, whatever that is called. */
static int copy_file(struct source *s, const char *word, struct err *e)
{
	struct run	       *r = s->run;
	struct file_out_options o = { .same_owner = same_owner(r), .lost = run_lost, .ctx = r };
	struct entry_sink	sink;
	int			rc;

	if (!S_ISREG(s->attr.mode))
		return err_set(
			e, ERR_UNSUPPORTED,
			"%s@/%s: is no regular file; it can go into a directory or, with its "
			"directory, into an archive",
			s->dataset.name, s->path);
	if (r->format != NULL)
		return err_set(e, ERR_USAGE, "--format: %s@/%s is a file, and is copied as it is",
			       s->dataset.name, s->path);
	if (run_filters(r))
		return err_set(e, ERR_USAGE,
			       "--include, --exclude and --strip-components are for trees; %s@/%s "
			       "is a file, and is copied as it is",
			       s->dataset.name, s->path);
	if (strcmp(word, "-") == 0)
		rc = file_out_open_fd(STDOUT_FILENO, "standard output", &sink, e);
	else
		rc = file_out_open(word, &o, &sink, e);
	if (rc < 0)
		return -1;
	rc = source_copy(s, &(struct copy){ .name = source_name(s) }, &sink, e);
	if (rc == 0)
		rc = sink.finish(sink.self, e);
	sink.close(sink.self);
	return rc;
}

/* Into one directory or archive: one place after the other, the first of them open already. */
static int copy_all(struct run *r, struct source *first, const char *word, struct err *e)
{
	size_t		  count = r->cli.arg_count - 1;
	bool		  tree = form_of(r, word) == FORM_DIRECTORY;
	struct entry_sink sink;
	int rc = tree ? open_directory(r, word, &sink, e) : open_archive(r, word, &sink, e);

	if (rc < 0)
		return -1;
	for (size_t i = 0; rc == 0 && i < count; i++) {
		struct source  next = { 0 };
		struct source *s = i == 0 ? first : &next;

		if (i > 0)
			rc = source_open(r, i, s, e);
		if (rc == 0)
			rc = source_spares(s, word, e);
		if (rc == 0)
			rc = source_copy(
				s, &(struct copy){ .name = source_name(s), .with_ranges = !tree },
				&sink, e);
		if (i > 0)
			source_close(s);
	}
	if (rc == 0)
		rc = sink.finish(sink.self, e);
	sink.close(sink.self);
	return rc;
}

/* As cp does: a file goes into a directory that is there, or that the word ends like one of. */
static bool into_itself(const struct run *r, const char *word)
{
	size_t n = strlen(word);

	return r->cli.arg_count == 2 && !is_host_dir(word) && word[n - (n > 0)] != '/';
}

int run_out(struct run *r, struct err *e)
{
	const char   *word = r->cli.args[r->cli.arg_count - 1];
	struct source s;
	int	      rc;

	if (word[0] == '\0')
		return err_set(e, ERR_USAGE, "the destination is empty");
	if (source_open(r, 0, &s, e) < 0)
		return -1;
	rc = source_spares(&s, word, e);
	if (rc == 0 && !source_is_dir(&s) && into_itself(r, word))
		rc = copy_file(&s, word, e);
	else if (rc == 0)
		rc = copy_all(r, &s, word, e);
	source_close(&s);
	return rc;
}
