/* What the files of the properties share. Private to core/dsl. */
#ifndef CORE_DSL_PROPS_IMPL_H
#define CORE_DSL_PROPS_IMPL_H

#include "core/dsl/props.h"
#include "formats/base/limits.h"

enum {
	PROPS_LEVELS = DATASET_DEPTH_MAX + 2, /* a snapshot, and the datasets up to the root */
	/* ours: user properties of one dataset, inherited ones included */
	PROPS_USERS_MAX = 10000,
	PROPS_USER_BYTES_MAX = 16 << 20,
};

struct props_slot {
	enum dsl_prop_source source;
	uint64_t	     number;
	char		    *text;  /* owned; NULL: the default's */
	uint8_t		     level; /* where it is set: index into levels */
};

struct props_user {
	char		    *name, *text; /* owned */
	enum dsl_prop_source source;
	uint8_t		     level;
};

struct dsl_props {
	unsigned		  kind; /* PROPERTY_FS or PROPERTY_VOL; of a snapshot, too */
	bool			  snapshot;
	struct props_slot	  slots[PROP_COUNT];
	struct props_user	 *users; /* sorted by name */
	size_t			  user_count, user_cap, user_bytes;
	struct dsl_account_quota *accounts;
	size_t			  account_count, account_cap;
	struct dsl_property	 *local;
	size_t			  local_cap;
	char			 *levels[PROPS_LEVELS]; /* names, owned; 0 is the dataset itself */
	size_t			  level_count;
	struct err		  odd;
};

/*
 * Is the property the master node's, rather than one of the directory's list? Source: OpenZFS
 * zfs_ioctl.c (zfs_fill_zplprops_impl).
 */
bool props_of_master_node(enum property id);

/* Does the property apply to what this is? */
bool props_applies(const struct dsl_props *p, enum property id);

/* The user property of a name: its index, or where it belongs. */
bool props_find_user(const struct dsl_props *p, const char *name, size_t *at);
/* Copies name and text. ERR_NOMEM, also when there are too many. */
int props_add_user(struct dsl_props *p, const char *name, const char *text,
		   enum dsl_prop_source source, uint8_t level, struct err *e) MUST_CHECK;

/* The first one stays. */
void props_set_odd(struct dsl_props *p, const struct err *why);

/* A fact of a dataset that exists. */
void props_fact(struct dsl_props *p, enum property id, uint64_t number);
int  props_fact_text(struct dsl_props *p, enum property id, const char *text,
		     struct err *e) MUST_CHECK;

/* The facts: what is computed rather than set. Source: OpenZFS dsl_dataset.c (dsl_dataset_stats).
 */
int props_facts(struct dataset *ds, struct dsl_props *p, struct err *e) MUST_CHECK;

/* Of those, what is said of an encrypted dataset's key. */
int props_crypt(struct dataset *ds, struct dsl_props *p, struct err *e) MUST_CHECK;

#endif
