/* The offsets of the history ring, kept in the bonus of the history object. */
#include "formats/history.h"

#include "formats/words.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const struct word words[] = {
	{ "pool_create_len", 0x00, offsetof(struct history, pool_create_len), WORD_NUMBER },
	{ "phys_max_off", 0x08, offsetof(struct history, phys_max_off), WORD_NUMBER },
	{ "bof", 0x10, offsetof(struct history, bof), WORD_NUMBER },
	{ "eof", 0x18, offsetof(struct history, eof), WORD_NUMBER },
	{ "records_lost", 0x20, offsetof(struct history, records_lost), WORD_NUMBER },
};

int history_decode(struct bytes in, struct history *out, struct err *e)
{
	if (in.n < HISTORY_SIZE)
		return err_set(e, ERR_CORRUPT, "history offsets need %d bytes, have %zu",
			       HISTORY_SIZE, in.n);
	words_decode(words, COUNT(words), in, out);
	return 0;
}

void history_encode(const struct history *h, struct wbytes out)
{
	assert(out.n >= HISTORY_SIZE);
	words_encode(words, COUNT(words), h, out);
}

void history_describe(const struct history *h, struct text *t)
{
	words_describe(words, COUNT(words), h, t);
}
