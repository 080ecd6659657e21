/*
 * Block checksums: one table of what the format knows, digests over whole blocks, and the trailer
 * of blocks that carry their own checksum (labels, gang headers, intent log blocks).
 *
 * Pure functions over bytes; safe from any thread. checksum_init() must have returned once before
 * the first digest (it picks the SIMD variant and fetches libcrypto's digests).
 * Source: OpenZFS zio_checksum.c (zio_checksum_table), zfs_fletcher.c,
 * zio.h (zio_eck_t), sha2_zfs.c.
 */
#ifndef FORMATS_CODEC_CHECKSUM_H
#define FORMATS_CODEC_CHECKSUM_H

#include "formats/base/bytes.h"
#include "formats/base/err.h"
#include "formats/codec/keyed.h"

enum checksum {
	CHECKSUM_INHERIT = 0,
	CHECKSUM_ON = 1,
	CHECKSUM_OFF = 2,
	CHECKSUM_LABEL = 3,	  /* embedded, SHA-256 */
	CHECKSUM_GANG_HEADER = 4, /* embedded, SHA-256 */
	CHECKSUM_ZILOG = 5,	  /* embedded, fletcher-2 */
	CHECKSUM_FLETCHER_2 = 6,
	CHECKSUM_FLETCHER_4 = 7,
	CHECKSUM_SHA256 = 8,
	CHECKSUM_ZILOG2 = 9, /* embedded, fletcher-4 over the used part */
	CHECKSUM_NOPARITY = 10,
	CHECKSUM_SHA512 = 11, /* SHA-512/256 */
	CHECKSUM_SKEIN = 12,
	CHECKSUM_EDONR = 13,
	CHECKSUM_BLAKE3 = 14,
	CHECKSUM_COUNT = 15,
};

/* The four words of a checksum, as numbers. */
struct digest {
	uint64_t w[4];
};

/* To be called once, before threads start. Fails when libcrypto lacks SHA-256. */
int checksum_init(struct err *e) MUST_CHECK;

/*
 * "fletcher4", as `zfs get checksum` and zdb print it; NULL for numbers the format does not know.
 */
const char *checksum_name(unsigned id);

/* By property value ("on" is CHECKSUM_ON); -1 when unknown, without an error text. */
int checksum_by_name(const char *name);

/* Can a digest be taken here? Off and embedded kinds have none. */
bool checksum_supported(unsigned id);

/* Does it need the pool's salt? Skein, Edon-R and BLAKE3 do. */
bool checksum_salted(unsigned id);

/*
 * What the salted kinds start from, prepared once from the pool's 32 bytes. Plain memory, not
 * changed by use: any number of threads may share one.
 */
struct checksum_keys {
	bool		  ready; /* false: there is no salt */
	uint8_t		  salt[SALT_SIZE];
	struct skein_key  skein;
	struct edonr_key  edonr;
	struct blake3_key blake3;
};
void checksum_keys_init(struct checksum_keys *k, const uint8_t salt[SALT_SIZE]);

/*
 * The digest of the whole of `data`, whose words are in data.order (fletcher reads words; of hashes
 * the bytes of the digest are such words, except SHA-256's, which are big-endian always).
 * CHECKSUM_OFF and CHECKSUM_NOPARITY give four zeros. ERR_UNSUPPORTED names kinds that have no
 * digest, and salted ones when keys is NULL or not ready.
 */
int checksum_keyed(unsigned id, const struct checksum_keys *keys, struct bytes data,
		   struct digest *out, struct err *e) MUST_CHECK;

/* The same without a salt. */
int checksum_compute(unsigned id, struct bytes data, struct digest *out, struct err *e) MUST_CHECK;

bool digest_equal(const struct digest *a, const struct digest *b);

/* "aaaa:bbbb:cccc:dddd" as zdb prints it, 16 hex digits each. Needs DIGEST_TEXT bytes. */
enum { DIGEST_TEXT = 68 };
void digest_text(const struct digest *d, char out[DIGEST_TEXT]);

/*
 * The trailer of a self-checksumming block: magic and digest in its last 40 bytes. While the digest
 * is taken, the trailer's digest field holds `verifier`: for labels { offset on the device, 0, 0, 0
 * }, for gang headers { vdev, offset, birth txg, 0 } of the pointer's first (respective) DVA.
 */
enum { ECK_SIZE = 40 };
#define ECK_MAGIC UINT64_C(0x0210da7ab10c7a11)

/*
 * Checks the trailer. On success *order is the byte order that the magic shows; block.order is not
 * looked at. ERR_CORRUPT when the magic or the digest is wrong (the sentence has both digests).
 */
int checksum_trailer_verify(unsigned id, struct bytes block, const struct digest *verifier,
			    enum order *order, struct err *e) MUST_CHECK;

/* Writes magic and digest in block.order. */
int checksum_trailer_seal(unsigned id, struct wbytes block, const struct digest *verifier,
			  struct err *e) MUST_CHECK;

#endif
