/* A pipe, terminal or device read so that a signal can end the waiting, for libarchive. */
#ifndef CORE_ENTRIES_PIPE_IN_H
#define CORE_ENTRIES_PIPE_IN_H

#include <archive.h>
#include <stdbool.h>
#include <stdint.h>

#include "formats/base/err.h"

struct pipe_in {
	int fd; /* borrowed */
	/* Asked while nothing comes: true gives up. NULL: wait for ever. */
	bool (*stop)(void *ctx);
	void	*ctx;
	bool	 stopped; /* stop said so */
	uint8_t *buf;
};

/* Is it something that may let us wait? */
bool pipe_in_is(int fd);

/* Room to read into, then what archive_read_open says. pipe_in_fini in any case. */
int  pipe_in_init(struct pipe_in *p, struct err *e) MUST_CHECK;
int  pipe_in_open(struct pipe_in *p, struct archive *a);
void pipe_in_fini(struct pipe_in *p);

#endif
