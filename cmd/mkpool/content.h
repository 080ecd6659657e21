/* Sources into the file system, one after the other. */
#ifndef CMD_MKPOOL_CONTENT_H
#define CMD_MKPOOL_CONTENT_H

#include "cmd/mkpool/options.h"
#include "core/zpl/zpl_write.h"

/* Everything that -d names, and the end of the file system. ERR_INTERRUPTED when a signal came. */
int content_write(struct options *o, struct zpl_write *z, struct err *e) MUST_CHECK;

#endif
