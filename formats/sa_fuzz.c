/* First byte: the order. The rest: a header. */
#include <stdlib.h>

#include "formats/sa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint16_t	 lengths[256];
	uint8_t		 buf[512];
	unsigned	 count = 0;
	struct sa_header h;
	struct err	 e;

	if (n < 1)
		return 0;

	enum order   o = data[0] & 1 ? ORDER_BIG : ORDER_LITTLE;
	struct bytes in = bytes_of(data + 1, n - 1, o);

	if (sa_header_decode(in, &h, &e) < 0)
		return 0;
	while (sa_header_length(in, &h, count, &lengths[count], &e) == 0)
		count++;

	/* All the lengths that have room make a header of the same size and bytes. */
	if (sa_header_size(count) != h.size)
		abort();
	sa_header_encode(wbytes_of(buf, sizeof buf, o), h.layout, lengths, count);
	if (memcmp(buf, in.p, h.size) != 0)
		abort();
	return 0;
}
