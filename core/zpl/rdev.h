/*
 * A device's numbers as a file system keeps them: one word, in a form that nothing on disk names.
 *
 * OpenZFS on Linux keeps the kernel's number, 12 bits of major and 20 of minor; illumos and FreeBSD
 * 32 bits each, which Linux takes for others. zfs-fuse keeps the C library's number as FUSE hands
 * it on: the bits of Linux in another order (minor 0-7, major 8-19, minor 20-31).
 * Source: OpenZFS zfs_znode_os.c of both systems (zfs_cmpldev, zfs_expldev); observed in pools of
 * zfs-fuse 0.7.
 */
#ifndef CORE_ZPL_RDEV_H
#define CORE_ZPL_RDEV_H

#include <stdint.h>

#include "formats/base/err.h"

enum rdev_form { RDEV_OPENZFS, RDEV_ZFS_FUSE };

/* The form in a pool that this software version wrote last; zfs-fuse leaves none (0). */
enum rdev_form rdev_form_of(uint64_t software_version);

/*
 * Numbers that Linux does not have are kept as illumos keeps them. ERR_UNSUPPORTED for what the
 * form has no place for: with OpenZFS a minor of more than 20 bits beside a major of 0, which could
 * not be told from a number of Linux; with zfs-fuse all that Linux does not have.
 */
int  rdev_encode(enum rdev_form form, uint32_t major, uint32_t minor, uint64_t *out,
		 struct err *e) MUST_CHECK;
void rdev_decode(enum rdev_form form, uint64_t rdev, uint32_t *major, uint32_t *minor);

#endif
