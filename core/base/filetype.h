/*
 * What bytes are, in words: libmagic's. Good for a message, never for a decision.
 */
#ifndef CORE_BASE_FILETYPE_H
#define CORE_BASE_FILETYPE_H

#include "formats/base/bytes.h"
#include "formats/base/text.h"

/*
 * Adds "gzip compressed data, ..." for the beginning of a file, shortened to what fits. False, and
 * nothing added, when nothing is known of them, or the machine has no database of types.
 */
bool filetype_text(struct bytes start, struct text *out);

#endif
