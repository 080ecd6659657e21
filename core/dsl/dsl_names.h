/* Names of datasets and snapshots, and the counts that limits are kept by. Private to core/dsl. */
#ifndef CORE_DSL_DSL_NAMES_H
#define CORE_DSL_DSL_NAMES_H

#include "core/dsl/dsl_write_impl.h"

/* May a dataset be called this ("tank/home"), or a snapshot of it ("monday")? ERR_USAGE. */
int dsl_check_name(const char *name, struct err *e) MUST_CHECK;
int dsl_check_snapshot_name(const char *dataset, const char *name, struct err *e) MUST_CHECK;

/* The directory of the dataset of this name (n bytes), changes included. ERR_NOTFOUND. */
int dsl_find_dir(struct dsl_write *w, const char *name, size_t n, uint64_t *dir,
		 struct err *e) MUST_CHECK;

/*
 * Where limits are kept, the file systems and snapshots below are counted.
 * Source: OpenZFS dsl_dir.c (dsl_fs_ss_count_adjust, dsl_dir_init_fs_ss_count), dsl_dataset.c
 * (dsl_dataset_create_sync).
 */
int dsl_count_dataset(struct dsl_write *w, uint64_t dir, struct err *e) MUST_CHECK;
/* A limit begins here, in a directory that has nothing below it yet. */
int dsl_count_from(struct dsl_write *w, uint64_t dir, struct err *e) MUST_CHECK;
int dsl_count_snapshot(struct dsl_write *w, uint64_t dir, struct err *e) MUST_CHECK;

#endif
