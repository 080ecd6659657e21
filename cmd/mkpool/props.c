/* -o and -O: what the words mean, and whether they go together. */
#include "cmd/mkpool/props.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/size.h"
#include "core/base/mem.h"

enum {
	ASHIFT_MIN = 9,
	ASHIFT_MAX = 16,
	ASHIFT_DEFAULT = 12,
	COMMENT_MAX = 32, /* sys/fs/zfs.h, ZPROP_MAX_COMMENT */
	COMPATIBILITY_MAX = 1023,
};
static const char default_set[] = "openzfs-2.1-linux";

void props_fini(struct props *p)
{
	free(p->words);
}

static int set_ashift(struct props *p, const char *value, struct err *e)
{
	uint64_t n;

	if (parse_number(value, &n, NULL) < 0 || n < ASHIFT_MIN || n > ASHIFT_MAX)
		return err_set(e, ERR_USAGE, "ashift: '%s' is no number from %d to %d", value,
			       ASHIFT_MIN, ASHIFT_MAX);
	p->ashift = (unsigned)n;
	return 0;
}

static int set_comment(struct props *p, const char *value, struct err *e)
{
	if (strlen(value) > COMMENT_MAX)
		return err_set(e, ERR_USAGE, "comment: longer than %d bytes", COMMENT_MAX);
	for (const char *c = value; *c != '\0'; c++) {
		if (*c < 0x20 || *c > 0x7e)
			return err_set(e, ERR_USAGE, "comment: only printable ASCII");
	}
	p->comment = *value == '\0' ? NULL : value;
	return 0;
}

static int set_compatibility(struct props *p, const char *value, struct err *e)
{
	struct feature_set set;
	const char	  *unknown = value;

	if (strlen(value) > COMPATIBILITY_MAX)
		return err_set(e, ERR_USAGE, "compatibility: longer than %d bytes",
			       COMPATIBILITY_MAX);
	if (!feature_set_by_name(value, &set, &unknown))
		return err_set(e, ERR_USAGE, "compatibility: no set is called '%.*s'",
			       (int)strcspn(unknown, ","), unknown);
	p->compatibility = value;
	return 0;
}

static int set_feature(struct props *p, const char *name, const char *value, struct err *e)
{
	bool		      enable = strcmp(value, "enabled") == 0;
	const struct feature *f = feature_by_name(name);

	if (f == NULL)
		return err_set(e, ERR_USAGE, "unknown feature '%s'", name);
	if (!enable && strcmp(value, "disabled") != 0)
		return err_set(e, ERR_USAGE, "feature@%s: '%s' is neither enabled nor disabled",
			       name, value);
	if (mem_grow(&p->words, &p->word_cap, p->word_count + 1, sizeof p->words[0], e) < 0)
		return -1;
	p->words[p->word_count++] = (struct feature_word){ f, enable };
	return 0;
}

static int split(const char *word, const char *option, char *name, size_t size, const char **value,
		 struct err *e)
{
	const char *eq = strchr(word, '=');

	if (eq == NULL || eq == word || (size_t)(eq - word) >= size)
		return err_set(e, ERR_USAGE, "%s: '%s' is not property=value", option, word);
	memcpy(name, word, (size_t)(eq - word));
	name[eq - word] = '\0';
	*value = eq + 1;
	return 0;
}

int props_pool(struct props *p, const char *word, struct err *e)
{
	char	    name[128];
	const char *value;

	if (split(word, "-o", name, sizeof name, &value, e) < 0)
		return -1;
	if (strncmp(name, "feature@", 8) == 0)
		return set_feature(p, name + 8, value, e);
	if (strcmp(name, "ashift") == 0)
		return set_ashift(p, value, e);
	if (strcmp(name, "compatibility") == 0)
		return set_compatibility(p, value, e);
	if (strcmp(name, "comment") == 0)
		return set_comment(p, value, e);
	return err_set(e, ERR_USAGE, "-o %s: mkpool cannot set this property", name);
}

int props_dataset(struct props *p, const char *word, struct err *e)
{
	char		       name[128];
	const char	      *value;
	struct compress_choice choice;

	if (split(word, "-O", name, sizeof name, &value, e) < 0)
		return -1;
	if (strcmp(name, "compression") != 0)
		return err_set(e, ERR_USAGE, "-O %s: mkpool cannot set this property", name);
	if (!compress_by_name(value, &choice))
		return err_set(e, ERR_USAGE, "compression: unknown value '%s'", value);
	p->compression = value;
	return 0;
}

/* -- features ---------------------------------------------------------------------------------- */

static const char *set_name(const struct props *p)
{
	return p->compatibility != NULL ? p->compatibility : default_set;
}

static struct feature_set with(struct feature_set s, const struct feature *f)
{
	return (struct feature_set){ s.bits | UINT64_C(1) << (f - feature_table) };
}

static struct feature_set without(struct feature_set s, const struct feature *f)
{
	return (struct feature_set){ s.bits & ~(UINT64_C(1) << (f - feature_table)) };
}

/* Does `f` need what is not in the set? */
static bool lacks(struct feature_set s, const struct feature *f)
{
	for (size_t i = 0; f->depends[i] != NULL; i++) {
		if (!feature_set_has(s, feature_by_name(f->depends[i])))
			return true;
	}
	return false;
}

/* What depends on something that is not there cannot stay. */
static struct feature_set drop_dependants(struct feature_set s)
{
	struct feature_set before;

	do {
		before = s;
		for (size_t i = 0; i < feature_count(); i++) {
			if (feature_set_has(s, &feature_table[i]) && lacks(s, &feature_table[i]))
				s = without(s, &feature_table[i]);
		}
	} while (s.bits != before.bits);
	return s;
}

static int allowed(const struct props *p, struct feature_set set, const struct feature *f,
		   struct err *e)
{
	if (!f->can_write)
		return err_set(e, ERR_UNSUPPORTED, "feature %s cannot be written yet", f->name);
	if (!feature_set_has(set, f))
		return err_set(e, ERR_USAGE, "feature %s is not in the compatibility set %s",
			       f->name, set_name(p));
	return 0;
}

static int resolve_features(struct props *p, struct err *e)
{
	struct feature_set set = { 0 }, now;

	/* It was checked when it was given. */
	(void)feature_set_by_name(set_name(p), &set, NULL);
	now = set;
	for (size_t i = 0; i < feature_count(); i++) {
		if (!feature_table[i].can_write)
			now = without(now, &feature_table[i]);
	}
	for (size_t i = 0; i < p->word_count; i++) {
		const struct feature *f = p->words[i].feature;

		if (p->words[i].enable && allowed(p, set, f, e) < 0)
			return -1;
		now = p->words[i].enable ? feature_set_close(with(now, f)) : without(now, f);
	}
	p->features = drop_dependants(now);
	for (size_t i = 0; i < p->word_count; i++) {
		if (p->words[i].enable && !feature_set_has(p->features, p->words[i].feature))
			return err_set(e, ERR_USAGE,
				       "feature %s, or what it depends on, is disabled too",
				       p->words[i].feature->name);
	}
	return 0;
}

static int need(const struct props *p, const char *name, struct err *e)
{
	if (feature_set_has(p->features, feature_by_name(name)))
		return 0;
	return err_set(
		e, ERR_USAGE,
		"compression=%s needs feature %s, which is not enabled (compatibility set %s)",
		p->compression, name, set_name(p));
}

/* -- compression ------------------------------------------------------------------------------- */

static int resolve_compression(struct props *p, struct err *e)
{
	const char *name = p->compression != NULL ? p->compression : "on";
	bool	    lz4 = feature_set_has(p->features, feature_by_name("lz4_compress"));

	if (!compress_by_name(name, &p->codec))
		return err_set(e, ERR_USAGE, "compression: unknown value '%s'", name);
	p->compression_value = compress_property_value(p->codec);
	switch (p->codec.id) {
	case COMPRESS_ON:
		p->codec.id = lz4 ? COMPRESS_LZ4 : COMPRESS_LZJB;
		return 0;
	case COMPRESS_LZ4:
		return need(p, "lz4_compress", e);
	case COMPRESS_ZSTD:
		return need(p, "zstd_compress", e);
	default:
		return 0;
	}
}

int props_resolve(struct props *p, struct err *e)
{
	if (p->ashift == 0)
		p->ashift = ASHIFT_DEFAULT;
	if (resolve_features(p, e) < 0)
		return -1;
	return resolve_compression(p, e);
}
