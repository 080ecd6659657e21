/*
 * Words of an mtree list. Names and values are escaped as vis(3) does; numbers are decimal but for
 * modes. Words that say nothing about what a file is (digests, flags, tags) are passed over.
 */
#include "core/entries/mtree_line.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* -- escapes ----------------------------------------------------------------------------------- */

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* One escape after its backslash; what it stands for in *c, and how many characters it has, or 0.
 */
static size_t escape(const char *p, char *c)
{
	static const char letters[] = "abfnrstv\\\"#= ", bytes[] = "\a\b\f\n\r \t\v\\\"#= ";
	const char	 *at = *p != '\0' ? strchr(letters, *p) : NULL;

	if (is_octal(p[0]) && is_octal(p[1]) && is_octal(p[2]) && p[0] <= '3') {
		*c = (char)((p[0] - '0') << 6 | (p[1] - '0') << 3 | (p[2] - '0'));
		return 3;
	}
	if (at == NULL)
		return 0;
	*c = bytes[at - letters];
	return 1;
}

/* In place; *n is its length then. */
static int unescape(char *word, size_t *n, struct err *e)
{
	char *to = word;

	for (const char *p = word; *p != '\0';) {
		size_t used = 0;

		if (*p != '\\') {
			*to++ = *p++;
			continue;
		}
		used = escape(p + 1, to);
		if (used == 0)
			return err_set(e, ERR_CORRUPT, "unknown escape '\\%.1s'", p + 1);
		p += 1 + used;
		to++;
	}
	*n = (size_t)(to - word);
	*to = '\0';
	return 0;
}

/* -- values ------------------------------------------------------------------------------------ */

static int bad_value(const char *key, const char *value, struct err *e)
{
	return err_set(e, ERR_CORRUPT, "%s: '%.100s' makes no sense", key, value);
}

/* Digits of this base up to `end`, none other. */
static bool number(const char *p, int base, char end, uint64_t max, uint64_t *out,
		   const char **rest)
{
	char		  *stop;
	unsigned long long v;

	if (*p < '0' || *p > '9')
		return false;
	v = strtoull(p, &stop, base);
	if (*stop != '\0' && *stop != end)
		return false;
	if (v > max || (v == UINT64_MAX))
		return false;
	*out = v;
	*rest = stop;
	return true;
}

static int take_number(const char *key, const char *value, int base, uint64_t max, uint64_t *out,
		       struct err *e)
{
	const char *rest;

	return number(value, base, '\0', max, out, &rest) ? 0 : bad_value(key, value, e);
}

static int take_type(const char *value, enum entry_kind *out, struct err *e)
{
	static const struct {
		const char     *name;
		enum entry_kind kind;
	} types[] = {
		{ "file", ENTRY_FILE },	  { "dir", ENTRY_DIR },	      { "link", ENTRY_SYMLINK },
		{ "fifo", ENTRY_FIFO },	  { "socket", ENTRY_SOCKET }, { "char", ENTRY_CHAR },
		{ "block", ENTRY_BLOCK },
	};

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		if (strcmp(types[i].name, value) == 0) {
			*out = types[i].kind;
			return 0;
		}
	}
	return bad_value("type", value, e);
}

/* The part behind the point counts nanoseconds: "5.7" is 7 of them. */
static int take_time(const char *value, struct entry_time *out, struct err *e)
{
	bool	    below = *value == '-';
	uint64_t    sec, ns = 0;
	const char *rest;

	if (!number(value + below, 10, '.', INT64_MAX, &sec, &rest) ||
	    (*rest == '.' && !number(rest + 1, 10, '\0', 999999999, &ns, &rest)))
		return bad_value("time", value, e);
	*out = (struct entry_time){ below ? -(int64_t)sec : (int64_t)sec, (uint32_t)ns };
	return 0;
}

/* "linux,8,1", "native,8,1", or a number as this system has them. */
static int take_device(const char *value, uint32_t *maj, uint32_t *min, struct err *e)
{
	const char *comma = strchr(value, ','), *rest;
	uint64_t    a, b;

	if (comma == NULL) {
		if (!number(value, 0, '\0', UINT64_MAX - 1, &a, &rest))
			return bad_value("device", value, e);
		*maj = major(a);
		*min = minor(a);
		return 0;
	}
	if (!number(comma + 1, 0, ',', UINT32_MAX, &a, &rest) || *rest != ',' ||
	    !number(rest + 1, 0, '\0', UINT32_MAX, &b, &rest))
		return bad_value("device", value, e);
	*maj = (uint32_t)a;
	*min = (uint32_t)b;
	return 0;
}

/* What a name means depends on the machine, but for root's. A number on the same line wins. */
static int take_name(struct mtree_keys *k, const char *key, const char *value, struct err *e)
{
	bool	 group = key[0] == 'g';
	unsigned which = group ? MTREE_GID : MTREE_UID;

	if (k->given & which)
		return 0;
	if (strcmp(value, "root") != 0 && !(group && strcmp(value, "wheel") == 0))
		return err_set(e, ERR_UNSUPPORTED,
			       "%s=%.100s: names mean something else on every machine; the list "
			       "has to say "
			       "%s=NUMBER",
			       key, value, group ? "gid" : "uid");
	*(group ? &k->gid : &k->uid) = 0;
	k->given |= which;
	return 0;
}

/* -- keywords ---------------------------------------------------------------------------------- */

static int take_mode(const char *value, uint32_t *out, struct err *e)
{
	uint64_t mode;

	/* mtree -c writes type bits for some systems */
	if (take_number("mode", value, 8, 0177777, &mode, e) < 0)
		return -1;
	*out = (uint32_t)mode & 07777;
	return 0;
}

static int take_text(const char *key, char *value, const char **out, size_t *n, struct err *e)
{
	*out = value;
	return unescape(value, n, e) < 0 ? err_in(e, "%s", key) : 0;
}

/* 1 and the key's bit, 0 when it is of no interest, -1. */
static int take_value(struct mtree_keys *k, const char *key, char *value, struct err *e)
{
	if (strcmp(key, "type") == 0)
		return take_type(value, &k->kind, e) < 0 ? -1 : MTREE_TYPE;
	if (strcmp(key, "mode") == 0)
		return take_mode(value, &k->mode, e) < 0 ? -1 : MTREE_MODE;
	if (strcmp(key, "uid") == 0)
		return take_number(key, value, 10, UINT32_MAX - 1, &k->uid, e) < 0 ? -1 : MTREE_UID;
	if (strcmp(key, "gid") == 0)
		return take_number(key, value, 10, UINT32_MAX - 1, &k->gid, e) < 0 ? -1 : MTREE_GID;
	if (strcmp(key, "time") == 0)
		return take_time(value, &k->time, e) < 0 ? -1 : MTREE_TIME;
	if (strcmp(key, "size") == 0)
		return take_number(key, value, 10, INT64_MAX, &k->size, e) < 0 ? -1 : MTREE_SIZE;
	if (strcmp(key, "device") == 0)
		return take_device(value, &k->major, &k->minor, e) < 0 ? -1 : MTREE_DEVICE;
	if (strcmp(key, "link") == 0)
		return take_text(key, value, &k->link, &k->link_n, e) < 0 ? -1 : MTREE_LINK;
	if (strcmp(key, "contents") == 0 || strcmp(key, "content") == 0)
		return take_text(key, value, &k->contents, &k->contents_n, e) < 0 ? -1
										  : MTREE_CONTENTS;
	return 0;
}

static int take_word(struct mtree_keys *k, char *word, unsigned *given, struct err *e)
{
	char *eq = strchr(word, '=');
	int   which;

	if (eq == NULL) {
		*given |= strcmp(word, "optional") == 0 ? MTREE_OPTIONAL : 0;
		return 0;
	}
	*eq = '\0';
	which = take_value(k, word, eq + 1, e);
	if (which < 0)
		return -1;
	*given |= (unsigned)which;
	k->given |= (unsigned)which;
	return 0;
}

/* The next word of a line, cut out of it; NULL at the end. */
static char *next_word(char **at)
{
	char *word = *at + strspn(*at, " \t");
	char *end = word + strcspn(word, " \t");

	if (*word == '\0')
		return NULL;
	*at = *end == '\0' ? end : end + 1;
	*end = '\0';
	return word;
}

/* Owners by name come last, since numbers win wherever they stand. */
static int take_words(char *at, struct mtree_keys *k, struct err *e)
{
	enum { NAMES = 4 };
	char	*names[NAMES], *word;
	unsigned given = 0;
	size_t	 count = 0;

	while ((word = next_word(&at)) != NULL) {
		bool name = strncmp(word, "uname=", 6) == 0 || strncmp(word, "gname=", 6) == 0;

		if (name && count < NAMES)
			names[count++] = word;
		else if (!name && take_word(k, word, &given, e) < 0)
			return -1;
	}
	for (size_t i = 0; i < count; i++) {
		unsigned which = names[i][0] == 'g' ? MTREE_GID : MTREE_UID;

		/* One of /set does not stand against a name that the line itself has. */
		if (!(given & which))
			k->given &= ~which;
		names[i][5] = '\0';
		if (take_name(k, names[i], names[i] + 6, e) < 0)
			return -1;
	}
	k->given |= given;
	return 0;
}

static unsigned key_by_name(const char *name)
{
	static const struct {
		const char *name;
		unsigned    key;
	} keys[] = {
		{ "type", MTREE_TYPE }, { "mode", MTREE_MODE },		{ "uid", MTREE_UID },
		{ "gid", MTREE_GID },	{ "uname", MTREE_UID },		{ "gname", MTREE_GID },
		{ "time", MTREE_TIME }, { "size", MTREE_SIZE },		{ "device", MTREE_DEVICE },
		{ "all", ~0U },		{ "optional", MTREE_OPTIONAL },
	};

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		if (strcmp(keys[i].name, name) == 0)
			return keys[i].key;
	}
	return 0;
}

int mtree_line_parse(char *line, struct mtree_keys *set, struct mtree_line *out, struct err *e)
{
	char *at = line, *word = next_word(&at), *key;

	*out = (struct mtree_line){ .what = MTREE_NOTHING };
	if (word == NULL || word[0] == '#')
		return 0;
	if (strcmp(word, "/set") == 0) {
		if (take_words(at, set, e) < 0)
			return err_in(e, "/set");
		/* Every file has its own; and they point into this line. */
		set->given &= ~(unsigned)(MTREE_LINK | MTREE_CONTENTS);
		return 0;
	}
	if (strcmp(word, "/unset") == 0) {
		while ((key = next_word(&at)) != NULL)
			set->given &= ~key_by_name(key);
		return 0;
	}
	if (word[0] == '/')
		return err_set(e, ERR_CORRUPT, "'%.100s' is no word of mtree; names begin with ./",
			       word);
	if (strcmp(word, "..") == 0) {
		out->what = MTREE_UP;
		return 0;
	}
	out->what = MTREE_ENTRY;
	out->keys = *set;
	out->name = word;
	return unescape(word, &out->name_n, e) < 0 ? -1 : take_words(at, &out->keys, e);
}
