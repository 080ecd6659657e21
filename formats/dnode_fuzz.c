/* First byte: the order. The rest: a dnode and what follows it in its block. */
#include <stdlib.h>

#include "formats/dnode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static uint8_t once[256 * DNODE_MIN_SIZE], twice[256 * DNODE_MIN_SIZE];
	char	       out[4096];
	struct text    t = text_in(out, sizeof out);
	struct dnode   dn;
	struct err     e;

	if (n < 1)
		return 0;

	enum order o = data[0] & 1 ? ORDER_BIG : ORDER_LITTLE;

	if (dnode_decode(bytes_of(data + 1, n - 1, o), &dn, &e) < 0)
		return 0;
	dnode_describe(&dn, &t);

	size_t size = dnode_size(&dn);

	if (dn.type != OT_NONE && dnode_span(&dn, dn.levels) == 0)
		abort();
	dnode_encode(&dn, wbytes_of(once, sizeof once, o));
	if (dnode_decode(bytes_of(once, size, o), &dn, &e) < 0)
		abort();
	dnode_encode(&dn, wbytes_of(twice, sizeof twice, o));
	if (memcmp(once, twice, size) != 0)
		abort();
	return 0;
}
