/*
 * The feature table and the compatibility sets. A set is stored as another set and what differs:
 * they grew out of one another.
 */
#include "formats/feature.h"

#include <assert.h>
#include <string.h>

/* One row: where it comes from, its name, our description, and what holds for it. */
#define FEATURE(domain, short_name, text, ...)                                          \
	{                                                                               \
		.guid = domain ":" short_name, .name = short_name, .description = text, \
		__VA_ARGS__                                                             \
	}
#define RDONLY .readonly_compatible = true, .can_read = true
#define MOS .mos = true
#define ACTIVE .activate_on_enable = true
#define PER_DS .per_dataset = true
#define READ .can_read = true
#define WRITE .can_write = true
#define NEEDS(...) .depends = { __VA_ARGS__ }

/*
 * can_read also where an active feature changes only metadata that readers of files do not look at.
 * can_write where a new pool may list it as enabled, its count staying 0 unless ACTIVE; so not
 * head_errlog and vdev_zaps_v2, which come with structures of their own.
 */
/* clang-format off */
const struct feature feature_table[] = {
	FEATURE("com.delphix", "async_destroy", "Destroyed datasets are freed in the background",
		RDONLY, WRITE),
	FEATURE("com.delphix", "empty_bpobj", "Empty lists of block pointers are shared",
		RDONLY, WRITE),
	FEATURE("org.illumos", "lz4_compress", "Compression with lz4", ACTIVE, READ, WRITE),
	FEATURE("com.joyent", "multi_vdev_crash_dump", "Crash dumps on pools of several devices",
		READ, WRITE),
	FEATURE("com.delphix", "spacemap_histogram",
		"Space maps carry a histogram of free segments", RDONLY, WRITE),
	FEATURE("com.delphix", "enabled_txg", "When each feature was enabled is remembered",
		RDONLY, WRITE),
	FEATURE("com.delphix", "hole_birth", "Holes remember when they were made",
		MOS, ACTIVE, READ, WRITE,
		NEEDS("enabled_txg")),
	FEATURE("com.delphix", "zpool_checkpoint",
		"The whole pool can be taken back to a checkpoint", RDONLY, WRITE),
	FEATURE("com.delphix", "spacemap_v2", "Space maps describe large segments in two words",
		RDONLY, ACTIVE, WRITE),
	FEATURE("com.delphix", "extensible_dataset",
		"Datasets have room for fields of other features", READ, WRITE),
	FEATURE("com.delphix", "bookmarks",
		"Bookmarks: a snapshot's place in time without its data", RDONLY, WRITE,
		NEEDS("extensible_dataset")),
	FEATURE("com.joyent", "filesystem_limits",
		"Limits on numbers of file systems and snapshots", RDONLY, WRITE,
		NEEDS("extensible_dataset")),
	FEATURE("com.delphix", "embedded_data", "Tiny blocks live in their block pointer",
		MOS, ACTIVE, READ, WRITE),
	FEATURE("com.delphix", "livelist", "Clones list their own blocks, to be destroyed faster",
		RDONLY, WRITE,
		NEEDS("extensible_dataset")),
	FEATURE("com.delphix", "log_spacemap", "Space map changes go to one log first",
		RDONLY, WRITE,
		NEEDS("spacemap_v2")),
	FEATURE("org.open-zfs", "large_blocks", "Blocks above 128 KiB", PER_DS, READ, WRITE,
		NEEDS("extensible_dataset")),
	FEATURE("org.zfsonlinux", "large_dnode", "Dnodes above 512 bytes", PER_DS, READ, WRITE,
		NEEDS("extensible_dataset")),
	FEATURE("org.illumos", "sha512", "SHA-512/256 checksums", PER_DS, READ, WRITE,
		NEEDS("extensible_dataset")),
	FEATURE("org.illumos", "skein", "Skein checksums", PER_DS, READ, WRITE,
		NEEDS("extensible_dataset")),
	FEATURE("org.illumos", "edonr", "Edon-R checksums", PER_DS, READ, WRITE,
		NEEDS("extensible_dataset")),
	FEATURE("com.delphix", "redaction_bookmarks", "Bookmarks that list redacted blocks",
		READ, WRITE,
		NEEDS("bookmark_v2", "extensible_dataset", "bookmarks")),
	FEATURE("com.delphix", "redacted_datasets", "Datasets received with parts left out",
		PER_DS, READ, WRITE,
		NEEDS("extensible_dataset")),
	FEATURE("com.delphix", "bookmark_written", "Bookmarks know what was written since",
		READ, WRITE,
		NEEDS("bookmark_v2", "extensible_dataset", "bookmarks")),
	FEATURE("com.delphix", "device_removal", "Top-level devices can be removed", MOS, WRITE),
	FEATURE("com.delphix", "obsolete_counts", "Mappings of removed devices shrink again",
		RDONLY, WRITE,
		NEEDS("extensible_dataset", "device_removal")),
	FEATURE("org.zfsonlinux", "userobj_accounting", "Objects are counted by user and group",
		RDONLY, PER_DS, WRITE,
		NEEDS("extensible_dataset")),
	FEATURE("com.datto", "bookmark_v2", "Bookmarks have room for more fields", READ, WRITE,
		NEEDS("extensible_dataset", "bookmarks")),
	FEATURE("com.datto", "encryption", "Encrypted datasets", PER_DS, WRITE,
		NEEDS("extensible_dataset", "bookmark_v2")),
	FEATURE("org.zfsonlinux", "project_quota", "Space and objects are counted by project",
		RDONLY, PER_DS, WRITE,
		NEEDS("extensible_dataset")),
	FEATURE("org.zfsonlinux", "allocation_classes",
		"Devices for metadata, small blocks or dedup tables", RDONLY, WRITE),
	FEATURE("com.datto", "resilver_defer", "A second resilver waits for the first",
		RDONLY, WRITE),
	FEATURE("org.openzfs", "device_rebuild", "Mirrors and dRAID rebuild in order of address",
		RDONLY, WRITE),
	FEATURE("org.freebsd", "zstd_compress", "Compression with zstd", PER_DS, READ, WRITE,
		NEEDS("extensible_dataset")),
	FEATURE("org.openzfs", "draid", "RAID with distributed spares", MOS, WRITE),
	FEATURE("com.seagate", "draid_failure_domains", "dRAID knows which disks fail together",
		MOS, WRITE,
		NEEDS("draid")),
	FEATURE("org.openzfs", "zilsaxattr", "Changes of extended attributes go to the intent log",
		PER_DS, RDONLY, WRITE,
		NEEDS("extensible_dataset")),
	FEATURE("com.delphix", "head_errlog", "Error logs by dataset", ACTIVE, READ),
	FEATURE("org.openzfs", "blake3", "BLAKE3 checksums", PER_DS, READ, WRITE,
		NEEDS("extensible_dataset")),
	FEATURE("com.fudosecurity", "block_cloning", "Files can share blocks", RDONLY, WRITE),
	FEATURE("com.truenas", "block_cloning_endian",
		"The table of shared blocks is stored in the pool's order", RDONLY, WRITE),
	FEATURE("com.klarasystems", "vdev_zaps_v2", "The root device has properties", MOS, READ),
	FEATURE("com.delphix", "redaction_list_spill", "Longer lists of redaction snapshots",
		READ, WRITE,
		NEEDS("redaction_bookmarks")),
	FEATURE("org.openzfs", "raidz_expansion", "Disks can be added to a raidz", MOS, WRITE),
	FEATURE("com.klarasystems", "fast_dedup", "Dedup tables with a log and a limit",
		RDONLY, WRITE),
	FEATURE("org.zfsonlinux", "longname", "File names up to 1023 bytes", PER_DS, READ, WRITE,
		NEEDS("extensible_dataset")),
	FEATURE("com.klarasystems", "large_microzap",
		"Small directories stay one block above 128 KiB", PER_DS, RDONLY, WRITE,
		NEEDS("extensible_dataset", "large_blocks")),
	FEATURE("com.klarasystems", "dynamic_gang_header",
		"Gang headers as large as the device's sectors", MOS, WRITE),
	FEATURE("com.truenas", "physical_rewrite", "Rewritten blocks keep their logical age",
		RDONLY, PER_DS, WRITE,
		NEEDS("extensible_dataset")),
};
/* clang-format on */

enum { FEATURES = sizeof feature_table / sizeof *feature_table };
_Static_assert(FEATURES <= 64, "struct feature_set has a bit for each");

size_t feature_count(void)
{
	return FEATURES;
}

const struct feature *feature_by_guid(const char *guid)
{
	for (size_t i = 0; i < FEATURES; i++) {
		if (strcmp(feature_table[i].guid, guid) == 0)
			return &feature_table[i];
	}
	return NULL;
}

static const struct feature *by_name(const char *name, size_t n)
{
	for (size_t i = 0; i < FEATURES; i++) {
		const char *have = feature_table[i].name;

		if (strncmp(have, name, n) == 0 && have[n] == '\0')
			return &feature_table[i];
	}
	return NULL;
}

const struct feature *feature_by_name(const char *name)
{
	return by_name(name, strlen(name));
}

static uint64_t bit_of(const struct feature *f)
{
	return UINT64_C(1) << (f - feature_table);
}

/* Names parted by spaces. NULL: none. */
static uint64_t bits_of(const char *names)
{
	uint64_t bits = 0;

	while (names != NULL && *names != '\0') {
		size_t		      n = strcspn(names, " ");
		const struct feature *f = by_name(names, n);

		assert(f != NULL);
		bits |= bit_of(f);
		names += n + strspn(names + n, " ");
	}
	return bits;
}

struct set {
	const char *name, *base, *plus, *minus;
};

/*
 * What OpenZFS installs under compatibility.d, and the links to it.
 * Source: OpenZFS cmd/zpool/compatibility.d, cmd/zpool/Makefile.am (zpoolcompatlinks).
 */
/* clang-format off */
static const struct set sets[] = {
	{ .name = "zol-0.6.1", .plus = "async_destroy empty_bpobj lz4_compress" },
	{ "zol-0.6.4", "zol-0.6.1",
	  "bookmarks embedded_data enabled_txg extensible_dataset "
	  "hole_birth spacemap_histogram", NULL },
	{ "zol-0.6.5", "zol-0.6.4", "filesystem_limits large_blocks", NULL },
	{ "freenas-9.10.2", "zol-0.6.5", "multi_vdev_crash_dump", NULL },
	{ "freebsd-11.0", "freenas-9.10.2", "sha512 skein", NULL },
	{ "freebsd-11.2", "freebsd-11.0", "device_removal obsolete_counts zpool_checkpoint", NULL },
	{ "freebsd-11.3", "freebsd-11.2", "spacemap_v2", NULL },
	{ "openzfsonosx-1.7.0", "freebsd-11.0", "edonr", NULL },
	{ "openzfsonosx-1.8.1", "freebsd-11.3", "edonr", NULL },
	{ "zol-0.7", "openzfsonosx-1.7.0", "large_dnode userobj_accounting", NULL },
	{ "zol-0.8", "openzfsonosx-1.8.1",
	  "allocation_classes bookmark_v2 encryption large_dnode "
	  "project_quota resilver_defer userobj_accounting", NULL },
	{ "openzfsonosx-1.9.3", "zol-0.8", NULL, NULL },
	{ "openzfs-2.0-linux", "zol-0.8",
	  "bookmark_written device_rebuild livelist log_spacemap "
	  "redacted_datasets redaction_bookmarks zstd_compress", NULL },
	{ "openzfs-2.0-freebsd", "openzfs-2.0-linux", NULL, "edonr" },
	{ "openzfs-2.1-linux", "openzfs-2.0-linux", "draid", NULL },
	{ "openzfs-2.1-freebsd", "openzfs-2.1-linux", NULL, "edonr" },
	{ "openzfs-2.2", "openzfs-2.1-linux",
	  "blake3 block_cloning head_errlog vdev_zaps_v2 zilsaxattr", NULL },
	{ "openzfs-2.3", "openzfs-2.2",
	  "fast_dedup large_microzap longname raidz_expansion redaction_list_spill", NULL },
	{ "openzfs-2.4", "openzfs-2.3",
	  "block_cloning_endian dynamic_gang_header physical_rewrite", NULL },
	{ .name = "grub2-2.06", .plus =
	  "allocation_classes async_destroy block_cloning device_rebuild embedded_data "
	  "empty_bpobj enabled_txg hole_birth "
	  "log_spacemap lz4_compress resilver_defer spacemap_histogram "
	  "spacemap_v2 zpool_checkpoint" },
	{ "grub2-2.12", "grub2-2.06",
	  "bookmarks extensible_dataset filesystem_limits large_blocks livelist "
	  "project_quota userobj_accounting zilsaxattr", NULL },
	{ "compat-2018", "zol-0.6.5", NULL, NULL },
	{ "compat-2019", "freebsd-11.0", NULL, NULL },
	{ "compat-2020", "freebsd-11.0", NULL, NULL },
	{ "compat-2021", "freebsd-11.3", NULL, NULL },
	/* links */
	{ "2018", "compat-2018", NULL, NULL }, { "2019", "compat-2019", NULL, NULL },
	{ "2020", "compat-2020", NULL, NULL }, { "2021", "compat-2021", NULL, NULL },
	{ "freebsd-11.1", "freebsd-11.0", NULL, NULL },
	{ "freebsd-11.4", "freebsd-11.3", NULL, NULL },
	{ "freebsd-12.0", "freebsd-11.3", NULL, NULL },
	{ "freebsd-12.1", "freebsd-11.3", NULL, NULL },
	{ "freebsd-12.2", "freebsd-11.3", NULL, NULL },
	{ "freebsd-12.3", "freebsd-11.3", NULL, NULL },
	{ "freebsd-12.4", "freebsd-11.3", NULL, NULL },
	{ "freebsd-13.0", "openzfs-2.1-freebsd", NULL, NULL },
	{ "freebsd-13.1", "openzfs-2.1-freebsd", NULL, NULL },
	{ "freebsd-13.2", "openzfs-2.1-freebsd", NULL, NULL },
	{ "freenas-11.0", "freebsd-11.0", NULL, NULL },
	{ "freenas-11.1", "freebsd-11.0", NULL, NULL },
	{ "freenas-11.2", "freebsd-11.2", NULL, NULL },
	{ "freenas-11.3", "freebsd-11.3", NULL, NULL },
	{ "grub2", "grub2-2.12", NULL, NULL },
	{ "openzfsonosx-1.9.4", "openzfsonosx-1.9.3", NULL, NULL },
	{ "truenas-12.0", "openzfs-2.0-freebsd", NULL, NULL },
	{ "ubuntu-18.04", "zol-0.7", NULL, NULL }, { "ubuntu-20.04", "zol-0.8", NULL, NULL },
	{ "ubuntu-22.04", "openzfs-2.1-linux", NULL, NULL },
	{ "openzfs-2.2-linux", "openzfs-2.2", NULL, NULL },
	{ "openzfs-2.2-freebsd", "openzfs-2.2", NULL, NULL },
	{ "openzfs-2.3-linux", "openzfs-2.3", NULL, NULL },
	{ "openzfs-2.3-freebsd", "openzfs-2.3", NULL, NULL },
	{ "openzfs-2.4-linux", "openzfs-2.4", NULL, NULL },
	{ "openzfs-2.4-freebsd", "openzfs-2.4", NULL, NULL },
	/* and the two that are no files */
	{ "off", NULL, NULL, NULL }, { "legacy", NULL, NULL, NULL },
};
/* clang-format on */

enum { SETS = sizeof sets / sizeof *sets };

const char *feature_set_name(size_t i)
{
	return i < SETS ? sets[i].name : NULL;
}

static const struct set *find_set(const char *name, size_t n)
{
	for (size_t i = 0; i < SETS; i++) {
		if (strncmp(sets[i].name, name, n) == 0 && sets[i].name[n] == '\0')
			return &sets[i];
	}
	return NULL;
}

static uint64_t writable(void)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < FEATURES; i++)
		bits |= feature_table[i].can_write ? bit_of(&feature_table[i]) : 0;
	return bits;
}

/* What a set takes away, its bases may still have. */
static uint64_t resolve(const struct set *set)
{
	uint64_t bits = 0, without = 0;

	if (strcmp(set->name, "off") == 0)
		return writable();
	while (set != NULL) {
		bits |= bits_of(set->plus) & ~without;
		without |= bits_of(set->minus);
		set = set->base == NULL ? NULL : find_set(set->base, strlen(set->base));
	}
	return bits;
}

bool feature_set_by_name(const char *names, struct feature_set *out, const char **unknown)
{
	struct feature_set all = { .bits = UINT64_MAX >> (64 - FEATURES) };

	if (*names == '\0')
		names = "off";
	for (;;) {
		size_t		  n = strcspn(names, ",");
		const struct set *set = find_set(names, n);

		if (set == NULL) {
			if (unknown != NULL)
				*unknown = names;
			return false;
		}
		all.bits &= resolve(set);
		if (names[n] == '\0')
			break;
		names += n + 1;
	}
	*out = all;
	return true;
}

static uint64_t needs_of(const struct feature *f)
{
	uint64_t bits = 0;

	for (size_t i = 0; f->depends[i] != NULL; i++)
		bits |= bits_of(f->depends[i]);
	return bits;
}

struct feature_set feature_set_close(struct feature_set s)
{
	struct feature_set before;

	do {
		before = s;
		for (size_t i = 0; i < FEATURES; i++) {
			if (feature_set_has(before, &feature_table[i]))
				s.bits |= needs_of(&feature_table[i]);
		}
	} while (s.bits != before.bits);
	return s;
}
