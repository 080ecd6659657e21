/* Device numbers in a word. */
#include "core/zpl/rdev.h"

#include "core/pool/layout.h"
#include "formats/base/bytes.h"

enum { MAJOR_BITS = 12, MINOR_BITS = 20 }; /* of Linux */

enum rdev_form rdev_form_of(uint64_t software_version)
{
	return software_version >= POOL_VERSION_FEATURES ? RDEV_OPENZFS : RDEV_ZFS_FUSE;
}

int rdev_encode(enum rdev_form form, uint32_t major, uint32_t minor, uint64_t *out, struct err *e)
{
	bool of_linux = major >> MAJOR_BITS == 0 && minor >> MINOR_BITS == 0;

	if (of_linux && form == RDEV_ZFS_FUSE)
		*out = (minor & 0xff) | (uint64_t)major << 8 | (uint64_t)(minor >> 8) << 20;
	else if (of_linux)
		*out = (uint64_t)major << MINOR_BITS | minor;
	else if (form == RDEV_ZFS_FUSE)
		return err_set(e, ERR_UNSUPPORTED,
			       "device %u,%u: zfs-fuse has %d bits for a major, %d for a minor",
			       major, minor, MAJOR_BITS, MINOR_BITS);
	else if (major != 0)
		*out = (uint64_t)major << 32 | minor;
	else
		return err_set(e, ERR_UNSUPPORTED,
			       "device %u,%u has no form that can be told apart",
			       major, minor);
	return 0;
}

void rdev_decode(enum rdev_form form, uint64_t rdev, uint32_t *major, uint32_t *minor)
{
	if (rdev >> 32 != 0) {
		*major = (uint32_t)(rdev >> 32);
		*minor = (uint32_t)rdev;
	} else if (form == RDEV_OPENZFS) {
		*major = (uint32_t)bits(rdev, MINOR_BITS, MAJOR_BITS);
		*minor = (uint32_t)bits(rdev, 0, MINOR_BITS);
	} else {
		*major = (uint32_t)bits(rdev, 8, 12);
		*minor = (uint32_t)(bits(rdev, 0, 8) | bits(rdev, 20, 12) << 8);
	}
}
