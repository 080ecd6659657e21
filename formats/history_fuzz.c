/* First byte: the order. The rest: history offsets. */
#include <stdlib.h>

#include "formats/history.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t	       again[HISTORY_SIZE];
	char	       out[512];
	struct text    t = text_in(out, sizeof out);
	struct history h;
	struct err     e;

	if (n < 1)
		return 0;

	enum order o = data[0] & 1 ? ORDER_BIG : ORDER_LITTLE;

	if (history_decode(bytes_of(data + 1, n - 1, o), &h, &e) < 0)
		return 0;
	history_describe(&h, &t);
	history_encode(&h, wbytes_of(again, sizeof again, o));
	if (memcmp(again, data + 1, HISTORY_SIZE) != 0)
		abort();
	return 0;
}
