/*
 * Pool features: the table of all that OpenZFS 2.4.99 knows, and the compatibility sets.
 * Source: OpenZFS zfeature_common.c (zpool_feature_init), cmd/zpool/compatibility.d (set contents).
 */
#ifndef FORMATS_FEATURE_H
#define FORMATS_FEATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct feature {
	const char *guid;	 /* "com.delphix:hole_birth" */
	const char *name;	 /* "hole_birth" */
	const char *description; /* ours, one line; shown and stored where OpenZFS stores its own */
	bool	    readonly_compatible; /* a reader need not know it */
	bool	    mos;	 /* must be known before the MOS can be read: named in labels */
	bool	    activate_on_enable;
	bool	    per_dataset;
	bool	    can_read;	/* a pool where it is active reads here today */
	/* a new pool may list it as enabled; count 0 unless activate_on_enable */
	bool	    can_write;
	const char *depends[5];	 /* names, NULL-terminated */
};

extern const struct feature feature_table[];
size_t			    feature_count(void);
const struct feature	   *feature_by_guid(const char *guid); /* NULL: unknown */
const struct feature	   *feature_by_name(const char *name);

/* Sets of features by index in feature_table. */
struct feature_set {
	uint64_t bits;
};
static inline bool feature_set_has(struct feature_set s, const struct feature *f)
{
	return s.bits >> (f - feature_table) & 1;
}

/*
 * "openzfs-2.1-linux", "grub2-2.06", "off" or "" (everything can_write), "legacy"
 * (nothing); comma lists intersect. The named sets are as OpenZFS defines them: a writer
 * takes what is can_write of them.
 * false: unknown set; *unknown (when not NULL) then names it, borrowed from `names`.
 */
bool feature_set_by_name(const char *names, struct feature_set *out, const char **unknown);

/* Adds what the members of the set depend on. */
struct feature_set feature_set_close(struct feature_set s);

/* Name of the i'th compatibility set, NULL past the last. */
const char *feature_set_name(size_t i);

#endif
