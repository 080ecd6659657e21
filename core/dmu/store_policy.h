/*
 * How an object set stores its blocks: what the dataset's properties come down to.
 * Source: OpenZFS dmu.c (dmu_write_policy), zio_checksum.c (zio_checksum_table).
 */
#ifndef CORE_DMU_STORE_POLICY_H
#define CORE_DMU_STORE_POLICY_H

#include "formats/codec/checksum.h"
#include "formats/codec/compress.h"

/* Values of the property redundant_metadata, as stored. Source: sys/fs/zfs.h. */
enum redundant_metadata {
	REDUNDANT_ALL,
	REDUNDANT_MOST,
	REDUNDANT_SOME,
	REDUNDANT_NONE,
};

struct store_policy {
	struct compress_choice data_compress, meta_compress;
	uint8_t		       data_checksum, meta_checksum;
	uint8_t		       data_copies, meta_copies;
	uint8_t		       redundant; /* what has meta_copies: enum redundant_metadata */
	uint32_t	       dnode_size; /* of its files, bytes: 512 to 16384; 0: legacy, 512 */
	bool		       hole_birth; /* the pool has it enabled */
};

/*
 * `checksum` (never CHECKSUM_ON or _INHERIT) for data, and for metadata when it is strong enough
 * for that: fletcher4 in place of off and fletcher2.
 */
void store_policy_set_checksum(struct store_policy *p, unsigned checksum);

/* Copies of data (1 to 3); metadata has one more, at most 3. */
void store_policy_set_copies(struct store_policy *p, unsigned copies);

/* Copies of a block of this type (enum objtype) and level. */
uint8_t store_policy_copies(const struct store_policy *p, unsigned type, unsigned level);

/* Bytes of its files' dnodes, never 0. */
uint32_t store_policy_dnode_size(const struct store_policy *p);

/*
 * The guids of the features that a dataset needs that stores its blocks so, in records of up to
 * record_size bytes (a volume: its block size). Returns how many, at most STORE_FEATURES_MAX; those
 * beyond `cap` are not stored. extensible_dataset, which they depend on, is not among them.
 */
enum { STORE_FEATURES_MAX = 4 };
size_t store_policy_features(const struct store_policy *p, uint32_t record_size,
			     const char *guids[], size_t cap);

#endif
