/* Pool names, sizes, members and contents as words. */
#include "cmd/mkpool/words.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/items.h"
#include "cmd/size.h"
#include "core/base/mem.h"
#include "core/pool/sizing.h"
#include "formats/base/limits.h"

enum {
	POOL_NAME_MAX = 239, /* zfs_namecheck.c: room for "NAME/$ORIGIN@$ORIGIN" in 256 bytes */
	AUTO_PERCENT = 5,
	PERCENT_MAX = 100000,
};
#define AUTO_AVAIL (16 * MIB)

/* -- names ------------------------------------------------------------------------------------- */

static bool reserved(const char *name)
{
	static const char *const prefixes[] = { "mirror", "raidz", "draid", "spare" };

	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	return strcmp(name, "log") == 0 || (name[0] == 'c' && isdigit((unsigned char)name[1]));
}

int words_check_pool(const char *name, struct err *e)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char others[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.: ";

	if (name[0] == '\0' || strchr(letters, name[0]) == NULL)
		return err_set(e, ERR_USAGE, "pool name '%s': it must begin with a letter", name);
	if (name[strspn(name, others)] != '\0')
		return err_set(e, ERR_USAGE, "pool name '%s': invalid character '%c'", name,
			       name[strspn(name, others)]);
	if (strlen(name) > POOL_NAME_MAX)
		return err_set(e, ERR_USAGE, "pool name '%.20s...': longer than %d bytes", name,
			       POOL_NAME_MAX);
	if (reserved(name))
		return err_set(e, ERR_USAGE, "pool name '%s' is reserved", name);
	return 0;
}

/* -- sizes ------------------------------------------------------------------------------------- */

static int parse_percent(const char *word, struct pool_size *out, struct err *e)
{
	char	 digits[16];
	size_t	 n = strlen(word) - 1;
	uint64_t percent;

	if (n >= sizeof digits)
		return err_set(e, ERR_USAGE, "'+%s' is no size", word);
	memcpy(digits, word, n);
	digits[n] = '\0';
	if (parse_number(digits, &percent, NULL) < 0 || percent > PERCENT_MAX)
		return err_set(e, ERR_USAGE, "'+%s' is no size", word);
	out->avail_percent = (unsigned)percent;
	return 0;
}

int words_parse_size(const char *word, struct pool_size *out, struct err *e)
{
	struct pool_size s = { .rule = POOL_SIZE_AVAIL };

	if (strcmp(word, "auto") == 0) {
		s.avail = AUTO_AVAIL;
		s.avail_percent = AUTO_PERCENT;
	} else if (word[0] == '+' && word[1] != '\0' && word[strlen(word) - 1] == '%') {
		if (parse_percent(word + 1, &s, e) < 0)
			return -1;
	} else if (word[0] == '+') {
		if (parse_size(word + 1, &s.avail, e) < 0)
			return -1;
	} else if (strcmp(word, "min") != 0) {
		s.rule = POOL_SIZE_GIVEN;
		if (parse_size(word, &s.size, e) < 0)
			return -1;
		s.size = align_down(s.size, SECTOR);
		if (s.size < VDEV_MIN_SIZE)
			return err_set(e, ERR_USAGE, "'%s' is less than 64M", word);
		if (s.size > INT64_MAX)
			return err_set(e, ERR_USAGE, "'%s' is more than a file can have", word);
	}
	*out = s;
	return 0;
}

/* -- members ----------------------------------------------------------------------------------- */

static bool is_layout(const char *word)
{
	static const char *const words[] = {
		"mirror", "log", "special", "dedup", "spare", "cache"
	};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (strcmp(word, words[i]) == 0)
			return true;
	}
	return strncmp(word, "raidz", 5) == 0 || strncmp(word, "draid", 5) == 0;
}

/* A path with a bare '=' is one item all the same. */
static int path_of(const struct item *item, char **out, struct err *e)
{
	size_t n = strlen(item->key), m = item->value == NULL ? 0 : strlen(item->value) + 1;

	*out = mem_zero(n + m + 1, e);
	if (*out == NULL)
		return -1;
	snprintf(*out, n + m + 1, "%s%s%s", item->key, m > 0 ? "=" : "", m > 0 ? item->value : "");
	return 0;
}

static int member_option(const struct item *item, bool *size_given, struct pool_size *size,
			 struct err *e)
{
	if (strcmp(item->key, "size") != 0 || item->value == NULL)
		return err_set(e, ERR_USAGE, "unknown member option '%s'", item->key);
	*size_given = true;
	return words_parse_size(item->value, size, e);
}

int words_parse_vdev(const char *word, char **path, bool *size_given, struct pool_size *size,
		     struct err *e)
{
	struct items items;

	if (is_layout(word))
		return err_set(e, ERR_USAGE, "%s: several vdevs are not built yet", word);
	if (items_parse(word, strlen(word), &items, e) < 0)
		return -1;

	int rc = path_of(&items.list[0], path, e);

	for (size_t i = 1; rc == 0 && i < items.count; i++) {
		rc = member_option(&items.list[i], size_given, size, e);
		if (rc < 0)
			err_in(e, "%s", *path);
	}
	items_free(&items);
	return rc;
}

/* -- raw files --------------------------------------------------------------------------------- */

int words_raw_size(const char *path, uint64_t *size, struct err *e)
{
	struct stat st;
	int	    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	off_t	    end = fd >= 0 ? lseek(fd, 0, SEEK_END) : -1;
	int	    why = errno;
	bool	    known = fd >= 0 && fstat(fd, &st) == 0;

	if (fd >= 0)
		close(fd);
	if (known && !S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return err_set(e, ERR_USAGE, "%s: is neither a file nor a block device", path);
	if (end < 0)
		return err_errno(e, why, "%s", path);
	*size = (uint64_t)end;
	return 0;
}

/* -- files of options -------------------------------------------------------------------------- */

static int find_zero(const char *path, const char *text, size_t n, struct err *e)
{
	const char *zero = n > 0 ? memchr(text, '\0', n) : NULL;
	unsigned    line = 1;

	if (zero == NULL)
		return 0;
	for (const char *p = text; p < zero; p++)
		line += *p == '\n';
	return err_set(e, ERR_USAGE, "%s: line %u: a zero byte: this is no text", path, line);
}

int words_read_file(const char *path, char **out, struct err *e)
{
	enum { MAX = 1 << 20 }; /* ours: more is no list of options */
	FILE  *f = fopen(path, "re");
	char  *text = mem_raw(MAX + 1, e);
	size_t n = 0;
	int    rc = -1;

	if (f == NULL) {
		err_errno(e, errno, "%s", path);
		goto out;
	}
	if (text == NULL)
		goto out;
	n = fread(text, 1, MAX + 1, f);
	if (ferror(f)) {
		err_errno(e, errno, "%s", path);
		goto out;
	}
	if (n > MAX) {
		err_set(e, ERR_USAGE, "%s: over %d bytes: this is no list of options", path, MAX);
		goto out;
	}
	rc = find_zero(path, text, n, e);
	text[n] = '\0';
out:
	if (f != NULL)
		fclose(f);
	if (rc < 0)
		free(text);
	else
		*out = text;
	return rc;
}

/* -- datasets ---------------------------------------------------------------------------------- */

static int bad_name(const char *name, const char *why, struct err *e)
{
	return err_set(e, ERR_USAGE, "'%.260s': %s", name, why);
}

/* One part between slashes, or behind the '@'. */
static int check_part(const char *name, const char *part, size_t n, struct err *e)
{
	if (n == 0)
		return bad_name(name, "empty component or misplaced '@' or '#' delimiter in name",
				e);
	if (n == 1 && part[0] == '.')
		return bad_name(name, "self reference, '.' is found in name", e);
	if (n == 2 && part[0] == '.' && part[1] == '.')
		return bad_name(name, "parent reference, '..' is found in name", e);
	for (size_t i = 0; i < n; i++) {
		if (!isalnum((unsigned char)part[i]) && strchr("-_.: ", part[i]) == NULL)
			return err_set(e, ERR_USAGE, "'%.260s': invalid character '%c' in name",
				       name, part[i]);
	}
	return 0;
}

static int check_parts(const char *name, size_t n, struct err *e)
{
	const char *part = name, *end = name + n;
	unsigned    depth = 0;

	if (name[0] == '/')
		return bad_name(name, "leading slash in name", e);
	if (n > 0 && end[-1] == '/')
		return bad_name(name, "trailing slash in name", e);
	for (;;) {
		const char *slash = memchr(part, '/', (size_t)(end - part));

		if (check_part(name, part, (size_t)((slash != NULL ? slash : end) - part), e) < 0)
			return -1;
		if (slash == NULL)
			break;
		part = slash + 1;
		depth++;
	}
	if (depth >= DATASET_DEPTH_MAX)
		return bad_name(name, "maximum name nesting depth exceeded", e);
	return 0;
}

int words_check_dataset(const char *name, const char *pool, struct err *e)
{
	size_t n = strlen(pool);

	if (strlen(name) >= DATASET_NAME_MAX)
		return bad_name(name, "name is too long", e);
	if (strchr(name, '@') != NULL)
		return bad_name(name, "snapshot delimiter '@' is not expected here", e);
	if (check_parts(name, strlen(name), e) < 0)
		return -1;
	if (strcmp(name, pool) == 0)
		return bad_name(name,
				"is the pool's root, which is made anyway; -O sets its properties",
				e);
	if (strncmp(name, pool, n) != 0 || name[n] != '/')
		return err_set(e, ERR_USAGE, "'%s' is not in pool %s: write %s/%s", name, pool,
			       pool, name);
	return 0;
}

int words_check_snapshot(const char *name, struct err *e)
{
	const char *at = strchr(name, '@');

	if (strlen(name) >= DATASET_NAME_MAX)
		return bad_name(name, "name is too long", e);
	if (strchr(at + 1, '@') != NULL)
		return bad_name(name, "multiple '@' delimiters in name", e);
	if (check_parts(name, (size_t)(at - name), e) < 0)
		return -1;
	return check_part(name, at + 1, strlen(at + 1), e);
}
