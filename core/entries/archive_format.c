/* Suffixes and names of archive formats, in one table each. */
#include "core/entries/archive_format.h"

#include <archive.h>
#include <stddef.h>
#include <string.h>

struct filter {
	const char *suffix;
	int (*set)(struct archive *);
};

static const struct filter filters[] = {
	{ ".gz", archive_write_add_filter_gzip },   { ".bz2", archive_write_add_filter_bzip2 },
	{ ".xz", archive_write_add_filter_xz },	    { ".zst", archive_write_add_filter_zstd },
	{ ".lz4", archive_write_add_filter_lz4 },   { ".lz", archive_write_add_filter_lzip },
	{ ".lzma", archive_write_add_filter_lzma }, { ".Z", archive_write_add_filter_compress },
};

/* Short for .tar and a filter. */
static const struct filter short_tars[] = {
	{ ".tgz", archive_write_add_filter_gzip },     { ".tbz", archive_write_add_filter_bzip2 },
	{ ".tbz2", archive_write_add_filter_bzip2 },   { ".txz", archive_write_add_filter_xz },
	{ ".tzst", archive_write_add_filter_zstd },    { ".tlz", archive_write_add_filter_lzma },
	{ ".taz", archive_write_add_filter_compress },
};

struct named_format {
	const char	     *name;
	bool		      is_suffix;
	bool		      filtered; /* may a filter's suffix follow? */
	struct archive_format format;
};

/* Full pax rather than libarchive's restricted one, which drops parts of seconds. */
#define PAX                                                                               \
	{                                                                                 \
		.set_format = archive_write_set_format_pax, .links = true, .nodes = true, \
		.xattrs = true, .pax = true                                               \
	}
#define CPIO                                                                    \
	{                                                                       \
		.set_format = archive_write_set_format_cpio_newc, .nodes = true \
	}

static const struct named_format formats[] = {
	{ "tar", true, true, PAX },
	{ "pax", false, true, PAX },
	{ "ustar",
	  false,
	  true,
	  { .set_format = archive_write_set_format_ustar, .links = true, .nodes = true } },
	{ "gnutar",
	  false,
	  true,
	  { .set_format = archive_write_set_format_gnutar, .links = true, .nodes = true } },
	{ "cpio", true, true, CPIO },
	{ "newc", false, true, CPIO },
	{ "zip", true, false, { .set_format = archive_write_set_format_zip } },
	{ "7z", true, false, { .set_format = archive_write_set_format_7zip } },
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
			return true;
		}
	}
	return archive_format_by_suffix(with_dot, out);
}
