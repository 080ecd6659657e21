/*
 * The checksums that ZFS salts: Skein-512-256, Edon-R-512 and BLAKE3, each prepared once with the
 * pool's 32 bytes of salt and then run over whole blocks. Written from the published
 * specifications; how the salt goes in is from OpenZFS skein_zfs.c, edonr_zfs.c, blake3_zfs.c.
 *
 * Pure; safe from any thread. Digests are bytes: whoever needs words reads them in the order of the
 * machine that wrote the block.
 */
#ifndef FORMATS_CODEC_KEYED_H
#define FORMATS_CODEC_KEYED_H

#include <stddef.h>
#include <stdint.h>

enum { SALT_SIZE = 32, KEYED_DIGEST = 32 };

/* Picks what the processor can do. Without it, the portable form is used. */
void keyed_init(void);

/*
 * Skein-512 with 256 bits of output, as a MAC with the salt as its key.
 * Source: "The Skein Hash Function Family", version 1.3, sections 3.3 to 3.5.
 */
struct skein_key {
	uint64_t chain[8];
};
void skein_key_init(struct skein_key *k, const uint8_t *key, size_t size); /* size 0: plain hash */
void skein_digest(const struct skein_key *k, const uint8_t *p, size_t n, uint8_t out[KEYED_DIGEST]);

/*
 * Edon-R-512 ("tweaked", as submitted to SUPERCOP), of which the first 256 bits count. The salt's
 * digest and that digest's digest are one block that comes before the contents.
 * Source: "Cryptographic Hash Function EDON-R'", Gligoroski et al.
 */
enum { EDONR_DIGEST = 64 };
struct edonr_key {
	uint64_t pipe[16];
	uint64_t before; /* bytes in it already */
};
void edonr_key_init(struct edonr_key *k, const uint8_t salt[SALT_SIZE]);
void edonr_key_none(struct edonr_key *k); /* plain hash */
void edonr_digest(const struct edonr_key *k, const uint8_t *p, size_t n, uint8_t out[EDONR_DIGEST]);

/*
 * BLAKE3's keyed hash with the salt as its key.
 * Source: "BLAKE3: one function, fast everywhere", sections 2.1 to 2.5.
 */
struct blake3_key {
	uint32_t words[8];
	uint8_t	 flags;
};
void blake3_key_init(struct blake3_key *k, const uint8_t salt[SALT_SIZE]);
void blake3_key_none(struct blake3_key *k); /* plain hash */
void blake3_digest(const struct blake3_key *k, const uint8_t *p, size_t n,
		   uint8_t out[KEYED_DIGEST]);

#endif
