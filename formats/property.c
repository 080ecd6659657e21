/* The tables of properties, and what is asked of them. Parsing and printing have files of their
 * own. */
#include "formats/property.h"

#include <string.h>

#include "formats/codec/checksum.h"
#include "formats/codec/compress.h"
#include "formats/property_values.h"

enum {
	FS = PROPERTY_FS,
	VOL = PROPERTY_VOL,
	SNAP = PROPERTY_SNAP,
	ALL = PROPERTY_ALL,
	POOL = PROPERTY_POOL
};

#define HIDDEN .hidden = true,
#define TEXT(value) .kind = PROPERTY_TEXT, .text = (value)
#define NUMBER(f, value) .kind = PROPERTY_NUMBER, .form = FORM_##f, .number = (value)
#define NAMED(v, value) .kind = PROPERTY_NAMED, .values = v##_values, .number = (value)

#define PROPERTY(id, title, way, kinds, ...) \
	[PROP_##id] = { .name = (title), .how = PROPERTY_##way, .applies = (kinds), __VA_ARGS__ },
const struct property_info property_table[PROP_COUNT] = {
#include "formats/property.def"
};
#undef PROPERTY

#define PROPERTY(id, title, way, kinds, ...) \
	[POOLPROP_##                         \
		id] = { .name = (title), .how = PROPERTY_##way, .applies = (kinds), __VA_ARGS__ },
const struct property_info pool_property_table[POOLPROP_COUNT] = {
#include "formats/pool_property.def"
};
#undef PROPERTY

static size_t find(const struct property_info *table, size_t count, const char *name)
{
	size_t i = 0;

	while (i < count && strcmp(table[i].name, name) != 0)
		i++;
	return i;
}

/*
 * Short names of columns are names, too (zfs_prop.c, the last but one argument, in lower case;
 * zprop_common.c, propname_match).
 */
static const struct {
	const char   *name;
	enum property id;
} property_columns[] = {
	{ "avail", PROP_AVAILABLE },	       { "refer", PROP_REFERENCED },
	{ "ratio", PROP_COMPRESSRATIO },       { "reserv", PROP_RESERVATION },
	{ "volblock", PROP_VOLBLOCKSIZE },     { "recsize", PROP_RECORDSIZE },
	{ "compress", PROP_COMPRESSION },      { "rdonly", PROP_READONLY },
	{ "case", PROP_CASESENSITIVITY },      { "refreserv", PROP_REFRESERVATION },
	{ "usedsnap", PROP_USEDBYSNAPSHOTS },  { "usedds", PROP_USEDBYDATASET },
	{ "usedchild", PROP_USEDBYCHILDREN },  { "usedrefreserv", PROP_USEDBYREFRESERVATION },
	{ "refratio", PROP_REFCOMPRESSRATIO }, { "lused", PROP_LOGICALUSED },
	{ "lrefer", PROP_LOGICALREFERENCED },  { "fslimit", PROP_FILESYSTEM_LIMIT },
	{ "sslimit", PROP_SNAPSHOT_LIMIT },    { "fscount", PROP_FILESYSTEM_COUNT },
	{ "sscount", PROP_SNAPSHOT_COUNT },    { "redund_md", PROP_REDUNDANT_METADATA },
	{ "dnsize", PROP_DNODESIZE },	       { "resumetok", PROP_RECEIVE_RESUME_TOKEN },
	{ "encroot", PROP_ENCRYPTIONROOT },    { "rsnaps", PROP_REDACT_SNAPS },
};

const char *property_column(enum property id)
{
	for (size_t k = 0; k < sizeof property_columns / sizeof property_columns[0]; k++) {
		if (property_columns[k].id == id)
			return property_columns[k].name;
	}
	return property_table[id].name;
}

enum property property_by_name(const char *name)
{
	size_t i = find(property_table, PROP_COUNT, name), n = 0;

	for (; i == PROP_COUNT && n < sizeof property_columns / sizeof property_columns[0]; n++) {
		if (strcmp(property_columns[n].name, name) == 0)
			i = property_columns[n].id;
	}
	return (enum property)i;
}

enum pool_property pool_property_by_name(const char *name)
{
	static const struct {
		const char	  *name;
		enum pool_property id;
	} columns[] = {
		{ "cap", POOLPROP_CAPACITY },
		{ "alloc", POOLPROP_ALLOCATED },
		{ "frag", POOLPROP_FRAGMENTATION },
		{ "expandsz", POOLPROP_EXPANDSIZE },
		{ "ckpoint", POOLPROP_CHECKPOINT },
		{ "dedup", POOLPROP_DEDUPRATIO },
		{ "replace", POOLPROP_AUTOREPLACE },
		{ "listsnaps", POOLPROP_LISTSNAPSHOTS },
		{ "expand", POOLPROP_AUTOEXPAND },
		{ "rdonly", POOLPROP_READONLY },
		{ "ddtsize", POOLPROP_DEDUP_TABLE_SIZE },
		{ "ddtquota", POOLPROP_DEDUP_TABLE_QUOTA },
	};
	size_t i = find(pool_property_table, POOLPROP_COUNT, name);

	for (size_t k = 0; i == POOLPROP_COUNT && k < sizeof columns / sizeof columns[0]; k++) {
		if (strcmp(columns[k].name, name) == 0)
			i = columns[k].id;
	}
	return (enum pool_property)i;
}

const char *property_value_name(const struct property_info *p, uint64_t number)
{
	for (const struct property_value *v = p->values; v != NULL && v->name != NULL; v++) {
		if (v->number == number)
			return v->name;
	}
	return NULL;
}

bool property_is_user(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.:";

	return strchr(name, ':') != NULL && name[strspn(name, letters)] == '\0';
}

/* -- needs ------------------------------------------------------------------------------------- */

enum { /* sys/fs/zfs.h, SPA_VERSION_*, ZPL_VERSION_* */
       POOL_DITTO = 2,
       POOL_GZIP = 5,
       POOL_REFQUOTA = 9,
       POOL_PASSTHROUGH_X = 14,
       POOL_ZLE = 20,
       POOL_DEDUP = 21,
       ZPL_FUID = 3,
       COMPRESS_ALGORITHM = 0x7f, /* spa.h, SPA_COMPRESSMASK */
       CHECKSUM_ALGORITHM = 0xff, /* zio.h, ZIO_CHECKSUM_MASK */
};

static struct property_needs compression_needs(uint64_t number)
{
	unsigned id = (unsigned)(number & COMPRESS_ALGORITHM);

	return (struct property_needs){
		.feature = id == COMPRESS_LZ4	 ? "lz4_compress"
			   : id == COMPRESS_ZSTD ? "zstd_compress"
						 : NULL,
		.pool_version = id >= COMPRESS_GZIP_1 && id <= COMPRESS_GZIP_9 ? POOL_GZIP
				: id == COMPRESS_ZLE			       ? POOL_ZLE
									       : 0,
	};
}

static const char *checksum_feature(uint64_t number)
{
	switch (number & CHECKSUM_ALGORITHM) {
	case CHECKSUM_SHA512:
		return "sha512";
	case CHECKSUM_SKEIN:
		return "skein";
	case CHECKSUM_EDONR:
		return "edonr";
	case CHECKSUM_BLAKE3:
		return "blake3";
	default:
		return NULL;
	}
}

/* zfs_ioctl.c: zfs_zpl_version_map. */
static unsigned pool_for_zpl(uint64_t zpl)
{
	return zpl >= 5 ? 24 : zpl >= 4 ? 15 : zpl >= 3 ? 9 : 1;
}

struct property_needs property_needs(enum property id, uint64_t number)
{
	struct property_needs n = { 0 };

	switch (id) {
	case PROP_COMPRESSION:
		return compression_needs(number);
	case PROP_CHECKSUM:
		n.feature = checksum_feature(number);
		break;
	case PROP_DEDUP:
		n.feature = checksum_feature(number);
		n.pool_version = number == CHECKSUM_OFF ? 0 : POOL_DEDUP;
		break;
	case PROP_COPIES:
		n.pool_version = number > 1 ? POOL_DITTO : 0;
		break;
	case PROP_RECORDSIZE:
	case PROP_VOLBLOCKSIZE:
		n.feature = number > 128 << 10 ? "large_blocks" : NULL;
		break;
	case PROP_DNODESIZE:
		n.feature = number != 0 ? "large_dnode" : NULL;
		break;
	case PROP_LONGNAME:
		n.feature = number != 0 ? "longname" : NULL;
		break;
	case PROP_ENCRYPTION:
		n.feature = number != 2 ? "encryption" : NULL;
		break;
	case PROP_FILESYSTEM_LIMIT:
	case PROP_SNAPSHOT_LIMIT:
		n.feature = number != UINT64_MAX ? "filesystem_limits" : NULL;
		break;
	case PROP_REFQUOTA:
	case PROP_REFRESERVATION:
		n.pool_version = number != 0 ? POOL_REFQUOTA : 0;
		break;
	case PROP_ACLINHERIT:
		n.pool_version = number == 5 ? POOL_PASSTHROUGH_X : 0;
		break;
	case PROP_VERSION:
		n.pool_version = pool_for_zpl(number);
		break;
	case PROP_NORMALIZATION:
	case PROP_UTF8ONLY:
	case PROP_CASESENSITIVITY:
		n.zpl_version = number != 0 ? ZPL_FUID : 0;
		break;
	default:
		break;
	}
	return n;
}
