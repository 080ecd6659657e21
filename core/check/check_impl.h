/* What the phases of a check share. Private to core/check. */
#ifndef CORE_CHECK_CHECK_IMPL_H
#define CORE_CHECK_CHECK_IMPL_H

#include "core/check/check.h"
#include "core/check/claims.h"
#include "core/check/scrub.h"
#include "core/check/walk.h"
#include "core/dsl/dsl_read.h"
#include "core/zpl/zpl_read.h"
#include "formats/base/text.h"

enum {
	WHERE_TEXT = 5000, /* a dataset, a path */
	FINDING_TEXT = 1024,
	DAMAGES_MAX = 50000, /* bad copies that are kept to be named */
	LINES_MAX = 1000,    /* findings of one kind that are listed one by one */
};

/* Blocks added up as the datasets' accounts do. */
struct check_sums {
	uint64_t used, compressed, uncompressed;
};

struct check_dataset {
	uint64_t	  object, dir;
	char		 *name;
	bool		  snapshot;
	bool		  whole;       /* all of it could be visited */
	bool		  unsupported; /* that it cannot be entered was said */
	struct check_sums born;	       /* blocks that no earlier snapshot holds */
};

/* A bad copy, in the order of the walk. */
struct check_damage {
	struct block_where where;
	uint64_t	   offset, birth;
	uint32_t	   vdev, psize, lsize;
	uint8_t		   copy, type;
	bool		   cksum, lost, last;
};

/* Finding names of one dataset's files. */
struct check_names {
	uint64_t       object; /* of the dataset; 0 none yet */
	struct dataset dataset;
	struct zpl    *zpl;  /* NULL: it has no files, or they cannot be reached */
	uint64_t       file; /* whose path it is, when found */
	bool	       found;
	char	      *path;
	size_t	       start;
};

struct check {
	const struct check_options *o;
	struct check_result	   *r;
	struct pool		   *pool;
	struct vdev_tree	   *vdevs;
	struct block_reader
		*reader; /* our own: nothing in its cache that we have not seen being read */
	struct pool_config *config; /* the pool's own; NULL when it cannot be had */
	struct walk	    walk;
	struct scrub	   *scrub;

	/* One a top-level vdev. `maybe`: may be allocated or not (unclaimed logs, half-done
	 * destroys). */
	struct claims *claims, *maybe;
	unsigned       vdev_count;
	bool	       cloning; /* blocks may be referred to several times */

	struct check_dataset *datasets;
	size_t		      dataset_count, dataset_cap;
	struct check_dataset *current; /* being walked; NULL: the MOS */

	struct check_damage *damages;
	size_t		     damage_count, damage_cap;
	uint64_t	     damages_unlisted, outside;
	struct check_names   names;
	uint64_t entries_looked_at; /* of directories, for names: there is an end to it */
	uint64_t list_budget;	    /* entries of lists that may still come */
	uint64_t unvisited;	    /* places where something could not be entered */
};

/* A finding. `where` and the text are as they shall be printed. */
void check_found(struct check *c, enum finding_code code, const char *where, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* The clock's and the user's turn. */
int check_tick(struct check *c, struct err *e) MUST_CHECK;

/* "MOS object 12 (space map)" or "tank/home@/etc/fstab": the object, of `ds` (NULL: the MOS). */
void check_where(struct check *c, const struct check_dataset *ds, uint64_t object, unsigned type,
		 struct text *t);
void check_names_fini(struct check *c);

/* "block 1 (bytes 131072-262143)", "level 1 block 3", "spill block" and the like. */
void check_block_text(struct check *c, const struct block_where *where, uint64_t lsize,
		      struct text *t);

/* Marks what a pointer claims. `maybe`: see struct check. */
int check_claim(struct check *c, const struct blkptr *bp, const struct block_where *where,
		bool maybe, struct err *e) MUST_CHECK;

/* The phases. 0, or -1 when the check ends. */
int check_labels(struct check *c, struct err *e) MUST_CHECK;
int check_rings(struct check *c, struct err *e) MUST_CHECK;
int check_blocks(struct check *c, struct err *e) MUST_CHECK;
int check_log(struct check *c, struct check_dataset *ds, const struct zil_header *log,
	      struct err *e) MUST_CHECK;
int check_lists(struct check *c, struct err *e) MUST_CHECK;
int check_damages(struct check *c, struct err *e) MUST_CHECK;
int check_space(struct check *c, struct err *e) MUST_CHECK;
int check_space_report(struct check *c, unsigned vdev, const struct claims_bad *leaks,
		       const struct claims_bad *free, struct err *e) MUST_CHECK;
int check_accounts(struct check *c, struct err *e) MUST_CHECK;

/* check_blocks' callbacks, for other walks. */
int check_one_block(void *check, const struct blkptr *bp, const struct block_where *where,
		    bool verified, struct err *e);

/* Walks the whole pool once more for the owners of these ranges of a vdev: fn is given each block
 * that lies in one. */
typedef int check_owner_fn(void *ctx, const struct check_dataset *ds, const struct blkptr *bp,
			   const struct block_where *where, struct err *e);
int check_owners(struct check *c, unsigned vdev, const struct ranges *ranges, check_owner_fn *fn,
		 void *ctx, struct err *e) MUST_CHECK;

#endif
