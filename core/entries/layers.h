/*
 * Layers: entries that go on top of what other sources have left in a file system, with the
 * whiteouts of OCI image layers. ".wh.NAME" takes away NAME, ".wh..wh..opq" everything in its
 * directory, in both cases only what is from lower layers, wherever in the layer the whiteout
 * stands. Other names that begin with ".wh..wh." are bookkeeping of union file systems and are left
 * out. A file in place of a directory takes all of it away.
 * Source: OCI image-spec, layer.md ("Whiteouts"); Docker's pkg/archive for ".wh..wh.".
 */
#ifndef CORE_ENTRIES_LAYERS_H
#define CORE_ENTRIES_LAYERS_H

#include "core/base/idmap.h"
#include "core/zpl/zpl_write.h"

/* Starts as all zero but for z; one a file system. About 16 bytes for each entry of a layer. */
struct layers {
	struct zpl_write *z;
	struct idmap	  told; /* hashes of the paths of this layer */
};

void layers_fini(struct layers *l);

/* The next source is another layer. */
void layers_next(struct layers *l);

/*
 * What an entry is for the layer: 1, it goes into the file system; 0, it was a whiteout, and has
 * been done. ERR_REFUSED for whiteouts that make no sense or lead elsewhere, with the path.
 */
int layers_take(struct layers *l, const struct entry *n, struct err *e) MUST_CHECK;

#endif
