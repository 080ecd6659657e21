#include "core/zpl/userspace.h"
#include "core/zpl/pool_rig_test.h"

static void put_owned(struct rig *r, const char *path, uint64_t uid, uint64_t gid)
{
	struct entry in = an_entry(ENTRY_FILE, path);

	in.uid = uid;
	in.gid = gid;
	in.size = 1;
	cr_assert_eq(give(r, &in, "x"), 0, "%s", r->e.text);
}

static struct zpl *open_files(struct rig *r, struct dataset *ds)
{
	struct zpl *z;

	rig_pool(r);
	cr_assert_eq(dataset_open(r->pool, "t", ds, &r->e), 0, "%s", r->e.text);
	cr_assert_eq(zpl_open(ds, &z, &r->e), 0, "%s", r->e.text);
	return z;
}

static void close_files(struct rig *r, struct zpl *z)
{
	zpl_close(z);
	pool_close(r->pool);
	r->pool = NULL;
}

Test(userspace, owners_and_quotas_by_id)
{
	struct zpl_account *list;
	struct dataset	    ds;
	struct err	    odd;
	struct zpl	   *z;
	struct rig	    r;
	size_t		    n;

	rig_init(&r);
	rig_create(&r);
	put_owned(&r, "a", 70000, 5);
	put_owned(&r, "b", 70000, 6);
	put_owned(&r, "c", 3, 5);
	cr_assert_eq(zpl_write_set_quota(r.z, ZPL_QUOTA_USER, 3, 100, &r.e), 0);
	cr_assert_eq(zpl_write_set_quota(r.z, ZPL_QUOTA_USER, 4000000000, 200, &r.e), 0);
	cr_assert_eq(zpl_write_set_quota(r.z, ZPL_QUOTA_USER_OBJECTS, 70000, 9, &r.e), 0);
	cr_assert_eq(zpl_write_set_default_quota(r.z, ZPL_QUOTA_GROUP, 77, &r.e), 0);
	rig_commit(&r);
	z = open_files(&r, &ds);
	cr_assert_eq(zpl_userspace(z, ZPL_USERS, &list, &n, &odd, &r.e), 0, "%s", r.e.text);
	cr_assert_eq(odd.kind, 0);
	cr_assert_eq(n, 4);
	cr_assert_eq(list[0].id, 0);
	cr_assert_eq(list[0].objects, 1);
	cr_assert_eq(list[1].id, 3);
	cr_assert_eq(list[1].quota, 100);
	cr_assert_eq(list[1].objects, 1);
	cr_assert_eq(list[2].id, 70000);
	cr_assert_eq(list[2].objects, 2);
	cr_assert_eq(list[2].object_quota, 9);
	cr_assert_eq(list[2].quota, 0);
	cr_assert_eq(list[3].quota, 200);
	cr_assert_eq(list[3].used, 0);
	cr_assert(list[3].has_bytes && !list[3].has_objects);
	free(list);
	cr_assert_eq(zpl_userspace(z, ZPL_GROUPS, &list, &n, &odd, &r.e), 0, "%s", r.e.text);
	cr_assert_eq(n, 3);
	cr_assert_eq(list[1].id, 5);
	cr_assert_eq(list[1].objects, 2);
	cr_assert_eq(list[1].quota, 77);
	free(list);
	cr_assert_eq(zpl_userspace(z, ZPL_PROJECTS, &list, &n, &odd, &r.e), 0, "%s", r.e.text);
	cr_assert_eq(n, 1);
	cr_assert_eq(list[0].objects, 4);
	free(list);
	close_files(&r, z);
	rig_fini(&r);
}

Test(userspace, what_is_not_kept_is_said)
{
	struct zpl_account *list = NULL;
	struct dataset	    ds;
	struct err	    odd;
	struct zpl	   *z;
	struct rig	    r;
	size_t		    n;

	rig_features = "legacy";
	rig_options.xattr_sa = false;
	rig_init(&r);
	rig_create(&r);
	put_owned(&r, "a", 1, 2);
	rig_commit(&r);
	z = open_files(&r, &ds);
	cr_assert_eq(zpl_userspace(z, ZPL_PROJECTS, &list, &n, &odd, &r.e), -1);
	cr_assert_eq(r.e.kind, ERR_UNSUPPORTED);
	cr_assert_str_eq(r.e.text, "the file system keeps no accounts of projects");
	cr_assert_eq(zpl_userspace(z, ZPL_USERS, &list, &n, &odd, &r.e), 0);
	cr_assert_eq(n, 2);
	cr_assert(list[1].has_bytes && !list[1].has_objects);
	free(list);
	close_files(&r, z);
	rig_fini(&r);
}
