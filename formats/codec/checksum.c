/*
 * The checksum table, digests over one to three pieces, and embedded checksums on top of them.
 * The SHA-2 family comes from libcrypto, the fletchers from fletcher.c, salted ones are keyed.h's.
 */
#include "formats/codec/checksum.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <threads.h>

#include "formats/base/limits.h"
#include "formats/codec/fletcher.h"

/* What does the work for a checksum of the table. */
enum method {
	METHOD_NONE,
	METHOD_ZERO,
	METHOD_FLETCHER_2,
	METHOD_FLETCHER_4,
	METHOD_SHA_256,
	METHOD_SHA_512_256,
	METHOD_SKEIN,
	METHOD_EDONR,
	METHOD_BLAKE3,
};

struct entry {
	const char *name;
	enum method method;
	bool	    embedded; /* the block carries it */
	bool	    property; /* a value of the property `checksum` */
};

static const struct entry table[CHECKSUM_COUNT] = {
	[CHECKSUM_INHERIT] = { "inherit", METHOD_NONE, false, false },
	[CHECKSUM_ON] = { "on", METHOD_NONE, false, true },
	[CHECKSUM_OFF] = { "off", METHOD_ZERO, false, true },
	[CHECKSUM_LABEL] = { "label", METHOD_SHA_256, true, false },
	[CHECKSUM_GANG_HEADER] = { "gang_header", METHOD_SHA_256, true, false },
	[CHECKSUM_ZILOG] = { "zilog", METHOD_FLETCHER_2, true, false },
	[CHECKSUM_FLETCHER_2] = { "fletcher2", METHOD_FLETCHER_2, false, true },
	[CHECKSUM_FLETCHER_4] = { "fletcher4", METHOD_FLETCHER_4, false, true },
	[CHECKSUM_SHA256] = { "sha256", METHOD_SHA_256, false, true },
	[CHECKSUM_ZILOG2] = { "zilog2", METHOD_FLETCHER_4, true, false },
	[CHECKSUM_NOPARITY] = { "noparity", METHOD_ZERO, false, true },
	[CHECKSUM_SHA512] = { "sha512", METHOD_SHA_512_256, false, true },
	[CHECKSUM_SKEIN] = { "skein", METHOD_SKEIN, false, true },
	[CHECKSUM_EDONR] = { "edonr", METHOD_EDONR, false, true },
	[CHECKSUM_BLAKE3] = { "blake3", METHOD_BLAKE3, false, true },
};

/* Fetched once by checksum_init and kept for the life of the process. */
static EVP_MD *sha_256, *sha_512_256;

/* A thread's hash state, reused for each block; hash_key frees it when the thread ends. */
static _Thread_local EVP_MD_CTX *hash_ctx;
static tss_t			 hash_key;

static void hash_ctx_drop(void *ctx)
{
	EVP_MD_CTX_free(ctx);
}

int checksum_init(struct err *e)
{
	fletcher_init();
	keyed_init();
	if (sha_256 != NULL)
		return 0;

	EVP_MD *md = EVP_MD_fetch(NULL, "SHA256", NULL);

	if (md == NULL)
		return err_set(e, ERR_UNSUPPORTED, "libcrypto has no SHA-256");
	if (tss_create(&hash_key, hash_ctx_drop) != thrd_success) {
		EVP_MD_free(md);
		return err_nomem(e);
	}
	sha_256 = md;
	sha_512_256 = EVP_MD_fetch(NULL, "SHA512-256", NULL);
	return 0;
}

const char *checksum_name(unsigned id)
{
	return id < CHECKSUM_COUNT ? table[id].name : NULL;
}

int checksum_by_name(const char *name)
{
	for (int id = 0; id < CHECKSUM_COUNT; id++) {
		if (table[id].property && strcmp(table[id].name, name) == 0)
			return id;
	}
	return -1;
}

bool checksum_supported(unsigned id)
{
	if (id >= CHECKSUM_COUNT || table[id].embedded)
		return false;
	switch (table[id].method) {
	case METHOD_SHA_512_256:
		return sha_512_256 != NULL;
	case METHOD_NONE:
	case METHOD_ZERO:
		return false;
	default:
		return true;
	}
}

bool checksum_salted(unsigned id)
{
	return id < CHECKSUM_COUNT && table[id].method >= METHOD_SKEIN;
}

void checksum_keys_init(struct checksum_keys *k, const uint8_t salt[SALT_SIZE])
{
	memcpy(k->salt, salt, SALT_SIZE);
	skein_key_init(&k->skein, salt, SALT_SIZE);
	edonr_key_init(&k->edonr, salt);
	blake3_key_init(&k->blake3, salt);
	k->ready = true;
}

/* The thread's state, made on first use; NULL when memory is short. */
static EVP_MD_CTX *hash_ctx_get(void)
{
	if (hash_ctx != NULL)
		return hash_ctx;

	EVP_MD_CTX *ctx = EVP_MD_CTX_new();

	if (ctx == NULL || tss_set(hash_key, ctx) != thrd_success) {
		EVP_MD_CTX_free(ctx);
		return NULL;
	}
	hash_ctx = ctx;
	return ctx;
}

static void digest_of(const uint8_t *raw, enum order order, struct digest *out)
{
	for (size_t i = 0; i < 4; i++)
		out->w[i] = get64(bytes_of(raw, sizeof out->w, order), i * 8);
}

/* The hash of the parts, its 32 bytes read as four words of `order`. */
static int hash(const EVP_MD *md, const struct bytes *parts, int count, enum order order,
		struct digest *out, struct err *e)
{
	if (md == NULL)
		return err_set(e, ERR_UNSUPPORTED, "libcrypto lacks the checksum's hash");

	EVP_MD_CTX *ctx = hash_ctx_get();
	uint8_t	    raw[EVP_MAX_MD_SIZE];

	if (ctx == NULL)
		return err_nomem(e);

	int ok = EVP_DigestInit_ex2(ctx, md, NULL);

	for (int i = 0; ok && i < count; i++)
		ok = EVP_DigestUpdate(ctx, parts[i].p, parts[i].n);
	if (!ok || !EVP_DigestFinal_ex(ctx, raw, NULL))
		return err_set(e, ERR_NOMEM, "libcrypto could not hash a block");
	digest_of(raw, order, out);
	return 0;
}

/* All parts have the order of the first, and a length that is a multiple of the method's unit. */
static int digest_parts(enum method method, const struct bytes *parts, int count,
			struct digest *out, struct err *e)
{
	struct digest sum = { { 0 } };

	switch (method) {
	case METHOD_SHA_256:
		/* Big-endian words whatever the block's order: OpenZFS sha2_zfs.c. */
		return hash(sha_256, parts, count, ORDER_BIG, out, e);
	case METHOD_SHA_512_256:
		/* But these are the raw bytes taken as words of the machine that wrote the block.
		 */
		return hash(sha_512_256, parts, count, parts[0].order, out, e);
	case METHOD_FLETCHER_2:
		for (int i = 0; i < count; i++)
			fletcher2_add(&sum, parts[i]);
		break;
	case METHOD_FLETCHER_4:
		for (int i = 0; i < count; i++)
			fletcher4_add(&sum, parts[i]);
		break;
	default:
		break;
	}
	*out = sum;
	return 0;
}

static void digest_keyed(enum method method, const struct checksum_keys *k, struct bytes data,
			 struct digest *out)
{
	uint8_t raw[EDONR_DIGEST];

	if (method == METHOD_SKEIN)
		skein_digest(&k->skein, data.p, data.n, raw);
	else if (method == METHOD_EDONR)
		edonr_digest(&k->edonr, data.p, data.n, raw);
	else
		blake3_digest(&k->blake3, data.p, data.n, raw);
	digest_of(raw, data.order, out);
}

int checksum_keyed(unsigned id, const struct checksum_keys *keys, struct bytes data,
		   struct digest *out, struct err *e)
{
	if (id >= CHECKSUM_COUNT)
		return err_set(e, ERR_UNSUPPORTED, "checksum number %u is unknown", id);
	if (table[id].embedded || table[id].method == METHOD_NONE)
		return err_set(e, ERR_UNSUPPORTED, "checksum %s is not one of a whole block",
			       table[id].name);
	if (!checksum_salted(id))
		return digest_parts(table[id].method, &data, 1, out, e);
	if (keys == NULL || !keys->ready)
		return err_set(e, ERR_UNSUPPORTED, "checksum %s needs the pool's salt",
			       table[id].name);
	digest_keyed(table[id].method, keys, data, out);
	return 0;
}

int checksum_compute(unsigned id, struct bytes data, struct digest *out, struct err *e)
{
	return checksum_keyed(id, NULL, data, out, e);
}

bool digest_equal(const struct digest *a, const struct digest *b)
{
	return memcmp(a->w, b->w, sizeof a->w) == 0;
}

void digest_text(const struct digest *d, char out[DIGEST_TEXT])
{
	snprintf(out, DIGEST_TEXT, "%016" PRIx64 ":%016" PRIx64 ":%016" PRIx64 ":%016" PRIx64,
		 d->w[0], d->w[1], d->w[2], d->w[3]);
}

/*
 * The trailer: 8 bytes of magic, 32 of digest. In an intent log block of the newer form it is not
 * at the end but in the chain header that opens the block, after 8 bytes of padding, the pointer to
 * the next block and the count of bytes in use; only these, rounded up to 4 KiB, are covered.
 * Source: OpenZFS zio.h, zio_eck_t; zil.h, zil_chain_t, ZIL_MIN_BLKSZ; zio_checksum_error_impl.
 */
enum {
	ECK_DIGEST = 8,
	DIGEST_SIZE = 32,
	CHAIN_NUSED = 136,
	CHAIN_ECK = 144,
	CHAIN_SIZE = CHAIN_ECK + ECK_SIZE,
	CHAIN_UNIT = 4096,
};

/* Where the digest stands, and how much of the block it covers. */
struct trailer {
	size_t at;
	size_t covered;
};

/* Offset of the magic, once the kind and the block's size are known to allow for one. */
static int magic_find(unsigned id, struct bytes block, size_t *at, struct err *e)
{
	if (id >= CHECKSUM_COUNT || !table[id].embedded)
		return err_set(e, ERR_UNSUPPORTED,
			       "checksum number %u is not one kept in the block", id);

	size_t need = id == CHECKSUM_ZILOG2 ? CHAIN_SIZE : ECK_SIZE;

	if (block.n < need)
		return err_set(e, ERR_CORRUPT,
			       "a block with a checksum trailer needs %zu bytes, has %zu", need,
			       block.n);
	*at = id == CHECKSUM_ZILOG2 ? CHAIN_ECK : block.n - ECK_SIZE;
	return 0;
}

static int trailer_find(unsigned id, struct bytes block, size_t magic_at, struct trailer *out,
			struct err *e)
{
	size_t covered = block.n;

	if (id == CHECKSUM_ZILOG2) {
		uint64_t used = get64(block, CHAIN_NUSED);

		if (used == 0 || used > block.n || align_up(used, CHAIN_UNIT) > block.n)
			return err_set(e, ERR_CORRUPT,
				       "log block of %zu bytes says that %" PRIu64 " are used",
				       block.n, used);
		covered = align_up(used, CHAIN_UNIT);
	}
	/* OpenZFS has no such block; the digest would end in the middle of a word. */
	if (covered % FLETCHER_2_UNIT != 0)
		return err_set(e, ERR_CORRUPT, "%zu bytes are no size for a block with a trailer",
			       covered);
	*out = (struct trailer){ .at = magic_at + ECK_DIGEST, .covered = covered };
	return 0;
}

/* The digest of the covered part with `verifier` in place of the trailer's digest. */
static int trailer_digest(unsigned id, struct bytes block, const struct trailer *t,
			  const struct digest *verifier, struct digest *out, struct err *e)
{
	uint8_t	     raw[DIGEST_SIZE];
	size_t	     after = t->at + DIGEST_SIZE;
	struct bytes parts[3] = {
		bytes_sub(block, 0, t->at),
		bytes_of(raw, sizeof raw, block.order),
		bytes_sub(block, after, t->covered - after),
	};

	for (size_t i = 0; i < 4; i++)
		put64(wbytes_of(raw, sizeof raw, block.order), i * 8, verifier->w[i]);
	return digest_parts(table[id].method, parts, 3, out, e);
}

static int trailer_compare(const struct digest *have, const struct digest *want, struct err *e)
{
	char have_text[DIGEST_TEXT], want_text[DIGEST_TEXT];

	if (digest_equal(have, want))
		return 0;
	digest_text(have, have_text);
	digest_text(want, want_text);
	return err_set(e, ERR_CORRUPT, "checksum is %s, the trailer says %s", have_text, want_text);
}

/* Sets block->order by the magic. */
static int magic_check(struct bytes *block, size_t at, struct err *e)
{
	block->order = ORDER_LITTLE;
	if (get64(*block, at) == ECK_MAGIC)
		return 0;
	block->order = ORDER_BIG;
	if (get64(*block, at) == ECK_MAGIC)
		return 0;
	return err_set(e, ERR_CORRUPT, "no checksum trailer: its magic is %016" PRIx64,
		       get64(*block, at));
}

int checksum_trailer_verify(unsigned id, struct bytes block, const struct digest *verifier,
			    enum order *order, struct err *e)
{
	size_t	       magic_at;
	struct trailer t;
	struct digest  have, want;

	if (magic_find(id, block, &magic_at, e) < 0 || magic_check(&block, magic_at, e) < 0 ||
	    trailer_find(id, block, magic_at, &t, e) < 0 ||
	    trailer_digest(id, block, &t, verifier, &have, e) < 0)
		return -1;
	for (size_t i = 0; i < 4; i++)
		want.w[i] = get64(block, t.at + i * 8);
	if (trailer_compare(&have, &want, e) < 0)
		return -1;
	*order = block.order;
	return 0;
}

int checksum_trailer_seal(unsigned id, struct wbytes block, const struct digest *verifier,
			  struct err *e)
{
	struct bytes   view = wbytes_view(block);
	size_t	       magic_at;
	struct trailer t;
	struct digest  sum;

	if (magic_find(id, view, &magic_at, e) < 0 || trailer_find(id, view, magic_at, &t, e) < 0)
		return -1;
	put64(block, magic_at, ECK_MAGIC);
	if (trailer_digest(id, view, &t, verifier, &sum, e) < 0)
		return -1;
	for (size_t i = 0; i < 4; i++)
		put64(block, t.at + i * 8, sum.w[i]);
	return 0;
}
