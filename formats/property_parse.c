/* Values as words: what zfs and zpool take, and why they refuse the rest. */
#include <ctype.h>
#include <string.h>

#include "formats/base/limits.h"
#include "formats/property.h"

/* -- numbers ----------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The power of 1024 that a suffix stands for; -1. */
static int suffix_power(const char *p)
{
	static const char units[] = "BKMGTPEZ";
	const char	 *at;

	if (*p == '\0')
		return 0;
	at = strchr(units, toupper((unsigned char)*p));
	if (at == NULL)
		return -1;
	if (p[1] == '\0')
		return (int)(at - units);
	if (at == units)
		return -1;
	p += p[1] == 'i' || p[1] == 'I' ? 2 : 1;
	return (*p == 'b' || *p == 'B') && p[1] == '\0' ? (int)(at - units) : -1;
}

/* The digits behind a point, as a share of `unit`; more than 18 change no byte. */
static uint64_t fraction(const char *p, uint64_t unit)
{
	uint64_t digits = 0, scale = 1;

	for (int n = 0; n < 18 && is_digit(*p); p++, n++) {
		digits = digits * 10 + (uint64_t)(*p - '0');
		scale *= 10;
	}
	return (uint64_t)((unsigned __int128)digits * unit / scale);
}

static int too_large(struct err *e)
{
	return err_set(e, ERR_USAGE, "numeric value is too large");
}

int property_parse_number(const char *value, uint64_t *out, struct err *e)
{
	const char *p = value, *point = NULL;
	uint64_t    whole = 0;
	int	    power;

	if (!is_digit(*p) && *p != '.')
		return err_set(e, ERR_USAGE, "bad numeric value '%s'", value);
	for (; is_digit(*p); p++) {
		if (!mul_ok(whole, 10, &whole) || !add_ok(whole, (uint64_t)(*p - '0'), &whole))
			return too_large(e);
	}
	if (*p == '.') {
		point = p + 1;
		p = point + strspn(point, "0123456789");
	}
	power = suffix_power(p);
	if (power < 0)
		return err_set(e, ERR_USAGE, "invalid numeric suffix '%s'", p);
	if (power > 6)
		return whole == 0 ? (*out = 0, 0) : too_large(e);

	uint64_t unit = UINT64_C(1) << 10 * power;

	if (!mul_ok(whole, unit, &whole) ||
	    (point != NULL && !add_ok(whole, fraction(point, unit), &whole)))
		return too_large(e);
	*out = whole;
	return 0;
}

static bool is(const struct property_info *p, enum property id)
{
	return p == &property_table[id];
}

static bool is_pool(const struct property_info *p, enum pool_property id)
{
	return p == &pool_property_table[id];
}

/* "auto" has a meaning for two of them. */
static int parse_auto(const struct property_info *p, unsigned kind, uint64_t *out, struct err *e)
{
	if (is(p, PROP_REFRESERVATION)) {
		if (kind != PROPERTY_VOL)
			return err_set(e, ERR_USAGE, "'%s=auto' only allowed on volumes", p->name);
	} else if (!is_pool(p, POOLPROP_DEDUP_TABLE_QUOTA)) {
		return err_set(e, ERR_USAGE, "'auto' is invalid value for '%s'", p->name);
	}
	*out = UINT64_MAX;
	return 0;
}

static int parse_number(const struct property_info *p, unsigned kind, const char *value,
			uint64_t *out, struct err *e)
{
	bool limit = is(p, PROP_FILESYSTEM_LIMIT) || is(p, PROP_SNAPSHOT_LIMIT);

	bool automatic = strcmp(value, "auto") == 0;

	if (strcmp(value, "none") == 0) {
		*out = limit ? UINT64_MAX : 0;
		return 0;
	}
	*out = 0;
	if (!automatic && property_parse_number(value, out, e) < 0)
		return err_in(e, "%s", p->name);
	if (*out == 0 && (is(p, PROP_QUOTA) || is(p, PROP_REFQUOTA)))
		return err_set(e, ERR_USAGE, "use 'none' to disable quota/refquota");
	if (automatic)
		return parse_auto(p, kind, out, e);
	if (*out == 0 && is_pool(p, POOLPROP_DEDUP_TABLE_QUOTA))
		return err_set(e, ERR_USAGE, "use 'none' to disable ddt table quota");
	return 0;
}

/* -- named values ------------------------------------------------------------------------------ */

/* What there is to choose from; rows of levels are told as ranges. */
static const char *choices(const struct property_info *p, struct text *t)
{
	if (is(p, PROP_COMPRESSION))
		return "on | off | lzjb | gzip | gzip-[1-9] | zle | lz4 | zstd | zstd-[1-19] | "
		       "zstd-fast | zstd-fast-[1-10,20,30,40,50,60,70,80,90,100,500,1000]";
	for (const struct property_value *v = p->values; v->name != NULL; v++)
		text_put(t, "%s%s", v == p->values ? "" : " | ", v->name);
	return t->p;
}

static int parse_named(const struct property_info *p, const char *value, uint64_t *out,
		       struct err *e)
{
	char	    buf[512];
	struct text t = text_in(buf, sizeof buf);

	for (const struct property_value *v = p->values; v->name != NULL; v++) {
		if (strcmp(v->name, value) == 0) {
			*out = v->number;
			return 0;
		}
	}
	return err_set(e, ERR_USAGE, "'%s' must be one of '%s'", p->name, choices(p, &t));
}

/* -- texts ------------------------------------------------------------------------------------- */

static int check_mountpoint(const char *value, struct err *e)
{
	if (strcmp(value, "none") == 0 || strcmp(value, "legacy") == 0)
		return 0;
	if (value[0] != '/')
		return err_set(e, ERR_USAGE,
			       "'mountpoint' must be an absolute path, 'none', or 'legacy'");
	for (const char *p = value + 1;; p++) {
		size_t n = strcspn(p, "/");

		if (n >= DATASET_NAME_MAX)
			return err_set(e, ERR_USAGE, "component of 'mountpoint' is too long");
		p += n;
		if (*p == '\0')
			return 0;
	}
}

/* [literal]/bits:next... in a list of hosts: brackets close, and only / or : follows. */
static bool hosts_ok(const char *p, const char *end)
{
	while (p != NULL && p < end) {
		if (*p == '[') {
			p = memchr(p, ']', (size_t)(end - p));
			if (p == NULL || (p + 1 < end && p[1] != '/' && p[1] != ':'))
				return false;
		}
		p = memchr(p, ':', (size_t)(end - p));
		if (p != NULL)
			p++;
	}
	return true;
}

/* The options of exports(5) that OpenZFS's libshare passes on (libshare/os/linux/nfs.c). */
static bool nfs_option_ok(const char *p, size_t n)
{
	static const char known[] =
		" sec ro rw anon root_mapping nosub all_squash anongid anonuid async auth_nlm "
		"crossmnt fsid fsuid hide insecure insecure_locks mountpoint mp no_acl "
		"no_all_squash no_auth_nlm no_root_squash no_subtree_check no_wdelay nohide refer "
		"replicas root_squash secure secure_locks subtree_check sync wdelay ";
	const char *value = memchr(p, '=', n);
	size_t	    key = value != NULL ? (size_t)(value - p) : n;
	char	    word[32] = " ";

	if (key == 0 || key > sizeof word - 3 || memchr(p, ' ', key) != NULL)
		return false;
	memcpy(word + 1, p, key);
	memcpy(word + 1 + key, " ", 2);
	if (strstr(known, word) == NULL)
		return false;
	if (value == NULL || (strcmp(word, " ro ") != 0 && strcmp(word, " rw ") != 0))
		return true;
	return hosts_ok(value + 1, p + n);
}

static bool nfs_ok(const char *value)
{
	if (*value == '\0')
		return false;
	for (const char *p = value;; p++) {
		size_t n = strcspn(p, ",");

		if (n > 0 && !nfs_option_ok(p, n))
			return false;
		p += n;
		if (*p == '\0')
			return true;
	}
}

static int check_share(const struct property_info *p, const char *value, struct err *e)
{
	if (strcmp(value, "on") == 0 || strcmp(value, "off") == 0 ||
	    (is(p, PROP_SHARENFS) && nfs_ok(value)))
		return 0;
	return err_set(e, ERR_USAGE, "'%s' cannot be set to invalid options", p->name);
}

static int check_keylocation(const char *value, struct err *e)
{
	static const char *const schemes[] = { "file:///", "https://", "http://" };

	if (strcmp(value, "none") == 0 || strcmp(value, "prompt") == 0)
		return 0;
	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
		size_t n = strlen(schemes[i]);

		if (strncmp(value, schemes[i], n) == 0 && value[n] != '\0')
			return 0;
	}
	return err_set(e, ERR_USAGE, "invalid keylocation");
}

static int check_comment(const char *value, struct err *e)
{
	for (const char *c = value; *c != '\0'; c++) {
		if (*c < 0x20 || *c > 0x7e)
			return err_set(e, ERR_USAGE, "comment may only have printable characters");
	}
	if (strlen(value) > POOL_COMMENT_MAX)
		return err_set(e, ERR_USAGE, "comment must not exceed %d characters",
			       POOL_COMMENT_MAX);
	return 0;
}

static int check_text(const struct property_info *p, const char *value, struct err *e)
{
	if (strlen(value) > PROPERTY_TEXT_MAX)
		return err_set(e, ERR_USAGE, "'%s' is too long", p->name);
	if (is(p, PROP_MOUNTPOINT))
		return check_mountpoint(value, e);
	if (is(p, PROP_SHARENFS) || is(p, PROP_SHARESMB))
		return check_share(p, value, e);
	if (is(p, PROP_KEYLOCATION))
		return check_keylocation(value, e);
	if (is(p, PROP_MLSLABEL))
		return err_set(e, ERR_USAGE, "mlslabels are unsupported");
	if (is_pool(p, POOLPROP_COMMENT))
		return check_comment(value, e);
	if (is_pool(p, POOLPROP_ALTROOT) && value[0] != '/')
		return err_set(e, ERR_USAGE, "bad alternate root '%s'", value);
	return 0;
}

/* -- all of it --------------------------------------------------------------------------------- */

static int check_number(const struct property_info *p, uint64_t n, struct err *e)
{
	if ((is(p, PROP_RECORDSIZE) || is(p, PROP_VOLBLOCKSIZE)) &&
	    (n < BLOCK_MIN || n > BLOCK_MAX || !is_pow2(n)))
		return err_set(e, ERR_USAGE, "'%s' must be power of 2 from 512B to 16M", p->name);
	if (is(p, PROP_SPECIAL_SMALL_BLOCKS) && n > BLOCK_MAX)
		return err_set(e, ERR_USAGE, "invalid '%s' property: must be between zero and 16M",
			       p->name);
	if (is(p, PROP_PBKDF2ITERS) && n < PBKDF2_ITERS_MIN)
		return err_set(e, ERR_USAGE, "minimum pbkdf2 iterations is %d", PBKDF2_ITERS_MIN);
	if (is_pool(p, POOLPROP_VERSION) && n != 5000 && (n < 1 || n > 28))
		return err_set(e, ERR_USAGE, "property 'version' number %llu is invalid",
			       (unsigned long long)n);
	if (is_pool(p, POOLPROP_ASHIFT) && n != 0 && (n < ASHIFT_MIN || n > ASHIFT_MAX))
		return err_set(e, ERR_USAGE,
			       "property 'ashift' number %llu is invalid, only values between %d "
			       "and %d are allowed",
			       (unsigned long long)n, ASHIFT_MIN, ASHIFT_MAX);
	return 0;
}

int property_parse(const struct property_info *p, unsigned kind, const char *value,
		   uint64_t *number, struct err *e)
{
	uint64_t n = 0;
	int	 rc;

	if ((p->applies & kind) == 0)
		return err_set(e, ERR_USAGE, "'%s' does not apply to datasets of this type",
			       p->name);
	if (p->how == PROPERTY_READONLY)
		return err_set(e, ERR_USAGE, "'%s' is readonly", p->name);
	switch (p->kind) {
	case PROPERTY_TEXT:
		rc = check_text(p, value, e);
		break;
	case PROPERTY_NAMED:
		rc = parse_named(p, value, &n, e);
		break;
	default:
		rc = parse_number(p, kind, value, &n, e);
		break;
	}
	if (rc < 0 || check_number(p, n, e) < 0)
		return -1;
	*number = n;
	return 0;
}

/* -- accounts ---------------------------------------------------------------------------------- */

static const char *const account_names[ACCOUNT_COUNT] = {
	[ACCOUNT_USER_USED] = "userused@",
	[ACCOUNT_USER_QUOTA] = "userquota@",
	[ACCOUNT_GROUP_USED] = "groupused@",
	[ACCOUNT_GROUP_QUOTA] = "groupquota@",
	[ACCOUNT_USER_OBJECTS_USED] = "userobjused@",
	[ACCOUNT_USER_OBJECTS_QUOTA] = "userobjquota@",
	[ACCOUNT_GROUP_OBJECTS_USED] = "groupobjused@",
	[ACCOUNT_GROUP_OBJECTS_QUOTA] = "groupobjquota@",
	[ACCOUNT_PROJECT_USED] = "projectused@",
	[ACCOUNT_PROJECT_QUOTA] = "projectquota@",
	[ACCOUNT_PROJECT_OBJECTS_USED] = "projectobjused@",
	[ACCOUNT_PROJECT_OBJECTS_QUOTA] = "projectobjquota@",
};

const char *property_account_prefix(enum property_account kind)
{
	return account_names[kind];
}

static int account_of(const char *name)
{
	for (int i = 0; i < ACCOUNT_COUNT; i++) {
		if (strncmp(name, account_names[i], strlen(account_names[i])) == 0)
			return i;
	}
	return -1;
}

bool property_is_account(const char *name)
{
	return account_of(name) >= 0;
}

int property_parse_account(const char *name, enum property_account *kind, uint64_t *id,
			   struct err *e)
{
	int	    i = account_of(name);
	const char *whose = strchr(name, '@');
	uint64_t    v = 0;

	if (i < 0 || whose == NULL)
		return err_set(e, ERR_USAGE, "invalid property '%s'", name);
	whose++;
	if (strcmp(whose, "root") == 0 && i < ACCOUNT_PROJECT_USED)
		whose = "0";
	if (*whose == '\0' || strlen(whose) > 10 || whose[strspn(whose, "0123456789")] != '\0')
		return err_set(e, ERR_USAGE,
			       "'%s' has an invalid user/group name: numbers only, as names mean "
			       "something else on each system",
			       name);
	for (; *whose != '\0'; whose++)
		v = v * 10 + (uint64_t)(*whose - '0');
	if (v > UINT32_MAX - 1)
		return err_set(e, ERR_USAGE, "'%s' has an invalid user/group name", name);
	*kind = (enum property_account)i;
	*id = v;
	return 0;
}

const char *property_account_feature(enum property_account kind)
{
	if (kind >= ACCOUNT_PROJECT_USED)
		return "project_quota";
	return kind >= ACCOUNT_USER_OBJECTS_USED ? "userobj_accounting" : NULL;
}
