/* Lists line by line; the directory that relative names are in; contents, opened safely. */
#include "core/entries/mtree_in.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/entries/file_in.h"
#include "core/entries/mtree_line.h"
#include "core/entries/safe_dir.h"

/* Ours: a path of 4095 bytes, escaped, as name, link and contents, with digests to spare. */
enum { LINE_MAX_BYTES = 64 << 10 };

struct mtree_in {
	char		 *name; /* of the list */
	FILE		 *list;
	uint64_t	  line_number;
	struct safe_dir	  dirs;
	struct file_in	  file;
	struct mtree_keys set;
	bool (*skip)(void *ctx, const char *path, size_t n);
	void  *skip_ctx;
	char   dir[ENTRY_PATH_MAX + 1]; /* where relative names are */
	size_t dir_n;
	char   path[LINE_MAX_BYTES]; /* of the current entry, before it is made safe too */
	size_t path_n;
	char   contents[LINE_MAX_BYTES];
	char   line[LINE_MAX_BYTES];
};

static int located(struct mtree_in *m, struct err *e)
{
	return err_in(e, "%s: line %llu", m->name, (unsigned long long)m->line_number);
}

/* One more line of the file at m->line + n: 1 and its length, 0 at the end, -1. */
static int read_piece(struct mtree_in *m, size_t *n, struct err *e)
{
	size_t at = *n;
	int    c;

	while ((c = getc(m->list)) != EOF && c != '\n') {
		if (c == '\0')
			return err_set(e, ERR_CORRUPT, "a zero byte: this is no mtree list");
		if (at == LINE_MAX_BYTES - 1)
			return err_set(e, ERR_REFUSED, "longer than %d bytes", LINE_MAX_BYTES - 1);
		m->line[at++] = (char)c;
	}
	if (ferror(m->list))
		return err_errno(e, errno, "cannot be read");
	if (c == EOF && at == *n)
		return 0;
	m->line_number++;
	*n = at;
	return 1;
}

/* A backslash at the end goes on with the next line. */
static int read_line(struct mtree_in *m, struct err *e)
{
	size_t n = 0;
	int    got;

	for (;;) {
		got = read_piece(m, &n, e);
		if (got < 0) {
			m->line_number++;
			return -1;
		}
		if (got == 0 || n == 0 || m->line[n - 1] != '\\')
			break;
		m->line[n - 1] = ' ';
	}
	m->line[n] = '\0';
	return got > 0 || n > 0;
}

/* A name with a slash behind its first character is a path, any other is in the directory at hand.
 */
static int set_path(struct mtree_in *m, const struct mtree_line *l, struct err *e)
{
	bool   full = l->name_n > 0 && memchr(l->name + 1, '/', l->name_n - 1) != NULL;
	size_t n = full ? 0 : m->dir_n;

	if (n + 1 + l->name_n >= sizeof m->path)
		return err_set(e, ERR_REFUSED, "its path is longer than %d bytes", ENTRY_PATH_MAX);
	memcpy(m->path, m->dir, n);
	if (n > 0)
		m->path[n++] = '/';
	memcpy(m->path + n, l->name, l->name_n);
	n += l->name_n;
	if (entry_path_clean(m->path, n, m->path, &m->path_n, e) < 0)
		return -1;
	if (!full && l->keys.given & MTREE_TYPE && l->keys.kind == ENTRY_DIR) {
		memcpy(m->dir, m->path, m->path_n);
		m->dir_n = m->path_n;
	}
	return 0;
}

static int go_up(struct mtree_in *m, struct err *e)
{
	if (m->dir_n == 0)
		return err_set(e, ERR_CORRUPT, "'..' above the first directory");
	while (m->dir_n > 0 && m->dir[m->dir_n - 1] != '/')
		m->dir_n--;
	m->dir_n -= m->dir_n > 0;
	return 0;
}

/* -- contents ---------------------------------------------------------------------------------- */

static int contents_path(struct mtree_in *m, const struct mtree_keys *k, size_t *n, struct err *e)
{
	const char *from = k->given & MTREE_CONTENTS ? k->contents : m->path;
	size_t	    size = k->given & MTREE_CONTENTS ? k->contents_n : m->path_n;

	if (size > 0 && from[0] == '/')
		return err_set(
			e, ERR_REFUSED,
			"contents=%.200s: leads outside of the list's directory; give a path "
			"from there",
			from);
	return entry_path_clean(from, size, m->contents, n, e) < 0 ? err_in(e, "contents") : 0;
}

/* The file, or -1. Nothing on the way to it is a symbolic link. */
static int open_contents(struct mtree_in *m, const struct mtree_keys *k, struct stat *st,
			 struct err *e)
{
	size_t	    n;
	int	    dir, fd;
	const char *last;

	if (contents_path(m, k, &n, e) < 0)
		return -1;
	if (safe_dir_parent(&m->dirs, m->contents, n, false, &dir, &last, e) < 0)
		return err_in(e, "contents %.200s", m->contents);
	fd = openat(dir, last, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == ELOOP)
		return err_set(e, ERR_REFUSED,
			       "contents %.200s: is a symbolic link, which is not followed",
			       m->contents);
	if (fd < 0)
		return err_errno(e, errno, "contents %.200s", m->contents);
	if (fstat(fd, st) == 0 && S_ISREG(st->st_mode))
		return fd;
	close(fd);
	return err_set(e, ERR_REFUSED, "contents %.200s: is no regular file", m->contents);
}

/* 1; 0: an optional file that is not there; -1. */
static int take_contents(struct mtree_in *m, const struct mtree_keys *k, struct entry *out,
			 struct err *e)
{
	struct err  why = { 0 };
	struct stat st;
	int	    fd = open_contents(m, k, &st, &why);

	if (fd < 0) {
		if (why.kind == ERR_NOTFOUND && k->given & MTREE_OPTIONAL)
			return 0;
		if (e != NULL)
			*e = why;
		return -1;
	}
	out->size = (uint64_t)st.st_size;
	file_in_take(&m->file, fd, out->size, (uint64_t)st.st_blocks < out->size / 512);
	if (k->given & MTREE_SIZE && k->size != out->size)
		return err_set(e, ERR_CORRUPT, "has %llu bytes, the list says %llu",
			       (unsigned long long)out->size, (unsigned long long)k->size);
	if (!(k->given & MTREE_TIME))
		out->mtime = (struct entry_time){ st.st_mtim.tv_sec, (uint32_t)st.st_mtim.tv_nsec };
	return file_in_map(&m->file, out, e) < 0 ? -1 : 1;
}

/* -- entries ----------------------------------------------------------------------------------- */

static int check_keys(const struct mtree_keys *k, struct err *e)
{
	bool node = k->kind == ENTRY_CHAR || k->kind == ENTRY_BLOCK;

	if (!(k->given & MTREE_TYPE))
		return err_set(e, ERR_CORRUPT, "says no type (type=file, dir, link...)");
	if (k->kind == ENTRY_SYMLINK && (!(k->given & MTREE_LINK) || k->link_n == 0))
		return err_set(e, ERR_CORRUPT, "a symbolic link without link=");
	if (k->kind == ENTRY_SYMLINK && memchr(k->link, '\0', k->link_n) != NULL)
		return err_set(e, ERR_REFUSED, "link=: a zero byte in it");
	if (node && !(k->given & MTREE_DEVICE))
		return err_set(e, ERR_CORRUPT, "a device without device=");
	return 0;
}

static uint32_t default_mode(enum entry_kind kind)
{
	return kind == ENTRY_DIR ? 0755 : kind == ENTRY_SYMLINK ? 0777 : 0644;
}

/* 1, 0 when it is left out, -1. */
static int take_entry(struct mtree_in *m, const struct mtree_keys *k, struct entry *out,
		      struct err *e)
{
	if (check_keys(k, e) < 0)
		return -1;
	*out = (struct entry){ .kind = k->kind,
			       .path = m->path,
			       .path_size = m->path_n,
			       .mode = k->given & MTREE_MODE ? k->mode : default_mode(k->kind),
			       .uid = k->given & MTREE_UID ? k->uid : 0,
			       .gid = k->given & MTREE_GID ? k->gid : 0 };
	if (k->given & MTREE_TIME)
		out->mtime = k->time;
	if (m->path_n == 0 && k->kind != ENTRY_DIR)
		return err_set(e, ERR_CORRUPT, "the root is not a directory");
	if (k->kind == ENTRY_SYMLINK) {
		out->target = k->link;
		out->target_size = k->link_n;
	}
	if (k->kind == ENTRY_CHAR || k->kind == ENTRY_BLOCK) {
		out->major = k->major;
		out->minor = k->minor;
	}
	return k->kind == ENTRY_FILE ? take_contents(m, k, out, e) : 1;
}

/* One line: 1 and an entry, 0 when it has none, -1. */
static int take_line(struct mtree_in *m, struct entry *out, struct err *e)
{
	struct mtree_line l;
	int		  got;

	if (mtree_line_parse(m->line, &m->set, &l, e) < 0)
		return -1;
	if (l.what != MTREE_ENTRY)
		return l.what == MTREE_UP ? go_up(m, e) : 0;
	if (set_path(m, &l, e) < 0)
		return -1;
	if (m->skip != NULL && m->skip(m->skip_ctx, m->path, m->path_n))
		return 0;
	got = take_entry(m, &l.keys, out, e);
	return got < 0 ? entry_err_in(e, m->path, m->path_n) : got;
}

static int in_next(void *self, struct entry *out, struct err *e)
{
	struct mtree_in *m = self;
	int		 got;

	file_in_drop(&m->file);
	while ((got = read_line(m, e)) > 0) {
		got = take_line(m, out, e);
		if (got != 0)
			break;
	}
	return got < 0 ? located(m, e) : got;
}

static int in_data(void *self, uint64_t *offset, struct bytes *piece, struct err *e)
{
	struct mtree_in *m = self;
	int		 got = file_in_data(&m->file, offset, piece, e);

	if (got >= 0)
		return got;
	entry_err_in(e, m->path, m->path_n);
	return located(m, e);
}

static void in_close(void *self)
{
	struct mtree_in *m = self;

	if (m->list != NULL)
		fclose(m->list);
	safe_dir_fini(&m->dirs);
	file_in_fini(&m->file);
	free(m->name);
	free(m);
}

void mtree_in_skip(struct entry_source *from, bool (*skip)(void *ctx, const char *path, size_t n),
		   void		       *ctx)
{
	struct mtree_in *m = from->self;

	m->skip = skip;
	m->skip_ctx = ctx;
}

/* The directory that the list is in. */
static int open_root(const char *path, struct err *e)
{
	char *copy = strdup(path), *slash = copy != NULL ? strrchr(copy, '/') : NULL;
	int   fd;

	if (copy == NULL)
		return err_nomem(e);
	if (slash != NULL)
		slash[1] = '\0';
	fd = open(slash != NULL ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		err_errno(e, errno, "%s", slash != NULL ? copy : ".");
	free(copy);
	return fd;
}

int mtree_in_open(const char *path, struct entry_source *out, struct err *e)
{
	struct mtree_in *m = calloc(1, sizeof *m);
	int		 fd, root;

	if (m == NULL)
		return err_nomem(e);
	root = open_root(path, e);
	safe_dir_init(&m->dirs, root);
	m->file.fd = -1;
	m->name = strdup(path);
	if (root >= 0 && m->name == NULL)
		err_nomem(e);
	if (root < 0 || m->name == NULL || file_in_init(&m->file, e) < 0) {
		in_close(m);
		return -1;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	m->list = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (m->list == NULL) {
		err_errno(e, errno, "%s", path);
		if (fd >= 0)
			close(fd);
		in_close(m);
		return -1;
	}
	*out = (struct entry_source){
		.self = m, .next = in_next, .data = in_data, .close = in_close
	};
	return 0;
}
