#include "core/zpl/pool_rig_test.h"

#define ROOT "d755 0:0 \n"

Test(zpl_write, parents_that_no_entry_names_are_root_s)
{
	struct rig r;

	rig_init(&r);
	rig_create(&r);
	put_file(&r, "a/b/c", "hello");
	rig_commit(&r);
	cr_assert_tree(&r, ROOT "d755 0:0 a\nd755 0:0 a/b\nf640 1000:100 a/b/c: hello\n");
	rig_fini(&r);
}

Test(zpl_write, an_old_pool_takes_files_in_several_directories, .timeout = 20)
{
	struct rig r;

	rig_init(&r);
	rig_create(&r);
	put_file(&r, "a/x", "1");
	put_file(&r, "b/x", "2");
	rig_commit(&r);
	rig_reopen(&r);
	put_file(&r, "a/y", "3");
	put_file(&r, "b/y", "4");
	put_file(&r, "y", "5");
	rig_commit(&r);
	cr_assert_tree(&r, ROOT "d755 0:0 a\nf640 1000:100 a/x: 1\nf640 1000:100 a/y: 3\n"
				"d755 0:0 b\nf640 1000:100 b/x: 2\nf640 1000:100 b/y: 4\n"
				"f640 1000:100 y: 5\n");
	rig_fini(&r);
}
