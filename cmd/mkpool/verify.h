/* --verify: what was built is read again, by the code that poolcheck is made of. */
#ifndef CMD_MKPOOL_VERIFY_H
#define CMD_MKPOOL_VERIFY_H

#include "cmd/mkpool/options.h"
#include "core/vdev/dev.h"

/* `dev` is borrowed. ERR_CORRUPT when there is anything that poolcheck would call an error. */
int verify(struct options *o, struct dev *dev, struct err *e) MUST_CHECK;

#endif
