/*
 * The dataset layer's records. All are rows of words (and one block pointer), so the tables below
 * are the format; what the numbers refer to is the readers' business.
 */
#include "formats/dsl.h"

#include "formats/words.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

#define DIR_WORD(disk, field, name) { name, disk, offsetof(struct dsl_dir, field), WORD_NUMBER }
#define DIR_USED(disk, i, name) \
	{ "used_breakdown[" name "]", disk, offsetof(struct dsl_dir, used_by) + 8 * (i), \
	  WORD_NUMBER }

static const struct word dir_words[] = {
	{ "creation_time", 0x00, offsetof(struct dsl_dir, creation_time), WORD_TIME },
	DIR_WORD(0x08, head_dataset, "head_dataset_obj"),
	DIR_WORD(0x10, parent, "parent_dir_obj"),
	DIR_WORD(0x18, origin, "origin_obj"),
	DIR_WORD(0x20, child_map, "child_dir_zapobj"),
	DIR_WORD(0x28, used, "used_bytes"),
	DIR_WORD(0x30, compressed, "compressed_bytes"),
	DIR_WORD(0x38, uncompressed, "uncompressed_bytes"),
	DIR_WORD(0x40, quota, "quota"),
	DIR_WORD(0x48, reserved, "reserved"),
	DIR_WORD(0x50, props, "props_zapobj"),
	DIR_WORD(0x58, deleg, "deleg_zapobj"),
	{ "flags", 0x60, offsetof(struct dsl_dir, flags), WORD_HEX },
	DIR_USED(0x68, USED_HEAD, "HEAD"),
	DIR_USED(0x70, USED_SNAP, "SNAP"),
	DIR_USED(0x78, USED_CHILD, "CHILD"),
	DIR_USED(0x80, USED_CHILD_RSRV, "CHILD_RSRV"),
	DIR_USED(0x88, USED_REFRSRV, "REFRSRV"),
	DIR_WORD(0x90, clones, "clones"),
};

int dsl_dir_decode(struct bytes in, struct dsl_dir *out, struct err *e)
{
	if (in.n < DSL_DIR_SIZE)
		return err_set(e, ERR_CORRUPT, "dataset directory needs %d bytes, has %zu",
			       DSL_DIR_SIZE, in.n);
	words_decode(dir_words, COUNT(dir_words), in, out);
	return 0;
}

void dsl_dir_encode(const struct dsl_dir *d, struct wbytes out)
{
	assert(out.n >= DSL_DIR_SIZE);
	memset(out.p, 0, DSL_DIR_SIZE);
	words_encode(dir_words, COUNT(dir_words), d, out);
}

void dsl_dir_describe(const struct dsl_dir *d, struct text *t)
{
	words_describe(dir_words, COUNT(dir_words), d, t);
}

enum { DATASET_BP = 0x80 };

#define DS_WORD(disk, field, name) { name, disk, offsetof(struct dsl_dataset, field), WORD_NUMBER }

static const struct word dataset_words[] = {
	DS_WORD(0x00, dir, "dir_obj"),
	DS_WORD(0x08, prev_snap, "prev_snap_obj"),
	DS_WORD(0x10, prev_snap_txg, "prev_snap_txg"),
	DS_WORD(0x18, next_snap, "next_snap_obj"),
	DS_WORD(0x20, snapnames, "snapnames_zapobj"),
	DS_WORD(0x28, num_children, "num_children"),
	DS_WORD(0x110, userrefs, "userrefs_obj"),
	{ "creation_time", 0x30, offsetof(struct dsl_dataset, creation_time), WORD_TIME },
	DS_WORD(0x38, creation_txg, "creation_txg"),
	DS_WORD(0x40, deadlist, "deadlist_obj"),
	DS_WORD(0x48, used, "used_bytes"),
	DS_WORD(0x50, compressed, "compressed_bytes"),
	DS_WORD(0x58, uncompressed, "uncompressed_bytes"),
	DS_WORD(0x60, unique, "unique"),
	DS_WORD(0x68, fsid_guid, "fsid_guid"),
	DS_WORD(0x70, guid, "guid"),
	{ "flags", 0x78, offsetof(struct dsl_dataset, flags), WORD_HEX },
	DS_WORD(0x100, next_clones, "next_clones_obj"),
	DS_WORD(0x108, props, "props_obj"),
};

int dsl_dataset_decode(struct bytes in, struct dsl_dataset *out, struct err *e)
{
	struct dsl_dataset d = { 0 };

	if (in.n < DSL_DATASET_SIZE)
		return err_set(e, ERR_CORRUPT, "dataset needs %d bytes, has %zu", DSL_DATASET_SIZE,
			       in.n);
	if (blkptr_decode(bytes_sub(in, DATASET_BP, BLKPTR_SIZE), &d.bp, e) < 0)
		return err_in(e, "dataset's block pointer");
	words_decode(dataset_words, COUNT(dataset_words), in, &d);
	*out = d;
	return 0;
}

void dsl_dataset_encode(const struct dsl_dataset *d, struct wbytes out)
{
	assert(out.n >= DSL_DATASET_SIZE);
	memset(out.p, 0, DSL_DATASET_SIZE);
	words_encode(dataset_words, COUNT(dataset_words), d, out);
	blkptr_encode(&d->bp, wbytes_sub(out, DATASET_BP, BLKPTR_SIZE));
}

void dsl_dataset_describe(const struct dsl_dataset *d, struct text *t)
{
	words_describe(dataset_words, COUNT(dataset_words), d, t);
	text_put(t, "bp = ");
	blkptr_describe(&d->bp, t);
	text_put(t, "\n");
}

static const struct word deadlist_words[] = {
	{ "used", 0x00, offsetof(struct dsl_deadlist, used), WORD_NUMBER },
	{ "comp", 0x08, offsetof(struct dsl_deadlist, comp), WORD_NUMBER },
	{ "uncomp", 0x10, offsetof(struct dsl_deadlist, uncomp), WORD_NUMBER },
};

int dsl_deadlist_decode(struct bytes in, struct dsl_deadlist *out, struct err *e)
{
	if (in.n < DSL_DEADLIST_SIZE)
		return err_set(e, ERR_CORRUPT, "deadlist needs %d bytes, has %zu",
			       DSL_DEADLIST_SIZE, in.n);
	words_decode(deadlist_words, COUNT(deadlist_words), in, out);
	return 0;
}

void dsl_deadlist_encode(const struct dsl_deadlist *d, struct wbytes out)
{
	assert(out.n >= DSL_DEADLIST_SIZE);
	memset(out.p, 0, DSL_DEADLIST_SIZE);
	words_encode(deadlist_words, COUNT(deadlist_words), d, out);
}

void dsl_deadlist_describe(const struct dsl_deadlist *d, struct text *t)
{
	words_describe(deadlist_words, COUNT(deadlist_words), d, t);
}

static const struct word bpobj_words[] = {
	{ "num_blkptrs", 0x00, offsetof(struct bpobj, count), WORD_NUMBER },
	{ "bytes", 0x08, offsetof(struct bpobj, bytes), WORD_NUMBER },
	{ "comp", 0x10, offsetof(struct bpobj, comp), WORD_NUMBER },
	{ "uncomp", 0x18, offsetof(struct bpobj, uncomp), WORD_NUMBER },
	{ "subobjs", 0x20, offsetof(struct bpobj, subobjs), WORD_NUMBER },
	{ "num_subobjs", 0x28, offsetof(struct bpobj, num_subobjs), WORD_NUMBER },
	{ "num_freed", 0x30, offsetof(struct bpobj, num_freed), WORD_NUMBER },
};

/* Fields came in pairs, the last alone: the size of the bonus is the version. */
static size_t bpobj_size(size_t n)
{
	static const size_t sizes[] = { BPOBJ_V3_SIZE, BPOBJ_V2_SIZE, BPOBJ_V1_SIZE,
					BPOBJ_V0_SIZE };

	for (size_t i = 0; i < COUNT(sizes); i++) {
		if (n >= sizes[i])
			return sizes[i];
	}
	return 0;
}

int bpobj_decode(struct bytes in, struct bpobj *out, struct err *e)
{
	struct bpobj b = { .size = bpobj_size(in.n) };

	if (b.size == 0)
		return err_set(e, ERR_CORRUPT, "block pointer list needs %d bytes, has %zu",
			       BPOBJ_V0_SIZE, in.n);
	words_decode(bpobj_words, b.size / 8, in, &b);
	*out = b;
	return 0;
}

void bpobj_encode(const struct bpobj *b, struct wbytes out)
{
	assert(b->size >= BPOBJ_V0_SIZE && b->size == bpobj_size(b->size) && out.n >= b->size);
	words_encode(bpobj_words, b->size / 8, b, out);
}

void bpobj_describe(const struct bpobj *b, struct text *t)
{
	words_describe(bpobj_words, bpobj_size(b->size) / 8, b, t);
}
