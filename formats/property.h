/*
 * Native properties of datasets and pools: what there is, what values it takes, how they are stored
 * and printed. The tables are property.def and pool_property.def.
 * Source: OpenZFS 2.4, zfs_prop.c (zfs_prop_init), zpool_prop.c (zpool_prop_init), sys/fs/zfs.h.
 *
 * Who stores what, when a dataset is made or a property set:
 * - The property ZAP of the dataset's directory has, under the property's name, a uint64 (numbers
 *   and named values) or a string with its NUL. What a property is set to is there, also when it is
 *   the default; what is inherited is not. User properties are strings.
 * - NAME$recvd, NAME$inherit, $hasrecvd: after a receive. NAME$iuv: a value that older
 *   implementations do not know; NAME itself then has the default (redundant_metadata=some, none;
 *   snapdir=disabled).
 * - quota, reservation: there, and in the directory's record (bytes, 0: none). refquota and
 *   refreservation: there alone.
 * - filesystem_limit, snapshot_limit: there; the directory and those below it get counts in their
 *   own ZAP ("com.joyent:filesystem_count", "...:snapshot_count"), feature filesystem_limits.
 * - normalization, utf8only, casesensitivity, version, default*quota: in the file system's master
 *   node alone (the first three only in ZPL 3 and later). userquota@ and the like: in ZAPs that
 *   the master node names.
 * - volsize: the volume's object 2 alone; volblocksize: the block size of its object 1 alone.
 * - encryption=off is stored nowhere.
 * Source: OpenZFS dsl_prop.c, dsl_dir.c, dsl_dataset.c, zfs_ioctl.c (zfs_set_prop_nvlist,
 * zfs_fill_zplprops), zvol.c (zvol_create_cb); compared with what OpenZFS 2.3 stored.
 */
#ifndef FORMATS_PROPERTY_H
#define FORMATS_PROPERTY_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/err.h"
#include "formats/base/text.h"

#define PROPERTY(id, ...) PROP_##id,
enum property {
#include "formats/property.def"
	PROP_COUNT,
	PROP_NONE = PROP_COUNT, /* no native property: a user's, or unknown */
};
#undef PROPERTY

#define PROPERTY(id, ...) POOLPROP_##id,
enum pool_property {
#include "formats/pool_property.def"
	POOLPROP_COUNT,
};
#undef PROPERTY

enum property_kind { PROPERTY_NUMBER, PROPERTY_TEXT, PROPERTY_NAMED };

enum property_how {
	PROPERTY_READONLY,
	PROPERTY_INHERITED,    /* set, or taken from the parent */
	PROPERTY_OWN,	       /* set; a child does not inherit it */
	PROPERTY_ONCE,	       /* only when the dataset is made */
	PROPERTY_ONCE_DEFAULT, /* the same; of the key */
};

/* What a property applies to. */
enum {
	PROPERTY_FS = 1,
	PROPERTY_VOL = 2,
	PROPERTY_SNAP = 4,
	PROPERTY_POOL = 8,
	PROPERTY_ALL = PROPERTY_FS | PROPERTY_VOL | PROPERTY_SNAP,
};

/* How a number is printed: in full and with -p. */
enum property_form {
	FORM_COUNT,	/* 128K, 5; 131072 */
	FORM_SIZE,	/* 128K, 5B */
	FORM_SIZE_NONE, /* none for 0; 0 */
	FORM_LIMIT,	/* none for UINT64_MAX; none */
	FORM_EXACT,	/* never shortened */
	FORM_RATIO,	/* hundredths: 1.50x; 1.50 */
	FORM_PERCENT,	/* 5%; 5 */
	FORM_SPARSE,	/* - for 0 */
	FORM_MINUTE,	/* Mon Nov 30  7:58 2026; seconds */
	FORM_SECOND,	/* with seconds */
	FORM_DDT_QUOTA, /* none for 0, auto for UINT64_MAX */
	FORM_VERSION,	/* - for feature flags */
};

/* A value that has a name; the first with a number is the one that is printed. */
struct property_value {
	const char *name; /* NULL ends the list */
	uint64_t    number;
};

struct property_info {
	const char		    *name;
	enum property_how	     how;
	unsigned		     applies;
	enum property_kind	     kind;
	enum property_form	     form;
	bool			     hidden; /* not in `get all` */
	uint64_t		     number; /* default of a number or named value */
	const char		    *text;   /* default of a text; NULL: none */
	const struct property_value *values;
};

extern const struct property_info property_table[PROP_COUNT];
extern const struct property_info pool_property_table[POOLPROP_COUNT];

/* PROP_COUNT resp. POOLPROP_COUNT when there is none of that name. */
enum property	   property_by_name(const char *name);
enum pool_property pool_property_by_name(const char *name);

/* The short name that heads its column in `zfs list`, in lower case: "avail", "mountpoint". */
const char *property_column(enum property id);

/* Is it settable on a dataset that exists? At creation, too, or only then? */
static inline bool property_once(const struct property_info *p)
{
	return p->how == PROPERTY_ONCE || p->how == PROPERTY_ONCE_DEFAULT;
}

/* The name of a named value; NULL when its number has none. */
const char *property_value_name(const struct property_info *p, uint64_t number);

enum {
	PROPERTY_NAME_MAX = 255,   /* sys/fs/zfs.h, ZAP_MAXNAMELEN - 1 */
	PROPERTY_TEXT_MAX = 8191,  /* ZFS_MAXPROPLEN - 1 (ZAP_MAXVALUELEN) */
	POOL_COMMENT_MAX = 32,	   /* ZPROP_MAX_COMMENT */
	PBKDF2_ITERS_MIN = 100000, /* MIN_PBKDF2_ITERATIONS */
};

/*
 * What `zfs create -o` makes of a value for a dataset of this kind (PROPERTY_FS or PROPERTY_VOL),
 * or `zpool create -o` (PROPERTY_POOL): the number, for numbers and named values; texts are checked
 * and stored as they are. UINT64_MAX is refreservation=auto. ERR_USAGE with zfs's reason, which
 * names the property.
 * Source: OpenZFS libzfs_util.c (zprop_parse_value), libzfs_dataset.c (zfs_valid_proplist),
 * libzfs_pool.c (zpool_valid_proplist), zfs_namecheck.c (mountpoint_namecheck).
 */
int property_parse(const struct property_info *p, unsigned kind, const char *value,
		   uint64_t *number, struct err *e) MUST_CHECK;

/* "16777216", "16M", "1.5GiB": as zfs reads numbers. ERR_USAGE. */
int property_parse_number(const char *value, uint64_t *out, struct err *e) MUST_CHECK;

/* "a:b": lower-case letters, digits and -_.: with at least one colon. */
bool property_is_user(const char *name);

/* The value as `zfs get` prints it, with -p when `exact`. A text goes as it is, quoted. */
void property_print(const struct property_info *p, uint64_t number, const char *text, bool exact,
		    struct text *t);

/* "128K", "5B" or (not bytes) "5": at most five characters, as zfs shortens numbers. */
void property_nice(uint64_t n, bool bytes, struct text *t);

/* What a value needs of its pool and file system; members are 0 or NULL when nothing. */
struct property_needs {
	const char *feature; /* of a pool of version 5000 */
	unsigned    pool_version, zpl_version;
};
struct property_needs property_needs(enum property id, uint64_t number);

/*
 * "userquota@1000" and its eleven siblings.
 * Source: OpenZFS sys/fs/zfs.h (zfs_userquota_prop_t), libzfs_dataset.c
 * (userquota_propname_decode).
 */
enum property_account {
	ACCOUNT_USER_USED,
	ACCOUNT_USER_QUOTA,
	ACCOUNT_GROUP_USED,
	ACCOUNT_GROUP_QUOTA,
	ACCOUNT_USER_OBJECTS_USED,
	ACCOUNT_USER_OBJECTS_QUOTA,
	ACCOUNT_GROUP_OBJECTS_USED,
	ACCOUNT_GROUP_OBJECTS_QUOTA,
	ACCOUNT_PROJECT_USED,
	ACCOUNT_PROJECT_QUOTA,
	ACCOUNT_PROJECT_OBJECTS_USED,
	ACCOUNT_PROJECT_OBJECTS_QUOTA,
	ACCOUNT_COUNT,
};
/* Does the name begin like one of them? */
bool property_is_account(const char *name);
/*
 * Which it is, and whose; only numbers and root are known here. ERR_USAGE: a name, an id that is
 * none.
 */
int property_parse_account(const char *name, enum property_account *kind, uint64_t *id,
			   struct err *e) MUST_CHECK;
/* "userquota@" */
const char *property_account_prefix(enum property_account kind);
/* The feature without which there is no such account; NULL: none. */
const char *property_account_feature(enum property_account kind);

#endif
