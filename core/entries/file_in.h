/* The contents of a host file, a large piece at a time, holes left out. */
#ifndef CORE_ENTRIES_FILE_IN_H
#define CORE_ENTRIES_FILE_IN_H

#include "core/zpl/entry.h"

struct file_in {
	int		    fd;		   /* or -1 */
	uint64_t	    size, at, end; /* read up to `at`; data goes on until `end` at least */
	bool		    sparse;
	uint8_t		   *buf;
	struct entry_range *ranges;
	size_t		    range_cap;
};

int  file_in_init(struct file_in *f, struct err *e) MUST_CHECK;
void file_in_fini(struct file_in *f);

/* Takes the descriptor of a file of `size` bytes; the one before is closed. */
void file_in_take(struct file_in *f, int fd, uint64_t size, bool sparse);
void file_in_drop(struct file_in *f);

/* The map of its data into the entry, unless it has very many runs. */
int file_in_map(struct file_in *f, struct entry *out, struct err *e) MUST_CHECK;

/* As entry_source's. A file that is longer or shorter than it was is an error. */
int file_in_data(struct file_in *f, uint64_t *offset, struct bytes *piece,
		 struct err *e) MUST_CHECK;

#endif
