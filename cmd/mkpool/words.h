/* Words of mkpool's command line that have a grammar of their own. */
#ifndef CMD_MKPOOL_WORDS_H
#define CMD_MKPOOL_WORDS_H

#include "core/pool/tx.h"

/*
 * The names that zpool create takes. Source: OpenZFS zfs_namecheck.c (pool_namecheck),
 * libzfs_pool.c (zpool_name_valid).
 */
int words_check_pool(const char *name, struct err *e) MUST_CHECK;

/* "10G", "auto", "min", "+2G", "+20%". */
int words_parse_size(const char *word, struct pool_size *out, struct err *e) MUST_CHECK;

/* "PATH" or "PATH,size=10G"; *path is new memory. *size_given only becomes true. */
int words_parse_vdev(const char *word, char **path, bool *size_given, struct pool_size *size,
		     struct err *e) MUST_CHECK;

/*
 * A dataset below this pool's root, "tank/home"; a snapshot, "tank/home@monday". ERR_USAGE in zfs's
 * words. Source: OpenZFS zfs_namecheck.c (entity_namecheck, dataset_nestcheck), libzfs_dataset.c
 * (zfs_validate_name).
 */
int words_check_dataset(const char *name, const char *pool, struct err *e) MUST_CHECK;
int words_check_snapshot(const char *name, struct err *e) MUST_CHECK;

/* How large a file or block device is. ERR_USAGE for anything else. */
int words_raw_size(const char *path, uint64_t *size, struct err *e) MUST_CHECK;

/* A small text file whole, as new memory; ERR_USAGE when it holds a zero byte. */
int words_read_file(const char *path, char **out, struct err *e) MUST_CHECK;

#endif
