/*
 * Bookmarks of a dataset that is being written: those that count what is freed after them, until
 * the next snapshot. Private to core/dsl.
 * Source: OpenZFS dsl_bookmark.h (zfs_bookmark_phys_t), dsl_bookmark.c (dsl_bookmark_block_killed,
 * dsl_bookmark_snapshotted).
 */
#ifndef CORE_DSL_BOOKMARK_WRITE_H
#define CORE_DSL_BOOKMARK_WRITE_H

#include "core/dsl/dsl_write_impl.h"

struct bookmarks;

/* Those of the dataset that are younger than (or as old as) its last snapshot; NULL when none. */
int  bookmarks_open(struct dsl_write *w, uint64_t dataset, uint64_t prev_snap_txg,
		    struct bookmarks **out, struct err *e) MUST_CHECK;
void bookmarks_free(struct bookmarks *b);

/* All of these take NULL. A block dies. */
void bookmarks_freed(struct bookmarks *b, const struct blkptr *bp);
int  bookmarks_write(struct bookmarks *b, struct err *e) MUST_CHECK;
/* A snapshot comes: keys that its head's next deadlist needs. Once they are set nothing is left. */
int bookmarks_add_keys(struct bookmarks *b, uint64_t deadlist, uint64_t prev_snap_txg,
		       struct err *e) MUST_CHECK;

#endif
