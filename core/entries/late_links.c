/* Waiting link names: few at a time, so a list; archives put the names of a file close together. */
#include "core/entries/late_links.h"

#include <stdlib.h>

void late_links_init(struct late_links *l)
{
	*l = (struct late_links){ 0 };
	l->last = &l->files;
}

static void free_names(struct late_name *n)
{
	while (n != NULL) {
		struct late_name *next = n->next;

		free(n);
		n = next;
	}
}

void late_links_fini(struct late_links *l)
{
	while (l->files != NULL) {
		struct late_file *next = l->files->next;

		free_names(l->files->names);
		free(l->files);
		l->files = next;
	}
	free_names(l->ready);
	free(l->given);
	free(l->target);
}

int late_links_name(struct late_file *f, const char *path, size_t n, struct err *e)
{
	struct late_name *name = malloc(sizeof *name + n + 1);

	if (name == NULL)
		return err_nomem(e);
	name->next = NULL;
	name->n = n;
	memcpy(name->path, path, n);
	name->path[n] = '\0';
	*f->last = name;
	f->last = &name->next;
	if (f->missing > 0)
		f->missing--;
	return 0;
}

int late_links_file(struct late_links *l, const struct entry *file, uint64_t links, struct err *e)
{
	if (l->count >= LATE_FILES_MAX)
		return err_set(e, ERR_UNSUPPORTED, "over %d files whose contents come later",
			       LATE_FILES_MAX);

	struct late_file *f = calloc(1, sizeof *f);

	if (f == NULL)
		return err_nomem(e);
	*f = (struct late_file){ .missing = links,
				 .mode = file->mode,
				 .uid = file->uid,
				 .gid = file->gid,
				 .mtime = file->mtime };
	f->last = &f->names;
	if (late_links_name(f, file->path, file->path_size, e) < 0) {
		free(f);
		return -1;
	}
	*l->last = f;
	l->last = &f->next;
	l->count++;
	return 0;
}

struct late_file *late_links_find(struct late_links *l, const char *path, size_t n)
{
	for (struct late_file *f = l->files; f != NULL; f = f->next) {
		if (f->names->n == n && memcmp(f->names->path, path, n) == 0)
			return f;
	}
	return NULL;
}

static void unlink_file(struct late_links *l, struct late_file *f)
{
	struct late_file **at = &l->files;

	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	if (l->last == &f->next)
		l->last = at;
	l->count--;
}

int late_links_settle(struct late_links *l, struct late_file *f, const char *path, size_t n,
		      struct err *e)
{
	char *target = malloc(n + 1);

	if (target == NULL)
		return err_nomem(e);
	memcpy(target, path, n);
	target[n] = '\0';
	free(l->target);
	l->target = target;
	l->target_size = n;
	l->ready = f->names;
	unlink_file(l, f);
	free(f);
	return 0;
}

int late_links_next(struct late_links *l, struct entry *out)
{
	free(l->given);
	l->given = l->ready;
	if (l->given == NULL)
		return 0;
	l->ready = l->given->next;
	*out = (struct entry){ .kind = ENTRY_HARDLINK,
			       .path = l->given->path,
			       .path_size = l->given->n,
			       .target = l->target,
			       .target_size = l->target_size };
	return 1;
}

int late_links_empty(struct late_links *l, struct late_file *f, struct entry *out, struct err *e)
{
	struct late_name *first = f->names;
	struct entry	  file = { .kind = ENTRY_FILE,
				   .mode = f->mode,
				   .uid = f->uid,
				   .gid = f->gid,
				   .mtime = f->mtime };

	if (late_links_settle(l, f, first->path, first->n, e) < 0)
		return -1;
	l->ready = first->next;
	free(first);
	file.path = l->target;
	file.path_size = l->target_size;
	*out = file;
	return 1;
}
