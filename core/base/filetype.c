/* The one home of libmagic. Looked into are bytes at hand, never files, and nothing is unpacked. */
#include "core/base/filetype.h"

#include <magic.h>
#include <string.h>

enum { SHOWN = 160 }; /* a file system's description goes on with its label and more */

static bool tells_something(const char *said)
{
	return said != NULL && said[0] != '\0' && strcmp(said, "data") != 0 &&
	       strcmp(said, "empty") != 0;
}

bool filetype_text(struct bytes start, struct text *out)
{
	magic_t	    m = magic_open(MAGIC_NO_CHECK_COMPRESS);
	const char *said = NULL;
	bool	    told;

	if (m != NULL && magic_load(m, NULL) == 0)
		said = magic_buffer(m, start.p, start.n);
	told = tells_something(said);
	if (told) {
		size_t n = strnlen(said, SHOWN);

		text_name(out, said, n);
		if (said[n] != '\0')
			text_put(out, "...");
	}
	if (m != NULL)
		magic_close(m);
	return told;
}
