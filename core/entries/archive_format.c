/* Suffixes and names of archive formats, in one table each. */
#include "core/entries/archive_format.h"

#include <archive.h>
#include <stddef.h>
#include <string.h>

struct filter {
	const char *suffix;
	int (*set)(struct archive *);
};

/* Some run a program of that name, which need not be there: then opening the archive fails. */
static const struct filter filters[] = {
	{ ".gz", archive_write_add_filter_gzip },
	{ ".bz2", archive_write_add_filter_bzip2 },
	{ ".xz", archive_write_add_filter_xz },
	{ ".zst", archive_write_add_filter_zstd },
	{ ".lz4", archive_write_add_filter_lz4 },
	{ ".lz", archive_write_add_filter_lzip },
	{ ".lzma", archive_write_add_filter_lzma },
	{ ".Z", archive_write_add_filter_compress },
	{ ".lzo", archive_write_add_filter_lzop },
	{ ".lrz", archive_write_add_filter_lrzip },
	{ ".grz", archive_write_add_filter_grzip },
	{ ".uu", archive_write_add_filter_uuencode },
	{ ".b64", archive_write_add_filter_b64encode },
};

/* Short for .tar and a filter, as GNU tar knows them. */
static const struct filter short_tars[] = {
	{ ".tgz", archive_write_add_filter_gzip },    { ".taz", archive_write_add_filter_gzip },
	{ ".tbz", archive_write_add_filter_bzip2 },   { ".tbz2", archive_write_add_filter_bzip2 },
	{ ".tb2", archive_write_add_filter_bzip2 },   { ".tz2", archive_write_add_filter_bzip2 },
	{ ".txz", archive_write_add_filter_xz },      { ".tzst", archive_write_add_filter_zstd },
	{ ".tlz", archive_write_add_filter_lzma },    { ".taZ", archive_write_add_filter_compress },
	{ ".tZ", archive_write_add_filter_compress }, { ".tzo", archive_write_add_filter_lzop },
	{ ".tlz4", archive_write_add_filter_lz4 },
};

struct named_format {
	const char	     *name;
	bool		      is_suffix;
	bool		      filtered; /* may a filter's suffix follow? */
	struct archive_format format;
};

/* What is larger in octal digits or bits than a header has room for is refused, not cut. */
#define DIGITS(n) ((INT64_C(1) << (3 * (n))) - 1)
#define BITS(n) ((INT64_C(1) << (n)) - 1)

enum {
	NODES = KEEPS_FIFOS | KEEPS_DEVICES,
	PLAIN = KEEPS_ROOT | KEEPS_PATHS | KEEPS_TIMES | KEEPS_DIRS | KEEPS_SYMLINKS | KEEPS_MODES |
		KEEPS_SETID,
	OWNED = PLAIN | KEEPS_OWNERS,
	EVERYTHING = OWNED | KEEPS_LINKS | NODES | KEEPS_XATTRS | KEEPS_FRACTIONS,
};

/* Full pax rather than libarchive's restricted one, which drops parts of seconds. */
#define PAX                                                                                   \
	{                                                                                     \
		.set_format = archive_write_set_format_pax, .keeps = EVERYTHING, .pax = true, \
	}
#define PAX_RESTRICTED                                                 \
	{                                                              \
		.set_format = archive_write_set_format_pax_restricted, \
		.keeps = EVERYTHING & ~KEEPS_FRACTIONS, .pax = true,   \
	}
#define GNU_TAR                                                               \
	{                                                                     \
		.set_format = archive_write_set_format_gnutar,                \
		.keeps = OWNED | KEEPS_LINKS | NODES, .time_max = DIGITS(11), \
	}
#define USTAR                                                                                      \
	{                                                                                          \
		.set_format = archive_write_set_format_ustar,                                      \
		.keeps = OWNED | KEEPS_LINKS | NODES, .time_max = DIGITS(11), .id_max = DIGITS(7), \
		.size_max = DIGITS(11),                                                            \
	}
#define V7_TAR                                                                              \
	{                                                                                   \
		.set_format = archive_write_set_format_v7tar, .keeps = OWNED | KEEPS_LINKS, \
		.time_max = DIGITS(11), .id_max = DIGITS(6), .size_max = DIGITS(11),        \
	}
#define CPIO_NEWC                                                                                \
	{                                                                                        \
		.set_format = archive_write_set_format_cpio_newc,                                \
		.keeps = OWNED | KEEPS_INODES | NODES, .time_max = BITS(32), .id_max = BITS(32), \
		.size_max = BITS(32),                                                            \
	}
#define CPIO_ODC                                                                    \
	{                                                                           \
		.set_format = archive_write_set_format_cpio_odc,                    \
		.keeps = OWNED | KEEPS_INODES | NODES, .time_max = DIGITS(11),      \
		.id_max = DIGITS(6), .size_max = DIGITS(11), .rdev_max = DIGITS(6), \
	}
/* 16 bits a number; sizes and times have two of them. */
#define CPIO_BIN                                                                       \
	{                                                                              \
		.set_format = archive_write_set_format_cpio_bin,                       \
		.keeps = (OWNED | KEEPS_INODES | KEEPS_DEVICES), .time_max = BITS(31), \
		.id_max = BITS(16), .size_max = BITS(31), .rdev_max = BITS(16),        \
	}
#define CPIO_PWB                                                                   \
	{                                                                          \
		.set_format = archive_write_set_format_cpio_pwb,                   \
		.keeps = (OWNED | KEEPS_INODES | KEEPS_DEVICES) & ~KEEPS_SYMLINKS, \
		.time_max = BITS(31), .id_max = BITS(16), .size_max = BITS(24),    \
		.rdev_max = BITS(16),                                              \
	}
/* Members of one flat list: contents, mode, owner, time. */
#define AR                                                                                         \
	{                                                                                          \
		.set_format = archive_write_set_format_ar_bsd,                                     \
		.keeps = KEEPS_TIMES | KEEPS_OWNERS | KEEPS_MODES | KEEPS_SETID, .id_max = 999999, \
		.time_max = INT64_C(999999999999), .size_max = UINT64_C(9999999999),               \
	}
#define AR_SVR4                                                                                    \
	{                                                                                          \
		.set_format = archive_write_set_format_ar_svr4,                                    \
		.keeps = KEEPS_TIMES | KEEPS_OWNERS | KEEPS_MODES | KEEPS_SETID, .id_max = 999999, \
		.time_max = INT64_C(999999999999), .size_max = UINT64_C(9999999999),               \
	}
/* Its times are signed to some readers and unsigned to others. */
#define ZIP                                                                                     \
	{                                                                                       \
		.set_format = archive_write_set_format_zip, .keeps = OWNED, .id_max = BITS(32), \
		.time_max = BITS(31),                                                           \
	}
#define SEVEN_ZIP                                                                                  \
	{                                                                                          \
		.set_format = archive_write_set_format_7zip, .keeps = PLAIN, .time_max = BITS(33), \
	}
#define ISO                                                           \
	{                                                             \
		.set_format = archive_write_set_format_iso9660,       \
		.keeps = (OWNED & ~KEEPS_ROOT) | KEEPS_LINKS | NODES, \
		.time_max = INT64_C(5869583999), .id_max = BITS(32),  \
	}
#define XAR                                                                                 \
	{                                                                                   \
		.set_format = archive_write_set_format_xar,                                 \
		.keeps = (OWNED & ~(KEEPS_SETID | KEEPS_ROOT)) | KEEPS_LINKS | KEEPS_FIFOS, \
		.id_max = BITS(31),                                                         \
	}
/* The one with contents encoded: the other kind loses what is not text. */
#define SHAR                                                           \
	{                                                              \
		.set_format = archive_write_set_format_shar_dump,      \
		.keeps = (OWNED & ~KEEPS_TIMES) | KEEPS_LINKS | NODES, \
	}
#define WARC                                                                                     \
	{                                                                                        \
		.set_format = archive_write_set_format_warc, .keeps = KEEPS_PATHS | KEEPS_TIMES, \
		.time_max = INT64_C(253402300799),                                               \
	}
/* A list of names and attributes; contents as their digests. */
#define MTREE                                                 \
	{                                                     \
		.set_format = archive_write_set_format_mtree, \
		.keeps = OWNED | NODES | KEEPS_FRACTIONS,     \
	}

static const struct named_format formats[] = {
	{ "tar", true, true, PAX },
	{ "pax", false, true, PAX },
	{ "rpax", false, true, PAX_RESTRICTED },
	{ "paxr", false, true, PAX_RESTRICTED },
	{ "bsdtar", false, true, PAX_RESTRICTED },
	{ "gnutar", false, true, GNU_TAR },
	{ "ustar", false, true, USTAR },
	{ "v7tar", false, true, V7_TAR },
	{ "oldtar", false, true, V7_TAR },
	{ "cpio", true, true, CPIO_NEWC },
	{ "newc", false, true, CPIO_NEWC },
	{ "odc", false, true, CPIO_ODC },
	{ "bin", false, true, CPIO_BIN },
	{ "pwb", false, true, CPIO_PWB },
	{ "ar", true, false, AR },
	{ "a", true, false, AR },
	{ "arbsd", false, false, AR },
	{ "argnu", false, false, AR_SVR4 },
	{ "arsvr4", false, false, AR_SVR4 },
	{ "zip", true, false, ZIP },
	{ "jar", true, false, ZIP },
	{ "7z", true, false, SEVEN_ZIP },
	{ "7zip", false, false, SEVEN_ZIP },
	{ "iso", true, true, ISO },
	{ "iso9660", false, true, ISO },
	{ "xar", true, false, XAR },
	{ "shar", true, true, SHAR },
	{ "shardump", false, true, SHAR },
	{ "warc", true, true, WARC },
	{ "mtree", true, true, MTREE },
};

/* Does s of n characters end in `end`? Then n becomes what is before it. */
static bool cut_end(const char *s, size_t *n, const char *end)
{
	size_t size = strlen(end);

	if (*n < size || memcmp(s + *n - size, end, size) != 0)
		return false;
	*n -= size;
	return true;
}

static const struct filter *find_filter(const struct filter *table, size_t count, const char *s,
					size_t *n)
{
	for (size_t i = 0; i < count; i++) {
		if (cut_end(s, n, table[i].suffix))
			return &table[i];
	}
	return NULL;
}

#define FIND_FILTER(table, s, n) find_filter(table, sizeof table / sizeof table[0], s, n)

static bool short_tar(const char *s, size_t *n, struct archive_format *out)
{
	const struct filter *filter = FIND_FILTER(short_tars, s, n);

	if (filter == NULL)
		return false;
	*out = formats[0].format;
	out->name = formats[0].name;
	out->set_filter = filter->set;
	return true;
}

bool archive_format_by_suffix(const char *path, struct archive_format *out)
{
	size_t n = strlen(path);

	if (short_tar(path, &n, out))
		return true;

	const struct filter *filter = FIND_FILTER(filters, path, &n);

	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		const struct named_format *f = &formats[i];

		if (!f->is_suffix || (filter != NULL && !f->filtered) ||
		    !cut_end(path, &n, f->name))
			continue;
		if (n == 0 || path[n - 1] != '.')
			return false;
		*out = f->format;
		out->name = f->name;
		out->set_filter = filter != NULL ? filter->set : NULL;
		return true;
	}
	return false;
}

bool archive_format_by_name(const char *name, struct archive_format *out)
{
	char with_dot[16];

	if (strlen(name) > sizeof with_dot - 2)
		return false;
	with_dot[0] = '.';
	memcpy(with_dot + 1, name, strlen(name) + 1);
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		if (strcmp(formats[i].name, name) == 0) {
			*out = formats[i].format;
			out->name = formats[i].name;
			return true;
		}
	}
	return archive_format_by_suffix(with_dot, out);
}
