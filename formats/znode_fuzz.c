/* First byte: the order. The rest: an old znode. */
#include <stdlib.h>

#include "formats/znode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t	     once[ZNODE_SIZE], twice[ZNODE_SIZE];
	struct znode z;
	struct err   e;

	if (n < 1)
		return 0;

	enum order o = data[0] & 1 ? ORDER_BIG : ORDER_LITTLE;

	if (znode_decode(bytes_of(data + 1, n - 1, o), &z, &e) < 0)
		return 0;
	znode_encode(&z, wbytes_of(once, sizeof once, o));
	if (znode_decode(bytes_of(once, sizeof once, o), &z, &e) < 0)
		abort();
	znode_encode(&z, wbytes_of(twice, sizeof twice, o));
	if (memcmp(once, twice, sizeof once) != 0)
		abort();
	return 0;
}
