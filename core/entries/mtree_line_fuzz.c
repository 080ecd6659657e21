/* Lists line by line, as mtree_in cuts them: words are parsed, defaults kept, nothing is opened. */
#include <stdlib.h>
#include <string.h>

#include "core/entries/mtree_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take_line(const uint8_t *p, size_t n, struct mtree_keys *set)
{
	struct mtree_line l;
	struct err	  e;
	char		 *line = malloc(n + 1);

	if (line == NULL)
		return;
	memcpy(line, p, n);
	line[n] = '\0';
	if (mtree_line_parse(line, set, &l, &e) == 0 && l.what == MTREE_ENTRY) {
		assert(l.name_n <= n && strlen(l.name) <= l.name_n);
		assert(!(l.keys.given & MTREE_LINK) || l.keys.link_n <= n);
		assert(!(l.keys.given & MTREE_MODE) || l.keys.mode <= 07777);
		assert(!(l.keys.given & MTREE_TIME) || l.keys.time.ns < 1000000000);
	}
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mtree_keys set = { 0 };

	for (size_t at = 0, n; at <= size; at += n + 1) {
		const uint8_t *end = at < size ? memchr(data + at, '\n', size - at) : NULL;

		n = end != NULL ? (size_t)(end - data) - at : size - at;
		take_line(data + at, n, &set);
	}
	return 0;
}
