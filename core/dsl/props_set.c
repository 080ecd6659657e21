/* Properties of a dataset that is being made: set, checked against the pool, as they are stored. */
#include <string.h>

#include "core/base/mem.h"
#include "core/dsl/props_impl.h"
#include "core/pool/layout.h"

enum { ENCRYPTION_OFF = 2, DNODE_SIZE_AUTO = 1, DNODE_SIZE_BY_ITSELF = 1024 };

/* -- setting ----------------------------------------------------------------------------------- */

static int twice(const char *name, struct err *e)
{
	return err_set(e, ERR_USAGE, "property '%s' specified multiple times", name);
}

/* Keys are of no use here yet; without encryption zfs wants no properties of keys. */
static int check_crypt(enum property id, uint64_t number, const char *value, struct err *e)
{
	if (id == PROP_ENCRYPTION && number != ENCRYPTION_OFF)
		return err_set(e, ERR_UNSUPPORTED,
			       "encryption=%s: encrypted datasets are not built yet", value);
	if (id == PROP_KEYFORMAT || id == PROP_PBKDF2ITERS || id == PROP_PBKDF2SALT ||
	    (id == PROP_KEYLOCATION && strcmp(value, "none") != 0))
		return err_set(e, ERR_USAGE,
			       "%s: encryption must be turned on to set encryption properties",
			       property_table[id].name);
	return 0;
}

/*
 * Normalised names are UTF-8: choosing a normalization turns utf8only on, refusing utf8only turns
 * an inherited normalization off, and choosing both ways is refused.
 */
static int settle_names(struct dsl_props *p, struct err *e)
{
	struct props_slot *norm = &p->slots[PROP_NORMALIZATION], *utf8 = &p->slots[PROP_UTF8ONLY];
	bool		   norm_chosen = norm->source == DSL_PROP_LOCAL && norm->number != 0;
	bool		   utf8_chosen = utf8->source == DSL_PROP_LOCAL;

	if (norm_chosen && utf8_chosen && utf8->number == 0)
		return err_set(e, ERR_USAGE, "'utf8only' must be set 'on' if normalization chosen");
	if (norm->source != DSL_PROP_LOCAL && utf8_chosen && utf8->number == 0)
		norm->number = 0;
	if (norm->number != 0)
		utf8->number = 1;
	return 0;
}

static int set_native(struct dsl_props *p, enum property id, const char *value, struct err *e)
{
	const struct property_info *info = &property_table[id];
	struct props_slot	   *s = &p->slots[id], before = *s;
	char			   *text = NULL;
	uint64_t		    number;

	if (s->source == DSL_PROP_LOCAL)
		return twice(info->name, e);
	if (property_parse(info, p->kind, value, &number, e) < 0 ||
	    check_crypt(id, number, value, e) < 0)
		return -1;
	if (info->kind == PROPERTY_TEXT) {
		text = mem_copy_text(value, strlen(value), e);
		if (text == NULL)
			return -1;
	}
	*s = (struct props_slot){ .source = DSL_PROP_LOCAL, .number = number, .text = text };
	if (settle_names(p, e) < 0) {
		free(text);
		*s = before;
		return -1;
	}
	free(before.text);
	return 0;
}

static int set_user(struct dsl_props *p, const char *name, const char *value, struct err *e)
{
	size_t at;
	char  *text;

	if (strlen(name) > PROPERTY_NAME_MAX)
		return err_set(e, ERR_USAGE, "property name '%s' is too long", name);
	if (strlen(value) > PROPERTY_TEXT_MAX)
		return err_set(e, ERR_USAGE, "property '%s': the value is too long", name);
	if (!props_find_user(p, name, &at))
		return props_add_user(p, name, value, DSL_PROP_LOCAL, 0, e);
	if (p->users[at].source == DSL_PROP_LOCAL)
		return twice(name, e);
	text = mem_copy_text(value, strlen(value), e);
	if (text == NULL)
		return -1;
	free(p->users[at].text);
	p->users[at].text = text;
	p->users[at].source = DSL_PROP_LOCAL;
	return 0;
}

static bool is_quota(enum property_account kind)
{
	return kind % 2 == 1;
}

static int set_account(struct dsl_props *p, const char *name, const char *value, struct err *e)
{
	struct dsl_account_quota q = { .limit = 0 };

	if (property_parse_account(name, &q.kind, &q.id, e) < 0)
		return -1;
	if (!is_quota(q.kind))
		return err_set(e, ERR_USAGE, "'%s' is readonly", name);
	if (p->kind != PROPERTY_FS)
		return err_set(e, ERR_USAGE, "'%s' does not apply to datasets of this type", name);
	if (strcmp(value, "none") != 0 && property_parse_number(value, &q.limit, e) < 0)
		return err_in(e, "%s", name);
	for (size_t i = 0; i < p->account_count; i++) {
		if (p->accounts[i].kind == q.kind && p->accounts[i].id == q.id)
			return twice(name, e);
	}
	if (mem_grow(&p->accounts, &p->account_cap, p->account_count + 1, sizeof q, e) < 0)
		return -1;
	p->accounts[p->account_count++] = q;
	return 0;
}

int dsl_props_set(struct dsl_props *p, const char *name, const char *value, struct err *e)
{
	enum property id = property_by_name(name);

	if (id != PROP_NONE)
		return set_native(p, id, value, e);
	if (property_is_user(name))
		return set_user(p, name, value, e);
	if (property_is_account(name))
		return set_account(p, name, value, e);
	if (strncmp(name, "written@", 8) == 0 || strncmp(name, "written#", 8) == 0)
		return err_set(e, ERR_USAGE, "'%s' is readonly", name);
	return err_set(e, ERR_USAGE, "invalid property '%s'", name);
}

size_t dsl_props_accounts(const struct dsl_props *p, const struct dsl_account_quota **list)
{
	*list = p->accounts;
	return p->account_count;
}

/* -- against the pool -------------------------------------------------------------------------- */

static void put_value(const struct dsl_props *p, enum property id, struct text *t)
{
	text_put(t, "%s=", property_table[id].name);
	property_print(&property_table[id], dsl_props_number(p, id), dsl_props_text(p, id), false,
		       t);
}

/* Source: OpenZFS libzfs_dataset.c (zfs_create). */
#define UPGRADE "pool must be upgraded to set this property or value"

static int lacks(const char *what, const char *feature, const char *set, struct err *e)
{
	return err_set(e, ERR_USAGE, "%s needs feature %s, which is not enabled%s%s%s", what,
		       feature, set != NULL ? " (compatibility set " : "", set != NULL ? set : "",
		       set != NULL ? ")" : "");
}

static int check_one(const struct dsl_props *p, enum property id, struct feature_set have,
		     uint64_t pool_version, const char *set, struct err *e)
{
	struct property_needs n = property_needs(id, dsl_props_number(p, id));
	char		      what[128];
	struct text	      t = text_in(what, sizeof what);

	if (n.feature != NULL && !feature_set_has(have, feature_by_name(n.feature))) {
		put_value(p, id, &t);
		if (pool_layout_of(pool_version).features)
			return lacks(what, n.feature, set, e);
		return err_set(e, ERR_USAGE,
			       UPGRADE ": %s needs feature %s, and a pool of version %llu has none",
			       what, n.feature, (unsigned long long)pool_version);
	}
	if (n.pool_version > pool_version) {
		put_value(p, id, &t);
		return err_set(e, ERR_USAGE, UPGRADE ": %s needs a pool of version %u", what,
			       n.pool_version);
	}
	if (n.zpl_version > dsl_props_zpl_version(p, pool_version)) {
		put_value(p, id, &t);
		return err_set(e, ERR_USAGE, "%s needs a file system of version %u", what,
			       n.zpl_version);
	}
	return 0;
}

static int check_accounts(const struct dsl_props *p, struct feature_set have, uint64_t pool_version,
			  const char *set, struct err *e)
{
	for (size_t i = 0; i < p->account_count; i++) {
		const char *f = property_account_feature(p->accounts[i].kind);

		if (dsl_props_zpl_version(p, pool_version) < 4)
			return err_set(
				e, ERR_USAGE,
				"quotas of users and groups need a file system of version 4");
		if (f != NULL && !feature_set_has(have, feature_by_name(f)))
			return lacks("a quota of a project or of objects", f, set, e);
	}
	return 0;
}

static int check_volume(const struct dsl_props *p, struct err *e)
{
	uint64_t    size = dsl_props_number(p, PROP_VOLSIZE);
	uint64_t    block = dsl_props_number(p, PROP_VOLBLOCKSIZE);
	char	    buf[32];
	struct text t = text_in(buf, sizeof buf);

	if (dsl_props_source(p, PROP_VOLSIZE) != DSL_PROP_LOCAL)
		return 0;
	if (size == 0)
		return err_set(e, ERR_USAGE, "'volsize' cannot be zero");
	property_nice(block, true, &t);
	if (size % block != 0)
		return err_set(e, ERR_USAGE,
			       "'volsize' must be a multiple of volume block size (%s)", buf);
	return 0;
}

int dsl_props_check(const struct dsl_props *p, struct feature_set have, uint64_t pool_version,
		    const char *set, struct err *e)
{
	for (int i = 0; i < PROP_COUNT; i++) {
		if (props_applies(p, (enum property)i) &&
		    check_one(p, (enum property)i, have, pool_version, set, e) < 0)
			return -1;
	}
	if (check_accounts(p, have, pool_version, set, e) < 0)
		return -1;
	return p->kind == PROPERTY_VOL ? check_volume(p, e) : 0;
}

static struct feature_set features_of(const struct pool_tx *tx)
{
	struct feature_set s = { 0 };

	for (size_t i = 0; i < feature_count(); i++) {
		if (pool_tx_has(tx, feature_table[i].guid))
			s.bits |= UINT64_C(1) << i;
	}
	return s;
}

static int set_compression(const struct dsl_props *p, struct pool_tx *tx, struct store_policy *out,
			   struct err *e)
{
	struct compress_choice c;

	if (!compress_by_property_value(dsl_props_number(p, PROP_COMPRESSION), &c))
		return err_set(e, ERR_UNSUPPORTED, "compression=%llu",
			       (unsigned long long)dsl_props_number(p, PROP_COMPRESSION));
	if (c.id == COMPRESS_ON)
		c.id = pool_tx_has(tx, "org.illumos:lz4_compress") ? COMPRESS_LZ4 : COMPRESS_LZJB;
	out->data_compress = c;
	return 0;
}

int dsl_props_policy(const struct dsl_props *p, struct pool_tx *tx, struct store_policy *out,
		     struct err *e)
{
	struct store_policy policy = pool_tx_mos_policy(tx);
	unsigned	    checksum = (unsigned)dsl_props_number(p, PROP_CHECKSUM);
	uint64_t	    dnode_size = dsl_props_number(p, PROP_DNODESIZE);

	if (dsl_props_check(p, features_of(tx), pool_tx_version(tx), NULL, e) < 0 ||
	    set_compression(p, tx, &policy, e) < 0)
		return -1;
	store_policy_set_checksum(&policy,
				  checksum == CHECKSUM_ON ? CHECKSUM_FLETCHER_4 : checksum);
	store_policy_set_copies(&policy, (unsigned)dsl_props_number(p, PROP_COPIES));
	policy.redundant = (uint8_t)dsl_props_number(p, PROP_REDUNDANT_METADATA);
	/* Source: OpenZFS dmu_objset.c (dnodesize_changed_cb): twice the smallest for "auto". */
	policy.dnode_size =
		(uint32_t)(dnode_size == DNODE_SIZE_AUTO ? DNODE_SIZE_BY_ITSELF : dnode_size);
	*out = policy;
	return 0;
}

/* -- as stored --------------------------------------------------------------------------------- */

/* Kept elsewhere, or nowhere; formats/property.h says where. */
static bool not_in_zap(enum property id)
{
	switch (id) {
	case PROP_VERSION:
	case PROP_VOLSIZE:
	case PROP_VOLBLOCKSIZE:
	case PROP_ENCRYPTION:
		return true;
	default:
		return props_of_master_node(id);
	}
}

/* Values that older implementations do not know stand under another name, the default under its
 * own. Source: OpenZFS dsl_prop.c (dsl_prop_set_iuv). */
static const char *iuv_name(enum property id, uint64_t number)
{
	if (id == PROP_REDUNDANT_METADATA && number >= REDUNDANT_SOME)
		return "redundant_metadata$iuv";
	if (id == PROP_SNAPDIR && number == 2)
		return "snapdir$iuv";
	return NULL;
}

int dsl_props_local(struct dsl_props *p, const struct dsl_property **list, size_t *count,
		    struct err *e)
{
	size_t n = 0;

	if (mem_grow(&p->local, &p->local_cap, PROP_COUNT + 2 + p->user_count, sizeof p->local[0],
		     e) < 0)
		return -1;
	for (int i = 0; i < PROP_COUNT; i++) {
		enum property id = (enum property)i;
		uint64_t      number = dsl_props_number(p, id);
		const char   *iuv = iuv_name(id, number);

		if (p->slots[i].source != DSL_PROP_LOCAL || not_in_zap(id))
			continue;
		if (iuv != NULL) {
			p->local[n++] = (struct dsl_property){ .name = iuv, .number = number };
			number = property_table[i].number;
		}
		p->local[n++] = (struct dsl_property){ .name = property_table[i].name,
						       .number = number,
						       .text = p->slots[i].text };
	}
	for (size_t i = 0; i < p->user_count; i++) {
		if (p->users[i].source == DSL_PROP_LOCAL)
			p->local[n++] = (struct dsl_property){ .name = p->users[i].name,
							       .text = p->users[i].text };
	}
	*list = p->local;
	*count = n;
	return 0;
}
