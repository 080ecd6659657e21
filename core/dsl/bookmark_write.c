/* Bookmarks that count what is freed after them. */
#include "core/dsl/bookmark_write.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/dmu/zap_read.h"
#include "core/dsl/deadlist_write.h"
#include "formats/base/limits.h"

enum {
	WORD_TXG = 1,
	WORD_FLAGS = 4,
	WORD_FREED = 8, /* referenced, compressed, uncompressed: freed before the next snapshot */
	WORDS = 12,
	FLAG_HAS_FREED = 1,
};

struct bookmark {
	char	 name[DATASET_NAME_MAX];
	size_t	 name_size, words;
	uint64_t word[WORDS];
};

struct bookmarks {
	struct dsl_write *w;
	uint64_t	  object, since; /* its ZAP; only those from this txg on */
	struct bookmark	 *list;
	size_t		  count, cap;
	bool		  changed;
};

void bookmarks_free(struct bookmarks *b)
{
	if (b == NULL)
		return;
	free(b->list);
	free(b);
}

static int load_one(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct bookmarks *b = ctx;
	struct bookmark	  one = { .name_size = entry->name.n };

	if (entry->int_size != 8 || entry->name.n >= sizeof one.name)
		return err_set(e, ERR_CORRUPT, "a bookmark that is none");
	one.words = entry->value.n / 8;
	if (one.words <= WORD_FREED + 2 || one.words > WORDS)
		return 0; /* older ones count nothing */
	memcpy(one.name, entry->name.p, one.name_size);
	for (size_t i = 0; i < one.words; i++)
		one.word[i] = zap_entry_int(entry, i);
	if (one.word[WORD_TXG] < b->since || !(one.word[WORD_FLAGS] & FLAG_HAS_FREED))
		return 0;
	if (mem_grow(&b->list, &b->cap, b->count + 1, sizeof b->list[0], e) < 0)
		return -1;
	b->list[b->count++] = one;
	return 0;
}

int bookmarks_open(struct dsl_write *w, uint64_t dataset, uint64_t prev_snap_txg,
		   struct bookmarks **out, struct err *e)
{
	struct bookmarks *b;
	uint64_t	  object;
	int		  got = dsl_record_entry(w, dataset, "com.delphix:bookmarks", &object, e);

	*out = NULL;
	if (got <= 0)
		return got;
	b = mem_zero(sizeof *b, e);
	if (b == NULL)
		return -1;
	*b = (struct bookmarks){ .w = w, .object = object, .since = prev_snap_txg };
	if (zap_each_at(pool_mos(pool_tx_pool(w->tx)), object, load_one, b, e) < 0) {
		bookmarks_free(b);
		return err_in(e, "bookmarks");
	}
	*out = b;
	return 0;
}

void bookmarks_freed(struct bookmarks *b, const struct blkptr *bp)
{
	struct space s = space_of(bp);

	for (size_t i = 0; b != NULL && i < b->count; i++) {
		uint64_t *word = b->list[i].word;

		if (bp->birth > word[WORD_TXG])
			continue;
		word[WORD_FREED] += (uint64_t)s.used;
		word[WORD_FREED + 1] += (uint64_t)s.comp;
		word[WORD_FREED + 2] += (uint64_t)s.uncomp;
		b->changed = true;
	}
}

int bookmarks_write(struct bookmarks *b, struct err *e)
{
	struct zap_edit *z;

	if (b == NULL || !b->changed)
		return 0;
	if (dsl_zap(b->w, b->object, &z, e) < 0)
		return -1;
	for (size_t i = 0; i < b->count; i++) {
		const struct bookmark *one = &b->list[i];

		if (zap_edit_set_key(z, one->name, one->name_size, 8, one->word, one->words, e) < 0)
			return -1;
	}
	b->changed = false;
	return 0;
}

int bookmarks_add_keys(struct bookmarks *b, uint64_t deadlist, uint64_t prev_snap_txg,
		       struct err *e)
{
	for (size_t i = 0; b != NULL && i < b->count; i++) {
		uint64_t txg = b->list[i].word[WORD_TXG];
		bool	 again = txg == prev_snap_txg;

		for (size_t k = 0; k < i; k++)
			again = again || b->list[k].word[WORD_TXG] == txg;
		if (!again && deadlist_add_key(b->w, deadlist, txg, false, e) < 0)
			return -1;
	}
	if (b != NULL)
		b->count = 0;
	return 0;
}
