/*
 * Records that are rows of 64-bit words: one table says where each word is on disk, where in
 * memory, and what it is called; reading, writing and describing walk it.
 *
 * The table's order is the order of the description; the disk offsets may come in any order.
 */
#ifndef FORMATS_WORDS_H
#define FORMATS_WORDS_H

#include <time.h>

#include "formats/base/bytes.h"
#include "formats/base/text.h"

enum word_form {
	WORD_NUMBER, /* name = 12 */
	WORD_HEX,    /* name = 1f, as zdb prints flags */
	WORD_TIME,   /* seconds since 1970, as ctime prints them, UTC */
};

struct word {
	const char    *name;
	uint16_t       disk; /* offset in the record */
	uint16_t       mem;  /* offset of a uint64_t in the struct */
	enum word_form form;
};

/* The record, on either side, has room for every word of the table. */
void words_decode(const struct word *table, size_t count, struct bytes in, void *record);
void words_encode(const struct word *table, size_t count, const void *record, struct wbytes out);

/* One line a word: "name = value". */
void words_describe(const struct word *table, size_t count, const void *record, struct text *t);

/* "Mon Nov 30 07:58:42 2026"; the number itself when it is no time that a calendar has. */
void text_time(struct text *t, uint64_t seconds);

/*
 * "Mon Nov 30", UTC, and all of it in *tm, for times that look otherwise from there on. False: no
 * calendar has it, and the number was put.
 */
bool text_day(struct text *t, uint64_t seconds, struct tm *tm);

#endif
