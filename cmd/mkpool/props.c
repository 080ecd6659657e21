/* -o and -O: what the words mean for pool and datasets. Whether they go together is
 * props_features.c. */
#include "cmd/mkpool/props.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/pool/layout.h"

enum { COMPATIBILITY_MAX = 1023, VALUE_TEXT = 512 };

void props_fini(struct props *p)
{
	free(p->words);
	free(p->pool);
	dsl_props_free(p->root);
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

/* -- of the pool ------------------------------------------------------------------------------- */

static int set_compatibility(struct props *p, const char *value, struct err *e)
{
	struct feature_set set;
	const char	  *unknown = value;

	if (strlen(value) > COMPATIBILITY_MAX)
		return err_set(e, ERR_USAGE, "longer than %d bytes", COMPATIBILITY_MAX);
	if (!feature_set_by_name(value, &set, &unknown))
		return err_set(e, ERR_USAGE, "no set is called '%.*s'", (int)strcspn(unknown, ","),
			       unknown);
	p->compatibility = value;
	return 0;
}

static int set_feature(struct props *p, const char *name, const char *value, struct err *e)
{
	bool		      enable = strcmp(value, "enabled") == 0;
	const struct feature *f = feature_by_name(name);

	if (f == NULL)
		return err_set(e, ERR_USAGE, "no feature is called '%s'", name);
	if (!enable && strcmp(value, "disabled") != 0)
		return err_set(e, ERR_USAGE,
			       "property 'feature@%s' can only be set to 'enabled' or 'disabled'",
			       name);
	if (mem_grow(&p->words, &p->word_cap, p->word_count + 1, sizeof p->words[0], e) < 0)
		return -1;
	p->words[p->word_count++] = (struct feature_word){ f, enable };
	return 0;
}

/* What zpool create takes and an image cannot have; NULL: nothing. */
static const char *no_use(enum pool_property id)
{
	switch (id) {
	case POOLPROP_ALTROOT:
		return "an alternate root belongs to an import, not to the pool";
	case POOLPROP_CACHEFILE:
		return "where a system remembers the pool is for that system to say";
	case POOLPROP_READONLY:
		return "property 'readonly' can only be set at import time";
	case POOLPROP_TNAME:
		return "a temporary name belongs to an import, not to the pool";
	case POOLPROP_DEDUPDITTO:
		return "property 'dedupditto' no longer has any effect";
	default:
		return NULL;
	}
}

static int keep(struct props *p, enum pool_property id, uint64_t number, struct err *e)
{
	if (mem_grow(&p->pool, &p->pool_cap, p->pool_count + 1, sizeof p->pool[0], e) < 0)
		return -1;
	p->pool[p->pool_count++] = (struct pool_word){ id, number };
	return 0;
}

static int take(struct props *p, enum pool_property id, const char *value, uint64_t number,
		struct err *e)
{
	switch (id) {
	case POOLPROP_ASHIFT:
		p->ashift = (unsigned)number;
		/* As zpool does it: what was asked for is in the list, too. */
		return number != 0 ? keep(p, id, number, e) : 0;
	case POOLPROP_COMMENT:
		p->comment = *value == '\0' ? NULL : value;
		return 0;
	case POOLPROP_COMPATIBILITY:
		return set_compatibility(p, value, e);
	case POOLPROP_BOOTFS:
		p->bootfs = *value == '\0' ? NULL : value;
		return 0;
	case POOLPROP_VERSION:
		if (!pool_layout_made(number))
			return err_set(e, ERR_UNSUPPORTED,
				       "a pool of version %llu cannot be made, only " POOL_VERSIONS,
				       (unsigned long long)number);
		p->version = number;
		return 0;
	default:
		return keep(p, id, number, e);
	}
}

static int set_pool(struct props *p, const char *name, const char *value, struct err *e)
{
	enum pool_property id = pool_property_by_name(name);
	struct err	   why = { 0 };
	uint64_t	   number;

	if (strncmp(name, "feature@", 8) == 0)
		return set_feature(p, name + 8, value, e);
	if (id == POOLPROP_COUNT)
		return err_set(e, ERR_USAGE, "property '%s' is not a valid pool property", name);
	if (property_parse(&pool_property_table[id], PROPERTY_POOL, value, &number, &why) < 0)
		return err_set(e, why.kind, "%s%s", why.text,
			       id == POOLPROP_VERSION ? ": it can be " POOL_VERSIONS : "");
	if (no_use(id) != NULL)
		return err_set(e, ERR_USAGE, "%s", no_use(id));
	if (p->given[id])
		return err_set(e, ERR_USAGE, "property '%s' specified multiple times", name);
	p->given[id] = true;
	return take(p, id, value, number, e);
}

int props_pool(struct props *p, const char *word, struct err *e)
{
	char	    name[128];
	const char *value;

	if (split(word, "-o", name, sizeof name, &value, e) < 0)
		return -1;
	return set_pool(p, name, value, e) < 0 ? err_in(e, "-o %s", name) : 0;
}

int props_store_pool(const struct props *p, struct pool_tx *tx, struct err *e)
{
	for (size_t i = 0; i < p->pool_count; i++) {
		const char *name = pool_property_table[p->pool[i].id].name;

		if (pool_tx_set_property(tx, name, p->pool[i].number, NULL, e) < 0)
			return -1;
	}
	return 0;
}

/* -- of datasets ------------------------------------------------------------------------------- */

/* What is a fine value, and is not written. */
static int check_built(const struct dsl_props *d, struct err *e)
{
	uint64_t version = dsl_props_number(d, PROP_VERSION);

	if (version == 0 || version >= ZPL_VERSION_FIRST)
		return 0;
	return err_set(e, ERR_UNSUPPORTED,
		       "version=%llu: file systems are written in version 3, 4 and 5",
		       (unsigned long long)version);
}

int props_set(struct dsl_props *d, const char *name, const char *value, struct err *e)
{
	return dsl_props_set(d, name, value, e) < 0 ? -1 : check_built(d, e);
}

static int need_root(struct props *p, struct err *e)
{
	return p->root != NULL ? 0 : dsl_props_new(NULL, &p->root, e);
}

int props_dataset(struct props *p, const char *word, struct err *e)
{
	char	    name[PROPERTY_NAME_MAX + 2];
	const char *value;

	if (split(word, "-O", name, sizeof name, &value, e) < 0 || need_root(p, e) < 0)
		return -1;
	return props_set(p->root, name, value, e) < 0 ? err_in(e, "-O") : 0;
}

int props_spec(struct dsl_props *d, const char *name, struct pool_tx *tx, struct dataset_spec *out,
	       struct err *e)
{
	struct dataset_spec s = {
		.name = name,
		.type = dsl_props_is_volume(d) ? OBJSET_ZVOL : OBJSET_ZPL,
		.quota = dsl_props_number(d, PROP_QUOTA),
		.reservation = dsl_props_number(d, PROP_RESERVATION),
		.refreservation = dsl_props_number(d, PROP_REFRESERVATION),
		.limited = dsl_props_number(d, PROP_FILESYSTEM_LIMIT) != UINT64_MAX ||
			   dsl_props_number(d, PROP_SNAPSHOT_LIMIT) != UINT64_MAX,
		/* The root's is not marked: dsl_pool.c, dsl_pool_create */
		.case_insensitive = dsl_props_number(d, PROP_CASESENSITIVITY) ==
					    ZPL_CASE_INSENSITIVE &&
				    strchr(name, '/') != NULL,
	};

	if (dsl_props_policy(d, tx, &s.policy, e) < 0 ||
	    dsl_props_local(d, &s.props, &s.prop_count, e) < 0)
		return -1;
	*out = s;
	return 0;
}

void props_files(const struct dsl_props *d, struct zpl_write_options *z)
{
	z->record_size = (uint32_t)dsl_props_number(d, PROP_RECORDSIZE);
	/* off: nobody sees them as long as it is; sa is how they are kept for later */
	z->xattr_sa = dsl_props_number(d, PROP_XATTR) != 1;
	z->version = (unsigned)dsl_props_number(d, PROP_VERSION);
	z->longname = dsl_props_number(d, PROP_LONGNAME) != 0;
	z->utf8only = dsl_props_number(d, PROP_UTF8ONLY) != 0;
	z->normalization = (uint32_t)dsl_props_number(d, PROP_NORMALIZATION);
	z->casesensitivity = (uint8_t)dsl_props_number(d, PROP_CASESENSITIVITY);
}

int props_quotas(const struct dsl_props *d, struct zpl_write *z, struct err *e)
{
	static const struct {
		enum property_account account;
		enum property	      by_default;
		enum zpl_quota	      kind;
	} kinds[] = {
		{ ACCOUNT_USER_QUOTA, PROP_DEFAULTUSERQUOTA, ZPL_QUOTA_USER },
		{ ACCOUNT_GROUP_QUOTA, PROP_DEFAULTGROUPQUOTA, ZPL_QUOTA_GROUP },
		{ ACCOUNT_PROJECT_QUOTA, PROP_DEFAULTPROJECTQUOTA, ZPL_QUOTA_PROJECT },
		{ ACCOUNT_USER_OBJECTS_QUOTA, PROP_DEFAULTUSEROBJQUOTA, ZPL_QUOTA_USER_OBJECTS },
		{ ACCOUNT_GROUP_OBJECTS_QUOTA, PROP_DEFAULTGROUPOBJQUOTA, ZPL_QUOTA_GROUP_OBJECTS },
		{ ACCOUNT_PROJECT_OBJECTS_QUOTA, PROP_DEFAULTPROJECTOBJQUOTA,
		  ZPL_QUOTA_PROJECT_OBJECTS },
	};
	const struct dsl_account_quota *list;
	size_t				count = dsl_props_accounts(d, &list);

	for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
		uint64_t limit = dsl_props_number(d, kinds[k].by_default);

		if (limit != 0 && zpl_write_set_default_quota(z, kinds[k].kind, limit, e) < 0)
			return -1;
		for (size_t i = 0; i < count; i++) {
			if (list[i].kind == kinds[k].account &&
			    zpl_write_set_quota(z, kinds[k].kind, list[i].id, list[i].limit, e) < 0)
				return -1;
		}
	}
	return 0;
}

/* -- as words ---------------------------------------------------------------------------------- */

static void pool_words(const struct props *p, props_word_fn *fn, void *ctx)
{
	char value[VALUE_TEXT];

	if (!pool_layout_of(p->version).features) {
		snprintf(value, sizeof value, "%llu", (unsigned long long)p->version);
		fn(ctx, 'o', "version", value);
	}
	if (p->bootfs != NULL)
		fn(ctx, 'o', "bootfs", p->bootfs);
	if (p->compatibility != NULL)
		fn(ctx, 'o', "compatibility", p->compatibility);
	if (p->comment != NULL)
		fn(ctx, 'o', "comment", p->comment);
	for (int id = 0; id < POOLPROP_COUNT; id++) {
		for (size_t i = 0; i < p->pool_count; i++) {
			struct text t = text_in(value, sizeof value);

			if ((int)p->pool[i].id != id || id == POOLPROP_ASHIFT)
				continue;
			property_print(&pool_property_table[id], p->pool[i].number, NULL, true, &t);
			fn(ctx, 'o', pool_property_table[id].name, value);
		}
	}
	for (size_t i = 0; i < p->word_count; i++) {
		snprintf(value, sizeof value, "feature@%s", p->words[i].feature->name);
		fn(ctx, 'o', value, p->words[i].enable ? "enabled" : "disabled");
	}
}

/* userquota@1000=5242880 and the like. */
static void account_words(const struct dsl_props *d, props_word_fn *fn, void *ctx)
{
	const struct dsl_account_quota *list;
	size_t				count = dsl_props_accounts(d, &list);

	for (size_t i = 0; i < count; i++) {
		char name[64], value[32];

		snprintf(name, sizeof name, "%s%llu", property_account_prefix(list[i].kind),
			 (unsigned long long)list[i].id);
		snprintf(value, sizeof value, "%llu", (unsigned long long)list[i].limit);
		fn(ctx, 'O', name, list[i].limit == 0 ? "none" : value);
	}
}

void props_each_word(const struct props *p, props_word_fn *fn, void *ctx)
{
	char value[VALUE_TEXT];

	pool_words(p, fn, ctx);
	for (int id = 0; p->root != NULL && id < PROP_COUNT; id++) {
		struct text t = text_in(value, sizeof value);

		if (dsl_props_source(p->root, (enum property)id) != DSL_PROP_LOCAL)
			continue;
		property_print(&property_table[id], dsl_props_number(p->root, (enum property)id),
			       dsl_props_text(p->root, (enum property)id), true, &t);
		fn(ctx, 'O', property_table[id].name, value);
	}
	if (p->root != NULL)
		account_words(p->root, fn, ctx);
	for (size_t i = 0; p->root != NULL && i < dsl_props_users(p->root); i++) {
		struct dsl_user_property u = dsl_props_user(p->root, i);

		fn(ctx, 'O', u.name, u.text);
	}
}
