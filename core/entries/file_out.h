/*
 * One host file as a sink: for the contents of a single file, whatever it is called. A device, a
 * pipe or standard output is written to as it comes, zeros for holes; a regular file gets its
 * holes, mode, times and attributes, and goes away when it is not finished.
 */
#ifndef CORE_ENTRIES_FILE_OUT_H
#define CORE_ENTRIES_FILE_OUT_H

#include "core/entries/lost.h"
#include "core/zpl/entry.h"

struct file_out_options {
	bool	 same_owner; /* as in dirtree_out */
	lost_fn *lost;	     /* may be NULL */
	void	*ctx;
};

/* `path` is made or overwritten when the entry begins. Takes one entry, a file. */
int file_out_open(const char *path, const struct file_out_options *o, struct entry_sink *out,
		  struct err *e) MUST_CHECK;

/* To a descriptor, which stays the caller's. */
int file_out_open_fd(int fd, const char *name, struct entry_sink *out, struct err *e) MUST_CHECK;

#endif
