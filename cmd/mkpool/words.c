/* Pool names, sizes, members and contents as words. */
#include "cmd/mkpool/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

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

/* -- contents ---------------------------------------------------------------------------------- */

int words_parse_content(const char *word, const char *pool, const char **source, struct err *e)
{
	size_t	    n = strlen(pool);
	const char *eq = strchr(word, '=');

	*source = word;
	if (eq != NULL && strncmp(word, pool, n) == 0) {
		if (word[n] == '=')
			*source = eq + 1;
		else if (word[n] == '/' || (word[n] == '@' && word[n + 1] == '/'))
			return err_set(
				e, ERR_USAGE,
				"%.*s: only the root of the pool's root dataset can be given "
				"contents yet",
				(int)(eq - word), word);
	}
	if (strncmp(*source, "mtree:", 6) == 0 || strncmp(*source, "oci:", 4) == 0)
		return err_set(e, ERR_USAGE, "%s: such sources are not built yet", *source);
	if (**source == '\0')
		return err_set(e, ERR_USAGE, "-d '%s': no source", word);
	return 0;
}
