/*
 * Reading back what was set, and lists of properties that nobody would write. Here because it takes
 * a whole pool.
 */
#include "core/base/mem.h"
#include "core/dsl/props.h"
#include "core/zpl/pool_rig_test.h"

static struct rig rig;

static void child(const char *name, const struct dsl_property *props, size_t count)
{
	struct dataset_spec spec = {
		.name = name, .type = OBJSET_ZPL, .props = props, .prop_count = count
	};
	struct dataset_write *d;

	spec.policy = pool_tx_mos_policy(rig.tx);
	cr_assert_eq(dataset_write_create(rig.dsl, &spec, &d, &rig.e), 0, "%s", rig.e.text);
	cr_assert_eq(dataset_write_finish(d, &rig.e), 0, "%s", rig.e.text);
}

static struct dsl_props *props_of(const char *name)
{
	struct dataset	  ds;
	struct dsl_props *p = NULL;

	cr_assert_eq(dataset_open(rig.pool, name, &ds, &rig.e), 0, "%s", rig.e.text);
	cr_assert_eq(dsl_props_read(&ds, &p, &rig.e), 0, "%s", rig.e.text);
	return p;
}

static void end(struct dsl_props *p)
{
	dsl_props_free(p);
	pool_close(rig.pool);
	rig_fini(&rig);
}

static void expect_number(const struct dsl_props *p, enum property id, uint64_t number,
			  enum dsl_prop_source source, const char *from)
{
	const char *where = dsl_props_from(p, id);

	cr_expect_eq(dsl_props_number(p, id), number, "%s: %llu", property_table[id].name,
		     (unsigned long long)dsl_props_number(p, id));
	cr_expect_eq(dsl_props_source(p, id), source, "%s", property_table[id].name);
	cr_expect_eq(where == NULL, from == NULL);
	if (where != NULL && from != NULL)
		cr_expect_str_eq(where, from);
}

Test(props_read, what_is_set_comes_back_with_its_source)
{
	struct dsl_props	  *p, *made;
	const struct dsl_property *list;
	size_t			   count;
	char			   mount[64];
	struct text		   t = text_in(mount, sizeof mount);

	rig_init(&rig);
	rig_create(&rig);
	cr_assert_eq(dsl_props_new(NULL, &made, NULL), 0);
	cr_assert_eq(dsl_props_set(made, "compression", "zstd-7", NULL), 0);
	cr_assert_eq(dsl_props_set(made, "mountpoint", "/m", NULL), 0);
	cr_assert_eq(dsl_props_set(made, "redundant_metadata", "none", NULL), 0);
	cr_assert_eq(dsl_props_set(made, "canmount", "off", NULL), 0);
	cr_assert_eq(dsl_props_set(made, "user:x", "y", NULL), 0);
	cr_assert_eq(dsl_props_local(made, &list, &count, NULL), 0);
	child("t/a", list, count);
	child("t/a/b", NULL, 0);
	dsl_props_free(made);
	rig_commit(&rig);
	rig_pool(&rig);
	p = props_of("t/a/b");
	cr_expect_null(dsl_props_odd(p));
	expect_number(p, PROP_COMPRESSION, 16 | 7 << 7, DSL_PROP_INHERITED, "t/a");
	expect_number(p, PROP_REDUNDANT_METADATA, 3, DSL_PROP_INHERITED, "t/a");
	expect_number(p, PROP_CANMOUNT, 1, DSL_PROP_DEFAULT, NULL);
	expect_number(p, PROP_RECORDSIZE, 131072, DSL_PROP_DEFAULT, NULL);
	cr_assert_eq(dsl_props_users(p), 1);
	cr_expect_str_eq(dsl_props_user(p, 0).from, "t/a");
	dsl_props_mountpoint(p, &t);
	cr_expect_str_eq(mount, "/m/b");
	dsl_props_free(p);
	p = props_of("t/a");
	expect_number(p, PROP_COMPRESSION, 16 | 7 << 7, DSL_PROP_LOCAL, NULL);
	expect_number(p, PROP_CANMOUNT, 0, DSL_PROP_LOCAL, NULL);
	cr_expect_str_eq(dsl_props_text(p, PROP_TYPE), "filesystem");
	cr_expect_eq(dsl_props_source(p, PROP_ORIGIN), DSL_PROP_ABSENT);
	end(p);
}

Test(props_read, received_values_give_way)
{
	static const struct dsl_property above[] = {
		{ "$hasrecvd", 0, NULL },      { "compression$recvd", 3, NULL },
		{ "checksum$recvd", 8, NULL }, { "checksum", 6, NULL },
		{ "atime$recvd", 0, NULL },    { "atime$inherit", 0, NULL },
		{ "user:a$recvd", 0, "x" },    { "user:b$recvd", 0, "x" },
		{ "user:b", 0, "local" },      { "user:c$recvd", 0, "x" },
		{ "user:c$inherit", 0, NULL }, { "quota$recvd", 5, NULL },
		{ "snapdir$iuv", 9, NULL },    { "snapdir", 1, NULL },
		{ "exec$nosuch", 0, NULL },
	};
	struct dsl_props *p;

	rig_init(&rig);
	rig_create(&rig);
	child("t/a", above, sizeof above / sizeof above[0]);
	child("t/a/b", NULL, 0);
	rig_commit(&rig);
	rig_pool(&rig);
	p = props_of("t/a");
	cr_expect_null(dsl_props_odd(p));
	expect_number(p, PROP_COMPRESSION, 3, DSL_PROP_RECEIVED, NULL);
	expect_number(p, PROP_CHECKSUM, 6, DSL_PROP_LOCAL, NULL);
	expect_number(p, PROP_ATIME, 1, DSL_PROP_DEFAULT, NULL);
	expect_number(p, PROP_EXEC, 1, DSL_PROP_DEFAULT, NULL);
	/* a value that nobody knows is as if it were not there */
	expect_number(p, PROP_SNAPDIR, 1, DSL_PROP_LOCAL, NULL);
	cr_assert_eq(dsl_props_users(p), 2);
	cr_expect_eq(dsl_props_user(p, 0).source, DSL_PROP_RECEIVED);
	cr_expect_str_eq(dsl_props_user(p, 1).text, "local");
	dsl_props_free(p);
	p = props_of("t/a/b");
	expect_number(p, PROP_COMPRESSION, 3, DSL_PROP_INHERITED, "t/a");
	expect_number(p, PROP_SNAPDIR, 1, DSL_PROP_INHERITED, "t/a");
	expect_number(p, PROP_QUOTA, 0, DSL_PROP_DEFAULT, NULL);
	end(p);
}

Test(props_read, values_of_a_wrong_shape_are_told_and_left_out)
{
	static char	    longest[PROPERTY_TEXT_MAX + 1], name[250];
	struct dsl_property odd[] = {
		{ "compression", 0, "lz4" },	  { "mountpoint", 7, NULL },
		{ "checksum", UINT64_MAX, NULL }, { "user:number", 7, NULL },
		{ "user:long", 0, longest },	  { "sharenfs", 5, NULL },
		{ "user:fine", 0, "" },		  { name, 1, NULL },
		{ "copies$recvd", 0, "two" },	  { "", 1, NULL },
	};
	struct dsl_props *p;
	char		  text[32];
	struct text	  t = text_in(text, sizeof text);

	memset(longest, 'l', sizeof longest - 1);
	memset(name, 'n', sizeof name - 1);
	rig_init(&rig);
	rig_create(&rig);
	child("t/a", odd, sizeof odd / sizeof odd[0] - 1);
	rig_commit(&rig);
	rig_pool(&rig);
	p = props_of("t/a");
	cr_assert_not_null(dsl_props_odd(p));
	cr_expect_not_null(strstr(dsl_props_odd(p)->text, "wrong shape"));
	expect_number(p, PROP_COMPRESSION, 1, DSL_PROP_DEFAULT, NULL);
	expect_number(p, PROP_COPIES, 1, DSL_PROP_DEFAULT, NULL);
	cr_expect_str_eq(dsl_props_text(p, PROP_MOUNTPOINT), "/");
	cr_expect_str_eq(dsl_props_text(p, PROP_SHARENFS), "off");
	cr_assert_eq(dsl_props_users(p), 2);
	cr_expect_str_eq(dsl_props_user(p, 0).name, "user:fine");
	cr_expect_str_eq(dsl_props_user(p, 1).text, longest);
	/* a number of the right shape is shown as it stands */
	property_print(&property_table[PROP_CHECKSUM], dsl_props_number(p, PROP_CHECKSUM), NULL,
		       false, &t);
	cr_expect_str_eq(text, "18446744073709551615");
	end(p);
}

Test(props_read, no_memory_is_an_error_and_nothing_leaks)
{
	static const struct dsl_property some[] = { { "mountpoint", 0, "/x" },
						    { "user:a", 0, "b" },
						    { "user:b$recvd", 0, "c" } };
	struct dataset			 ds;
	bool				 failed = true;

	rig_init(&rig);
	rig_create(&rig);
	child("t/a", some, 3);
	rig_commit(&rig);
	rig_pool(&rig);
	cr_assert_eq(dataset_open(rig.pool, "t/a", &ds, NULL), 0);
	for (uint64_t n = 1; failed && n < 400; n++) {
		struct dsl_props *p = NULL;

		mem_fail_at(n);
		failed = dsl_props_read(&ds, &p, NULL) < 0 || dsl_props_odd(p) != NULL;
		mem_fail_at(0);
		dsl_props_free(p);
	}
	cr_expect_not(failed);
	pool_close(rig.pool);
	rig_fini(&rig);
}
