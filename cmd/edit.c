/* Entries on their way: left out, with shorter paths, with other owners. */
#include "cmd/edit.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/chmode.h"
#include "cmd/size.h"
#include "core/base/mem.h"

enum { STRIP_MAX = 4096 }; /* no path has more parts */

void edit_fini(struct edit *edit)
{
	free(edit->excludes);
	free(edit->includes);
	free(edit->included);
}

/* -- owners ------------------------------------------------------------------------------------ */

/* Names would mean what the machine at hand makes of them, but for root. */
static int parse_id(const char *p, size_t n, uint64_t *out, struct err *e)
{
	char word[32];

	if (n == 4 && memcmp(p, "root", 4) == 0) {
		*out = 0;
		return 0;
	}
	if (n == 0 || n >= sizeof word)
		return err_set(e, ERR_USAGE, "'%.*s' is no number", (int)n, p);
	memcpy(word, p, n);
	word[n] = '\0';
	if (parse_number(word, out, e) < 0)
		return -1;
	if (*out > UINT32_MAX - 1)
		return err_set(e, ERR_USAGE, "'%s' is too large for an id", word);
	return 0;
}

int edit_parse_owner(const char *word, struct edit_owner *out, struct err *e)
{
	size_t		  n = strcspn(word, ":");
	struct edit_owner o = { .uid_given = n > 0, .gid_given = word[n] == ':' };

	if (!o.uid_given && !o.gid_given)
		return err_set(e, ERR_USAGE, "no owner is given");
	if (o.uid_given && parse_id(word, n, &o.uid, e) < 0)
		return -1;
	if (o.gid_given && parse_id(word + n + 1, strlen(word + n + 1), &o.gid, e) < 0)
		return -1;
	*out = o;
	return 0;
}

static void set_owner(const struct edit_owner *o, struct entry *entry)
{
	if (o->uid_given)
		entry->uid = o->uid;
	if (o->gid_given)
		entry->gid = o->gid;
}

/* -- times ------------------------------------------------------------------------------------- */

/* The digits behind the point, as nanoseconds; what is finer is cut. */
static bool fraction(const char *p, uint32_t *ns)
{
	uint32_t unit = 100000000;

	*ns = 0;
	if (*p == '\0')
		return false;
	for (; *p >= '0' && *p <= '9'; p++, unit /= 10)
		*ns += (uint32_t)(*p - '0') * unit;
	return *p == '\0';
}

int edit_parse_mtime(const char *word, struct entry_time *out, struct err *e)
{
	const char *p = word + (word[0] == '@'), *point;
	bool	    below = *p == '-';
	uint64_t    sec;
	uint32_t    ns = 0;
	char	    digits[24];
	size_t	    n;

	p += below;
	point = strchr(p, '.');
	n = point != NULL ? (size_t)(point - p) : strlen(p);
	if (n >= sizeof digits || (point != NULL && !fraction(point + 1, &ns)))
		goto bad;
	memcpy(digits, p, n);
	digits[n] = '\0';
	if (parse_number(digits, &sec, NULL) < 0 || sec > INT64_MAX / 2)
		goto bad;
	*out = (struct entry_time){ below ? -(int64_t)sec : (int64_t)sec, ns };
	/* Half a second before a second is half a second after the one before. */
	if (below && ns > 0)
		*out = (struct entry_time){ out->sec - 1, 1000000000 - ns };
	return 0;
bad:
	return err_set(e, ERR_USAGE, "'%s' is no time: seconds since 1970, like 1600000000.5",
		       word);
}

/* -- patterns ---------------------------------------------------------------------------------- */

int edit_exclude(struct edit *edit, const char *pattern, struct err *e)
{
	if (*pattern == '\0')
		return err_set(e, ERR_USAGE, "an empty pattern");
	if (mem_grow(&edit->excludes, &edit->exclude_cap, edit->exclude_count + 1,
		     sizeof edit->excludes[0], e) < 0)
		return -1;
	edit->excludes[edit->exclude_count++] = pattern;
	return 0;
}

int edit_include(struct edit *edit, const char *pattern, struct err *e)
{
	if (*pattern == '\0')
		return err_set(e, ERR_USAGE, "an empty pattern");
	if (mem_grow(&edit->includes, &edit->include_cap, edit->include_count + 1,
		     sizeof edit->includes[0], e) < 0 ||
	    mem_grow(&edit->included, &edit->included_cap, edit->include_count + 1,
		     sizeof edit->included[0], e) < 0)
		return -1;
	edit->included[edit->include_count] = false;
	edit->includes[edit->include_count++] = pattern;
	return 0;
}

/* From `at` to the end, or to any slash after it: what is below a match is left out, too. */
static bool matches_from(const char *pattern, char *at)
{
	for (char *slash = strchr(at, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';

		bool hit = fnmatch(pattern, at, 0) == 0;

		*slash = '/';
		if (hit)
			return true;
	}
	return fnmatch(pattern, at, 0) == 0;
}

/* As tar's: anywhere in the path at the start of a part; "/x" and "./x" only at the root. */
static bool matches(const char *pattern, char *path)
{
	bool anchored = pattern[0] == '/' || strncmp(pattern, "./", 2) == 0;

	if (anchored)
		return matches_from(strchr(pattern, '/') + 1, path);
	for (char *at = path; at != NULL; at = strchr(at, '/')) {
		at += *at == '/';
		if (matches_from(pattern, at))
			return true;
	}
	return false;
}

bool edit_excludes(const struct edit *edit, const char *path, size_t n)
{
	char copy[ENTRY_PATH_MAX + 1];

	if (edit->exclude_count == 0 || n == 0 || n > ENTRY_PATH_MAX)
		return false;
	memcpy(copy, path, n);
	copy[n] = '\0';
	for (size_t i = 0; i < edit->exclude_count; i++) {
		if (matches(edit->excludes[i], copy))
			return true;
	}
	return false;
}

/* tar's inclusions begin at the root: "./", "/" and a slash at the end change nothing. */
static bool includes(const char *pattern, char *path)
{
	char   copy[ENTRY_PATH_MAX + 1];
	size_t n;

	if (entry_path_clean(pattern, strlen(pattern), copy, &n, NULL) < 0)
		return false;
	return n == 0 || matches_from(copy, path);
}

bool edit_includes(struct edit *edit, const char *path, size_t n)
{
	char copy[ENTRY_PATH_MAX + 1];
	bool hit = edit->include_count == 0;

	if (n > ENTRY_PATH_MAX)
		return hit;
	memcpy(copy, path, n);
	copy[n] = '\0';
	for (size_t i = 0; i < edit->include_count; i++) {
		if (includes(edit->includes[i], copy))
			hit = edit->included[i] = true;
	}
	return hit;
}

/* -- shorter paths ----------------------------------------------------------------------------- */

/* Takes leading parts away; false when nothing is left. */
static bool strip(unsigned count, const char **path, size_t *n)
{
	for (; count > 0; count--) {
		const char *slash = memchr(*path, '/', *n);

		if (slash == NULL)
			return false;
		*n -= (size_t)(slash + 1 - *path);
		*path = slash + 1;
	}
	return true;
}

bool edit_strips_all(const struct edit *edit, const char *path, size_t n)
{
	return !strip(edit->strip, &path, &n);
}

int edit_parse_strip(struct edit *edit, const char *word, struct err *e)
{
	uint64_t n;

	if (parse_number(word, &n, NULL) < 0 || n > STRIP_MAX)
		return err_set(e, ERR_USAGE, "'%s' is no number from 0 to %d", word, STRIP_MAX);
	edit->strip = (unsigned)n;
	return 0;
}

bool edit_entry(const struct edit *edit, struct entry *entry)
{
	if (edit_excludes(edit, entry->path, entry->path_size) ||
	    !strip(edit->strip, &entry->path, &entry->path_size))
		return false;
	if (entry->kind == ENTRY_HARDLINK &&
	    !strip(edit->strip, &entry->target, &entry->target_size))
		return false;
	set_owner(&edit->owner, entry);
	if (edit->mode != NULL && entry->kind != ENTRY_SYMLINK)
		entry->mode = chmode_apply(edit->mode, entry->mode, entry->kind == ENTRY_DIR);
	if (edit->mtime_given)
		entry->mtime = edit->mtime;
	return true;
}
