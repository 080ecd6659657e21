/*
 * The fletcher checksums over 64-bit (fletcher-2) and 32-bit words (fletcher-4), in pieces.
 *
 * A sum starts as four zeros and is fed any number of pieces; feeding a block whole or cut at word
 * boundaries gives the same result. Bytes after the last whole word (fletcher-2: pair of words) of
 * a piece are not looked at. Words are read in the order of the view.
 * Source: OpenZFS zfs_fletcher.c, the recurrences in its opening comment.
 */
#ifndef FORMATS_CODEC_FLETCHER_H
#define FORMATS_CODEC_FLETCHER_H

#include "formats/codec/checksum.h"

enum { FLETCHER_2_UNIT = 16, FLETCHER_4_UNIT = 4 };

/* Picks the fastest variant that this processor has. Without it the portable one runs. */
void fletcher_init(void);

void fletcher2_add(struct digest *sum, struct bytes in);
void fletcher4_add(struct digest *sum, struct bytes in);

/* Word by word on every machine: the reference of the variants above. */
void fletcher4_add_portable(struct digest *sum, struct bytes in);

#endif
