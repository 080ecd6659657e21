/*
 * Checking a pool: every copy of every block against its checksum, labels and uberblocks against
 * each other, the space maps against what is referenced, accounts against what was visited.
 * Nothing is written. A fault is a finding, never an error: the check goes on.
 */
#ifndef CORE_CHECK_CHECK_H
#define CORE_CHECK_CHECK_H

#include "core/check/finding.h"
#include "core/pool/pool.h"

struct check_options {
	struct pool *pool; /* borrowed */
	unsigned     threads;
	bool	     metadata_only; /* contents of files and volumes are not read */
	bool	     fast;	    /* of each block one copy is read */
	bool	     earlier;	    /* the pool was opened as of an earlier txg on purpose */
	finding_fn  *on_finding;    /* in the same order whatever the number of threads */
	/* Called now and then with the bytes verified so far; -1 ends the check with its error. May
	 * be NULL. */
	int (*tick)(void *ctx, uint64_t bytes, struct err *e);
	void *ctx; /* for both */
};

/* Failed attempts of one leaf device. */
struct check_device {
	uint64_t read, cksum;
};

struct check_result {
	uint64_t	     blocks, copies;	       /* read and verified, or failed */
	uint64_t	     bytes;		       /* the same, as stored */
	uint64_t	     allocated, size;	       /* by the space maps; of the metaslabs */
	uint64_t	     errors, notes, unchecked; /* findings */
	uint64_t	     lost, damaged; /* blocks without, and with, another good copy */
	bool		     space_compared;
	struct check_device *devices; /* one a leaf of the vdev tree; free() it */
	unsigned	     device_count;
};

/*
 * Fails only for what ends the check: memory (ERR_NOMEM), the tick's error. *out is set in any
 * case, with what was found so far.
 */
int check_pool(const struct check_options *o, struct check_result *out, struct err *e) MUST_CHECK;

#endif
