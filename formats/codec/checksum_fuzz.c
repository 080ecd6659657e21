/*
 * Verifies arbitrary blocks as blocks that carry their checksum. The first byte chooses kind and
 * byte order; then the same block is sealed, and must verify in that order.
 */
#include <stdlib.h>

#include "formats/codec/checksum.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const unsigned kinds[] = { CHECKSUM_LABEL, CHECKSUM_GANG_HEADER, CHECKSUM_ZILOG,
					  CHECKSUM_ZILOG2 };
	struct digest	      verifier = { { 1, 2, 3, 4 } };
	enum order	      want, seen = ORDER_LITTLE;
	struct err	      e;

	if (n < 1 || checksum_init(NULL) < 0)
		return 0;

	unsigned      kind = kinds[p[0] % 4];
	struct bytes  in = bytes_of(p + 1, n - 1, ORDER_LITTLE);
	struct wbytes copy = wbytes_of(malloc(n), n - 1, ORDER_LITTLE);

	(void)!checksum_trailer_verify(kind, in, &verifier, &seen, &e);
	if (copy.p == NULL)
		return 0;
	memcpy(copy.p, in.p, in.n);
	want = copy.order = p[0] & 4 ? ORDER_BIG : ORDER_LITTLE;
	if (checksum_trailer_seal(kind, copy, &verifier, &e) == 0) {
		if (checksum_trailer_verify(kind, wbytes_view(copy), &verifier, &seen, &e) < 0)
			abort();
		assert(seen == want);
	}
	free(copy.p);
	return 0;
}
