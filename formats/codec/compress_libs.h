/*
 * gzip, lz4 and zstd: ZFS's framing around the libraries that do the work, and their states.
 * Source: OpenZFS gzip.c; lz4_zfs.c, zfs_lz4_compress_buf; zfs_zstd.c; sys/zstd/zstd.h.
 */
#ifndef FORMATS_CODEC_COMPRESS_LIBS_H
#define FORMATS_CODEC_COMPRESS_LIBS_H

#include "formats/base/bytes.h"
#include "formats/base/err.h"

enum { GZIP_LEVEL_MAX = 9, ZSTD_LEVEL_DEFAULT = 3, ZSTD_LEVEL_MAX = 19 };

struct libdeflate_compressor;
struct libdeflate_decompressor;
struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;
struct z_stream_s;

/* Each is NULL until it is first needed. */
struct codec {
	void			       *lz4;			     /* LZ4_sizeofState() bytes */
	struct libdeflate_compressor   *deflate[GZIP_LEVEL_MAX + 1]; /* by level */
	struct libdeflate_decompressor *inflate;
	struct z_stream_s	       *zlib; /* for what libdeflate refuses */
	struct ZSTD_CCtx_s	       *zstd_out;
	struct ZSTD_DCtx_s	       *zstd_in;
};

/* Frees the states, not *c. */
void libs_fini(struct codec *c);

/* Bytes written to out, at most cap, or 0 when they do not fit or memory is short. */
size_t gzip_compress(struct codec *c, int level, struct bytes in, uint8_t *out, size_t cap);
size_t lz4_compress(struct codec *c, struct bytes in, uint8_t *out, size_t cap);

/* level: 1..19, or -N for a zstd-fast-N that the format has a number for; 0 bytes for others. */
size_t zstd_compress(struct codec *c, int level, struct bytes in, uint8_t *out, size_t cap);

/*
 * The zstd level that a number in a block's header or a property value stands for; 0 when the
 * format has none.
 */
int zstd_number_level(unsigned number);

/* To exactly n bytes, else ERR_CORRUPT; ERR_NOMEM. */
int gzip_decompress(struct codec *c, struct bytes in, uint8_t *out, size_t n, struct err *e);
int lz4_decompress(struct bytes in, uint8_t *out, size_t n, struct err *e);
int zstd_decompress(struct codec *c, struct bytes in, uint8_t *out, size_t n, struct err *e);

#endif
