/* Numbers and sizes as people write and read them. */
#ifndef CMD_SIZE_H
#define CMD_SIZE_H

#include <stdint.h>

#include "formats/base/err.h"

/* Decimal digits only, or 0x and hex digits. ERR_USAGE with the word quoted. */
int parse_number(const char *word, uint64_t *out, struct err *e) MUST_CHECK;

/*
 * Bytes: "65536", "64K", "1.5G", "10 MiB" without the space. Suffixes K M G T P E are powers of
 * 1024, in either case, with an optional B or iB; a bare B is allowed. Decimals need a suffix; what
 * is left below one byte is dropped. ERR_USAGE.
 */
int parse_size(const char *word, uint64_t *out, struct err *e) MUST_CHECK;

/* A size as zfs(8) prints it: "0B", "512B", "24K", "1.50M", "12.3G"; `exact`: "1572864". */
enum { SIZE_TEXT = 24 };
const char *size_text(uint64_t bytes, int exact, char out[SIZE_TEXT]);

#endif
