/* Any bytes as an archive: entries have safe names and contents within their sizes, or an error
 * says why. */
#include <stdlib.h>

#include "core/entries/archive_in.h"
#include "formats/base/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static int drain(struct entry_source *s, const struct entry *entry, uint64_t *budget, struct err *e)
{
	struct bytes piece;
	uint64_t     offset, end = 0;
	int	     got;

	while ((got = s->data(s->self, &offset, &piece, e)) > 0) {
		if (offset < end || offset > entry->size || piece.n > entry->size - offset)
			abort();
		end = offset + piece.n;
		if (piece.n > *budget)
			return -1; /* a bomb: big on purpose, not our concern here */
		*budget -= piece.n;
	}
	return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct entry_source s;
	struct entry	    entry;
	struct err	    e;
	char		    again[ENTRY_PATH_MAX + 1];
	size_t		    size;
	uint64_t	    budget = 64 * MIB;
	int		    got;

	if (archive_in_open_memory(bytes_of(p, n, ORDER_NATIVE), "fuzz", NULL, &s, &e) < 0)
		return 0;
	while ((got = s.next(s.self, &entry, &e)) > 0) {
		if (entry.path_size > ENTRY_PATH_MAX ||
		    entry_path_clean(entry.path, entry.path_size, again, &size, NULL) < 0 ||
		    size != entry.path_size || memcmp(again, entry.path, size) != 0)
			abort();
		if (entry.kind == ENTRY_FILE && drain(&s, &entry, &budget, &e) < 0)
			break;
	}
	s.close(s.self);
	return 0;
}
