#include "core/zpl/pool_rig_test.h"

static void put_owned(struct rig *r, const char *path, enum entry_kind kind, uint64_t uid,
		      uint64_t gid, size_t size)
{
	struct entry in = an_entry(kind, path);
	char	    *data = malloc(size + 1);

	for (size_t i = 0; i < size; i++)
		data[i] = (char)(i * 2654435761u >> 13);
	in.uid = uid;
	in.gid = gid;
	in.size = size;
	cr_assert_eq(give(r, &in, data), 0, "%s", r->e.text);
	free(data);
}

/* rig_list sums every account anew. */
Test(zpl_account, accounts_equal_the_sum_over_all_files)
{
	struct rig r;

	rig_init(&r);
	r.threads = 2;
	rig_create(&r);
	for (unsigned i = 0; i < 500; i++) {
		char path[32];

		snprintf(path, sizeof path, "d%u/f%u", i % 7, i);
		put_owned(&r, path, ENTRY_FILE, i % 5 * 100000, i % 3, i * 1000);
	}
	put_owned(&r, "d1", ENTRY_DIR, UINT32_MAX - 2, UINT32_MAX - 1, 0);
	put_owned(&r, "d1/f1", ENTRY_FILE, 77, 78, 200000);
	put_owned(&r, "d1/f1", ENTRY_FILE, 79, 80, 10);
	rig_commit(&r);
	free(rig_list(&r));
	rig_reopen(&r);
	cr_assert_eq(zpl_write_remove(r.z, "d1/f1", 5, &r.e), 0);
	cr_assert_eq(zpl_write_remove(r.z, "d0/f490", 7, &r.e), 0);
	put_owned(&r, "d3/f10", ENTRY_FILE, 79, 80, 1000000);
	put_owned(&r, "new", ENTRY_FILE, 5, 0, 0);
	put_hardlink(&r, "link", "d2/f2");
	rig_commit(&r);
	free(rig_list(&r));
	rig_fini(&r);
}
