/*
 * lzjb and zle, both directions. No library has them. Output and input are exactly as long as said,
 * nothing outside is touched whatever the bytes.
 * Source: OpenZFS lzjb.c (token layout, hash), zle.c; for zle the table's parameter, 64.
 */
#ifndef FORMATS_CODEC_COMPRESS_OWN_H
#define FORMATS_CODEC_COMPRESS_OWN_H

#include "formats/base/bytes.h"

/* Bytes written to out, at most cap, or 0 when they do not fit. */
size_t lzjb_compress(struct bytes in, uint8_t *out, size_t cap);
size_t zle_compress(struct bytes in, uint8_t *out, size_t cap);

/* True when `in` expands to n bytes at out; what follows in `in` is not looked at. */
bool lzjb_decompress(struct bytes in, uint8_t *out, size_t n);
bool zle_decompress(struct bytes in, uint8_t *out, size_t n);

#endif
