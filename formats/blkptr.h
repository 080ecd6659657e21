/*
 * Block pointers: where a block is, how large, how it is stored, and what its bytes must sum to.
 *
 * One struct for the ordinary, embedded and hole forms. Sizes are bytes in memory; sectors and
 * minus-one forms live only inside decode and encode.
 *
 *   0x00  three DVAs (vdev, asize | gang, offset)                     an embedded pointer keeps its
 *   0x30  properties: sizes, compression, checksum, type, level,     payload in 0x00-0x2f,
 *         order, flags                                               0x38-0x4f and 0x58-0x7f
 *   0x38  padding        0x48 physical birth     0x50 logical birth
 *   0x58  fill count     0x60 checksum (4 words)
 *
 * Source: on-disk format, "block pointers"; OpenZFS spa.h (blkptr_t, BP_*, BPE_*, DVA_*).
 */
#ifndef FORMATS_BLKPTR_H
#define FORMATS_BLKPTR_H

#include "formats/base/bytes.h"
#include "formats/base/err.h"
#include "formats/base/text.h"
#include "formats/codec/checksum.h"

enum {
	DVA_SIZE = 0x10,
	BLKPTR_SIZE = 0x80,
	BLKPTR_DVAS = 3,
	BLKPTR_PAYLOAD_MAX = 112,   /* spa.h, BPE_PAYLOAD_SIZE */
	BP_EMBEDDED_DATA = 0,	    /* embedded types: spa.h, bp_embedded_type_t */
	BP_EMBEDDED_RESERVED = 1,
	BP_EMBEDDED_REDACTED = 2,
};

/* Where a copy of a block lives on a top-level vdev. asize 0: no such copy. Units: bytes. */
struct dva {
	uint32_t vdev;	 /* index of the top-level vdev */
	uint64_t offset; /* from the end of the front labels and boot area */
	uint64_t asize;	 /* allocated, parity and gang header included */
	bool	 gang;	 /* a gang header is there, not the block itself */
};

struct blkptr {
	struct dva    dva[BLKPTR_DVAS];
	uint64_t      lsize;	  /* decompressed */
	uint64_t      psize;	  /* stored; for an embedded pointer the payload's bytes */
	uint64_t      birth;	  /* logical birth txg */
	uint64_t      phys_birth; /* as stored: 0 when it is the same as birth */
	/*
	 * level 0: 1; above: blocks below; dnode blocks: dnodes in use. As stored:
	 * blkptr_is_encrypted puts the last of the IV into 32..63
	 */
	uint64_t      fill;
	struct digest cksum;
	uint8_t	      type;	/* enum objtype of the object it belongs to */
	uint8_t	      level;	/* 0 data, above: indirect */
	uint8_t	      checksum; /* enum checksum */
	uint8_t	      compress; /* enum compress */
	enum order    order;	/* of the block that it points to */
	bool	      dedup;
	bool	      crypt;	/* encrypted or authenticated (level 0), or carrying MACs (above) */
	bool	      rewrite;	/* written again at phys_birth with its contents unchanged */
	/* blkptr_is_encrypted: kept where dva[2] would be, which is then zero */
	uint64_t      salt, iv;
	bool	      embedded;
	uint8_t	      etype; /* embedded: BP_EMBEDDED_* */
	uint8_t	      payload[BLKPTR_PAYLOAD_MAX];
};

/*
 * Reads a pointer from the first BLKPTR_SIZE bytes of `in`, in in.order. Everything on
 * disk decodes: values that make no sense are blkptr_check's. Fails only when `in` is
 * short or a size overflows.
 */
int blkptr_decode(struct bytes in, struct blkptr *out, struct err *e) MUST_CHECK;

/*
 * The reverse, into the first BLKPTR_SIZE bytes of out, in out.order. out must be large enough. A
 * hole without birth, type and level is one that was never written: all zeros.
 */
void blkptr_encode(const struct blkptr *bp, struct wbytes out);

/* A hole: nothing stored. (It can still have size, type, level and birth: hole_birth.) */
bool blkptr_is_hole(const struct blkptr *bp);

/*
 * Is the block itself encrypted (crypt, level 0, a type that is encrypted)?
 * Then it has two DVAs at most.
 */
bool blkptr_is_encrypted(const struct blkptr *bp);

/* Number of DVAs with asize != 0. */
unsigned blkptr_copies(const struct blkptr *bp);

/* Bytes allocated over all copies. */
uint64_t blkptr_asize(const struct blkptr *bp);

/* The txg in which its bytes were written: phys_birth, or birth when that is 0. */
uint64_t blkptr_phys_birth(const struct blkptr *bp);

/*
 * Do the values make sense for a reader (known type, level, algorithms; sizes in range and
 * non-zero; psize <= lsize unless encrypted or gang)? ERR_CORRUPT says
 * which does not. A hole passes.
 */
int blkptr_check(const struct blkptr *bp, struct err *e) MUST_CHECK;

/*
 * One line in zdb's form: DVA[0]=<0:1c00:200> [L0 DMU objset] fletcher4 lz4 LE size=1000L/200P ...
 */
void blkptr_describe(const struct blkptr *bp, struct text *t);

/*
 * Gang header: three pointers and a self-checksumming trailer in one sector-sized block.
 * Source: on-disk format, "gang block"; OpenZFS zio_impl.h / zio.h,
 * zio_gbh_phys_t (SPA_GANGBLOCKSIZE).
 */
enum { GANG_HEADER_SIZE = 512, GANG_POINTERS = 3 };

#endif
