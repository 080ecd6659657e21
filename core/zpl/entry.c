/* What every source and sink of entries shares: safe paths, kinds, names in messages, copying. */
#include "core/zpl/entry.h"

#include <sys/stat.h>

#include "formats/base/text.h"

/* Long enough to know a file by, short enough that the cause after it still fits in an error. */
enum { NAME_SHOWN = 200 };

struct quoted {
	char text[NAME_SHOWN * 4 + 4];
};

static const char *quote(struct quoted *q, const char *name, size_t n)
{
	struct text t = text_in(q->text, sizeof q->text);

	if (n == 0)
		text_put(&t, ".");
	text_name(&t, name, n < NAME_SHOWN ? n : NAME_SHOWN);
	if (n > NAME_SHOWN)
		text_put(&t, "...");
	return q->text;
}

int entry_err_in(struct err *e, const char *path, size_t n)
{
	struct quoted q;

	if (e == NULL)
		return -1;
	return err_in(e, "%s", quote(&q, path, n));
}

static int refuse(struct err *e, const char *path, size_t n, const char *why)
{
	err_set(e, ERR_REFUSED, "%s", why);
	return entry_err_in(e, path, n);
}

/* NULL when one part of a path may stand in a name that we write. */
static const char *part_fault(const char *part, size_t n)
{
	if (n == 2 && part[0] == '.' && part[1] == '.')
		return "'..' in a name";
	if (n > ENTRY_PART_MAX)
		return "a part of the name is longer than 1023 bytes";
	return NULL;
}

int entry_path_clean(const char *in, size_t in_size, char *out, size_t *n, struct err *e)
{
	size_t used = 0;

	if (in_size > 0 && memchr(in, '\0', in_size) != NULL)
		return refuse(e, in, in_size, "a zero byte in a name");
	for (size_t at = 0; at < in_size;) {
		const char *part = in + at;
		const char *slash = memchr(part, '/', in_size - at);
		size_t	    size = slash != NULL ? (size_t)(slash - part) : in_size - at;
		const char *fault = part_fault(part, size);

		if (fault != NULL)
			return refuse(e, in, in_size, fault);
		at += size + (slash != NULL);
		if (size == 0 || (size == 1 && part[0] == '.'))
			continue;
		if (used > 0)
			out[used++] = '/';
		memmove(out + used, part, size);
		used += size;
	}
	if (used > ENTRY_PATH_MAX)
		return refuse(e, in, in_size, "a name longer than 4095 bytes");
	out[used] = '\0';
	*n = used;
	return 0;
}

int entry_path_copy(const char *path, size_t n, char *out, struct err *e)
{
	size_t size;

	if (n > ENTRY_PATH_MAX)
		return refuse(e, path, n, "a name longer than 4095 bytes");
	if (entry_path_clean(path, n, out, &size, e) < 0)
		return -1;
	return size == n ? 0 : refuse(e, path, n, "not a plain name");
}

int entry_kind_of_mode(uint64_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return ENTRY_FILE;
	case S_IFDIR:
		return ENTRY_DIR;
	case S_IFLNK:
		return ENTRY_SYMLINK;
	case S_IFIFO:
		return ENTRY_FIFO;
	case S_IFSOCK:
		return ENTRY_SOCKET;
	case S_IFCHR:
		return ENTRY_CHAR;
	case S_IFBLK:
		return ENTRY_BLOCK;
	default:
		return 0;
	}
}

static int copy_contents(struct entry_source *from, struct entry_sink *to, struct err *e)
{
	struct err   failed = { 0 };
	struct bytes piece;
	uint64_t     offset;
	int	     got;

	while ((got = from->data(from->self, &offset, &piece, &failed)) > 0) {
		if (to->data(to->self, offset, piece, e) < 0)
			return -1;
	}
	if (got == 0)
		return 0;
	/* The cause matters more than what closing the file says after it. */
	(void)to->end(to->self, &failed, NULL);
	if (e != NULL)
		*e = failed;
	return -1;
}

int entry_copy(struct entry_source *from, struct entry_sink *to, struct err *e)
{
	struct entry entry;
	int	     got;

	while ((got = from->next(from->self, &entry, e)) > 0) {
		if (to->begin(to->self, &entry, e) < 0)
			return -1;
		if (entry.kind == ENTRY_FILE && copy_contents(from, to, e) < 0)
			return -1;
		if (to->end(to->self, NULL, e) < 0)
			return -1;
	}
	return got < 0 ? -1 : to->finish(to->self, e);
}
