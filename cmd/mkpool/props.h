/*
 * Properties as -o and -O name them: of the pool, its features, and of the root dataset. Datasets
 * below it have dsl_props of their own, made from props_root, and props_allow says whether the
 * pool's features suffice.
 */
#ifndef CMD_MKPOOL_PROPS_H
#define CMD_MKPOOL_PROPS_H

#include "core/dsl/props.h"
#include "core/zpl/zpl_write.h"

struct feature_word {
	const struct feature *feature;
	bool		      enable;
};

/* What the pool's list of properties gets. */
struct pool_word {
	enum pool_property id;
	uint64_t	   number;
};

/* Texts are argv's. Starts as all zero. */
struct props {
	unsigned	     ashift;		      /* 0: not given */
	const char	    *compatibility, *comment; /* NULL: not given */
	const char	    *bootfs;		      /* a dataset's name; NULL: none */
	struct feature_word *words;
	size_t		     word_count, word_cap;
	struct pool_word    *pool;
	size_t		     pool_count, pool_cap;
	bool		     given[POOLPROP_COUNT];
	struct dsl_props    *root; /* from the first -O or props_resolve on */

	uint64_t	     version; /* 0: not given */

	/* From props_resolve on: ashift and version are never 0, and these are known. */
	struct feature_set features;
};

void props_fini(struct props *p);

/*
 * "ashift=12", "feature@lz4_compress=disabled"; "compression=zstd-3". ERR_USAGE with zpool's and
 * zfs's refusals, and for what makes no sense in an image.
 */
int props_pool(struct props *p, const char *word, struct err *e) MUST_CHECK;
int props_dataset(struct props *p, const char *word, struct err *e) MUST_CHECK;

/*
 * One property of a dataset below the root (d: dsl_props_new or dsl_props_new_volume of its
 * parent's), as -O does it for the root.
 */
int props_set(struct dsl_props *d, const char *name, const char *value, struct err *e) MUST_CHECK;

/*
 * When all words are known: the features, and whether they allow what is asked for, in the root
 * dataset; props_allow does the same for another one.
 */
int props_resolve(struct props *p, const char *pool, struct err *e) MUST_CHECK;
int props_allow(const struct props *p, const struct dsl_props *d, struct err *e) MUST_CHECK;

/* Into the pool's list of properties. */
int props_store_pool(const struct props *p, struct pool_tx *tx, struct err *e) MUST_CHECK;

/* What a dataset is made with; borrows from d. */
int props_spec(struct dsl_props *d, const char *name, struct pool_tx *tx, struct dataset_spec *out,
	       struct err *e) MUST_CHECK;
/* What depends on properties in how its files are written. */
void props_files(const struct dsl_props *d, struct zpl_write_options *z);

/* The quotas of users, groups and projects, into a file system that was just made. */
int props_quotas(const struct dsl_props *d, struct zpl_write *z, struct err *e) MUST_CHECK;

/* Every word that makes a difference, in one order, as it would be given: 'o' or 'O'. */
typedef void props_word_fn(void *ctx, char option, const char *name, const char *value);
void	     props_each_word(const struct props *p, props_word_fn *fn, void *ctx);

#endif
