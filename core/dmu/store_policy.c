/* What the properties of a dataset mean for its blocks. Pure. */
#include "core/dmu/store_policy.h"

#include "formats/base/limits.h"
#include "formats/blkptr.h"
#include "formats/dnode.h"

enum { MOST_DITTO_LEVEL = 2 }; /* dmu.c, zfs_redundant_metadata_most_ditto_level */

void store_policy_set_checksum(struct store_policy *p, unsigned checksum)
{
	bool weak = checksum == CHECKSUM_OFF || checksum == CHECKSUM_FLETCHER_2;

	p->data_checksum = (uint8_t)checksum;
	p->meta_checksum = (uint8_t)(weak ? CHECKSUM_FLETCHER_4 : checksum);
}

void store_policy_set_copies(struct store_policy *p, unsigned copies)
{
	p->data_copies = (uint8_t)min64(copies, BLKPTR_DVAS);
	p->meta_copies = (uint8_t)min64(copies + 1, BLKPTR_DVAS);
}

/* Directories, attributes and dnodes can be lost one by one. Source: dmu.h, DMU_OT_IS_CRITICAL. */
static bool is_critical(unsigned type, unsigned level)
{
	return objtype_is_metadata(type) && (type != OT_DNODE || level > 0) &&
	       type != OT_DIRECTORY && type != OT_SA;
}

uint8_t store_policy_copies(const struct store_policy *p, unsigned type, unsigned level)
{
	bool metadata = objtype_is_metadata(type), more = false;

	switch (p->redundant) {
	case REDUNDANT_ALL:
		more = metadata || level > 0;
		break;
	case REDUNDANT_MOST:
		more = metadata || level >= MOST_DITTO_LEVEL;
		break;
	case REDUNDANT_SOME:
		more = is_critical(type, level);
		break;
	default:
		break;
	}
	return more ? p->meta_copies : p->data_copies;
}

uint32_t store_policy_dnode_size(const struct store_policy *p)
{
	return p->dnode_size == 0 ? DNODE_MIN_SIZE : p->dnode_size;
}

static const char *checksum_feature(unsigned checksum)
{
	switch (checksum) {
	case CHECKSUM_SHA512:
		return "org.illumos:sha512";
	case CHECKSUM_SKEIN:
		return "org.illumos:skein";
	case CHECKSUM_EDONR:
		return "org.illumos:edonr";
	case CHECKSUM_BLAKE3:
		return "org.openzfs:blake3";
	default:
		return NULL;
	}
}

size_t store_policy_features(const struct store_policy *p, uint32_t record_size,
			     const char *guids[], size_t cap)
{
	const char *const needed[STORE_FEATURES_MAX] = {
		checksum_feature(p->data_checksum),
		p->data_compress.id == COMPRESS_ZSTD ? "org.freebsd:zstd_compress" : NULL,
		record_size > BLOCK_OLD_MAX ? "org.open-zfs:large_blocks" : NULL,
		store_policy_dnode_size(p) > DNODE_MIN_SIZE ? "org.zfsonlinux:large_dnode" : NULL,
	};
	size_t n = 0;

	for (size_t i = 0; i < STORE_FEATURES_MAX; i++) {
		if (needed[i] == NULL)
			continue;
		if (n < cap)
			guids[n] = needed[i];
		n++;
	}
	return n;
}
