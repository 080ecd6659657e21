#include "core/zpl/rdev.h"

#include <criterion/criterion.h>

/* What zfs-fuse stored for these numbers (zdb's rdev of two files in its pools). */
Test(rdev, zfs_fuse_keeps_the_c_librarys_number)
{
	uint64_t rdev;

	cr_assert_eq(rdev_encode(RDEV_ZFS_FUSE, 8, 17, &rdev, NULL), 0);
	cr_assert_eq(rdev, 0x811);
	cr_assert_eq(rdev_encode(RDEV_ZFS_FUSE, 259, 300, &rdev, NULL), 0);
	cr_assert_eq(rdev, 0x11032c);
}

Test(rdev, openzfs_keeps_the_kernels_number)
{
	uint64_t rdev;

	cr_assert_eq(rdev_encode(RDEV_OPENZFS, 259, 300, &rdev, NULL), 0);
	cr_assert_eq(rdev, 259 << 20 | 300);
	cr_assert_eq(rdev_encode(RDEV_OPENZFS, 4096, 1, &rdev, NULL), 0);
	cr_assert_eq(rdev, UINT64_C(4096) << 32 | 1);
}

Test(rdev, what_is_encoded_decodes_to_the_same)
{
	static const uint32_t numbers[][2] = {
		{ 0, 0 }, { 0, 0xfffff }, { 1, 3 }, { 4095, 0xfffff }, { 4095, 255 }, { 10, 256 },
	};

	for (int form = RDEV_OPENZFS; form <= RDEV_ZFS_FUSE; form++) {
		for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
			uint32_t major, minor;
			uint64_t rdev;

			cr_assert_eq(rdev_encode((enum rdev_form)form, numbers[i][0],
						 numbers[i][1], &rdev, NULL), 0);
			rdev_decode((enum rdev_form)form, rdev, &major, &minor);
			cr_assert_eq(major, numbers[i][0]);
			cr_assert_eq(minor, numbers[i][1]);
		}
	}
}

Test(rdev, what_has_no_place_is_refused)
{
	uint64_t   rdev;
	struct err e = { 0 };

	cr_assert_eq(rdev_encode(RDEV_OPENZFS, 0, 1 << 20, &rdev, &e), -1);
	cr_assert_eq(e.kind, ERR_UNSUPPORTED);
	cr_assert_eq(rdev_encode(RDEV_ZFS_FUSE, 4096, 0, &rdev, NULL), -1);
	cr_assert_eq(rdev_encode(RDEV_ZFS_FUSE, 1, 1 << 20, &rdev, NULL), -1);
}

Test(rdev, the_form_goes_by_who_wrote_the_pool)
{
	cr_assert_eq(rdev_form_of(0), RDEV_ZFS_FUSE);
	cr_assert_eq(rdev_form_of(5000), RDEV_OPENZFS);
}
