/* The contents of one entry on their way from an object to a sink: pieces, bad ranges, the map. */
#ifndef CORE_ZPL_CONTENTS_H
#define CORE_ZPL_CONTENTS_H

#include "core/dmu/object_pieces.h"
#include "core/zpl/entry.h"

/* Begun when it is zero but for sink, report and ctx; contents_begin before a further entry. */
struct contents {
	struct entry_sink *sink;
	/* "bytes A to B cannot be read: why": the first ones of each entry */
	void (*report)(void *ctx, const struct err *why);
	void		   *ctx;
	struct err	    failed; /* the first fault; ERR_NONE: all was read */
	unsigned	    reports;
	struct entry_range *ranges;
	size_t		    range_count, range_cap;
};

void contents_begin(struct contents *c);
void contents_fini(struct contents *c);

/* What object_pieces_read gives to: the sink's data calls, `size` bytes of contents. */
struct object_pieces contents_pieces(struct contents *c, uint64_t size);

/* An object_range_fn, ctx being the contents: one more range of data. */
int contents_range(void *ctx, uint64_t start, uint64_t end, struct err *e);

/* The ranges so far as the entry's map, which borrows them. */
void contents_map(const struct contents *c, struct entry *entry);

#endif
