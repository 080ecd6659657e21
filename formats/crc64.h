/*
 * The CRC that ZAPs hash names with and the SA layer hashes layouts with: 64 bits, reflected,
 * polynomial 0xC96C5795D7870F42, no final inversion (the start value is the caller's: a ZAP's salt,
 * or all ones).
 * Source: OpenZFS spa.h (ZFS_CRC64_POLY), zap_micro.c (zap_hash), sa.c (sa_layout_info_hash).
 */
#ifndef FORMATS_CRC64_H
#define FORMATS_CRC64_H

#include <stddef.h>
#include <stdint.h>

extern const uint64_t crc64_table[256];

/* One more byte. */
static inline uint64_t crc64_byte(uint64_t crc, uint8_t byte)
{
	return crc >> 8 ^ crc64_table[(uint8_t)crc ^ byte];
}

/* `n` more bytes; crc64_of(start, p, 0) is start. */
uint64_t crc64_of(uint64_t start, const void *p, size_t n);

#endif
