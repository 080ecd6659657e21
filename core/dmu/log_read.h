/*
 * Intent logs, as far as a writer must know them: does one hold anything that
 * the pool itself does not?
 */
#ifndef CORE_DMU_LOG_READ_H
#define CORE_DMU_LOG_READ_H

#include "core/dmu/objset_read.h"

/*
 * A log block stays behind when a file system is unmounted, also before a clean export:
 * everything in it has been synced, and importing ignores it. *pending: a record, or a block of
 * the chain, that is newer than `synced` (the uberblock's txg), or waits for the replay of a log
 * that an import has claimed.
 * Source: OpenZFS zil.c (zil_parse, zil_claim_log_block, zil_replay_log_record),
 * zil.h (zil_chain_t, lr_t).
 */
int log_pending(struct block_reader *r, const struct zil_header *log, uint64_t synced,
		bool *pending, struct err *e) MUST_CHECK;

#endif
