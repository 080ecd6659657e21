/*
 * Properties of one dataset: the effective value of each and where it comes from. For a dataset
 * that is being made (new, set) and for one that exists (read). What is stored where is in
 * formats/property.h.
 * Source: OpenZFS dsl_prop.c (dsl_prop_get_dd), libzfs_dataset.c (zfs_valid_proplist).
 */
#ifndef CORE_DSL_PROPS_H
#define CORE_DSL_PROPS_H

#include "core/dsl/dsl_write.h"
#include "formats/feature.h"
#include "formats/property.h"

struct dsl_props;

enum dsl_prop_source {
	DSL_PROP_ABSENT, /* the dataset has no such property */
	DSL_PROP_NONE,	 /* a fact, not a setting: "-" */
	DSL_PROP_DEFAULT,
	DSL_PROP_LOCAL,
	DSL_PROP_INHERITED,
	DSL_PROP_RECEIVED,
};

/* -- for a dataset to be made ------------------------------------------------------------------ */

/*
 * A file system's, or a volume's, with what it inherits from the parent's (NULL: it is the pool's
 * root). The parent is not needed afterwards. ERR_USAGE: a volume has no children.
 */
int dsl_props_new(const struct dsl_props *parent, struct dsl_props **out, struct err *e) MUST_CHECK;
int dsl_props_new_volume(const struct dsl_props *parent, struct dsl_props **out,
			 struct err *e) MUST_CHECK;
void dsl_props_free(struct dsl_props *p);

/*
 * As zfs create -o: native, user ("a:b") and account ("userquota@1000") properties; ERR_USAGE with
 * zfs's refusal, also when the property was set before. ERR_UNSUPPORTED: encryption.
 * refreservation=auto needs volsize and volblocksize when it is asked for, not yet here.
 */
int dsl_props_set(struct dsl_props *p, const char *name, const char *value,
		  struct err *e) MUST_CHECK;

/*
 * Can a pool of this version with these features have a dataset like that? ERR_USAGE names
 * property, value and feature, and the compatibility set when `set` is not NULL. Also what goes
 * together: volsize and volblocksize.
 */
int dsl_props_check(const struct dsl_props *p, struct feature_set have, uint64_t pool_version,
		    const char *set, struct err *e) MUST_CHECK;

/*
 * What goes into the dataset's property ZAP, in the order of the table, user properties after it.
 * The list is p's and lives until the next call for p.
 */
int dsl_props_local(struct dsl_props *p, const struct dsl_property **list, size_t *count,
		    struct err *e) MUST_CHECK;

/* How its blocks are stored in this pool; checks against it as dsl_props_check does. */
int dsl_props_policy(const struct dsl_props *p, struct pool_tx *tx, struct store_policy *out,
		     struct err *e) MUST_CHECK;

/* userquota@ and the like, in the order given: for the file system's master node. */
struct dsl_account_quota {
	enum property_account kind;	 /* one of the quotas */
	uint64_t	      id, limit; /* bytes or objects; limit 0: none */
};
size_t dsl_props_accounts(const struct dsl_props *p, const struct dsl_account_quota **list);

/* The ZPL version: what `version` says, else the newest that the pool's version has. */
unsigned dsl_props_zpl_version(const struct dsl_props *p, uint64_t pool_version);

/* -- for a dataset that exists ----------------------------------------------------------------- */

/*
 * All that `zfs get all` shows of a dataset in a pool that is imported and not mounted, hidden
 * properties too where they are known. Values of a wrong shape are left out; dsl_props_odd then has
 * the first reason.
 */
int dsl_props_read(struct dataset *ds, struct dsl_props **out, struct err *e) MUST_CHECK;
const struct err *dsl_props_odd(const struct dsl_props *p); /* NULL: nothing was odd */

/* -- both -------------------------------------------------------------------------------------- */

bool		     dsl_props_is_volume(const struct dsl_props *p);
uint64_t	     dsl_props_number(const struct dsl_props *p, enum property id);
const char	    *dsl_props_text(const struct dsl_props *p, enum property id); /* NULL: none */
enum dsl_prop_source dsl_props_source(const struct dsl_props *p, enum property id);
/* The dataset that it is inherited from; NULL unless DSL_PROP_INHERITED. */
const char *dsl_props_from(const struct dsl_props *p, enum property id);

/*
 * Where a dataset that exists is mounted: its mountpoint as `zfs get` shows it, quoted.
 * Source: OpenZFS libzfs_dataset.c (zfs_prop_get, ZFS_PROP_MOUNTPOINT).
 */
void dsl_props_mountpoint(const struct dsl_props *p, struct text *t);

/* User properties, sorted by name. */
struct dsl_user_property {
	const char	    *name, *text;
	enum dsl_prop_source source;
	const char	    *from; /* DSL_PROP_INHERITED */
};
size_t			 dsl_props_users(const struct dsl_props *p);
struct dsl_user_property dsl_props_user(const struct dsl_props *p, size_t i);

#endif
