/*
 * Where things are in a block of an intent log, for whoever walks its chain.
 *
 * A chain header (its own trailer, the next block's pointer, bytes in use) and records, each of a
 * type and a length. In blocks with ZILOG2 checksums the header comes first, in older ones last.
 * Offsets and lengths are in bytes.
 * Source: OpenZFS zil.h (zil_chain_t, lr_t, lr_write_t), zio_checksum.h.
 */
#ifndef FORMATS_ZIL_H
#define FORMATS_ZIL_H

enum {
	ZIL_CHAIN_SIZE = 184, /* at the start of the block, in old pools at its end */
	ZIL_CHAIN_NEXT = 8,
	ZIL_CHAIN_USED = 136,
	ZIL_RECORD_TYPE = 0,
	ZIL_RECORD_LENGTH = 8,
	ZIL_RECORD_TXG = 16,
	ZIL_RECORD_MIN = 32,
	ZIL_WRITE_POINTER = 64, /* in a record of type ZIL_TX_WRITE that is long enough */
	ZIL_TX_WRITE = 9,
	ZIL_TX_MASK = 0xff,	    /* above: flags (case-insensitive names) */
	ZIL_SEQUENCE = 3,	    /* word of the checksum that counts up along the chain */
	ZIL_BLOCKS_MAX = 1 << 20, /* of one log; a guard, since blocks could name each other */
};

#endif
