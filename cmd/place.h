/*
 * A place in a pool, as one word: MEMBERS:DATASET[@[SNAPSHOT][/PATH]].
 *
 *	disk.img:tank/home		the dataset itself
 *	a.img,b.img:tank@/boot		a path in the live dataset of a pool in two files
 *	disk.img:tank/home@monday/etc	a path in a snapshot
 *	:tank@/etc			members come from -m
 *	disk.img:			the pool's own object set, where a command takes it
 *
 * The first bare ':' ends MEMBERS, the first '@' after it ends DATASET, the next '/' ends SNAPSHOT,
 * the rest is PATH as it is (it may hold ':' '@' ',' and backslashes). Escapes: cmd/items.h.
 */
#ifndef CMD_PLACE_H
#define CMD_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/base/err.h"

struct place {
	char **members;	     /* escapes taken out */
	size_t member_count; /* 0: -m gave them */
	char  *dataset;	     /* "" when NAME is empty */
	char  *snapshot;     /* NULL: the live dataset */
	char  *path;	     /* after the '/', NULL when there was none: the dataset itself */
	bool   at;	     /* there was an '@': the root directory is meant, not the dataset */
};

/*
 * Is this word a place, where a plain path may stand too? One with a bare ':' is, unless it begins
 * with "./". So "/dev/sda:tank" and "../a.img:tank" are places, "./a:b" and "a\:b" are paths (taken
 * as they stand, backslash included). What files exist plays no part.
 */
bool place_is(const char *word);

/*
 * Splits a word that is a place. ERR_USAGE: no bare ':', an empty member name, an unknown member
 * option (PATH,name=value), an '@' without a dataset. place_free it.
 */
int  place_parse(const char *word, struct place *out, struct err *e) MUST_CHECK;
void place_free(struct place *p);

/* "tank/home@monday" or "tank/home", new memory (free() it); NULL when memory is short. */
char *place_dataset_name(const struct place *p);

#endif
