/* What the tests of sources and sinks share. */
#include "core/entries/listing_test.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/entries/archive_in.h"
#include "formats/base/text.h"

static void put_pieces(struct entry_source *s, struct text *t, int *got, struct err *e)
{
	struct bytes piece;
	uint64_t     offset, end = 0;

	while ((*got = s->data(s->self, &offset, &piece, e)) > 0) {
		cr_assert(offset >= end);
		if (offset != end || offset == 0)
			text_put(t, " %llu:", (unsigned long long)offset);
		/* Pieces may be cut anywhere; long ones are told by their start. */
		text_name(t, piece.p, piece.n < 8 ? piece.n : 8);
		end = offset + piece.n;
	}
	if (end > 0)
		text_put(t, " ..%llu", (unsigned long long)end);
}

static void put_entry(const struct entry *n, struct text *t)
{
	text_put(t, "%c ", n->kind);
	text_name(t, n->path, n->path_size);
	cr_assert_eq(n->path[n->path_size], '\0');
	if (n->kind != ENTRY_HARDLINK)
		text_put(t, " %04o %llu:%llu %lld.%09u", n->mode, (unsigned long long)n->uid,
			 (unsigned long long)n->gid, (long long)n->mtime.sec, n->mtime.ns);
	if (n->kind == ENTRY_FILE)
		text_put(t, " %llu", (unsigned long long)n->size);
	if (n->target != NULL) {
		text_put(t, " -> ");
		text_name(t, n->target, n->target_size);
	}
	if (n->kind == ENTRY_CHAR || n->kind == ENTRY_BLOCK)
		text_put(t, " %u,%u", n->major, n->minor);
	for (size_t i = 0; i < n->xattr_count; i++) {
		text_put(t, " %s=", n->xattrs[i].name);
		text_name(t, n->xattrs[i].value, n->xattrs[i].size);
	}
	for (size_t i = 0; i < n->ace_count; i++) {
		text_put(t, " ");
		ace_describe(&n->aces[i], t);
	}
}

int listing(struct entry_source *s, char *buf, size_t cap, struct err *e)
{
	struct text  t = text_in(buf, cap);
	struct entry entry;
	int	     count = 0, got;

	while ((got = s->next(s->self, &entry, e)) > 0) {
		put_entry(&entry, &t);
		if (entry.kind == ENTRY_FILE) {
			put_pieces(s, &t, &got, e);
			if (got < 0)
				return -1;
		}
		text_put(&t, "\n");
		count++;
	}
	return got < 0 ? -1 : count;
}

int list_archive(const char *path, char *buf, size_t cap, struct err *e)
{
	struct entry_source s;

	buf[0] = '\0';
	if (archive_in_open(path, NULL, &s, e) < 0)
		return -1;

	int count = listing(&s, buf, cap, e);

	s.close(s.self);
	return count;
}

void told_lost(void *ctx, enum lost_kind kind, uint64_t count)
{
	struct told *told = ctx;
	size_t	     n = strlen(told->what);

	snprintf(told->what + n, sizeof told->what - n, "%s %llu;", lost_name(kind),
		 (unsigned long long)count);
}

void told_report(void *ctx, const char *path, size_t n, const struct err *why)
{
	struct told *told = ctx;
	size_t	     used = strlen(told->what);

	snprintf(told->what + used, sizeof told->what - used, "%.*s: %s;", (int)n, path, why->text);
}

const char *scratch_new(void)
{
	static char dir[4096];
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, sizeof dir, "%s/poolkit-XXXXXX", tmp != NULL ? tmp : "/tmp");
	cr_assert_not_null(mkdtemp(dir));
	return dir;
}

int shell(const char *fmt, ...)
{
	char	command[8192];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof command, fmt, ap);
	va_end(ap);
	return system(command);
}

void scratch_remove(const char *dir)
{
	shell("chmod -R u+rwx '%s'; rm -rf '%s'", dir, dir);
}
