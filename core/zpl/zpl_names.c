/*
 * What names a file system takes: their length, whether they must be UTF-8, and, where names are
 * normalised or case is ignored, whether zap_hash_items knows their normal form.
 * Source: OpenZFS zfs_vnops.c (zfs_create: utf8only), zpl_inode.c (zpl_dirent_name: long names).
 */
#include <string.h>

#include "core/dmu/zap_read.h"
#include "core/zpl/zpl_write_impl.h"
#include "formats/base/text.h"

bool zpl_name_is_utf8(const char *name, size_t n)
{
	const uint8_t *p = (const uint8_t *)name;

	for (size_t i = 0, more; i < n; i += more + 1) {
		uint32_t least, c = p[i];

		more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
		if ((c >= 0x80 && c < 0xc2) || c > 0xf4 || more > n - i - 1)
			return false;
		c &= more == 0 ? 0x7f : 0x3fu >> more;
		for (size_t k = 1; k <= more; k++) {
			if ((p[i + k] & 0xc0) != 0x80)
				return false;
			c = c << 6 | (p[i + k] & 0x3f);
		}
		least = more == 3 ? 0x10000 : more == 2 ? 0x800 : 0;
		if (c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
			return false;
	}
	return true;
}

static bool is_ascii(const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if ((uint8_t)name[i] >= 0x80)
			return false;
	}
	return true;
}

uint64_t zpl_normflags(const struct zpl_write *z)
{
	return z->o.normalization |
	       (z->o.casesensitivity != ZPL_CASE_SENSITIVE ? ZAP_NORM_UPPER : 0);
}

static const char *fault_of(const struct zpl_write *z, struct part name)
{
	if (name.n == 0 || name.n > ENTRY_PART_MAX)
		return "names have 1 to 1023 bytes";
	if (name.n > ENTRY_NAME_MAX && !z->o.longname)
		return "a name longer than 255 bytes, without longname=on";
	if (z->o.utf8only && !zpl_name_is_utf8(name.p, name.n))
		return "a name that is not UTF-8, with utf8only=on";
	if (zpl_normflags(z) != 0 && !is_ascii(name.p, name.n))
		return "a name beyond ASCII, in a file system that normalises names or ignores "
		       "case";
	return NULL;
}

int zpl_write_check_name(struct zpl_write *z, const char *path, size_t n, struct part name,
			 struct err *e)
{
	const char *fault = fault_of(z, name);

	if (fault != NULL)
		return zpl_write_err(e, path, n, ERR_REFUSED, fault);
	return name.n > ENTRY_NAME_MAX ? dataset_write_feature(z->d, ZPL_FEATURE_LONGNAME, e) : 0;
}

/* A setting of the master node; 0 when it is not there, as in the oldest file systems. */
static int setting(struct objset *os, const char *name, uint64_t *out, struct err *e)
{
	struct err why = { 0 };

	*out = 0;
	if (zap_u64_at(os, 1, name, out, &why) == 0 || why.kind == ERR_NOTFOUND)
		return 0;
	return err_set(e, why.kind, "%s", why.text);
}

int zpl_write_settings(struct zpl_write *z, struct err *e)
{
	struct objset *os = zpl_objset(z->old);
	uint64_t       utf8only, normalization, sensitivity;

	if (setting(os, "utf8only", &utf8only, e) < 0 ||
	    setting(os, "normalization", &normalization, e) < 0 ||
	    setting(os, "casesensitivity", &sensitivity, e) < 0)
		return -1;
	if (sensitivity > ZPL_CASE_MIXED || normalization > UINT32_MAX)
		return err_set(e, ERR_UNSUPPORTED, "casesensitivity %llu, normalization 0x%llx",
			       (unsigned long long)sensitivity, (unsigned long long)normalization);
	z->o.utf8only = utf8only != 0;
	z->o.normalization = (uint32_t)normalization;
	z->o.casesensitivity = (uint8_t)sensitivity;
	return 0;
}
