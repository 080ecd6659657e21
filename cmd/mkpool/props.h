/* Properties as -o and -O name them: of the pool, its features, and of the root dataset. */
#ifndef CMD_MKPOOL_PROPS_H
#define CMD_MKPOOL_PROPS_H

#include "formats/base/err.h"
#include "formats/codec/compress.h"
#include "formats/feature.h"

struct feature_word {
	const struct feature *feature;
	bool		      enable;
};

/* Texts are argv's. Starts as all zero. */
struct props {
	unsigned	     ashift;
	const char	    *compatibility, *comment; /* NULL: not given */
	struct feature_word *words;
	size_t		     word_count, word_cap;
	const char	    *compression; /* NULL: not given */

	/* From props_resolve on. */
	struct feature_set     features;
	struct compress_choice codec; /* of data */
	uint64_t	       compression_value; /* as the dataset stores it */
};

void props_fini(struct props *p);

/* "ashift=12", "feature@lz4_compress=disabled"; "compression=zstd-3". ERR_USAGE. */
int props_pool(struct props *p, const char *word, struct err *e) MUST_CHECK;
int props_dataset(struct props *p, const char *word, struct err *e) MUST_CHECK;

/* When all words are known: the features, and whether they allow what is asked for. */
int props_resolve(struct props *p, struct err *e) MUST_CHECK;

/* The compatibility set that the features come from. */
const char *props_set_name(const struct props *p);

#endif
