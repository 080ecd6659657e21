/*
 * Pool history: a ring of records, each a length (u64, little-endian) and an XDR nvlist;
 * the bonus has the offsets.
 * Source: OpenZFS spa_history.c (spa_history_phys_t), spa_impl.h.
 */
#ifndef FORMATS_HISTORY_H
#define FORMATS_HISTORY_H

#include "formats/nvlist.h"

enum { HISTORY_SIZE = 40 };
struct history {
	uint64_t pool_create_len, phys_max_off, bof, eof, records_lost;
};
int  history_decode(struct bytes in, struct history *out, struct err *e) MUST_CHECK;
void history_encode(const struct history *h, struct wbytes out);
void history_describe(const struct history *h, struct text *t);

#endif
