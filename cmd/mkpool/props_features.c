/* Which features the pool has, and whether they allow what is asked for. */
#include <string.h>

#include "cmd/mkpool/props.h"
#include "core/pool/layout.h"

enum { ASHIFT_DEFAULT = 12 };
static const char default_set[] = "openzfs-2.1-linux";

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

/* A pool of a version before features has none, and says so when one is asked for. */
static int resolve_old(const struct props *p, struct err *e)
{
	unsigned long long version = p->version;

	if (p->compatibility != NULL)
		return err_set(e, ERR_USAGE,
			       "-o compatibility: a pool of version %llu has no features", version);
	for (size_t i = 0; i < p->word_count; i++) {
		if (p->words[i].enable)
			return err_set(e, ERR_USAGE,
				       "-o feature@%s: a pool of version %llu has no features",
				       p->words[i].feature->name, version);
	}
	return 0;
}

static int resolve_features(struct props *p, struct err *e)
{
	struct feature_set set = { 0 }, now;

	if (!pool_layout_of(p->version).features)
		return resolve_old(p, e);
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

int props_allow(const struct props *p, const struct dsl_props *d, struct err *e)
{
	return dsl_props_check(d, p->features, p->version, set_name(p), e);
}

/* A dataset of this pool, by the look of its name. */
static int check_bootfs(const char *name, const char *pool, struct err *e)
{
	size_t n = strlen(pool);

	if (strncmp(name, pool, n) == 0 &&
	    (name[n] == '\0' || (name[n] == '/' && name[n + 1] != '\0')))
		return 0;
	return err_set(e, ERR_USAGE, "-o bootfs: '%s' is an invalid name", name);
}

int props_resolve(struct props *p, const char *pool, struct err *e)
{
	if (p->ashift == 0)
		p->ashift = ASHIFT_DEFAULT;
	if (p->version == 0)
		p->version = POOL_VERSION_FEATURES;
	if (p->root == NULL && dsl_props_new(NULL, &p->root, e) < 0)
		return -1;
	if (p->bootfs != NULL && check_bootfs(p->bootfs, pool, e) < 0)
		return -1;
	if (resolve_features(p, e) < 0)
		return -1;
	return props_allow(p, p->root, e);
}
