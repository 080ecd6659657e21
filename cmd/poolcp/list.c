/* --list: a sink that prints each entry as tar -tv does. Names are quoted, since they are not
 * trusted. */
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cmd/poolcp/run.h"
#include "formats/base/text.h"

enum { NAME_MAX_SHOWN = 32, CACHE = 64, WIDTH = 19 };

/* Names of owners; asking the host for each entry would take longer than reading the pool. */
struct owner {
	bool	 known;
	uint64_t id;
	char	 name[NAME_MAX_SHOWN + 1];
};

struct list {
	struct run  *run;
	struct owner users[CACHE], groups[CACHE];
	int	     width; /* of owner and size together, growing as in tar */
	char	     line[8 * ENTRY_PATH_MAX + 256];
};

static const char *owner_name(struct list *l, struct owner *cache, uint64_t id, bool group)
{
	struct owner *o = &cache[id % CACHE];
	const char   *name = NULL;

	if (o->known && o->id == id)
		return o->name;
	if (!l->run->numeric_owner && id <= UINT32_MAX) {
		if (group) {
			struct group *g = getgrgid((gid_t)id);

			name = g != NULL ? g->gr_name : NULL;
		} else {
			struct passwd *p = getpwuid((uid_t)id);

			name = p != NULL ? p->pw_name : NULL;
		}
	}
	o->known = true;
	o->id = id;
	if (name != NULL && strlen(name) <= NAME_MAX_SHOWN)
		memcpy(o->name, name, strlen(name) + 1);
	else
		snprintf(o->name, sizeof o->name, "%" PRIu64, id);
	return o->name;
}

static void put_mode(struct text *t, const struct entry *n)
{
	static const char letters[] = "rwxrwxrwx";
	char		  out[11];

	out[0] = n->kind == ENTRY_FILE ? '-' : (char)n->kind;
	for (int i = 0; i < 9; i++)
		out[1 + i] = n->mode >> (8 - i) & 1 ? letters[i] : '-';
	if (n->mode & S_ISUID)
		out[3] = n->mode & S_IXUSR ? 's' : 'S';
	if (n->mode & S_ISGID)
		out[6] = n->mode & S_IXGRP ? 's' : 'S';
	if (n->mode & S_ISVTX)
		out[9] = n->mode & S_IXOTH ? 't' : 'T';
	out[10] = '\0';
	text_put(t, "%s", out);
}

static void put_time(struct list *l, struct text *t, struct entry_time when)
{
	time_t	  sec = (time_t)when.sec;
	struct tm tm;
	char	  buf[64];

	if (l->run->cli.exact)
		text_put(t, "%" PRId64 ".%09" PRIu32, when.sec, when.ns);
	else if (localtime_r(&sec, &tm) != NULL &&
		 strftime(buf, sizeof buf, "%Y-%m-%d %H:%M", &tm) > 0)
		text_put(t, "%s", buf);
	else
		text_put(t, "%" PRId64, when.sec);
}

static void size_of(const struct entry *n, char *out, size_t cap)
{
	if (n->kind == ENTRY_CHAR || n->kind == ENTRY_BLOCK)
		snprintf(out, cap, "%" PRIu32 ",%" PRIu32, n->major, n->minor);
	else
		snprintf(out, cap, "%" PRIu64, n->size);
}

static void put_name(struct list *l, struct text *t, const struct entry *n)
{
	const char *arrow = n->kind == ENTRY_SYMLINK ? " -> " : " link to ";

	text_name(t, n->path, n->path_size);
	if (n->kind == ENTRY_DIR)
		text_put(t, n->path_size == 0 ? "./" : "/");
	if (l->run->cli.verbose < 0 || n->target == NULL)
		return;
	text_put(t, "%s", l->run->cli.tabs ? "\t" : arrow);
	text_name(t, n->target, n->target_size);
}

/* mode TAB owner TAB group TAB size TAB time TAB name [TAB target] */
static void put_tabs(struct list *l, struct text *t, const struct entry *n, const char *user,
		     const char *group)
{
	char size[48];

	size_of(n, size, sizeof size);
	put_mode(t, n);
	text_put(t, "\t%s\t%s\t%s\t", user, group, size);
	put_time(l, t, n->mtime);
	text_put(t, "\t");
	put_name(l, t, n);
}

static void put_columns(struct list *l, struct text *t, const struct entry *n, const char *user,
			const char *group)
{
	char size[48];
	int  owners = (int)(strlen(user) + 1 + strlen(group)), used;

	size_of(n, size, sizeof size);
	used = owners + 1 + (int)strlen(size);
	if (used > l->width)
		l->width = used;
	put_mode(t, n);
	text_put(t, " %s/%s %*s ", user, group, l->width - owners - 1, size);
	put_time(l, t, n->mtime);
	text_put(t, " ");
	put_name(l, t, n);
}

static int list_begin(void *self, const struct entry *n, struct err *e)
{
	struct list *l = self;
	struct text  t = text_in(l->line, sizeof l->line);

	if (l->run->cli.verbose < 0) {
		put_name(l, &t, n);
	} else {
		const char *user = owner_name(l, l->users, n->uid, false);
		const char *group = owner_name(l, l->groups, n->gid, true);

		(l->run->cli.tabs ? put_tabs : put_columns)(l, &t, n, user, group);
	}
	if (puts(l->line) == EOF)
		return err_set(e, ERR_IO, "standard output: cannot be written");
	return 0;
}

static int list_data(void *self, uint64_t offset, struct bytes piece, struct err *e)
{
	(void)self, (void)offset, (void)piece, (void)e;
	return 0;
}

static int list_end(void *self, const struct err *failed, struct err *e)
{
	(void)self, (void)failed, (void)e;
	return 0;
}

static int list_one(struct list *l, size_t index, struct err *e)
{
	struct entry_sink sink = {
		.self = l, .begin = list_begin, .data = list_data, .end = list_end
	};
	struct source s;

	if (source_open(l->run, index, &s, e) < 0)
		return -1;

	int rc = source_copy(
		&s, &(struct copy){ .name = source_name(&s), .without_contents = true }, &sink, e);

	source_close(&s);
	return rc;
}

int run_list(struct run *r, struct err *e)
{
	struct list *l = calloc(1, sizeof *l);
	int	     rc = 0;

	if (l == NULL)
		return err_nomem(e);
	l->run = r;
	l->width = WIDTH;
	for (size_t i = 0; rc == 0 && i < r->cli.arg_count; i++)
		rc = list_one(l, i, e);
	free(l);
	return rc;
}
