#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/dsl/props.h"

static struct dsl_props *fresh(const struct dsl_props *parent)
{
	struct dsl_props *p = NULL;

	cr_assert_eq(dsl_props_new(parent, &p, NULL), 0);
	return p;
}

static void set(struct dsl_props *p, const char *name, const char *value)
{
	struct err e = { 0 };

	cr_assert_eq(dsl_props_set(p, name, value, &e), 0, "%s=%s: %s", name, value, e.text);
}

static void refuse(struct dsl_props *p, const char *name, const char *value, const char *why)
{
	struct err e = { 0 };

	cr_expect_eq(dsl_props_set(p, name, value, &e), -1, "%s=%s", name, value);
	cr_expect(strstr(e.text, why) != NULL, "%s=%s: %s", name, value, e.text);
}

static const struct dsl_property *find(struct dsl_props *p, const char *name)
{
	const struct dsl_property *list;
	size_t			   count;

	cr_assert_eq(dsl_props_local(p, &list, &count, NULL), 0);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(list[i].name, name) == 0)
			return &list[i];
	}
	return NULL;
}

static size_t local_count(struct dsl_props *p)
{
	const struct dsl_property *list;
	size_t			   count;

	cr_assert_eq(dsl_props_local(p, &list, &count, NULL), 0);
	return count;
}

#define STORED(name, value, number) { name, value, number, 'n' },
#define STORED_TEXT(name, value) { name, value, 0, 't' },
#define STORED_NOWHERE(name, value) { name, value, 0, '-' },
static const struct {
	const char *name, *value;
	uint64_t    number;
	char	    how;
} stored[] = {
#include "formats/property_stored_test.def"
};

Test(dsl_props, each_value_is_stored_as_openzfs_stored_it)
{
	for (size_t i = 0; i < sizeof stored / sizeof stored[0]; i++) {
		struct dsl_props	  *p = fresh(NULL);
		const struct dsl_property *one;
		char			   iuv[64];

		set(p, stored[i].name, stored[i].value);
		snprintf(iuv, sizeof iuv, "%s$iuv", stored[i].name);
		one = find(p, iuv);
		if (one != NULL)
			cr_expect_eq(find(p, stored[i].name)->number, 0);
		else
			one = find(p, stored[i].name);
		cr_expect_eq(one == NULL, stored[i].how == '-', "%s=%s", stored[i].name,
			     stored[i].value);
		if (stored[i].how == 'n')
			cr_expect(one->text == NULL && one->number == stored[i].number, "%s=%s",
				  stored[i].name, stored[i].value);
		else if (stored[i].how == 't')
			cr_expect_str_eq(one->text, stored[i].value);
		dsl_props_free(p);
	}
}

Test(dsl_props, children_inherit_what_is_inherited)
{
	struct dsl_props *root = fresh(NULL), *child, *grandchild, *volume;

	set(root, "compression", "zstd-3");
	set(root, "mountpoint", "/x");
	set(root, "quota", "1G");
	set(root, "canmount", "off");
	set(root, "user:a", "b");
	set(root, "user:c", "d");
	child = fresh(root);
	cr_expect_eq(dsl_props_number(child, PROP_COMPRESSION), 400);
	cr_expect_eq(dsl_props_source(child, PROP_COMPRESSION), DSL_PROP_INHERITED);
	cr_expect_str_eq(dsl_props_text(child, PROP_MOUNTPOINT), "/x");
	cr_expect_eq(dsl_props_number(child, PROP_QUOTA), 0);
	cr_expect_eq(dsl_props_number(child, PROP_CANMOUNT), 1);
	cr_expect_eq(dsl_props_source(child, PROP_CANMOUNT), DSL_PROP_DEFAULT);
	cr_expect_eq(local_count(child), 0);
	set(child, "compression", "off");
	set(child, "user:a", "other");
	refuse(child, "user:a", "again", "specified multiple times");
	refuse(child, "compression", "on", "specified multiple times");
	cr_expect_eq(local_count(child), 2);
	dsl_props_free(root);
	grandchild = fresh(child);
	cr_assert_eq(dsl_props_users(grandchild), 2);
	cr_expect_str_eq(dsl_props_user(grandchild, 0).text, "other");
	cr_expect_str_eq(dsl_props_user(grandchild, 1).name, "user:c");
	cr_expect_eq(dsl_props_number(grandchild, PROP_COMPRESSION), 2);
	cr_assert_eq(dsl_props_new_volume(child, &volume, NULL), 0);
	cr_expect_eq(dsl_props_number(volume, PROP_COMPRESSION), 2);
	cr_expect_eq(dsl_props_source(volume, PROP_RECORDSIZE), DSL_PROP_ABSENT);
	refuse(volume, "recordsize", "4K", "does not apply");
	cr_expect_eq(dsl_props_new(volume, &root, NULL), -1);
	dsl_props_free(volume);
	dsl_props_free(grandchild);
	dsl_props_free(child);
}

Test(dsl_props, normal_forms_are_utf8_whichever_is_said_first)
{
	struct dsl_props *p = fresh(NULL), *child;

	set(p, "normalization", "formC");
	cr_expect_eq(dsl_props_number(p, PROP_UTF8ONLY), 1);
	refuse(p, "utf8only", "off", "must be set 'on' if normalization chosen");
	set(p, "utf8only", "on");
	child = fresh(p);
	cr_expect_eq(dsl_props_number(child, PROP_NORMALIZATION), 0x50);
	cr_expect_eq(dsl_props_number(child, PROP_UTF8ONLY), 1);
	set(child, "utf8only", "off");
	cr_expect_eq(dsl_props_number(child, PROP_NORMALIZATION), 0);
	refuse(child, "normalization", "formD", "must be set 'on'");
	dsl_props_free(child);
	dsl_props_free(p);
}

Test(dsl_props, what_zfs_create_refuses)
{
	struct dsl_props *p = fresh(NULL);
	static char	  name[300], value[8200];

	refuse(p, "nosuch", "1", "invalid property 'nosuch'");
	refuse(p, "written@x", "1", "'written@x' is readonly");
	refuse(p, "userused@5", "1", "'userused@5' is readonly");
	refuse(p, "userquota@joe", "1M", "invalid user/group name");
	refuse(p, "userquota@5", "much", "bad numeric value 'much'");
	refuse(p, "encryption", "on", "not built yet");
	refuse(p, "keyformat", "none", "encryption must be turned on");
	refuse(p, "keylocation", "prompt", "encryption must be turned on");
	refuse(p, "pbkdf2iters", "100000", "encryption must be turned on");
	memset(name, 'a', 256);
	name[0] = ':';
	refuse(p, name, "x", "is too long");
	memset(value, 'a', PROPERTY_TEXT_MAX + 1);
	refuse(p, "a:b", value, "too long");
	cr_expect_eq(local_count(p), 0);
	dsl_props_free(p);
}

Test(dsl_props, quotas_of_accounts_are_kept_apart)
{
	struct dsl_props	       *p = fresh(NULL);
	const struct dsl_account_quota *list;

	set(p, "userquota@1000", "5M");
	set(p, "groupobjquota@7", "8");
	set(p, "projectquota@77", "none");
	refuse(p, "userquota@1000", "6M", "specified multiple times");
	cr_assert_eq(dsl_props_accounts(p, &list), 3);
	cr_expect(list[0].kind == ACCOUNT_USER_QUOTA && list[0].id == 1000 &&
		  list[0].limit == 5 << 20);
	cr_expect_eq(list[1].limit, 8);
	cr_expect_eq(list[2].limit, 0);
	cr_expect_eq(local_count(p), 0);
	dsl_props_free(p);
}

static void lacking(struct dsl_props *p, const char *sets, uint64_t version, const char *why)
{
	struct feature_set have = { 0 };
	struct err	   e = { 0 };

	cr_assert(feature_set_by_name(sets, &have, NULL));
	cr_expect_eq(dsl_props_check(p, have, version, sets, &e), -1, "%s", why);
	cr_expect_str_eq(e.text, why);
}

Test(dsl_props, a_pool_may_lack_what_a_value_needs)
{
	struct dsl_props  *p = fresh(NULL);
	struct feature_set have;

	cr_assert(feature_set_by_name("legacy", &have, NULL));
	cr_expect_eq(dsl_props_check(p, have, 1, NULL, NULL), 0);
	set(p, "compression", "zstd-5");
	lacking(p, "zol-0.8", 5000,
		"compression=zstd-5 needs feature zstd_compress, which is not enabled "
		"(compatibility set zol-0.8)");
	cr_assert(feature_set_by_name("openzfs-2.1-linux", &have, NULL));
	cr_expect_eq(dsl_props_check(p, have, 5000, NULL, NULL), 0);
	set(p, "recordsize", "1M");
	lacking(p, "openzfs-2.0-linux,zol-0.6.4", 5000,
		"recordsize=1M needs feature large_blocks, which is not enabled "
		"(compatibility set openzfs-2.0-linux,zol-0.6.4)");
	dsl_props_free(p);
	p = fresh(NULL);
	set(p, "version", "5");
	lacking(p, "legacy", 23, 
		"pool must be upgraded to set this property or value: version=5 needs a pool of "
		"version 24");
	dsl_props_free(p);
	p = fresh(NULL);
	set(p, "version", "2");
	set(p, "casesensitivity", "mixed");
	lacking(p, "openzfs-2.2", 5000, "casesensitivity=mixed needs a file system of version 3");
	dsl_props_free(p);
	p = fresh(NULL);
	set(p, "projectquota@5", "1M");
	lacking(p, "zol-0.7", 5000,
		"a quota of a project or of objects needs feature project_quota, which is not "
		"enabled (compatibility set zol-0.7)");
	dsl_props_free(p);
	p = fresh(NULL);
	cr_expect_eq(dsl_props_zpl_version(p, 5000), 5);
	cr_expect_eq(dsl_props_zpl_version(p, 23), 4);
	cr_expect_eq(dsl_props_zpl_version(p, 9), 3);
	cr_expect_eq(dsl_props_zpl_version(p, 8), 2);
	dsl_props_free(p);
}

/* Numbers that OpenZFS 2.3.9 chose for volumes on one disk. */
Test(dsl_props, a_volume_reserves_what_it_can_cost)
{
	static const struct {
		const char *size, *block;
		uint64_t    reserved;
	} known[] = {
		{ "1M", "16K", 3145728 }, { "1008K", "16K", 3129344 }, { "4M", "512", 8388608 },
		{ "8M", "4K", 11010048 }, { "4M", "128K", 6291456 },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		struct dsl_props  *p;
		struct feature_set have;

		cr_assert_eq(dsl_props_new_volume(NULL, &p, NULL), 0);
		set(p, "refreservation", "auto");
		set(p, "volblocksize", known[i].block);
		set(p, "volsize", known[i].size);
		cr_expect_eq(dsl_props_number(p, PROP_REFRESERVATION), known[i].reserved);
		cr_expect_eq(find(p, "refreservation")->number, known[i].reserved);
		cr_expect_null(find(p, "volsize"));
		cr_expect_null(find(p, "volblocksize"));
		cr_assert(feature_set_by_name("", &have, NULL));
		cr_expect_eq(dsl_props_check(p, have, 5000, NULL, NULL), 0);
		dsl_props_free(p);
	}
}

Test(dsl_props, a_volume_is_whole_blocks)
{
	struct dsl_props  *p;
	struct feature_set have;
	struct err	   e = { 0 };

	cr_assert(feature_set_by_name("", &have, NULL));
	cr_assert_eq(dsl_props_new_volume(NULL, &p, NULL), 0);
	set(p, "volsize", "1000K");
	cr_expect_eq(dsl_props_check(p, have, 5000, NULL, &e), -1);
	cr_expect_str_eq(e.text, "'volsize' must be a multiple of volume block size (16K)");
	dsl_props_free(p);
	cr_assert_eq(dsl_props_new_volume(NULL, &p, NULL), 0);
	set(p, "volsize", "0");
	cr_expect_eq(dsl_props_check(p, have, 5000, NULL, &e), -1);
	dsl_props_free(p);
}

Test(dsl_props, no_memory_is_an_error_and_nothing_leaks)
{
	for (uint64_t n = 1; n < 40; n++) {
		struct dsl_props	  *p = NULL, *child = NULL;
		const struct dsl_property *list;
		size_t			   count;

		mem_fail_at(n);
		if (dsl_props_new(NULL, &p, NULL) == 0 &&
		    dsl_props_set(p, "mountpoint", "/x", NULL) == 0 &&
		    dsl_props_set(p, "a:b", "c", NULL) == 0 &&
		    dsl_props_set(p, "userquota@1", "1", NULL) == 0 &&
		    dsl_props_new(p, &child, NULL) == 0 &&
		    dsl_props_set(child, "a:b", "d", NULL) == 0)
			(void)!dsl_props_local(child, &list, &count, NULL);
		mem_fail_at(0);
		dsl_props_free(child);
		dsl_props_free(p);
	}
}
