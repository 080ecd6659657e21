/* The verb ls. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cmd/pooldump/run.h"
#include "cmd/table.h"
#include "core/base/mem.h"

static const struct table_column ls_columns[] = {
	{ "MODE", false }, { "LINKS", true },	  { "UID", true },   { "GID", true },
	{ "SIZE", true },  { "MODIFIED", false }, { "NAME", false },
};
static const struct table_column ls_object_columns[] = {
	{ "OBJECT", true }, { "MODE", false }, { "LINKS", true },     { "UID", true },
	{ "GID", true },    { "SIZE", true },  { "MODIFIED", false }, { "NAME", false },
};

/* One directory's entries: names back to back in an arena, since a directory can have a million. */
struct name {
	size_t	    at; /* in the arena, which moves as it grows */
	const char *p;	/* set when all are there */
	size_t	    size;
	uint64_t    object;
};
struct names {
	char	    *arena;
	size_t	     used, arena_cap;
	struct name *list;
	size_t	     count, cap;
};

static int add_name(void *ctx, const struct zpl_dirent *d, struct err *e)
{
	struct names *n = ctx;

	if (cli_check_interrupt(e) < 0 ||
	    mem_grow(&n->arena, &n->arena_cap, n->used + d->name_size + 1, 1, e) < 0 ||
	    mem_grow(&n->list, &n->cap, n->count + 1, sizeof *n->list, e) < 0)
		return -1;
	memcpy(n->arena + n->used, d->name, d->name_size);
	n->list[n->count++] =
		(struct name){ .at = n->used, .size = d->name_size, .object = d->object };
	n->used += d->name_size;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int		   c = memcmp(x->p, y->p, x->size < y->size ? x->size : y->size);

	return c != 0 ? c : (x->size > y->size) - (x->size < y->size);
}

/* "drwxr-xr-x" */
static void mode_text(uint64_t mode, char out[11])
{
	static const char types[16] = "?pc?d?b?-?l?s???";
	static const char bits_shown[] = "rwxrwxrwx";

	out[0] = types[mode >> 12 & 15];
	for (int i = 0; i < 9; i++)
		out[1 + i] = mode >> (8 - i) & 1 ? bits_shown[i] : '-';
	if (mode & S_ISUID)
		out[3] = mode & S_IXUSR ? 's' : 'S';
	if (mode & S_ISGID)
		out[6] = mode & S_IXGRP ? 's' : 'S';
	if (mode & S_ISVTX)
		out[9] = mode & S_IXOTH ? 't' : 'T';
	out[10] = '\0';
}

static void time_text(struct run *r, struct entry_time when, char *out, size_t cap)
{
	time_t	  t = (time_t)when.sec;
	struct tm tm;

	if (r->cli.exact)
		snprintf(out, cap, "%" PRId64 ".%09" PRIu32, when.sec, when.ns);
	else if (gmtime_r(&t, &tm) == NULL || strftime(out, cap, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		snprintf(out, cap, "%" PRId64, when.sec);
}

static void put_target(struct run *r, uint64_t object, struct text *t)
{
	char	   target[4096];
	size_t	   n;
	struct err why;

	if (zpl_readlink(r->zpl, object, target, sizeof target, &n, &why) < 0) {
		err_in(&why, "%s: object %" PRIu64, r->dataset.name, object);
		run_trouble(r, &why);
		return;
	}
	text_put(t, " -> ");
	text_name(t, target, n);
}

static int ls_row(struct run *r, struct table *t, const char *name, size_t n, uint64_t object,
		  struct err *e)
{
	char		number[24], mode[11], links[24], uid[24], gid[24], size[24], time[40];
	char		shown[4 * (4096 + 256) + 8];
	struct text	text = text_in(shown, sizeof shown);
	struct zpl_attr a;
	struct err	why;

	text_name(&text, name, n);
	if (zpl_getattr(r->zpl, object, &a, &why) < 0) {
		err_in(&why, "%s: %s (object %" PRIu64 ")", r->dataset.name, shown, object);
		run_trouble(r, &why);
		return 0;
	}
	if (S_ISLNK(a.mode & S_IFMT))
		put_target(r, object, &text);
	mode_text(a.mode, mode);
	time_text(r, a.mtime, time, sizeof time);
	snprintf(number, sizeof number, "%" PRIu64, object);
	snprintf(links, sizeof links, "%" PRIu64, a.links);
	snprintf(uid, sizeof uid, "%" PRIu64, a.uid);
	snprintf(gid, sizeof gid, "%" PRIu64, a.gid);
	snprintf(size, sizeof size, "%" PRIu64, a.size);

	const char *row[] = { number, mode, links, uid, gid, size, time, shown };

	return table_row(t, r->cli.verbose > 0 ? row : row + 1, e);
}

static int ls_directory(struct run *r, struct table *t, uint64_t dir, struct err *e)
{
	struct names n = { 0 };
	struct err   why;
	int	     rc = 0;

	/* A damaged directory gives what it has. */
	if (zpl_readdir(r->zpl, dir, add_name, &n, &why) < 0) {
		if (why.kind == ERR_NOMEM || why.kind == ERR_INTERRUPTED) {
			*e = why;
			rc = -1;
		} else {
			err_in(&why, "%s", r->dataset.name);
			run_trouble(r, &why);
		}
	}
	for (size_t i = 0; i < n.count; i++)
		n.list[i].p = n.arena + n.list[i].at;
	if (n.count > 1)
		qsort(n.list, n.count, sizeof *n.list, by_name);
	for (size_t i = 0; rc == 0 && i < n.count; i++) {
		rc = cli_check_interrupt(e);
		if (rc == 0)
			rc = ls_row(r, t, n.list[i].p, n.list[i].size, n.list[i].object, e);
	}
	free(n.list);
	free(n.arena);
	return rc;
}

int verb_ls(struct run *r, struct err *e)
{
	struct zpl_attr a;
	struct table	t;
	uint64_t	object;
	const char     *path;
	int		rc;

	if (run_open_place(r, r->cli.args[1], true, e) < 0)
		return -1;
	path = r->place.path != NULL ? r->place.path : "";
	if (zpl_lookup(r->zpl, path, &object, e) < 0)
		return -1;
	if (zpl_getattr(r->zpl, object, &a, e) < 0)
		return err_in(e, "%s", r->dataset.name);
	if (r->cli.verbose > 0)
		table_begin(&t, stdout, r->cli.tabs, ls_object_columns, 8);
	else
		table_begin(&t, stdout, r->cli.tabs, ls_columns, 7);
	rc = S_ISDIR(a.mode & S_IFMT) ? ls_directory(r, &t, object, e)
				      : ls_row(r, &t, path, strlen(path), object, e);
	table_end(&t);
	return rc;
}
