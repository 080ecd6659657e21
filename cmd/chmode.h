/* Modes as chmod(1) and tar --mode take them: "0644", "u+rwX,go-w", "a=r". */
#ifndef CMD_CHMODE_H
#define CMD_CHMODE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/err.h"

/* Is the word one? ERR_USAGE. */
int chmode_check(const char *word, struct err *e) MUST_CHECK;

/* What a checked word makes of a mode (12 bits); X asks whether it is of a directory. */
uint32_t chmode_apply(const char *word, uint32_t mode, bool dir);

#endif
